package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/hook"
)

// TestHostsAreWholeAndTheirCodecsCanSayWhatTheyHonour takes each host's row at its word.
func TestHostsAreWholeAndTheirCodecsCanSayWhatTheyHonour(t *testing.T) {
	names := map[string]bool{}
	for _, h := range dialect.Hosts(all.Dialects()) {
		_, d := dialect.HostByName(all.Dialects(), h.Name)
		if names[h.Name] {
			t.Errorf("two hosts have the name %s", h.Name)
		}
		for member, said := range map[string]bool{
			"Title": h.Title != "", "Late": h.Late != "", "Unit": h.Unit > 0, "Default": h.Default > 0, "Files": len(h.Files) > 0,
			"Exits": len(h.Exits) > 0, "Events": len(h.Events) > 0, "Facts.Version": h.Facts.Version != "", "Facts.Date": h.Facts.Date != "",
			"Facts.Source": strings.HasPrefix(h.Facts.Source, "https://"), "Facts.Proof": h.Facts.Proof != "",
		} {
			if !said {
				t.Errorf("the row of the host %s does not say its %s", h.Name, member)
			}
		}
		names[h.Name] = true
		if a := h.ACP; a != nil && (a.Agent == "" || a.Agent != strings.ToLower(a.Agent) || a.Seen == "") {
			t.Errorf("%s: what is known of it as an agent of an editor is not whole: %+v", h.Name, a)
		}
		for _, r := range h.Reads {
			if other, _ := dialect.HostByName(all.Dialects(), r.Host); other == nil {
				t.Errorf("%s reads the files of %s, which is not a host", h.Name, r.Host)
			}
		}
		for i := range h.Events {
			e := &h.Events[i]
			if h.Event(e.Name) != e || !slices.Contains(d.EventsOf(e.Name), e.Event) {
				t.Errorf("%s: event %s is not one of %v", h.Name, e.Name, d.EventsOf(e.Name))
			}
			for _, one := range append([]dialect.HostEvent{*e}, e.Also...) {
				for _, p := range hook.AnswerParts() {
					if one.Honours&p.Field != 0 {
						saysPart(t, h, d, &one, p)
					}
				}
			}
		}
	}
}

// saysPart puts a part that a host honours to the codec of its dialect.
func saysPart(t *testing.T, h *dialect.Host, d dialect.Hosted, e *dialect.HostEvent, p hook.AnswerPart) {
	if e.Event.Spec().Honours&p.Field == 0 && !p.Everywhere() {
		t.Errorf("%s honours %s on %s, which %v does not", h.Name, p.Name, e.Name, e.Event)
		return
	}
	var r hook.Result
	if err := json.Unmarshal([]byte(p.Example), &r); err != nil {
		t.Fatal(err)
	}
	if p.Field&(hook.FieldPermissionUpdates|hook.FieldUpdatedInput) != 0 && e.Event == hook.EventPermissionRequest {
		r.Decision = hook.DecisionAllow // which they belong to
	}
	if p.Field == hook.FieldInterrupt {
		r.Decision = hook.DecisionDeny
	}
	in, out := outcomeOf(t, e.Event, r)
	a, notes, err := d.Codec().EncodeOutcome(in, &out)
	lost := slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, p.Name+" ") })
	if err != nil || lost || len(a.Stdout)+len(a.Stderr) == 0 && p.Field != hook.FieldAllow {
		t.Errorf("%s honours %s on %s, and its codec does not say it: %s %q, %v", h.Name, p.Name, e.Name, a.Stdout, notes, err)
	}
}
