package acpproxy

import (
	"cmp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookline-dev/hookline/hook"
)

// tool is a call of a tool as hooks know it.
type tool struct {
	id, name        string
	input, original hook.JSON // original is absent when no hook changed the input
	// exact says that the input is what runs; else it is what the agent shows a person.
	exact bool
}

// toolsOf translates a call of an agent's tool, which the protocol describes for a person to
// look at. A call that changes several files is one for each.
func toolsOf(call hook.JSON) []tool {
	id := call.String("toolCallId")
	raw, _ := call.Get("rawInput")
	meta, _ := call.Get("_meta")
	if own, _ := meta.Get("claudeCode"); own.String("toolName") != "" && len(raw.Keys()) > 0 {
		return []tool{{id: id, name: own.String("toolName"), input: raw, exact: true}}
	}
	path := pathOf(call, raw)
	one := func(t tool, set map[string]any) []tool {
		t.id, t.input = id, raw
		if len(t.input.Keys()) == 0 {
			t.input = hook.RawJSON("{}")
		}
		for key, value := range set {
			_ = t.input.Set(key, value) // it is an object
		}
		return []tool{t}
	}
	title := strings.Trim(call.String("title"), "`")
	switch kind := call.String("kind"); kind {
	case "execute":
		command := commandOf(raw)
		return one(tool{name: "Bash", exact: command != ""}, map[string]any{"command": cmp.Or(command, title)})
	case "edit", "delete", "move":
		if edits := editsOf(id, call); len(edits) > 0 {
			return edits
		}
		if kind == "delete" {
			return one(tool{name: "Write", exact: path != ""}, map[string]any{"file_path": path, "content": "", "delete": true})
		}
		return one(tool{name: "Edit"}, map[string]any{"file_path": path})
	case "read":
		return one(tool{name: "Read", exact: path != ""}, map[string]any{"file_path": path})
	case "search":
		return one(tool{name: "Grep"}, map[string]any{"pattern": cmp.Or(raw.String("pattern"), raw.String("query"), title)})
	case "fetch":
		return one(tool{name: "WebFetch", exact: raw.Has("url")}, map[string]any{"url": cmp.Or(raw.String("url"), title)})
	}
	return one(tool{name: cmp.Or(title, "other"), exact: true}, nil)
}

// pathOf is the file that a call is about.
func pathOf(call, raw hook.JSON) string {
	for _, key := range []string{"file_path", "filePath", "path", "absolute_path", "fileName"} {
		if p := raw.String(key); p != "" {
			return p
		}
	}
	for _, at := range list(call, "locations") {
		return at.String("path")
	}
	return ""
}

// commandOf is the command line of a shell tool, "" when it does not say one.
func commandOf(raw hook.JSON) string {
	for _, key := range []string{"command", "cmd"} {
		if text := raw.String(key); text != "" {
			return text
		}
		if words := raw.Strings(key); len(words) > 0 {
			return commandLine(words[0], words[1:])
		}
	}
	return ""
}

// editsOf are the changes that a call shows.
func editsOf(id string, call hook.JSON) (out []tool) {
	for _, c := range list(call, "content") {
		if c.String("type") != "diff" {
			continue
		}
		path, before, after := c.String("path"), c.String("oldText"), c.String("newText")
		if before == "" {
			out = append(out, tool{id: id, name: "Write", input: hook.MustJSON(map[string]string{"file_path": path, "content": after}), exact: true})
			continue
		}
		out = append(out, tool{id: id, name: "Edit", input: hook.MustJSON(map[string]string{"file_path": path, "old_string": before, "new_string": after}), exact: true})
	}
	return out
}

// list is a member that is an array of objects, nil otherwise.
func list(of hook.JSON, key string) (out []hook.JSON) {
	v, _ := of.Get(key)
	if v.Decode(&out) != nil {
		return nil
	}
	return out
}

// commandLine writes a program and its arguments as a shell reads them. A shell with a
// script is the script.
func commandLine(program string, args []string) string {
	if len(args) == 0 {
		return program
	}
	if i := scriptOf(program, args); i >= 0 {
		return args[i]
	}
	words := []string{quoted(program)}
	for _, a := range args {
		words = append(words, quoted(a))
	}
	return strings.Join(words, " ")
}

func quoted(word string) string {
	if q, err := syntax.Quote(word, syntax.LangBash); err == nil {
		return q
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// scriptOf is the index of the script in the arguments of a shell that runs one, -1 when
// there is none.
func scriptOf(program string, args []string) int {
	base := program[strings.LastIndexAny(program, `/\`)+1:]
	switch {
	case base != "sh" && base != "bash" && base != "zsh" || len(args) != 2:
	case args[0] == "-c" || args[0] == "-lc":
		return 1
	}
	return -1
}

// readTool is what hooks see of a request for the editor's files or terminals.
func readTool(c *call) tool {
	p := c.params
	t := tool{id: c.request.IDText(), exact: true}
	switch c.request.Method {
	case methodRead:
		t.name, t.input = "Read", hook.MustJSON(map[string]string{"file_path": p.String("path")})
		for from, to := range map[string]string{"line": "offset", "limit": "limit"} {
			if n, ok := p.Int(from); ok {
				_ = t.input.Set(to, n) // it is an object
			}
		}
	case methodWrite:
		t.name, t.input = "Write", hook.MustJSON(map[string]string{"file_path": p.String("path"), "content": p.String("content")})
	case methodTerminal:
		t.name, t.input = "Bash", hook.MustJSON(map[string]string{"command": commandLine(p.String("command"), p.Strings("args"))})
		if dir := p.String("cwd"); dir != "" {
			_ = t.input.Set("cwd", dir) // it is an object
		}
	}
	return t
}

// take makes what hooks made of the input the one that the editor gets.
func (c *call) take(input hook.JSON) (err error) {
	if input == c.tool.input {
		return nil
	}
	if c.tool.original.IsZero() {
		c.tool.original = c.tool.input
	}
	was := c.tool.input
	c.tool.input = input
	set := func(key string, v any) {
		if err == nil {
			err = c.params.Set(key, v)
		}
	}
	switch c.request.Method {
	case methodRead:
		set("path", input.String("file_path"))
		for from, to := range map[string]string{"offset": "line", "limit": "limit"} {
			if n, ok := input.Int(from); ok {
				set(to, n)
			} else {
				c.params.Delete(to)
			}
		}
	case methodWrite:
		set("path", input.String("file_path"))
		set("content", input.String("content"))
	case methodTerminal:
		if command := input.String("command"); command != was.String("command") {
			c.setCommand(command, set)
		}
		if dir := input.String("cwd"); dir != "" {
			set("cwd", dir)
		}
	}
	return err
}

// setCommand puts another command line in the place of the one to run.
func (c *call) setCommand(command string, set func(string, any)) {
	args := c.params.Strings("args")
	switch i := scriptOf(c.params.String("command"), args); {
	case i >= 0:
		args[i] = command
		set("args", args)
	case len(args) == 0:
		set("command", command)
	default:
		set("command", "sh")
		set("args", []string{"-c", command})
	}
}
