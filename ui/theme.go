package ui

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// DefaultTheme returns the built-in theme.
func DefaultTheme() Theme { return Themes()[0] }

// Plain is the theme without its colours: every name renders plain.
func (t Theme) Plain() Theme { return Theme{Name: t.Name} }

// palette is a theme in a few parts, each an SGR parameter string.
type palette struct {
	name                                                           string
	accent, heading, border, muted, dim, success, failure, warning string
	selected, panel, good, bad                                     string // backgrounds
}

var palettes = []palette{
	{"dark", "36", "1;36", "90", "90", "2", "32", "31", "33", "48;5;238", "48;5;236", "48;5;22", "48;5;52"},
	{"light", "34", "1;34", "38;5;245", "38;5;240", "2", "38;5;28", "38;5;124", "38;5;130", "48;5;252", "48;5;254", "48;5;194", "48;5;224"},
	{"high-contrast", "1;96", "1;97", "97", "97", "97", "1;92", "1;91", "1;93", "7", "40", "40", "40"},
	{"mono", "1", "1", "2", "2", "2", "39", "1", "1", "7", "49", "49", "49"},
}

// Themes returns the built-in themes, the default first.
func Themes() []Theme {
	out := make([]Theme, 0, len(palettes))
	for _, p := range palettes {
		t := Theme{Name: p.name, Styles: map[string]string{
			"bold": "1", "dim": p.dim, "italic": "3", "strikethrough": "9", "thinking": strings.Trim("3;"+p.muted, ";"),
			"mdHeading": p.heading, "mdLink": "4", "toolTitle": "1",
		}}
		for names, code := range map[string]string{
			"accent borderAccent mdCode mdCodeBlock mdListBullet syntaxKeyword syntaxType customMessageLabel bashMode thinkingHigh": p.accent,
			"border borderMuted mdHr mdQuoteBorder mdCodeBlockBorder thinkingOff thinkingMinimal scrollbarThumb scrollbarTrack":     p.border,
			"muted mdLinkUrl mdQuote toolOutput toolDiffContext thinkingText thinkingLow syntaxComment syntaxPunctuation":           p.muted,
			"text userMessage userMessageText customMessageText syntaxVariable syntaxOperator":                                      "39",
			"success toolDiffAdded syntaxString":                 p.success,
			"error toolDiffRemoved thinkingXhigh thinkingMax":    p.failure,
			"warning syntaxFunction syntaxNumber thinkingMedium": p.warning,
			"selectedBg searchMatchBg":                           p.selected,
			"userMessageBg customMessageBg toolPendingBg":        p.panel,
			"toolSuccessBg": p.good,
			"toolErrorBg":   p.bad,
		} {
			for _, name := range strings.Fields(names) {
				t.Styles[name] = code
			}
		}
		out = append(out, t)
	}
	return out
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
