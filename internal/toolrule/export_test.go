package toolrule

// SyntaxError is the package's own name, for its tests.
type SyntaxError = syntaxError
