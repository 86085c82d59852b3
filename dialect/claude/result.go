package claude

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// DecodeResult reads what a hook answered.
//
// Exit code 2 refuses on events that can be refused, whatever stdout says. With
// any other code, a JSON object on stdout is the answer. Without one, code 0 means no
// opinion (its text is context for the model on a few events) and every other code
// is a failure, as is the end by a signal. Of contradictory parts the strictest
// counts. A refusal that can be read is never lost to a fault elsewhere in the
// answer.
//
// With call.Strict, noise around an answer and unknown words are failures.
func (c *Codec) DecodeResult(call *hook.Call, ans handler.Answer) (hook.Result, []string, error) {
	r := &reader{codec: c, call: call, row: row(call.Input.Event()), ans: ans, strict: call.Strict || call.Hook != nil && call.Hook.Policy == hook.FailClosed}
	res, err := r.read()
	if err != nil {
		return hook.Result{}, r.notes, err
	}
	if len(res.Context) > 0 && res.Decision == hook.DecisionNone && res.Continue == hook.Unset && (r.event() == hook.EventStop || r.event() == hook.EventSubagentStop) {
		res.Continue = hook.Yes // the agent is told at once
	}
	r.bound(&res)
	return res, r.notes, nil
}

// reader reads one answer.
type reader struct {
	codec  *Codec
	call   *hook.Call
	row    eventRow
	ans    handler.Answer
	strict bool
	notes  []string
}

func (r *reader) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *reader) event() hook.Event { return r.row.event }

func (r *reader) read() (hook.Result, error) {
	doc := recognise(r.withoutAsync(), r.ans.StdoutTruncated)
	switch {
	case r.ans.Signal != "" || r.ans.ExitCode < 0:
		return r.killed(doc)
	case r.ans.ExitCode == 2:
		return r.exitTwo(doc)
	case r.ans.ExitCode != 0:
		return r.otherExit(doc)
	}
	return r.clean(doc)
}

// withoutAsync returns stdout without a first line that only said that the hook
// goes on in the background.
func (r *reader) withoutAsync() []byte {
	line, rest, _ := bytes.Cut(r.ans.Stdout, []byte("\n"))
	if _, ok := r.codec.DecodeAsync(line); ok && !r.refuses(line) {
		return rest
	}
	return r.ans.Stdout
}

// refuses reports whether a text on its own is an answer that refuses.
func (r *reader) refuses(text []byte) bool {
	doc := recognise(text, false)
	if doc.kind != docObject {
		return false
	}
	res, err := r.lenient(doc.members)
	return err == nil && refusal(&res)
}

func refusal(res *hook.Result) bool {
	return res.Decision == hook.DecisionDeny || res.Continue == hook.No
}

// lenient reads an answer without strictness and without leaving notes.
func (r *reader) lenient(members []member) (hook.Result, error) {
	other := &reader{codec: r.codec, call: r.call, row: r.row, ans: r.ans}
	return other.object(members)
}

// clean is exit code 0.
func (r *reader) clean(doc document) (hook.Result, error) {
	switch doc.kind {
	case docObject:
		res, err := r.object(doc.members)
		if err == nil && r.event() == hook.EventWorktreeCreate && !refusal(&res) && (res.Host == nil || res.Host.WorktreePath == "") {
			return hook.Result{}, noPath(string(r.ans.Stdout))
		}
		if err != nil && r.event() == hook.EventWorktreeCreate {
			err = hook.Failf(hook.FailureAnswer, "%v; it printed %s", err, beginning(string(r.ans.Stdout)))
		}
		return res, err
	case docText:
		return r.plain(doc.text)
	case docBroken:
		return hook.Result{}, hook.Failf(hook.FailureAnswer, "%s", doc.why)
	case docTruncated:
		if r.strict || strings.HasPrefix(doc.text, "{") || !r.row.text {
			return hook.Result{}, hook.Failf(hook.FailureAnswer,
				"stdout is too large to be an answer: only its first %d bytes were kept; it begins with %q", len(r.ans.Stdout), beginning(doc.text))
		}
		r.note("stdout was cut at %d bytes", len(r.ans.Stdout))
		return r.plain(doc.text)
	}
	if r.event() == hook.EventWorktreeCreate {
		return hook.Result{}, noPath("")
	}
	return hook.Result{}, nil
}

