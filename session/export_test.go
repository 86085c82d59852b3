package session

// The errors that the tests look for.
type (
	DamageError   = damageError
	NotFoundError = notFoundError
	VersionError  = versionError
)
