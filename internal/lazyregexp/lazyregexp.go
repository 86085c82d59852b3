// Package lazyregexp holds regular expressions that are compiled when they are first
// needed, so that a program does not pay at its start for those that it never uses.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a pattern that compiles on first use. It is safe for concurrent use.
type Regexp struct {
	pattern string
	once    sync.Once
	re      *regexp.Regexp
}

// New returns the pattern; a wrong one panics when it is first needed, which a test
// of the package that has it sees. It does nothing else, so that the compiler makes data
// of a variable at package level.
func New(pattern string) *Regexp { return &Regexp{pattern: pattern} }

// Get returns the compiled expression.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.pattern) })
	return r.re
}