// noPath is the failure of a WorktreeCreate hook that made nothing.
func noPath(printed string) error {
	text := "no path: a WorktreeCreate hook prints the path of the worktree"
	if printed != "" {
		text += ", and this one printed " + beginning(printed)
	}
	return hook.Failf(hook.FailureAnswer, "%s", text)
}

// plain is text on stdout with exit code 0.
func (r *reader) plain(text string) (hook.Result, error) {
	if err := r.hiddenAnswer(text); err != nil {
		return hook.Result{}, err
	}
	text = strings.ReplaceAll(valid(text), "\r\n", "\n")
	switch {
	case r.codec.kind == fromHTTP:
		return hook.Result{}, hook.Failf(hook.FailureAnswer, "the body is not a JSON object; it begins with %q", beginning(text))
	case r.event() == hook.EventWorktreeCreate:
		path := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
		return hook.Result{Host: &hook.HostEffects{WorktreePath: path}}, nil
	case r.event() == hook.EventPreCompact:
		return hook.Result{Compacting: &hook.CompactingAnswer{Context: []string{text}}}, nil
	case r.row.text:
		return hook.Result{Context: []string{text}}, nil
	}
	r.note("plain text on stdout has no effect on %v: nobody sees it", r.event())
	return hook.Result{}, nil
}

// hiddenAnswer looks for an answer that is hidden in text. On an event that can be refused,
// a refusal in there is never taken for silence, and strict mode accepts nothing
// that looks like an answer. One that was cut off is neither silence nor context.
func (r *reader) hiddenAnswer(text string) error {
	found, refused, broken := false, false, false
	complete := objectsIn(text, func(members []member, cut bool) {
		for _, m := range members {
			if topLevel(m.key) || decisionLike(m.key) {
				found = true
				broken = broken || cut
			}
		}
		if cut {
			return
		}
		res, err := r.lenient(members)
		refused = refused || found && err == nil && refusal(&res)
	})
	looksLike := found || !complete || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") ||
		strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "```")
	switch {
	case broken && (guards(r.event()) || r.row.text):
		return hook.Failf(hook.FailureAnswer, "stdout has an answer that was cut off; it begins with %q", beginning(text))
	case guards(r.event()) && (refused || r.strict && looksLike):
		return hook.Failf(hook.FailureAnswer, "stdout is not one JSON object: there is text around it, so that its answer was not read; it begins with %q", beginning(text))
	case found:
		r.note("stdout is not one JSON object, so that the answer in it was not read; it begins with %q", beginning(text))
	case !complete:
		r.note("stdout is too intricate to be searched for an answer")
	}
	return nil
}

// exitTwo is exit code 2.
func (r *reader) exitTwo(doc document) (hook.Result, error) {
	var res hook.Result
	if doc.kind == docObject {
		var err error
		if res, err = r.lenient(doc.members); err != nil {
			r.note("the JSON on stdout was not read: %v", err)
		}
	}
	stderr := r.stderr()
	switch {
	case r.row.two == exitTwoIgnored:
		return r.exitTwoIgnored(doc, &res)
	case r.row.two == exitTwoShows || r.settled():
		res.Notice = joined(res.Notice, stderr)
		r.note("exit 2 cannot stop %s: stderr is shown to the person", r.what())
		return res, nil
	}
	if res.Decision != hook.DecisionDeny {
		if res.Decision != hook.DecisionNone {
			r.note("exit 2 counts, not the %v on stdout", res.Decision)
		}
		res.Decision, res.Reason = hook.DecisionDeny, ""
	}
	if !res.UpdatedInput.IsZero() {
		r.note("exit 2 refuses the call: its updatedInput was not read")
		res.UpdatedInput = hook.JSON{}
	}
	if res.Reason == "" {
		res.Reason = stderr
		if strings.HasPrefix(stderr, "{") && strings.Contains(stderr, "ecision\"") {
			r.note("a JSON answer belongs on stdout; on stderr it is the reason, as it stands")
		}
	}
	if res.Reason == "" && doc.kind == docText {
		r.note("the reason for exit 2 is read from stderr, where there is none")
	}
	return res, nil
}

