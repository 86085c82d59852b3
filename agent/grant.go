package agent

import (
	"slices"

	"github.com/hookline-dev/hookline/permission/rule"
)

// grant lets calls run without a question until the prompt that is worked on is over
// and another one begins.
func (a *Agent) grant(rules []rule.Rule) {
	if len(rules) == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.granted = append(a.granted[:len(a.granted):len(a.granted)], rules...)
}

// beginGrants puts the grants of a prompt in the place of those of the one before.
func (a *Agent) beginGrants(rules []rule.Rule) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.granted = slices.Clone(rules)
}

// grants are those that are in force.
func (a *Agent) grants() []rule.Rule {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.granted
}
