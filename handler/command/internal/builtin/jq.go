package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/itchyny/gojq"

	"mvdan.cc/sh/v3/interp"
)

// Exit codes of jq.
const (
	jqFalse   = 1
	jqMissing = 2
	jqCompile = 3
	jqNothing = 4
	jqError   = 5
)

// query is what jq was asked for.
type query struct {
	raw, join, compact, exit, null, slurp, rawInput bool
	sorted, found                                   bool // keys in order are asked for; there is a jq to leave others to
	filter                                          string
	files                                           []string
	names                                           []string
	values                                          []any
}

// parseQuery reads the arguments; false means that there is one that it does not know.
func parseQuery(args []string) (q *query, ok bool) {
	q = &query{}
	var rest []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		if arg == "--arg" || arg == "--argjson" {
			if i+2 >= len(args) {
				return nil, false
			}
			var value any = args[i+2]
			if arg == "--argjson" {
				dec := newDecoder(strings.NewReader(args[i+2]))
				var err error
				if value, err = decode(dec); err != nil {
					return nil, false
				}
				if _, err := dec.ReadToken(); err != io.EOF {
					return nil, false
				}
			}
			q.names, q.values = append(q.names, "$"+args[i+1]), append(q.values, value)
			i += 2
			continue
		}
		if !q.flags(arg) {
			return nil, false
		}
	}
	if len(rest) == 0 {
		return nil, false
	}
	q.filter, q.files = rest[0], rest[1:]
	return q, true
}

func (q *query) flags(arg string) bool {
	long := map[string]byte{
		"--raw-output": 'r', "--exit-status": 'e', "--compact-output": 'c', "--null-input": 'n', "--slurp": 's',
		"--join-output": 'j', "--sort-keys": 'S', "--raw-input": 'R', "--monochrome-output": 'M',
	}
	letters := arg[1:]
	if strings.HasPrefix(arg, "--") {
		letters = string(long[arg])
	}
	for _, flag := range letters {
		switch flag {
		case 'r':
			q.raw = true
		case 'j':
			q.raw, q.join = true, true
		case 'c':
			q.compact = true
		case 'e':
			q.exit = true
		case 'n':
			q.null = true
		case 's':
			q.slurp = true
		case 'R':
			q.rawInput = true
		case 'S':
			q.sorted = true
		case 'M':
		default:
			return false
		}
	}
	return true
}

func jq(t *call) (int, bool) {
	q, ok := parseQuery(t.args[1:])
	if !ok || q.rawInput || !t.openable(q.files) {
		return 0, false
	}
	_, errPath := interp.LookPathDir(t.hc.Dir, t.hc.Env, "jq")
	q.found = errPath == nil
	if q.found && q.sorted {
		return 0, false
	}
	in := &inputs{call: t, query: q}
	code, err := q.compile(t, in)
	if err != nil {
		if q.found {
			return 0, false // the real one knows, or words it better
		}
		t.errorf("error: %v\n%s: 1 compile error", err, t.args[0])
		return jqCompile, true
	}
	exit, ok := q.run(t, code, in)
	if !ok {
		t.replay = in.stdin
	}
	return exit, ok
}

// unordered reports whether a value has an object with several keys. Those are kept in
// the order of the alphabet here, and as they came by the real jq.
func unordered(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, unordered)
	case map[string]any:
		for _, inner := range v {
			if len(v) > 1 || unordered(inner) {
				return true
			}
		}
	}
	return false
}

// compile compiles the filter, once for all runs where it does not depend on one.
func (q *query) compile(t *call, in *inputs) (*gojq.Code, error) {
	build := func() (*gojq.Code, error) {
		parsed, err := gojq.Parse(q.filter)
		if err != nil {
			return nil, err
		}
		if q.found && !sureQuery(parsed, q.names) {
			return nil, errors.New("another language than jq's")
		}
		return gojq.Compile(parsed, gojq.WithVariables(q.names), gojq.WithInputIter(in),
			gojq.WithEnvironLoader(func() []string { return exported(t.hc.Env) }))
	}
	if ofRun(q.filter) {
		return build()
	}
	return cached(t.kept, fmt.Sprintf("jq %v ", q.found)+q.filter+"\x00"+strings.Join(q.names, "\x00"), build)
}

