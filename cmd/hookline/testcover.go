package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
)

// coverage counts, for each hook and event, the answers that cases saw.
type coverage map[hookEvent]map[string]int

type hookEvent struct {
	name  string
	event hook.Event
}

// saysNothing is the answer of a hook that has no opinion.
const saysNothing = "nothing"

// add counts the answers of one case.
func (c coverage) add(out *hook.Outcome) {
	for i := range out.Runs {
		if r := &out.Runs[i]; r.Status != hook.StatusSkipped {
			key := hookEvent{r.Hook.Name, r.Hook.Event}
			if c[key] == nil {
				c[key] = map[string]int{}
			}
			c[key][answerOf(r)]++
		}
	}
}

// answerOf is what a hook answered, in a word: a decision, or else the first part that the
// answer has.
func answerOf(r *hook.Run) string {
	switch {
	case r.Status != hook.StatusRan:
		return r.Status.String()
	case r.Decision != hook.DecisionNone:
		return r.Decision.String()
	case r.Answer != nil:
		for _, p := range hook.AnswerParts() {
			if r.Answer.Fields()&p.Field != 0 {
				return words(p.Name)
			}
		}
	}
	return saysNothing
}

// printCoverage says of each hook that is in force which answers the cases saw, and which
// kinds are missing.
func (a *app) printCoverage(w *workspace, seen coverage) {
	known := coverage{}
	maps.Copy(known, seen)
	for i := range w.Set().Hooks {
		if h := &w.Set().Hooks[i]; h.Status == discovery.Active && known[hookEvent{h.Name, h.Event}] == nil {
			known[hookEvent{h.Name, h.Event}] = nil
		}
	}
	keys := slices.SortedFunc(maps.Keys(known), func(x, y hookEvent) int {
		return cmp.Or(cmp.Compare(x.name, y.name), cmp.Compare(x.event, y.event))
	})
	for _, key := range keys {
		var parts []string
		answers := known[key]
		for _, word := range slices.Sorted(maps.Keys(answers)) {
			parts = append(parts, fmt.Sprintf("%s %d", word, answers[word]))
		}
		silent := answers[saysNothing]
		switch {
		case len(answers) == 0:
			parts = append(parts, "no case")
		case silent == 0:
			parts = append(parts, "no case where it says nothing")
		case len(answers) == 1:
			parts = append(parts, "no case where it says something")
		}
		a.printf("%s %s: %s\n", escaped(key.name), key.event, strings.Join(parts, ", "))
	}
}
