package script

// Report is something a module did that no call returned.
type Report struct {
	// Path is the module's file.
	Path string
	// Kind says what happened.
	Kind ReportKind
	// Level is set for logs: debug, info, warn or error.
	Level string
	// Message is the text.
	Message string
	// Err is the error behind it, if there is one.
	Err error
}

// ReportKind says what a Report is about.
type ReportKind string

// The kinds of reports.
const (
	// ReportRejection: a promise was rejected and nobody listened.
	ReportRejection ReportKind = "unhandled rejection"
	// ReportCallback: a timer, event or stream callback threw.
	ReportCallback ReportKind = "error in a callback"
	// ReportCondemned: the engine was dropped.
	ReportCondemned ReportKind = "module ended"
	// ReportReloaded: the module was loaded again after it was ended.
	ReportReloaded ReportKind = "module loaded again"
	// ReportLog: the module logged something.
	ReportLog ReportKind = "log"
	// ReportIgnored: something the module did has no effect in this host.
	ReportIgnored ReportKind = "ignored"
)

// Stats counts what a module did.
type Stats struct {
	// Generation counts how often the module was loaded.
	Generation uint64
	// Calls counts calls into the module.
	Calls uint64
	// Condemned counts dropped engines, Abandoned those whose native code
	// could not be stopped, and Leaked those of them that still run.
	Condemned, Abandoned, Leaked uint64
}