// ofRun reports whether a filter may call what depends on the run: input, inputs, env
// and the like. A field of such a name does not.
func ofRun(filter string) bool {
	for _, name := range [...]string{"input", "env", "ENV"} {
		rest := filter
		for {
			before, after, found := strings.Cut(rest, name)
			if !found {
				break
			}
			if before == "" || !isWord(before[len(before)-1]) {
				return true
			}
			rest = "." + after // what follows at once is part of a longer name
		}
	}
	return false
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// results are what a filter has come to so far.
type results struct {
	text    bytes.Buffer // what is still to be written
	flushed bool         // some was written: no real jq can take over any more
	printed bool         // there was a result
	last    any
	failed  bool
}

// flush writes what there is; it reports whether somebody reads it.
func (r *results) flush(t *call) bool {
	r.flushed = true
	_, ok := t.write(r.text.Bytes())
	r.text.Reset()
	return ok
}

// status is the exit code of a filter that went through all inputs.
func (q *query) status(r *results, in *inputs) int {
	switch {
	case r.failed:
		return jqError
	case in.missing:
		return jqMissing
	case !q.exit:
		return 0
	case !r.printed:
		return jqNothing
	case r.last == nil || r.last == false:
		return jqFalse
	}
	return 0
}

// run reports false, having printed nothing, when the real jq is to run.
func (q *query) run(t *call, code *gojq.Code, in *inputs) (exit int, ok bool) {
	var r results
	for {
		v, more := in.first()
		if err, bad := v.(error); bad && more {
			if q.found && !r.flushed {
				return 0, false // each version has its own status
			}
			t.errorf("error (at %s): %v", in.name(), err)
			r.failed = true
			break
		}
		if !more {
			break
		}
		if q.found && !r.flushed && !wholeNumbers(v) {
			return 0, false
		}
		iter := code.RunWithContext(t.ctx, v, q.values...)
		for {
			v, more := iter.Next()
			if !more {
				break
			}
			if err, bad := v.(error); bad {
				if halt, ok := errors.AsType[*gojq.HaltError](err); ok {
					r.flush(t)
					return q.halt(t, halt), true
				}
				t.errorf("error (at %s): %v", in.name(), err)
				r.failed = true
				break
			}
			if q.found && !r.flushed && unordered(v) {
				return 0, false
			}
			r.printed, r.last = true, v
			if err := q.print(&r.text, v); err != nil {
				t.errorf("error: %v", err)
				return jqError, true
			}
			if r.text.Len() > 1<<20 && !r.flush(t) {
				return codeSignal + 13, true
			}
		}
		if t.ctx.Err() != nil {
			return jqError, true
		}
	}
	if r.text.Len() > 0 && !r.flush(t) {
		return codeSignal + 13, true
	}
	return q.status(&r, in), true
}

// halt ends as halt and halt_error do.
func (q *query) halt(t *call, halt *gojq.HaltError) int {
	if v := halt.Value(); v != nil {
		if s, ok := v.(string); ok {
			io.WriteString(t.hc.Stderr, s)
		} else if b, err := gojq.Marshal(v); err == nil {
			t.hc.Stderr.Write(append(b, '\n'))
		}
	}
	return halt.ExitCode()
}

func (q *query) print(out *bytes.Buffer, v any) error {
	if s, ok := v.(string); ok && q.raw {
		out.WriteString(s)
	} else {
		b, err := gojq.Marshal(v)
		if err != nil {
			return err
		}
		if !q.compact && len(b) > 0 && (b[0] == '{' || b[0] == '[') {
			indented := jsontext.Value(b)
			if err := indented.Format(jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.PreserveRawStrings(true), jsontext.CanonicalizeRawFloats(false), jsontext.AllowInvalidUTF8(true)); err != nil {
				return err
			}
			b = indented
		}
		out.Write(b)
	}
	if !q.join {
		out.WriteByte('\n')
	}
	return nil
}
