package prompt

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/handler/internal/text"
)

// maxVerdict bounds a model's answer, in bytes.
const maxVerdict = 256 << 10

// verdict is a model's answer.
type verdict struct {
	OK         *bool          `json:"ok"`
	Reason     string         `json:"reason"`
	Impossible bool           `json:"impossible"`
	Others     jsontext.Value `json:",embed"`
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
	if v.OK == nil {
		return v, notes, errors.New(`the model's answer has no "ok"`)
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
