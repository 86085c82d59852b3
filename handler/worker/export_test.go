package worker

// The errors that the tests look for.
type (
	DownError      = downError
	UntrustedError = untrustedError
)
