package recipe

import (
	"text/template"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/plugin"
)

// Format says how a recipe's body is rendered.
type Format string

// The formats.
const (
	Template Format = "template" // Go text/template
	Command  Format = "command"  // a Claude Code command with $ARGUMENTS and $0
	Prompt   Format = "prompt"   // a prompt template of pi with $@ and $1
)

// Argument is a value that a recipe asks for.
type Argument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	Default     string `json:"default,omitzero"`
	HasDefault  bool   `json:"has_default"`
}

// Hook is a built-in handler that a recipe declares for an event.
type Hook struct {
	Event   string `json:"event"` // as written, such as turn_end
	Handler string `json:"handler"`
	Once    bool   `json:"once"` // for the first turn only
	// Line and Column are the place of the declaration in the recipe's file.
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Recipe is one recipe file.
type Recipe struct {
	Name         string // path below the directory without .md, with the plugin's org/repo/ in front
	Title        string // name in the header
	Description  string
	Path         string
	Plugin       string // org/repo, or empty
	Location     plugin.Location
	Format       Format
	Arguments    []Argument
	ArgumentHint string // of a Claude Code command
	Model        string // that the recipe asks for; may be empty
	Hooks        []Hook
	// AllowedTools and AllowedCommands are nil when the recipe says nothing,
	// which allows all, and empty when it allows none.
	AllowedTools    []string
	AllowedCommands []string
	Body            string
	BodyLine        int // line of the file on which Body starts

	// Err says why the recipe cannot be used; nil for a good one. Errors of the
	// file's content are of type *diag.Diagnostic.
	Err error
	// ShadowedBy is the path of the recipe of the same name that counts instead.
	ShadowedBy string

	template *template.Template // of Format Template
	optional map[string]bool    // arguments that the body can do without
	mentions map[string]bool    // arguments that the body mentions
}

// Position gives file:line:column of a hook's declaration.
func (r *Recipe) Position(h Hook) string {
	return diag.Diagnostic{Path: r.Path, Line: h.Line, Column: h.Column}.Position()
}
