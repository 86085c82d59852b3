package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// The choices about a call.
const (
	permitOnce = "Yes, once"
	permitNo   = "No"
	permitWhy  = "No, and say why"
)

// permit is the dialog about a tool call.
type permit struct {
	asks   ui.Permission
	list   *list
	why    *text // the reason of a refusal, while it is written
	top    int   // first line of the call that is shown
	answer ui.PermissionAnswer
}

func newPermit(p ui.Permission) *permit {
	choices := []string{permitOnce}
	if len(p.Suggestions) > 0 {
		choices = append(choices, "Yes, always: "+rules(p.Suggestions))
	}
	choices = append(choices, permitNo, permitWhy)
	at := 0
	if p.Basis == "protected" {
		at = slices.Index(choices, permitNo)
	}
	return &permit{asks: p, list: newList("", choices, at)}
}

// rules says what permission updates would allow, and where that is kept.
func rules(updates []jsontext.Value) string {
	var out []string
	for _, raw := range updates {
		var u hook.PermissionUpdate
		if err := hook.RawJSON(raw).Decode(&u); err != nil {
			return "unknown"
		}
		for _, r := range u.Rules {
			s := r.ToolName
			if r.RuleContent != "" {
				s += "(" + r.RuleContent + ")"
			}
			out = append(out, s)
		}
		if u.Mode != "" {
			out = append(out, "mode "+u.Mode)
		}
		out = append(out, u.Directories...)
		if u.Destination != "" && len(out) > 0 {
			out[len(out)-1] += " [" + string(u.Destination) + "]"
		}
	}
	return strings.Join(out, ", ")
}

func (p *permit) rank() int { return 1 }

func (p *permit) draw(width, height int, th ui.Theme) ([]string, *tea.Cursor) {
	if p.why != nil {
		return p.why.draw(width, height, th)
	}
	title := "Allow " + clean.ExactLine(p.asks.Tool) + "?"
	if p.asks.AgentID != "" {
		title += " (agent " + clean.ExactLine(p.asks.AgentID) + ")"
	}
	lines := wrap(th.Style("bold", title)+" "+th.Style("muted", clean.PromptLine(p.asks.Reason)), width)
	if len(lines) > 3 {
		lines = lines[:3]
	}
	lines = append(lines, window(p.call(width, th), &p.top, max(2, height-len(lines)-len(p.list.choices)), th)...)
	choices, _ := p.list.draw(width, 2*len(p.list.choices), th)
	return append(lines, choices...), nil
}

// call is what would run: a change of a file as a diff, a command as it is, everything
// else by its fields.
func (p *permit) call(width int, th ui.Theme) []string {
	if p.asks.Diff != "" {
		return append(p.fields(width, "old_string", "new_string", "content", "edits"), diffLines(clean.Prompt(p.asks.Diff), width, th)...)
	}
	return p.fields(width)
}

// fields are the members of the input, but for some.
func (p *permit) fields(width int, but ...string) []string {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(p.asks.Input, &members); err != nil {
		return wrap(clean.Exact(string(p.asks.Input)), width)
	}
	in := hook.RawJSON(p.asks.Input)
	var lines []string
	for _, name := range sortedKeys(members) {
		if slices.Contains(but, name) {
			continue
		}
		value := string(members[name])
		if members[name].Kind() == '"' {
			value = in.String(name)
		}
		lines = append(lines, wrap(clean.Exact(name+": "+value), width)...)
	}
	return lines
}

func (p *permit) key(k tea.KeyPressMsg) bool {
	if p.why != nil {
		if p.why.key(k) {
			p.answer.Message = p.why.answer
			return true
		}
		return false
	}
	switch k.String() {
	case "pgdown":
		p.top += page
		return false
	case "pgup":
		p.top = max(0, p.top-page)
		return false
	}
	if k.Text != "" && (k.Text < "1" || k.Text > "9") {
		return false // a letter is not a filter of four choices
	}
	if !p.list.key(k) {
		return false
	}
	if p.list.picked < 0 { // whoever closes it ends the turn
		p.answer.Interrupt = true
		return true
	}
	switch choice := p.list.choices[p.list.picked]; choice {
	case permitOnce:
		p.answer.Allow = true
	case permitNo:
	case permitWhy:
		p.why = newLine("What should the agent do instead?", "")
		return false
	default:
		p.answer.Allow, p.answer.Updates = true, p.asks.Suggestions
	}
	return true
}

func (p *permit) paste(m tea.PasteMsg) {
	if p.why != nil {
		p.why.paste(m)
	}
}

// diffLines colours a diff that was cleaned.
func diffLines(diff string, width int, th ui.Theme) []string {
	var out []string
	for _, line := range strings.Split(strings.TrimRight(diff, "\n"), "\n") {
		name := "toolDiffContext"
		switch {
		case strings.HasPrefix(line, "+"):
			name = "toolDiffAdded"
		case strings.HasPrefix(line, "-"):
			name = "toolDiffRemoved"
		}
		for _, part := range wrap(line, width) {
			out = append(out, th.Style(name, part))
		}
	}
	return out
}
