package mcpproxy

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// Left is a server of a file that was left as it is.
type Left struct{ Name, Why string }

// Wrap puts a program before the servers that a file of an MCP client starts, so that it
// stands between the two: the file of Claude Code, Claude Desktop, Cursor or VS Code, with
// comments or without. Everything else in it stays, byte by byte, and a server before which
// the program stands stays so. Unwrap takes it away again.
func Wrap(src []byte, program string) (out []byte, wrapped []string, left []Left, err error) {
	return edit(src, func(s *server) ([]change, string) {
		switch _, already := s.ours(); {
		case already:
			return nil, ""
		case s.command == nil:
			return nil, "it is reached by HTTP"
		case s.args != nil && s.list == nil:
			return nil, `its "args" is no list`
		}
		text, _ := stringOf(s.command)
		before := []string{"mcp", "--name", s.name, "--", text}
		changes := []change{{s.command.StartOffset, s.command.EndOffset, quoted(program)}}
		switch {
		case s.list == nil:
			changes = append(changes, change{s.command.EndOffset, s.command.EndOffset, bare + "[" + quoted(before...) + "]"})
		case len(s.list.Elements) == 0:
			changes = append(changes, change{s.args.StartOffset + 1, s.args.StartOffset + 1, " " + quoted(before...)})
		default:
			at := s.list.Elements[0].StartOffset
			changes = append(changes, change{at, at, quoted(before...) + ", "})
		}
		return changes, ""
	})
}

// Unwrap undoes Wrap, and gives back the file as it was.
func Unwrap(src []byte) (out []byte, unwrapped []string, err error) {
	out, unwrapped, _, err = edit(src, func(s *server) ([]change, string) {
		original, ok := s.ours()
		if !ok {
			return nil, ""
		}
		changes := []change{{s.command.StartOffset, s.command.EndOffset, quoted(original)}}
		list := s.list.Elements
		made := bare + "["
		from := s.args.StartOffset + 1 - len(made)
		switch {
		case len(list) > len(ourArgs)+1:
			changes = append(changes, change{list[0].StartOffset, list[len(ourArgs)+1].StartOffset, ""})
		case from == s.command.EndOffset && string(src[from:from+len(made)]) == made && list[0].StartOffset == from+len(made):
			changes = append(changes, change{from, s.args.EndOffset, ""})
		default:
			changes = append(changes, change{s.args.StartOffset + 1, list[len(ourArgs)].EndOffset, ""})
		}
		return changes, ""
	})
	return out, unwrapped, err
}

// bare is what stands before arguments where there were none.
const bare = `, "args": `

// ourArgs are the arguments before a server's command; "" is its name.
var ourArgs = []string{"mcp", "--name", "", "--"}

// server is one in a file.
type server struct {
	name          string
	command, args *hujson.Value
	list          *hujson.Array
}

// ours returns the command before which the program stands.
func (s *server) ours() (command string, ok bool) {
	if s.command == nil || s.list == nil || len(s.list.Elements) <= len(ourArgs) {
		return "", false
	}
	for i, want := range ourArgs {
		if got, _ := stringOf(&s.list.Elements[i]); got != want && want != "" {
			return "", false
		}
	}
	return stringOf(&s.list.Elements[len(ourArgs)])
}

// change is a part of a text and what takes its place.
type change struct {
	from, to int
	text     string
}

// edit changes the servers of a file.
func edit(src []byte, how func(*server) ([]change, string)) (out []byte, done []string, left []Left, err error) {
	if _, err := jsonx.Parse(src); err != nil {
		return nil, nil, nil, err
	}
	root, err := hujson.Parse(src)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("read the servers: %w", err)
	}
	var servers *hujson.Value
	for _, key := range []string{"mcpServers", "servers"} {
		if servers == nil {
			servers, err = member(&root, key)
		}
		if err != nil {
			return nil, nil, nil, err
		}
	}
	if servers == nil {
		return nil, nil, nil, errors.New(`there is neither "mcpServers" nor "servers" in it`)
	}
	list, ok := servers.Value.(*hujson.Object)
	if !ok {
		return nil, nil, nil, errors.New("its servers are no object")
	}
	var changes []change
	for i := range list.Members {
		s, err := serverOf(&list.Members[i])
		if err != nil {
			return nil, nil, nil, err
		}
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

func serverOf(m *hujson.ObjectMember) (*server, error) {
	s := &server{}
	s.name, _ = stringOf(&m.Name)
	var err error
	if s.command, err = member(&m.Value, "command"); err == nil {
		s.args, err = member(&m.Value, "args")
	}
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", s.name, err)
	}
	if s.command != nil {
		if _, ok := stringOf(s.command); !ok {
			return nil, fmt.Errorf(`server %s: its "command" is no string`, s.name)
		}
	}
	if s.args != nil {
		s.list, _ = s.args.Value.(*hujson.Array)
	}
	return s, nil
}

// member finds a member of an object by its name, nil when there is none.
func member(v *hujson.Value, name string) (found *hujson.Value, err error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("it is no JSON object")
	}
	for i := range o.Members {
		if key, _ := stringOf(&o.Members[i].Name); key == name {
			if found != nil {
				return nil, fmt.Errorf("%q stands twice in it", name)
			}
			found = &o.Members[i].Value
		}
	}
	return found, nil
}

func stringOf(v *hujson.Value) (string, bool) {
	l, ok := v.Value.(hujson.Literal)
	if !ok || l.Kind() != '"' {
		return "", false
	}
	return l.String(), true
}

// quoted are the texts as JSON, in a row.
func quoted(texts ...string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = hook.MustJSON(t).Raw()
	}
	return strings.Join(out, ", ")
}
