package audit

import (
	"time"
)

// The kinds of record.
const (
	KindHook      = "hook"      // a run of a hook, or why it did not run
	KindNote      = "note"      // something else that is worth a record, such as an override
	KindDropped   = "dropped"   // records before this one could not be written
	kindRecovered = "recovered" // the line before this one is torn
	kindUnproved  = "unproved"  // the log before this one did not end where it was signed
)

// Record is one line of the log. Fields may be added, never renamed.
type Record struct {
	// Seq numbers the records of a log from 1, across files.
	Seq uint64 `json:"seq"`
	// Time is the wall clock's, in UTC, and MonoNS the time since the writing process
	// opened its log, in nanoseconds, which no change of the clock touches.
	Time   time.Time `json:"time"`
	MonoNS int64     `json:"mono_ns"`
	PID    int       `json:"pid"`
	Kind   string    `json:"kind"`

	Session string `json:"session,omitzero"`
	// CWD is the session's working directory.
	CWD       string `json:"cwd,omitzero"`
	Agent     string `json:"agent,omitzero"`
	Event     string `json:"event,omitzero"`
	Tool      string `json:"tool,omitzero"`
	ToolUseID string `json:"tool_use_id,omitzero"`

	// Hook, Dialect, Source and Scope say which hook it was, Digest what its content
	// was, and Run which run of the engine.
	Hook    string `json:"hook,omitzero"`
	Dialect string `json:"dialect,omitzero"`
	Source  string `json:"source,omitzero"`
	Scope   string `json:"scope,omitzero"`
	Digest  string `json:"digest,omitzero"`
	Run     uint64 `json:"run,omitzero"`
	// Unseen says what of the hook no approval covers, so that Digest does not tell what
	// ran.
	Unseen []string `json:"unseen,omitempty"`

	Status   string `json:"status,omitzero"`
	Why      string `json:"why,omitzero"`
	Decision string `json:"decision,omitzero"`
	Reason   string `json:"reason,omitzero"`
	// Error says why a hook could not answer. FailedOpen says that the call went on
	// although it could have been stopped, FailedClosed that it did not.
	Error        string `json:"error,omitzero"`
	ErrorKind    string `json:"error_kind,omitzero"`
	FailedOpen   bool   `json:"failed_open,omitzero"`
	FailedClosed bool   `json:"failed_closed,omitzero"`
	Uncertain    bool   `json:"uncertain,omitzero"`
	Again        bool   `json:"again,omitzero"`
	Leaked       bool   `json:"leaked,omitzero"`
	// Late marks the answer of a hook that ran in the background.
	Late    bool     `json:"late,omitzero"`
	Ignored []string `json:"ignored,omitempty"`
	Notes   []string `json:"notes,omitempty"`

	DurationMS float64 `json:"duration_ms"`
	Phases     *Phases `json:"phases,omitzero"`
	ExitCode   *int    `json:"exit_code,omitzero"`
	Signal     string  `json:"signal,omitzero"`
	// StdoutBytes and StderrBytes are the sizes of the hook's own output.
	StdoutBytes int64  `json:"stdout_bytes,omitzero"`
	StderrBytes int64  `json:"stderr_bytes,omitzero"`
	Stderr      string `json:"stderr,omitzero"`
	Truncated   bool   `json:"truncated,omitzero"`

	// Input is what the event was about, such as the arguments of a tool, and Output
	// what the tool returned; Updated is the input after all hooks, when they changed
	// it.
	Input   *Value `json:"input,omitzero"`
	Updated *Value `json:"updated_input,omitzero"`
	Output  *Value `json:"output,omitzero"`

	// Outcome is what all hooks of the event came to.
	Outcome   string `json:"outcome,omitzero"`
	DecidedBy string `json:"decided_by,omitzero"`

	// Dropped counts the records that could not be written before this one.
	Dropped uint64 `json:"dropped,omitzero"`
	// TornBytes and TornSHA256 describe the torn line before this record.
	TornBytes  int64  `json:"torn_bytes,omitzero"`
	TornSHA256 string `json:"torn_sha256,omitzero"`

	// Key says which key signs the end of the log.
	Key string `json:"key,omitzero"`
	// Prev is the hash of the record before and Hash that of this one.
	Prev string `json:"prev,omitzero"`
	Hash string `json:"hash,omitzero"`
}

// Phases says where a process's time went, in milliseconds.
type Phases struct {
	StartMS float64 `json:"start_ms"`
	StdinMS float64 `json:"stdin_ms"`
	RunMS   float64 `json:"run_ms"`
	DrainMS float64 `json:"drain_ms"`
}

// Value describes a text without holding it, save at level Full.
type Value struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Text is the beginning of it with secrets taken out.
	Text string `json:"text,omitzero"`
	// Cut says that Text is not all.
	Cut bool `json:"cut,omitzero"`
}
