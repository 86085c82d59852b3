package plugin

// Severity says how bad a diagnostic is.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // something cannot be used
	SeverityWarning Severity = "warning" // something is used, though not as written
	SeverityInfo    Severity = "info"    // something is passed over, as it should be
)

// Diagnostic is a finding about a file: why it was not used, or not wholly.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	Source   string   `json:"source"` // path, path:line or path:line:column
	Message  string   `json:"message"`
}
