package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// flagUI answers the dialogs of hooks from --answer flags, and prints what was
// asked. Without answers there is no UI, as in any other run without a person.
type flagUI struct {
	ui.UI // None: everything that is not a dialog
	app   *app

	mu      sync.Mutex
	answers map[string][]string

	saidUntrusted atomic.Bool
}

// yesNo are the answers to a confirmation.
var yesNo = []string{"yes", "y", "true", "no", "n", "false"}

// dialogs are the kinds of dialogs that can be answered.
var dialogs = []string{"confirm", "select", "input", "editor"}

func (a *app) newFlagUI(flags []string) (*flagUI, error) {
	u := &flagUI{UI: ui.None{}, app: a}
	return u, u.set(flags)
}

// set replaces the answers.
func (u *flagUI) set(flags []string) error {
	answers := map[string][]string{}
	for _, f := range flags {
		kind, value, ok := strings.Cut(f, "=")
		if !ok || !slices.Contains(dialogs, kind) {
			return usagef("answer %s: write KIND=VALUE with one of %s", f, strings.Join(dialogs, ", "))
		}
		if kind == "confirm" && !slices.Contains(yesNo, strings.ToLower(value)) {
			return usagef("answer %s: write confirm=yes or confirm=no", f)
		}
		answers[kind] = append(answers[kind], value)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.answers = answers
	return nil
}

// HasUI reports whether there are answers.
func (u *flagUI) HasUI() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.answers) > 0
}

// next takes the next answer of a kind; the last one is used again and again.
func (u *flagUI) next(kind, asked string) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.answers[kind]
	if len(list) == 0 {
		return "", fmt.Errorf("a hook asks (%s: %s): %w; --answer %s=... answers", kind, asked, ui.ErrNoUI, kind)
	}
	if len(list) > 1 {
		u.answers[kind] = list[1:]
	}
	u.app.warnf("asked (%s): %s -> %s", kind, asked, list[0])
	return list[0], nil
}

func (u *flagUI) Select(_ context.Context, title string, choices []string, _ ui.Dialog) (int, bool, error) {
	answer, err := u.next("select", title+" ["+strings.Join(choices, " | ")+"]")
	if err != nil {
		return 0, false, err
	}
	for i, c := range choices {
		if c == answer {
			return i, true, nil
		}
	}
	n, err := strconv.Atoi(answer)
	if err != nil || n < 1 || n > len(choices) {
		return 0, false, fmt.Errorf("--answer select=%s: there are %d choices, from 1: %s", answer, len(choices), strings.Join(choices, ", "))
	}
	return n - 1, true, nil
}

func (u *flagUI) Confirm(_ context.Context, title, message string, _ ui.Dialog) (bool, error) {
	answer, err := u.next("confirm", strings.TrimSpace(title+" "+message))
	if err != nil {
		return false, err
	}
	switch strings.ToLower(answer) {
	case "yes", "y", "true":
		return true, nil
	case "no", "n", "false":
		return false, nil
	}
	return false, fmt.Errorf("--answer confirm=%s: write yes or no", answer)
}

func (u *flagUI) Input(_ context.Context, title, _ string, _ ui.Dialog) (string, bool, error) {
	s, err := u.next("input", title)
	return s, err == nil, err
}

func (u *flagUI) Editor(_ context.Context, title, _ string, _ ui.Dialog) (string, bool, error) {
	s, err := u.next("editor", title)
	return s, err == nil, err
}

func (u *flagUI) Notify(message string, level ui.Level) {
	if strings.HasSuffix(message, " not run: untrusted") && u.saidUntrusted.Swap(true) {
		return // it was said when hooks were loaded, and is true of each event
	}
	u.app.warnf("%s: %s", level, clean.PlainText(message))
}

func (u *flagUI) SetStatus(key, text string) {
	u.app.warnf("status %s: %s", key, clean.PlainText(text))
}
