package skill

// MaxSummary is the bound that the tests look for.
const MaxSummary = maxSummary

// NotFoundError is the package's own name, for its tests.
type NotFoundError = notFoundError
