package ui

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// DefaultTheme returns the built-in theme. Without colour every name renders
// plain.
func DefaultTheme(colour bool) Theme {
	if !colour {
		return Theme{Name: "plain"}
	}
	return Theme{Name: "default", Styles: map[string]string{
		"accent":       "36",
		"bold":         "1",
		"border":       "90",
		"borderAccent": "36",
		"borderMuted":  "90",
		"dim":          "2",
		"error":        "31",
		"italic":       "3",
		"mdCode":       "36", "mdCodeBlock": "36", "mdHeading": "1;36", "mdHr": "90", "mdLink": "4", "mdLinkUrl": "90",
		"mdListBullet": "36", "mdQuoteBorder": "90",
		"muted":         "90",
		"strikethrough": "9",
		"success":       "32",
		"text":          "39",
		"thinking":      "3;90",
		"toolDiffAdded": "32", "toolDiffRemoved": "31", "toolDiffContext": "90",
		"toolOutput":  "90",
		"toolTitle":   "1",
		"userMessage": "39",
		"warning":     "33",
	}}
}

// Style renders text in the colour of that name.
func (t Theme) Style(name, text string) string { return t.Paint(text, name) }

// Paint renders text in the colours of several names at once.
func (t Theme) Paint(text string, names ...string) string {
	sgr := make([]string, 0, 4)
	for _, name := range names {
		if code := t.Styles[name]; code != "" {
			sgr = append(sgr, code)
		}
	}
	if len(sgr) == 0 || text == "" {
		return text
	}
	return "\x1b[" + strings.Join(sgr, ";") + "m" + text + "\x1b[0m"
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// WantsColour reports whether output to f should have colours: it is a terminal
// that can show them, and NO_COLOR is not set. getenv reads the environment;
// nil is os.Getenv.
func WantsColour(f *os.File, getenv func(string) string) bool {
	if getenv == nil {
		getenv = os.Getenv
	}
	return getenv("NO_COLOR") == "" && !strings.EqualFold(getenv("TERM"), "dumb") && IsTerminal(f)
}

// Cells returns the width of the terminal f in cells, or fallback when it is
// none.
func Cells(f *os.File, fallback int) int {
	if f == nil {
		return fallback
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return fallback
}
