package mcpproxy

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"

	"github.com/hookline-dev/hookline/internal/jsonx"
)

// jsonServers finds the servers in JSON, with comments or without.
func jsonServers(src []byte) ([]*server, error) {
	if _, err := jsonx.Parse(src); err != nil {
		return nil, err
	}
	root, err := hujson.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("read the servers: %w", err)
	}
	var servers *hujson.Value
	for _, key := range []string{"mcpServers", "servers"} {
		if servers == nil {
			servers, err = member(&root, key)
		}
		if err != nil {
			return nil, err
		}
	}
	if servers == nil {
		return nil, errors.New(`there is neither "mcpServers" nor "servers" in it`)
	}
	list, ok := servers.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("its servers are not an object")
	}
	var found []*server
	for i := range list.Members {
		s, err := jsonServer(&list.Members[i])
		if err != nil {
			return nil, fmt.Errorf("server %s: %w", s.name, err)
		}
		found = append(found, s)
	}
	return found, nil
}

func jsonServer(m *hujson.ObjectMember) (*server, error) {
	s := &server{bare: `, "args": `}
	s.name, _ = stringOf(&m.Name)
	command, err := member(&m.Value, "command")
	if err != nil {
		return s, err
	}
	if command != nil {
		if _, ok := stringOf(command); !ok {
			return s, errors.New(`its "command" is not a string`)
		}
		s.command = &span{command.StartOffset, command.EndOffset}
	}
	args, err := member(&m.Value, "args")
	if err != nil || args == nil {
		return s, err
	}
	s.args = &span{args.StartOffset, args.EndOffset}
	if list, ok := args.Value.(*hujson.Array); ok {
		s.items = []item{}
		for i := range list.Elements {
			e := &list.Elements[i]
			text, _ := stringOf(e)
			s.items = append(s.items, item{span{e.StartOffset, e.EndOffset}, text})
		}
	}
	return s, nil
}

// member finds a member of an object by its name, nil when there is none.
func member(v *hujson.Value, name string) (found *hujson.Value, err error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("it is not a JSON object")
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

// tomlFile are the servers of a file in TOML, in its order.
type tomlFile struct {
	src     []byte
	servers []*server
}

// tomlServers finds the servers in TOML: tables of mcp_servers, however they are written.
func tomlServers(src []byte) ([]*server, error) {
	var valid struct {
		Servers map[string]struct {
			Command *string
			Args    []string
		} `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(src, &valid); err != nil {
		if fault, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := fault.Position()
			return nil, &jsonx.Error{Line: line, Column: column, Message: fault.Error()}
		}
		return nil, fmt.Errorf("read the servers: %w", err)
	}
	if valid.Servers == nil {
		return nil, errors.New("there is no mcp_servers in it")
	}
	f := &tomlFile{src: src}
	var p unstable.Parser
	p.Reset(src)
	var table []string
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.KeyValue:
			f.keyValue(table, e, onItsLine)
		case unstable.Table, unstable.ArrayTable: // the servers are in no array
			table, _ = keysOf(e)
		}
	}
	return f.servers, p.Error()
}

// keysOf are the parts of a key, and where they are.
func keysOf(e *unstable.Node) (keys []string, spans []span) {
	for k := e.Key(); k.Next(); {
		keys, spans = append(keys, string(k.Node().Data)), append(spans, spanOf(k.Node()))
	}
	return keys, spans
}

func spanOf(n *unstable.Node) span {
	return span{int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)}
}

// keyPlace is how a key stands in a file: on a line of its own or between braces.
type keyPlace bool

const (
	onItsLine keyPlace = false
	inBraces  keyPlace = true
)

// keyValue takes what belongs to a server. The table is the one that it stands in.
func (f *tomlFile) keyValue(table []string, e *unstable.Node, at keyPlace) {
	keys, spans := keysOf(e)
	path := append(table[:len(table):len(table)], keys...)
	value := e.Value()
	if value.Kind == unstable.InlineTable {
		for it := value.Children(); it.Next(); {
			if n := it.Node(); n.Kind == unstable.KeyValue {
				f.keyValue(path, n, inBraces)
			}
		}
		return
	}
	if len(path) != 3 || path[0] != "mcp_servers" {
		return
	}
	s := f.server(path[1])
	last := spans[len(spans)-1]
	switch path[2] {
	case "command":
		command := spanOf(value)
		s.command = &command
		s.bare = ", " + string(f.src[spans[0].from:last.from]) + "args = "
		if at == onItsLine {
			line := 1 + bytes.LastIndexByte(f.src[:spans[0].from], '\n')
			s.bare = "\n" + string(f.src[line:last.from]) + "args = "
		}
	case "args":
		whole := spanOf(e)
		s.args = &span{last.to, whole.to}
		for f.src[s.args.from] != '[' {
			s.args.from++
		}
		s.items = []item{}
		for it := value.Children(); it.Next(); {
			s.items = append(s.items, item{spanOf(it.Node()), string(it.Node().Data)})
		}
	}
}

// server returns the server of a name.
func (f *tomlFile) server(name string) *server {
	for _, s := range f.servers {
		if s.name == name {
			return s
		}
	}
	f.servers = append(f.servers, &server{name: name})
	return f.servers[len(f.servers)-1]
}
