package mcpproxy

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// Left is a server of a file that was left as it is.
type Left struct{ Name, Why string }

// Wrap puts a program before the servers that a file of an MCP client starts, so that it
// stands between the two: the file of Claude Code, Claude Desktop, Cursor or VS Code, with
// comments or without, or, when its name ends with .toml, of Codex. Everything else in it
// stays, byte by byte, and a server before which the program stands stays so. Unwrap takes
// it away again.
func Wrap(file string, src []byte, program string) (out []byte, wrapped []string, left []Left, err error) {
	return edit(file, src, func(s *server) ([]change, string) {
		switch _, already := s.ours(src); {
		case already:
			return nil, ""
		case s.command == nil:
			return nil, "it is reached by HTTP"
		case s.args != nil && s.items == nil:
			return nil, `its "args" is not a list`
		}
		before := quoted("mcp", "--name", s.name, "--") + ", " + s.command.of(src)
		changes := []change{{*s.command, quoted(program)}}
		switch {
		case s.args == nil:
			changes = append(changes, change{span{s.command.to, s.command.to}, s.bare + "[" + before + "]"})
		case len(s.items) == 0:
			changes = append(changes, change{span{s.args.from + 1, s.args.from + 1}, " " + before})
		default:
			at := s.items[0].from
			changes = append(changes, change{span{at, at}, before + ", "})
		}
		return changes, ""
	})
}

// Unwrap undoes Wrap, and gives back the file as it was.
func Unwrap(file string, src []byte) (out []byte, unwrapped []string, err error) {
	out, unwrapped, _, err = edit(file, src, func(s *server) ([]change, string) {
		original, ok := s.ours(src)
		if !ok {
			return nil, ""
		}
		changes := []change{{*s.command, original.of(src)}}
		made := s.bare + "["
		switch {
		case len(s.items) > len(ourArgs)+1:
			changes = append(changes, change{span{s.items[0].from, s.items[len(ourArgs)+1].from}, ""})
		case s.items[0].from == s.command.to+len(made) && bytes.HasPrefix(src[s.command.to:], []byte(made)):
			changes = append(changes, change{span{s.command.to, s.args.to}, ""})
		default:
			changes = append(changes, change{span{s.args.from + 1, original.to}, ""})
		}
		return changes, ""
	})
	return out, unwrapped, err
}

// ourArgs are the arguments before a server's command; "" is its name.
var ourArgs = []string{"mcp", "--name", "", "--"}

// span is a part of a text.
type span struct{ from, to int }

func (s span) of(src []byte) string { return string(src[s.from:s.to]) }

// item is an argument; its text is "" when it is none.
type item struct {
	span
	text string
}

// server is one in a file.
type server struct {
	name          string
	command, args *span // nil when it has none
	items         []item
	bare          string // what stands between the command and a list of arguments that is added
}

// ours returns the command before which the program stands.
func (s *server) ours(src []byte) (command span, ok bool) {
	if s.command == nil || len(s.items) <= len(ourArgs) {
		return span{}, false
	}
	for i, want := range ourArgs {
		if got := s.items[i].text; got != want && want != "" {
			return span{}, false
		}
	}
	original := s.items[len(ourArgs)]
	return original.span, strings.ContainsAny(original.of(src)[:1], `"'`)
}

// change is a part of a text and what takes its place.
type change struct {
	span
	text string
}

// edit changes the servers of a file.
func edit(file string, src []byte, how func(*server) ([]change, string)) (out []byte, done []string, left []Left, err error) {
	read := jsonServers
	if strings.EqualFold(filepath.Ext(file), ".toml") {
		read = tomlServers
	}
	servers, err := read(src)
	if err != nil {
		return nil, nil, nil, err
	}
	var changes []change
	for _, s := range servers {
		cs, why := how(s)
		if why != "" {
			left = append(left, Left{s.name, why})
		}
		if len(cs) > 0 {
			done = append(done, s.name)
			changes = append(changes, cs...)
		}
	}
	return apply(src, changes), done, left, nil
}

// apply makes changes that do not overlap.
func apply(src []byte, changes []change) []byte {
	slices.SortStableFunc(changes, func(a, b change) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, c := range changes {
		out.Write(src[at:c.from])
		out.WriteString(c.text)
		at = c.to
	}
	out.Write(src[at:])
	return out.Bytes()
}

// quoted are the texts as JSON, and as TOML, in a row.
func quoted(texts ...string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = strings.ReplaceAll(hook.MustJSON(t).Raw(), "\x7f", `\u007f`)
	}
	return strings.Join(out, ", ")
}
