package pi

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
)

// behaviours are the modules' handlers of tool_call. The dialect has no allow, no
// ask, and no answer that adds context or rewrites the input here.
var behaviours = map[hooktest.Behaviour]string{
	hooktest.Silent: `async () => {}`,
	hooktest.Deny:   `() => ({ block: true, reason: "` + hooktest.DenyReason + `" })`,
	hooktest.Fail:   `() => { throw new Error("broken") }`,
	hooktest.Hang:   `() => new Promise((done) => setTimeout(done, 60000))`,
}

func TestKindConforms(t *testing.T) {
	hooktest.TestKind(t, hooktest.Kind{Make: func(t testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
		src, ok := behaviours[b]
		if !ok {
			return nil, false
		}
		path := filepath.Join(t.TempDir(), "m.ts")
		if err := os.WriteFile(path, []byte(module("tool_call", src)), 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := script.Load(context.Background(), path, script.Options{Cache: sharedCache})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
		regs, _ := Registrations(m, NewGroups(hook.NewRegistry()))
		return regs[0].Handler, true
	}})
}

func TestCodecConforms(t *testing.T) {
	var events []hook.Event
	inputs := map[hook.Event]hook.Input{}
	for _, in := range samples() {
		// The dialect has no word for context, and a word for a refusal only where
		// one can cancel; the others have tests of their own.
		spec := in.Event().Spec()
		if spec.Honours&hook.FieldContext == 0 && (!spec.CanBlock() || spec.Honours&hook.FieldCancel != 0) {
			events = append(events, in.Event())
			inputs[in.Event()] = in
		}
	}
	codec := func(ev hook.Event) *codec {
		c, ok := newCodec(nameOf(ev), script.FamilyOMP, script.KindExtension)
		if !ok {
			t.Fatalf("no codec for %v", ev)
		}
		return c
	}
	hooktest.TestCodec(t, hooktest.Codec{
		Events:      events,
		EncodeInput: func(in hook.Input) ([]byte, error) { return codec(in.Event()).Encode(in) },
		DecodeInput: decodeInput,
		EncodeOutcome: func(in hook.Input, out *hook.Outcome) (stdout, stderr []byte, exit int, err error) {
			a, _, err := foreignCodec{}.EncodeOutcome(in, out)
			return a.Stdout, nil, 0, err
		},
		DecodeResult: func(in hook.Input, stdout, _ []byte, exit int) (hook.Result, error) {
			res, _, err := codec(in.Event()).DecodeResult(&hook.Call{Input: in}, handler.Answer{Stdout: stdout, ExitCode: exit})
			return res, err
		},
		Input: func(ev hook.Event) hook.Input { return inputs[ev] },
	})
}