// exitTwoIgnored is exit code 2 on an event that does not read it; said is what
// stdout says.
func (r *reader) exitTwoIgnored(doc document, said *hook.Result) (hook.Result, error) {
	if r.strict && guards(r.event()) && !refusal(said) {
		return hook.Result{}, hook.Failf(hook.FailureAnswer, "exit 2 is not an answer to %v: it takes hookSpecificOutput.decision", r.event())
	}
	r.note("exit 2 has no effect on %v", r.event())
	if doc.kind != docObject {
		return hook.Result{}, nil
	}
	res, err := r.object(doc.members)
	if err == nil && res.Decision == hook.DecisionAllow {
		// Whatever it means, it is not consent.
		r.note("exit 2 contradicts the allow on stdout, which was not taken")
		return hook.Result{}, nil
	}
	return res, err
}

// settled reports whether what the event is about cannot be refused although the
// event can.
func (r *reader) settled() bool {
	in, ok := r.call.Input.(*hook.ConfigChange)
	return ok && in.Source == "policy_settings"
}

func (r *reader) what() string {
	if r.settled() {
		return "a change of policy_settings"
	}
	return r.event().String()
}

// otherExit is an exit code other than 0 and 2.
func (r *reader) otherExit(doc document) (hook.Result, error) {
	if r.event() == hook.EventWorktreeCreate {
		why := "the hook could not create the worktree"
		if res, err := r.lenient(doc.members); err == nil && res.Reason != "" {
			why = res.Reason
		}
		return hook.Deny(fmt.Sprintf("exit %d: %s", r.ans.ExitCode, firstLine(r.stderr(), why))), nil
	}
	if doc.kind == docObject {
		res, err := r.object(doc.members)
		if err == nil && r.strict && guards(r.event()) && !refusal(&res) {
			return hook.Result{}, r.exitFailure(doc)
		}
		r.note("exit %d is not read: the JSON on stdout is the answer", r.ans.ExitCode)
		return res, err
	}
	return hook.Result{}, r.exitFailure(doc)
}

// killed is the end by a signal. What the hook had said before counts only when
// it was a refusal.
func (r *reader) killed(doc document) (hook.Result, error) {
	signal := r.ans.Signal
	if signal == "" {
		signal = "a signal"
	}
	if doc.kind == docObject {
		if res, err := r.lenient(doc.members); err == nil && refusal(&res) {
			r.note("it was killed by %s after it had refused", signal)
			return res, nil
		}
	}
	return hook.Result{}, hook.Failf(hook.FailureSignal, "killed by %s, which is not an answer: %s", signal, firstLine(r.stderr(), "nothing on stderr"))
}

// Exit codes by which a shell says that it could not run a command.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// exitFailure is the failure of a hook that ended with a code that means nothing
// and without an answer. Its first line says so; the lines after it are stderr.
func (r *reader) exitFailure(doc document) error {
	kind, stderr := hook.FailureExit, r.stderr()
	if r.ans.ExitCode == exitNotFound || r.ans.ExitCode == exitNotExecutable {
		kind = hook.FailureLaunch
	}
	head := fmt.Sprintf("exit %d", r.ans.ExitCode)
	if guards(r.event()) {
		head += " is not a block"
	}
	head += ": " + firstLine(telling(stderr), "nothing on stderr")
	if doc.kind == docBroken {
		head += " (" + doc.why + ")"
	}
	if strings.Contains(stderr, "\n") {
		head += "\n" + stderr
	}
	return hook.Failf(kind, "%s", head)
}

func (r *reader) stderr() string { return valid(strings.TrimSpace(string(r.ans.Stderr))) }

// valid makes text valid UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// joined joins two messages, either of which may be empty.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// telling leaves out what interpreters print before they say what went wrong: Python the
// calls that led there, Node the line of the source.
func telling(stderr string) string {
	first, _, _ := strings.Cut(stderr, "\n")
	first = strings.TrimSpace(first)
	switch {
	case strings.HasPrefix(first, "Traceback (most recent call last)"), strings.HasPrefix(first, `File "`):
		lines := strings.Split(stderr, "\n")
		return lines[len(lines)-1]
	case placeOfSource.Get().MatchString(first):
		for line := range strings.Lines(stderr) {
			if nodeError.Get().MatchString(line) {
				return line
			}
		}
	}
	return stderr
}

var (
	placeOfSource = lazyregexp.New(`^(file://)?/.*:\d+$|^node:.*:\d+$`)
	nodeError     = lazyregexp.New(`^(Uncaught )?[A-Za-z]*Error( \[[A-Z_]+\])?: `)
)

func firstLine(s, otherwise string) string {
	line, _, _ := strings.Cut(s, "\n")
	if line = strings.TrimSpace(line); line == "" {
		return otherwise
	}
	return line
}
