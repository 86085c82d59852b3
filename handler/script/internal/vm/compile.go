package vm

import (
	"errors"
	"iter"
	"strings"

	"modernc.org/quickjs"
)

// Compile turns a script into bytecode, so that the next engine need not parse
// it. The error is an *Error when the text is not a script. With strip the
// functions do not keep their source text, which saves memory in every engine
// that runs them and costs what their toString returns.
func Compile(name, source string, strip bool) ([]byte, error) {
	m, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	if h, ok := handlesOf(m); ok && strip {
		h.stripSource()
	}
	code, err := compile(m, name, source)
	return code, errors.Join(err, m.Close())
}

// compile keeps the file name in the bytecode where the engine lets us, so
// that stack traces name it.
func compile(m *quickjs.VM, name, source string) ([]byte, error) {
	if h, ok := handlesOf(m); ok {
		if code, ok := h.compile(name, source); ok {
			return code, nil
		}
	}
	code, err := m.Compile(source, quickjs.EvalGlobal)
	if err != nil {
		return nil, convert(err)
	}
	return code, nil
}

// staleCode reports whether the engine refused bytecode because another
// version made it.
func staleCode(err error) bool {
	e, ok := errors.AsType[*quickjs.Error](err)
	return ok && e.Name == "SyntaxError" && strings.Contains(e.Message, "version")
}

func splitComma(s string) iter.Seq[string] {
	if s == "" {
		return func(func(string) bool) {}
	}
	return strings.SplitSeq(s, ",")
}
