package recipe

// The errors that the tests look for.
type (
	MissingArgumentError = missingArgumentError
	UnknownArgumentError = unknownArgumentError
)
