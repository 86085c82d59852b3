package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/hookline-dev/hookline/hook"
)

// facts are what all records of one event have in common.
func (l *Log) facts(in hook.Input, out *hook.Outcome) Record {
	base := in.Base()
	r := Record{
		Session: l.clip(base.SessionID, maxName), CWD: l.clip(base.CWD, maxName), Agent: l.clip(base.AgentID, maxName), Event: out.Event.String(),
		Outcome: out.Decision.String(), DecidedBy: l.clip(out.DecidedBy, maxName),
	}
	s := subjectOf(in)
	r.Tool, r.ToolUseID = l.clip(s.tool, maxName), l.clip(s.id, maxName)
	input := s.input
	if out.InputChanged {
		input = out.OriginalInput.Raw()
		r.Updated = l.value(out.UpdatedInput.Raw())
	}
	r.Input, r.Output = l.value(input), l.value(s.output)
	return r
}

// subject is what an event is about.
type subject struct {
	tool, id, input, output string
}

func subjectOf(in hook.Input) subject {
	switch in := in.(type) {
	case *hook.PreToolUse:
		return subject{in.ToolName, in.ToolUseID, in.ToolInput.Raw(), ""}
	case *hook.PermissionRequest:
		return subject{in.ToolName, "", in.ToolInput.Raw(), ""}
	case *hook.PermissionDenied:
		return subject{in.ToolName, in.ToolUseID, in.ToolInput.Raw(), ""}
	case *hook.ToolExecutionStart:
		return subject{in.ToolName, in.ToolUseID, in.ToolInput.Raw(), ""}
	case *hook.ToolExecutionUpdate:
		return subject{in.ToolName, in.ToolUseID, in.ToolInput.Raw(), in.PartialResult.Raw()}
	case *hook.ToolExecutionEnd:
		return subject{in.ToolName, in.ToolUseID, in.ToolInput.Raw(), in.Result.Raw()}
	case *hook.PostToolUse:
		return subject{in.ToolName, in.ToolUseID, in.ToolInput.Raw(), in.ToolResponse.Raw()}
	case *hook.PostToolUseFailure:
		return subject{in.ToolName, in.ToolUseID, in.ToolInput.Raw(), in.ToolResponse.Raw()}
	case *hook.ToolOffered:
		return subject{tool: in.ToolName, input: in.Tool.Raw()}
	case *hook.UserInput:
		return subject{input: in.Text}
	case *hook.UserPromptSubmit:
		return subject{input: in.Prompt}
	case *hook.UserPromptExpansion:
		return subject{input: in.Prompt}
	case *hook.UserBash:
		return subject{input: in.Command}
	}
	return subject{}
}

// value describes a text, nil when there is none.
func (l *Log) value(text string) *Value {
	if text == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	v := &Value{Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}
	if l.opts.Level == Full {
		v.Text, v.Cut = l.red.Clip(valid(text), maxText)
	}
	return v
}

// run makes the record of one run.
func (l *Log) run(r Record, run *hook.Run) Record {
	info := run.Hook
	r.Kind = KindHook
	r.Hook, r.Dialect, r.Source, r.Scope = l.clip(info.Name, maxName), info.Dialect, l.clip(info.Source, maxName), info.Scope
	if l.opts.Digest != nil {
		r.Digest = l.opts.Digest(info)
	}
	r.Unseen = l.list(info.Unseen)
	r.Run, r.Status, r.Why = run.Seq, run.Status.String(), l.clip(run.Why, maxReason)
	r.Decision, r.Reason = run.Decision.String(), l.clip(run.Reason, maxReason)
	r.FailedClosed, r.Uncertain, r.Again, r.Leaked = run.FailedClosed, run.Uncertain, run.Again, run.Leaked
	r.Ignored, r.Notes = l.list(run.Ignored), l.list(run.Notes)
	r.DurationMS = ms(run.Duration)
	if run.Err != nil {
		r.Error = l.clip(run.Err.Error(), maxReason)
		r.ErrorKind = string(hook.FailureError)
		if f, ok := errors.AsType[*hook.Failure](run.Err); ok {
			r.ErrorKind = string(f.Kind)
		}
		r.FailedOpen = failedOpen(run)
	}
	if p := run.Report; p != nil {
		r.ExitCode, r.Signal, r.StdoutBytes, r.StderrBytes, r.Truncated = p.ExitCode, p.Signal, p.StdoutBytes, p.StderrBytes, p.Truncated
		r.Stderr = l.clip(p.Stderr, maxReason)
		if p.Phases != (hook.Phases{}) {
			r.Phases = &Phases{ms(p.Phases.Start), ms(p.Phases.Stdin), ms(p.Phases.Run), ms(p.Phases.Drain)}
		}
	}
	return r
}

// failedOpen reports whether a failure let a call go on that the hook could have
// stopped.
func failedOpen(run *hook.Run) bool {
	failed := run.Status == hook.StatusFailed || run.Status == hook.StatusTimedOut
	return failed && !run.FailedClosed && !run.Hook.Observe && run.Hook.Policy == hook.FailOpen && run.Hook.Event.Spec().CanBlock()
}

// ms is a duration in milliseconds, to a microsecond.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
