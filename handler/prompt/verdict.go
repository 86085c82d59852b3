package prompt

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/handler/internal/text"
)

// maxVerdict bounds a model's answer, in bytes.
const maxVerdict = 256 << 10

// verdict is a model's answer. Prompts that ask for the answer of a command hook get a
// decision instead of ok.
type verdict struct {
	OK         *bool  `json:"ok"`
	Decision   string `json:"decision"`
	Reason     string `json:"reason"`
	Impossible bool   `json:"impossible"`
	Specific   struct {
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	} `json:"hookSpecificOutput"`
	Others jsontext.Value `json:",embed"`
}

// decide settles OK by the decisions. Of those that contradict each other a refusal counts.
func (v *verdict) decide() error {
	v.Reason = cmp.Or(v.Reason, v.Specific.Reason)
	for _, word := range []string{v.Decision, v.Specific.Decision} {
		var ok bool
		switch word {
		case "":
			continue
		case "block", "deny":
		case "approve", "allow":
			ok = v.OK == nil || *v.OK
		default:
			return fmt.Errorf("the model's answer has an unknown decision: %q", text.Quote([]byte(word)))
		}
		v.OK = &ok
	}
	return nil
}

// parse reads a model's answer. A code fence around it is tolerated unless strict
// is set.
func parse(said string, strict bool) (verdict, []string, error) {
	var v verdict
	if len(said) > maxVerdict {
		return v, nil, fmt.Errorf("the model's answer is larger than %d bytes", maxVerdict)
	}
	body := strings.TrimSpace(strings.TrimPrefix(said, "\uFEFF"))
	var notes []string
	if inner, ok := unfence(body); ok {
		if strict {
			return v, nil, fmt.Errorf("the model's answer is in a code fence: %q", text.Quote([]byte(said)))
		}
		body = inner
		notes = append(notes, "the model's answer was in a code fence")
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		return v, notes, fmt.Errorf("the model's answer is not one JSON object {ok, reason}: %q: %w", text.Quote([]byte(said)), err)
	}
	if err := v.decide(); err != nil {
		return v, notes, err
	}
	if v.OK == nil {
		return v, notes, errors.New(`the model's answer has no "ok" and no decision`)
	}
	if len(v.Others) > 0 && string(v.Others) != "{}" {
		notes = append(notes, "keys of the model's answer that mean nothing: "+text.Quote(v.Others))
	}
	return v, notes, nil
}

// unfence returns what stands in a code fence that is all there is.
func unfence(s string) (string, bool) {
	inner, ok := strings.CutPrefix(s, "```")
	if !ok {
		return s, false
	}
	inner, ok = strings.CutSuffix(inner, "```")
	if !ok {
		return s, false
	}
	if first, rest, found := strings.Cut(inner, "\n"); found && !strings.ContainsAny(first, "{}") {
		inner = rest // the fence's language
	}
	return strings.TrimSpace(inner), true
}
