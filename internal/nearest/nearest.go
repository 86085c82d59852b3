// Package nearest finds the name that somebody probably meant.
package nearest

import (
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// Name returns the known name that is closest in spelling to one that is not known, as
// Spelling does, or else one that begins with it, "" when there is none.
func Name(name string, known []string) string {
	name = strings.ToLower(name)
	if best := Spelling(name, known); best != "" || len(name) < 4 {
		return best
	}
	for _, k := range known { // the first that goes on from there
		if strings.HasPrefix(strings.ToLower(k), name) {
			return k
		}
	}
	return ""
}

// Spelling returns the known name that is closest in spelling to one that is not known, ""
// when none is close: a few letters may differ, more of them in longer names. Letter case
// does not count.
func Spelling(name string, known []string) string {
	return closest(name, known, 1+(len(name)+1)/4)
}

// Event reports a name that is not an event, with the event that is closest in spelling. A
// third of the letters may differ: a guard below a name that is taken for no event at
// all is not even known to be missing.
func Event(name string) *hook.UnknownEventError {
	known := make([]string, 0, len(hook.Events()))
	for _, ev := range hook.Events() {
		known = append(known, ev.String())
	}
	return &hook.UnknownEventError{Name: name, Suggestion: closest(name, known, 1+len(name)/3)}
}

// closest returns the name of the least distance, which is below the bound.
func closest(name string, known []string, bound int) (best string) {
	name = strings.ToLower(name)
	for _, k := range known {
		if d := distance(name, strings.ToLower(k)); d < bound {
			best, bound = k, d
		}
	}
	return best
}

// distance is how many letters have to be changed, added or left out; long names are cut.
func distance(a, b string) int {
	a, b = a[:min(len(a), 40)], b[:min(len(b), 40)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
