package claude

import (
	"fmt"
	"unicode/utf8"

	"github.com/hookline-dev/hookline/hook"
)

// bound cuts every string that reaches the model to its limit. What is cut is
// stored when there is a place for it, and the person is told.
func (r *reader) bound(res *hook.Result) {
	for i := range res.Context {
		r.boundText("additional context", &res.Context[i], res)
	}
	if r.codec.opts.SystemMessage != ToPerson {
		r.boundText("systemMessage", &res.SystemMessage, res)
	}
	if res.Decision == hook.DecisionDeny {
		r.boundText("the reason", &res.Reason, res)
	}
}

func (r *reader) boundText(what string, s *string, res *hook.Result) {
	limit := r.codec.opts.TextLimit
	if limit <= 0 {
		limit = DefaultTextLimit
	}
	if len(*s) <= limit {
		return
	}
	n := utf8.RuneCountInString(*s)
	if n <= limit {
		return
	}
	whole := *s
	if overflow := r.codec.opts.Overflow; overflow != nil {
		path, err := overflow(whole)
		if err == nil {
			*s = fmt.Sprintf("%s\n[%d characters in all; the whole text is in %s]", truncate(whole, min(previewLength, limit)), n, path)
			r.tell(res, "%s has %d characters, of which %d may reach the model: it was written to %s, and the model got its beginning", what, n, limit, path)
			return
		}
		r.note("storing a text that is too long: %v", err)
	}
	*s = fmt.Sprintf("%s\n[%d characters in all; the rest was left out]", truncate(whole, limit), n)
	r.tell(res, "%s has %d characters, of which %d may reach the model: the rest was left out", what, n, limit)
}

// tell puts a remark both on record and before the person.
func (r *reader) tell(res *hook.Result, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	r.notes = append(r.notes, msg)
	name := "a hook"
	if r.call.Hook != nil && r.call.Hook.Name != "" {
		name = "hook " + r.call.Hook.Name
	}
	res.Notice = joined(res.Notice, name+": "+msg)
}

// truncate returns the first n characters of a text.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
