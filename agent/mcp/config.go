package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// Server describes an MCP server. Variables in it are not yet filled in: what
// is approved is what the file says.
type Server struct {
	Name string
	// Source says in a word to hooks where it comes from, such as project.
	Source string
	// File and Line are where it is described.
	File string
	Line int

	// Type is "stdio", "http", "sse", or "sdk" for one that is reached by Transport.
	Type string
	// Command, Args and Env of a server that is started. Its working
	// directory is that of the manager.
	Command string
	Args    []string
	Env     map[string]string
	// URL and Headers of a server that is reached by HTTP.
	URL     string
	Headers map[string]string
	// Vars are variables of the plugin that brings it, by name: they are filled in, and are in
	// the environment of a server that is started.
	Vars map[string]string
	// Transport is how a server is reached that the embedding program has: called for each
	// connection.
	Transport func() sdk.Transport
}

// configError is one mistake in a configuration file.
type configError struct {
	File         string
	Line, Column int
	// Server is the entry that has the mistake, "" when it is the file.
	Server  string
	Message string
}

// Error begins with the place of the mistake.
func (e *configError) Error() string {
	where := fmt.Sprintf("%s:%d:%d: ", e.File, e.Line, e.Column)
	if e.Server != "" {
		where += fmt.Sprintf("server %q: ", e.Server)
	}
	return where + e.Message
}

type entry struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// ParseConfig reads a .mcp.json file: an object with mcpServers, which maps
// names to {command, args, env} or {type, url, headers}. It returns the servers
// in the order of the file. An entry with a mistake is left out and does not
// keep the others from being used; the error joins one for each.
func ParseConfig(data []byte, file string) ([]Server, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	p := parser{data: data, file: file}
	entries, err := p.members(data, 0)
	if err != nil {
		return nil, err
	}
	var servers []Server
	for _, m := range entries {
		if m.name != "mcpServers" {
			p.fail(m.nameAt, "", fmt.Sprintf("unknown field %q; want mcpServers", m.name))
			continue
		}
		list, err := p.members(m.value, m.at)
		if err != nil {
			return nil, err
		}
		servers = append(servers, p.servers(list)...)
	}
	return servers, errors.Join(p.errs...)
}

// servers reads those of a list that have no mistake.
func (p *parser) servers(list []member) []Server {
	var out []Server
	for _, m := range list {
		if s, ok := p.server(m); ok {
			out = append(out, s)
		}
	}
	return p.distinct(out)
}

type parser struct {
	data []byte
	file string
	errs []error
}

// member is a field of an object with its places in the file.
type member struct {
	name       string
	nameAt, at int
	value      jsontext.Value
}

// members reads an object that begins at base, and keeps the order.
func (p *parser) members(obj []byte, base int) ([]member, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(obj))
	start, err := dec.ReadToken()
	if err == nil && start.Kind() != '{' {
		return nil, p.located(base, "", fmt.Sprintf("want an object, not %s", kindName(start.Kind())))
	}
	var out []member
	for err == nil && dec.PeekKind() != '}' {
		var name jsontext.Token
		if name, err = dec.ReadToken(); err != nil {
			break
		}
		m := member{name: name.String(), nameAt: base + int(dec.InputOffset()) - len(name.String()) - 2}
		var v jsontext.Value
		if v, err = dec.ReadValue(); err != nil {
			break
		}
		m.value, m.at = v.Clone(), base+int(dec.InputOffset())-len(v)
		out = append(out, m)
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	end := int(dec.InputOffset())
	if err != nil {
		return nil, p.located(base+offset(err, end), "", reason(err))
	}
	if rest := bytes.TrimLeft(obj[end:], " \t\r\n"); len(rest) > 0 {
		return nil, p.located(base+len(obj)-len(rest), "", "text after the end")
	}
	return out, nil
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "a boolean"
}

func offset(err error, fallback int) int {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return int(e.ByteOffset)
	}
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		return int(e.ByteOffset)
	}
	return fallback
}

// reason leaves the place out of an error, since it is counted from elsewhere.
func reason(err error) string {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return e.Err.Error()
	}
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		name := strings.TrimPrefix(string(e.JSONPointer), "/")
		switch {
		case errors.Is(e.Err, json.ErrUnknownName):
			return fmt.Sprintf("unknown field %q; there are type, command, args, env, url and headers", name)
		case name != "":
			return fmt.Sprintf("%q must not be %s", name, kindName(e.JSONKind))
		}
		return fmt.Sprintf("want an object, not %s", kindName(e.JSONKind))
	}
	return err.Error()
}

