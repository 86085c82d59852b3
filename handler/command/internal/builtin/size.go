package builtin

import (
	"fmt"
	"io"
	"strings"
	"unsafe"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

const (
	maxValue     = 16 << 20 // bytes that several values may have when they become one
	maxArguments = 2 * maxValue

	// sizePrefix begins the name of a file that is opened to look at the size of the
	// variables whose names follow.
	sizePrefix = "\x00size "
)

// measure has the size of a word looked at before it is expanded, if it puts several
// values together.
func measure(w *syntax.Word) {
	var names []string
	var add func(parts []syntax.WordPart)
	add = func(parts []syntax.WordPart) {
		for _, part := range parts {
			switch part := part.(type) {
			case *syntax.DblQuoted:
				add(part.Parts)
			case *syntax.ParamExp:
				if part.Param != nil {
					names = append(names, part.Param.Value)
				}
			}
		}
	}
	add(w.Parts)
	if len(names) < 2 {
		return
	}
	at := w.Pos()
	file := &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Left: at, Right: at, Value: sizePrefix + strings.Join(names, " ")}}}
	look := &syntax.Stmt{Position: at, Redirs: []*syntax.Redirect{{OpPos: at, Op: syntax.RdrIn, Word: file}}}
	w.Parts = append([]syntax.WordPart{&syntax.CmdSubst{Left: at, Right: at, Stmts: []*syntax.Stmt{look}}}, w.Parts...)
}

// room returns an error, and ends the run, when the variables of these names are too
// large together. The positional parameters are in no environment: for them what the
// process takes is looked at.
func (s *session) room(env expand.Environ, names string) error {
	size, other := 0, false
	for name := range strings.SplitSeq(names, " ") {
		v := env.Get(name)
		size += len(v.Str)
		for _, element := range v.List {
			size += len(element)
		}
		other = other || !syntax.ValidName(name)
	}
	if size > maxValue {
		err := fmt.Errorf("%w: %d MiB in one value", ErrMemory, size>>20)
		s.watcher.fail(err)
		return err
	}
	if other {
		s.watcher.look()
	}
	return nil
}

// roomFor returns an error when a command has arguments that are too large together.
func roomFor(args []string) error {
	size := 0
	for _, arg := range args {
		size += len(arg) + int(unsafe.Sizeof(arg))
	}
	if size > maxArguments {
		return fmt.Errorf("%w: %d MiB in the arguments of %s", ErrMemory, size>>20, args[0])
	}
	return nil
}

// nothing is a file without content.
type nothing struct{}

func (nothing) Read([]byte) (int, error)    { return 0, io.EOF }
func (nothing) Write(b []byte) (int, error) { return len(b), nil }
func (nothing) Close() error                { return nil }
