package tui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// list is a dialog that offers choices.
type list struct {
	title, message string
	choices        []string // cleaned
	letters        map[string]int
	filter         string
	of             string   // what a group is
	groups         []string // of the choices, nil for none
	group          string   // the one that is shown, "" for all
	top            int      // first line of the title and the message that is shown
	at             int      // index in shown()
	picked         int      // index in choices, -1 for none
}

func newList(title string, choices []string, at int) *list {
	l := &list{title: clean.Prompt(title), choices: make([]string, len(choices)), picked: -1}
	for i, c := range choices {
		l.choices[i] = clean.PromptLine(c)
	}
	if at > 0 && at < len(choices) {
		l.at = at
	}
	return l
}

// grouped puts each choice into a group; left and right show one of them alone.
func (l *list) grouped(of string, groups []string, shown string) *list {
	l.of, l.groups = of, groups
	if slices.Contains(groups, shown) {
		l.group = shown
		l.at = max(0, slices.Index(l.shown(), l.at))
	}
	return l
}

// turn shows the next group, or the one before.
func (l *list) turn(step int) {
	all := []string{""}
	for _, g := range l.groups {
		if !slices.Contains(all, g) {
			all = append(all, g)
		}
	}
	at := slices.Index(all, l.group) + step
	l.group, l.at = all[(at+len(all))%len(all)], 0
}

// groupLine names the group that is shown.
func (l *list) groupLine() string {
	name := "all"
	if l.group != "" {
		name = l.group
	}
	return fmt.Sprintf("← %s: %s (%d) →", l.of, name, len(l.shown()))
}

func (l *list) rank() int { return 2 }

// shown lists the choices that the filter and the group leave, by index.
func (l *list) shown() []int {
	var out []int
	for i, c := range l.choices {
		if strings.Contains(strings.ToLower(c), strings.ToLower(l.filter)) && (l.group == "" || l.groups[i] == l.group) {
			out = append(out, i)
		}
	}
	return out
}

func (l *list) draw(width, height int, th ui.Theme) ([]string, *tea.Cursor) {
	var lines []string
	if l.title != "" {
		lines = wrap(th.Style("bold", l.title), width)
	}
	if l.message != "" {
		lines = append(lines, wrap(clean.Prompt(l.message), width)...)
	}
	if l.groups != nil {
		lines = append(lines, th.Style("muted", l.groupLine()))
	}
	if l.filter != "" {
		lines = append(lines, "filter: "+l.filter)
	}
	lines = window(lines, &l.top, height-min(height/2, len(l.choices)), th)
	shown := l.shown()
	room := max(1, height-len(lines))
	first := min(max(0, l.at-room+1), max(0, len(shown)-room))
	for i := first; i < min(len(shown), first+room); i++ {
		line := fmt.Sprintf("  %d. %s", shown[i]+1, l.choices[shown[i]])
		if i == l.at {
			line = th.Style("accent", fmt.Sprintf("> %d. %s", shown[i]+1, l.choices[shown[i]]))
		}
		lines = append(lines, clean.Cut(line, width))
	}
	return lines, nil
}

func (l *list) key(k tea.KeyPressMsg) bool {
	shown := l.shown()
	name := k.String()
	if step := map[string]int{"left": -1, "right": 1}[name]; step != 0 && l.groups != nil {
		l.turn(step)
		return false
	}
	switch name {
	case "esc", "ctrl+c":
		l.picked = -1
		return true
	case "enter":
		if len(shown) == 0 {
			return false
		}
		l.picked = shown[l.at]
		return true
	case "pgdown":
		l.top += page
	case "pgup":
		l.top = max(0, l.top-page)
	case "up", "left":
		l.at = max(0, l.at-1)
	case "down", "right":
		l.at = min(max(0, len(shown)-1), l.at+1)
	case "backspace":
		if l.filter != "" {
			_, size := utf8.DecodeLastRuneInString(l.filter)
			l.filter, l.at = l.filter[:len(l.filter)-size], 0
		}
	default:
		if i, ok := l.letters[strings.ToLower(name)]; ok {
			l.picked = i
			return true
		}
		if n := int(k.Code - '0'); l.filter == "" && k.Mod == 0 && n >= 1 && n <= 9 && slices.Contains(shown, n-1) {
			l.picked = n - 1
			return true
		}
		if k.Text != "" && l.letters == nil {
			l.filter, l.at = l.filter+k.Text, 0
		}
	}
	return false
}

func (l *list) paste(tea.PasteMsg) {}

// page is how many lines PgUp and PgDn scroll.
const page = 5

// window is the lines from top on that fit into a number of lines, and where that is in
// the whole. It moves top to where there are that many.
func window(lines []string, top *int, n int, th ui.Theme) []string {
	if len(lines) <= n {
		return lines
	}
	n = max(1, n-1)
	*top = max(0, min(*top, len(lines)-n))
	return append(slices.Clone(lines[*top:*top+n]), th.Style("muted", fmt.Sprintf("lines %d-%d of %d, PgUp and PgDn show the others", *top+1, *top+n, len(lines))))
}