func (p *parser) located(at int, server, msg string) *configError {
	before := p.data[:min(max(at, 0), len(p.data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &configError{File: p.file, Line: line, Column: column, Server: server, Message: msg}
}

func (p *parser) fail(at int, server, msg string) {
	p.errs = append(p.errs, p.located(at, server, msg))
}

func (p *parser) server(m member) (Server, bool) {
	var e entry
	if err := json.Unmarshal(m.value, &e, json.RejectUnknownMembers(true)); err != nil {
		p.fail(m.at+offset(err, 0), m.name, reason(err))
		return Server{}, false
	}
	s := Server{
		Name: m.name, File: p.file, Line: p.located(m.at, "", "").Line, Type: e.Type,
		Command: e.Command, Args: e.Args, Env: e.Env, URL: e.URL, Headers: e.Headers,
	}
	if s.Type == "" {
		s.Type = "stdio"
		if e.URL != "" && e.Command == "" {
			s.Type = "http"
		}
	}
	if s.Type == "streamable-http" {
		s.Type = "http"
	}
	if msg := s.check(); msg != "" {
		p.fail(m.at, m.name, msg)
		return Server{}, false
	}
	return s, true
}

var variable = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// check returns what is wrong with a description, "" when nothing is.
func (s Server) check() string {
	switch {
	case s.Name == "" || len(s.Name) > 64:
		return "its name must have 1 to 64 characters"
	case strings.Contains(toolPart(s.Name), "__") || strings.ContainsFunc(s.Name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return `its name must hold no control characters, and no "__" as part of the names of its tools`
	}
	switch s.Type {
	case "stdio":
		if s.Command == "" {
			return "command is missing"
		}
		if s.URL != "" || s.Headers != nil {
			return "a server with a command has neither url nor headers"
		}
	case "http", "sse":
		if s.Command != "" || s.Args != nil || s.Env != nil {
			return "a server with a url has no command, args or env"
		}
		if variable.Get().MatchString(s.URL) {
			return "" // Expand looks at it
		}
		return checkURL(s.URL)
	default:
		return fmt.Sprintf("type %q is not known; there are stdio, http and sse", s.Type)
	}
	for name := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Sprintf("env: %q can not be the name of a variable", name)
		}
	}
	return ""
}

func checkURL(text string) string {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "url is missing"
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "url must be an http or https address"
	case u.User != nil:
		return "url must hold no user name or password; use headers"
	}
	return ""
}

// SameTools reports whether the tools of servers of two names would have the same names.
func SameTools(a, b string) bool { return toolPart(a) == toolPart(b) }

// distinct refuses servers whose tools would have the same names.
func (p *parser) distinct(servers []Server) []Server {
	seen := make(map[string]string)
	return slices.DeleteFunc(servers, func(s Server) bool {
		first, taken := seen[toolPart(s.Name)]
		if taken {
			p.errs = append(p.errs, &configError{
				File: p.file, Line: s.Line, Column: 1, Server: s.Name,
				Message: fmt.Sprintf("its tools would be named like those of server %q", first),
			})
		}
		seen[toolPart(s.Name)] = s.Name
		return taken
	})
}

// Expand fills in variables: ${NAME}, or ${NAME:-default}. A variable that is
// not set and has no default is an error that names it.
func (s Server) Expand(getenv func(string) (string, bool)) (Server, error) {
	if s.Transport != nil {
		return s, nil
	}
	var missing []string
	fill := func(text string) string {
		return variable.Get().ReplaceAllStringFunc(text, func(ref string) string {
			m := variable.Get().FindStringSubmatch(ref)
			if v, ok := s.Vars[m[1]]; ok {
				return v
			}
			if v, ok := getenv(m[1]); ok {
				return v
			}
			if m[2] == "" {
				missing = append(missing, m[1])
			}
			return m[3]
		})
	}
	fillMap := func(m map[string]string) map[string]string {
		out := make(map[string]string, len(m))
		for k, v := range m {
			out[k] = fill(v)
		}
		return out
	}
	s.Command, s.URL = fill(s.Command), fill(s.URL)
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = fill(a)
	}
	s.Args, s.Env, s.Headers = args, fillMap(s.Env), fillMap(s.Headers)
	if len(missing) > 0 {
		slices.Sort(missing)
		return s, fmt.Errorf("server %q: not set: %s", s.Name, strings.Join(slices.Compact(missing), ", "))
	}
	if s.Type != "stdio" {
		if msg := checkURL(s.URL); msg != "" {
			return s, fmt.Errorf("server %q: %s", s.Name, msg)
		}
	}
	return s, nil
}
