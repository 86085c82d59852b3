package hooktest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

// Codec is a dialect under test, in all four directions.
type Codec struct {
	// Events are the events that the dialect has.
	Events []hook.Event
	// EncodeInput and DecodeInput translate an input to the dialect's bytes and
	// back.
	EncodeInput func(in hook.Input) ([]byte, error)
	DecodeInput func(data []byte) (hook.Input, error)
	// EncodeOutcome answers a host of the dialect; DecodeResult reads such an
	// answer.
	EncodeOutcome func(in hook.Input, out *hook.Outcome) (stdout, stderr []byte, exit int, err error)
	DecodeResult  func(in hook.Input, stdout, stderr []byte, exit int) (hook.Result, error)
	// Input returns an input of the event with every field set that the dialect
	// carries.
	Input func(ev hook.Event) hook.Input
}

// The rules for codecs.
var (
	ruleCodecInput   = Rule{"an input survives the way there and back", "a hook that works in one agent must see the same call in another"}
	ruleCodecOutcome = Rule{"an answer survives the way there and back", "an engine behind a foreign agent must not lose what its hooks said"}
	ruleCodecDeny    = Rule{"a deny never becomes anything weaker", "it is the one answer that must arrive"}
	ruleCodecGarbage = Rule{"garbage is an error and never an answer", "an answer that cannot be read may have been a deny"}
)

// TestCodec proves a dialect against CodecRules.
func TestCodec(t *testing.T, c Codec) {
	for _, ev := range c.Events {
		t.Run(ev.String(), func(t *testing.T) { c.test(t, ev) })
	}
}

func (c Codec) test(t *testing.T, ev hook.Event) {
	broken := func(r Rule, format string, args ...any) {
		t.Helper()
		t.Errorf("rule %q is broken: %s\nThe rule is there because %s.", r.Name, fmt.Sprintf(format, args...), r.Why)
	}
	in := c.Input(ev)
	data, err := c.EncodeInput(in)
	if err != nil {
		t.Fatal(err)
	}
	back, err := c.DecodeInput(data)
	if err != nil {
		broken(ruleCodecInput, "%s does not decode: %v", data, err)
		return
	}
	want, err1 := hook.MarshalInput(in)
	got, err2 := hook.MarshalInput(back)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if string(want) != string(got) {
		broken(ruleCodecInput, "it changed:\nbefore %s\nafter  %s", want, got)
	}
	spec := ev.Spec()
	if spec.Honours&hook.FieldContext != 0 {
		r := c.back(t, in, hook.Outcome{Event: ev, Context: []string{"remember"}})
		if !strings.Contains(strings.Join(r.Context, " "), "remember") {
			broken(ruleCodecOutcome, "context became %q", r.Context)
		}
	}
	if spec.CanBlock() {
		r := c.back(t, in, hook.Outcome{Event: ev, Decision: hook.DecisionDeny, Reason: "no"})
		if r.Decision != hook.DecisionDeny && !r.Cancel && len(r.FollowUps) == 0 {
			broken(ruleCodecDeny, "a deny became %+v", r)
		}
		for _, garbage := range []string{`{"decision":`, `{"decision":"perhaps"}`, `{"decision":"deny","decision":"allow"}`} {
			r, err := c.DecodeResult(in, []byte(garbage), nil, 0)
			if err == nil && r.Decision == hook.DecisionAllow {
				broken(ruleCodecGarbage, "%s was read as an allow", garbage)
			}
		}
	}
}

func (c Codec) back(t *testing.T, in hook.Input, out hook.Outcome) hook.Result {
	t.Helper()
	stdout, stderr, exit, err := c.EncodeOutcome(in, &out)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.DecodeResult(in, stdout, stderr, exit)
	if err != nil {
		t.Fatalf("its own answer %q (stderr %q, exit %d) does not decode: %v", stdout, stderr, exit, err)
	}
	return r
}
