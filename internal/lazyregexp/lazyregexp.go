// Package lazyregexp holds regular expressions that are compiled when they are first
// needed, so that a program does not pay at its start for those that it never uses.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a pattern that compiles on first use. It is safe for concurrent use.
type Regexp struct{ get func() *regexp.Regexp }

// New returns the pattern; a wrong one panics when it is first needed, which a test
// of the package that has it sees.
func New(pattern string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
}

// Get returns the compiled expression.
func (r *Regexp) Get() *regexp.Regexp { return r.get() }
