package skill

// The bounds that the tests look for.
const (
	MaxResourceSize = maxResourceSize
	MaxSummary      = maxSummary
)

// NotFoundError is the package's own name, for its tests.
type NotFoundError = notFoundError
