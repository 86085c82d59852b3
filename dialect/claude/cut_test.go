package claude_test

import (
	"testing"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// TestAnswersThatAreCutOff: what ends in the middle of an answer, wherever that is, is neither an
// answer nor silence nor context.
func TestAnswersThatAreCutOff(t *testing.T) {
	answer := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"naïve \u00e9"},"continue":true, "n": 12}`
	for _, in := range []hook.Input{bashCall("ls"), &hook.UserPromptSubmit{Prompt: "x"}, &hook.SessionStart{Source: "startup"}} {
		for _, before := range []string{"", "warming up\n"} {
			for end := 1; end < len(answer); end++ {
				if before != "" && end < len(`{"hookSpecificOutput"`) {
					continue // of a text with a brace in it nothing tells that it is an answer
				}
				stdout := before + answer[:end]
				res, _, err := claude.NewCodec(claude.CodecOptions{}).DecodeResult(&hook.Call{Input: in}, handler.Answer{Stdout: []byte(stdout)})
				if f, ok := err.(*hook.Failure); !ok || f.Kind != hook.FailureAnswer {
					t.Fatalf("%v: %q gives %+v, %v", in.Event(), stdout, res, err)
				}
			}
		}
	}
	for _, text := range []string{"{ not JSON", "use {name} and {", "{curly} text", `say {"hello": "world`} {
		res, _, err := claude.NewCodec(claude.CodecOptions{}).DecodeResult(&hook.Call{Input: &hook.SessionStart{}}, handler.Answer{Stdout: []byte(text)})
		if err != nil || len(res.Context) != 1 {
			t.Errorf("%q is not a context: %+v, %v", text, res, err)
		}
	}
}
