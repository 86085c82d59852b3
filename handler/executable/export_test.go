package executable

// QueryError is the package's own name, for its tests.
type QueryError = queryError
