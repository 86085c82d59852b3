package lazyregexp_test

import (
	"testing"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

func TestCompilesOnFirstUseOnly(t *testing.T) {
	wrong := lazyregexp.New("(") // no panic before it is used
	right := lazyregexp.New("^a+$")
	first := right.Get()
	if again := right.Get(); !first.MatchString("aaa") || again != first {
		t.Error("the expression does not match, or is compiled twice")
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong pattern passed")
		}
	}()
	wrong.Get()
}
