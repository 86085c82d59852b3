package hook_test

import (
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

func TestFireWithoutInput(t *testing.T) {
	eng := hook.New(hook.NewRegistry())
	defer eng.Close()
	out, err := eng.Fire(t.Context(), nil)
	if err == nil || out.Decision != hook.DecisionNone {
		t.Errorf("decision %v, error %v", out.Decision, err)
	}
}
