package toolrule

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/internal/shell"
)

// Call is one use of a tool, as rules see it.
type Call struct {
	// Tool is the canonical tool name: Bash, Read, mcp__server__tool.
	Tool string
	// Input is the tool's input, a JSON object.
	Input jsontext.Value
	// Cwd is the directory that relative paths start from.
	Cwd string
	// ProjectDir is the project's root; Cwd when empty.
	ProjectDir string
	// Home is the person's home directory; rules with ~ match nothing without.
	Home string

	fields map[string]jsontext.Value
	script *shell.Script
	ready  bool
	links  *links
}

// Analyzed returns the call with its input read and its command parsed, so that
// matching many rules does that once. Matching a call that isn't analyzed gives
// the same answers.
func (c Call) Analyzed() Call {
	if c.ready {
		return c
	}
	c.ready, c.links = true, &links{}
	if err := json.Unmarshal(c.Input, &c.fields); err != nil || c.fields == nil {
		c.fields = nil // a repeated key would leave the value of the first
	}
	if isShell(c.Tool) {
		s := shell.Script{Problem: "the input holds no command"}
		if command, ok := c.text("command"); ok {
			s = shell.Analyze(command)
			if c.Tool != "Bash" {
				s = shell.Script{Problem: "commands of " + c.Tool + " are not parsed"}
			}
		}
		c.script = &s
	}
	return c
}

// text returns a field of the input that is a string.
func (c Call) text(field string) (string, bool) {
	raw, ok := c.fields[field]
	if !ok || raw.Kind() != '"' {
		return "", false
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", false
	}
	return s, true
}

// Command returns the text of a shell call.
func (c Call) Command() (string, bool) { return c.Analyzed().text("command") }

func isShell(tool string) bool { return tool == "Bash" || tool == "PowerShell" }

// The file tools, by what they do.
var (
	editTools = []string{"Edit", "Write", "MultiEdit", "NotebookEdit"}
	readTools = []string{"Read", "Glob", "Grep", "LS", "NotebookRead"}
)

func isFileRule(tool string) bool {
	return slices.Contains(editTools, tool) || slices.Contains(readTools, tool)
}

// Edits reports whether a tool changes files whose path is in its input.
func Edits(tool string) bool { return slices.Contains(editTools, tool) }

// Reads reports whether a tool reads files whose path is in its input.
func Reads(tool string) bool { return slices.Contains(readTools, tool) }

// IsShell reports whether a tool runs shell commands.
func IsShell(tool string) bool { return isShell(tool) }

// Path returns the path that a file tool works on, as the input gives it. For
// a search without one that is the current directory.
func (c Call) Path() (string, bool) {
	c = c.Analyzed()
	switch c.Tool {
	case "NotebookEdit", "NotebookRead":
		return c.text("notebook_path")
	case "Glob":
		dir, ok := c.text("path")
		if !ok {
			dir = "."
		}
		pattern, _ := c.text("pattern")
		if fixed := fixedPrefix(pattern); fixed != "" {
			return joinSlash(dir, fixed), true
		}
		return dir, true
	case "Grep", "LS":
		if dir, ok := c.text("path"); ok {
			return dir, true
		}
		return ".", true
	}
	if Edits(c.Tool) || Reads(c.Tool) {
		return c.text("file_path")
	}
	return "", false
}

// fixedPrefix returns the directories of a glob pattern before its first
// wildcard.
func fixedPrefix(pattern string) string {
	cut := strings.IndexAny(pattern, `*?[{\`)
	if cut < 0 {
		return pattern
	}
	return pattern[:strings.LastIndexByte(pattern[:cut], '/')+1]
}

// toolMatches reports whether a rule's tool name speaks about a call's tool.
func toolMatches(name, tool string) bool {
	switch {
	case name == "":
		return false // the zero rule
	case name == tool:
		return true
	case name == "Edit":
		return slices.Contains(editTools, tool)
	case name == "Read":
		return slices.Contains(readTools, tool)
	case name == "Agent" || name == "Task":
		return tool == "Agent" || tool == "Task"
	case strings.Contains(name, "*"):
		return starMatch(name, tool)
	case strings.HasPrefix(name, "mcp__") && strings.Count(name, "__") == 1:
		return strings.HasPrefix(tool, name+"__")
	}
	return false
}

// starMatch matches a name with stars against a name.
func starMatch(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return s == pattern
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := len(parts) - 1
	for _, p := range parts[1:last] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, parts[last])
}
