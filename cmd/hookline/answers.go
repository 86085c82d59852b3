package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
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
	did     deeds

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

// deeds are what hooks did besides answering: what they showed and asked the person, and
// what they added to the session.
type deeds struct{ ui, sent, entries []string }

// set replaces the answers, and forgets what hooks did.
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
	u.answers, u.did = answers, deeds{}
	return nil
}

// deeds returns what hooks did since the answers were set.
func (u *flagUI) deeds() deeds {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.did
}

// show prints what a hook shows the person, and keeps it.
func (u *flagUI) show(kind, text string) {
	u.app.warnf("%s: %s", kind, clean.PlainText(text))
	u.mu.Lock()
	defer u.mu.Unlock()
	u.did.ui = append(u.did.ui, kind+": "+text)
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
	u.did.ui = append(u.did.ui, kind+": "+asked)
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
	u.show(string(level), message)
}

func (u *flagUI) SetStatus(key, text string) {
	u.show("status "+key, text)
}

// caseHost is what script modules have in a test: the person, and a session that only
// keeps what they add to it.
type caseHost struct{ person *flagUI }

var _ script.Messenger = caseHost{}

// UI is the person.
func (h caseHost) UI() ui.UI { return h.person }

// SendMessage keeps the content of a message.
func (h caseHost) SendMessage(message []byte, _ script.Delivery) error {
	content, _ := hook.RawJSON(string(message)).Get("content")
	return h.SendUserMessage([]byte(content.Raw()), script.Delivery{})
}

// SendUserMessage keeps a message.
func (h caseHost) SendUserMessage(content []byte, _ script.Delivery) error {
	h.person.mu.Lock()
	defer h.person.mu.Unlock()
	h.person.did.sent = append(h.person.did.sent, contentText(hook.RawJSON(string(content))))
	return nil
}

// AppendEntry keeps an entry.
func (h caseHost) AppendEntry(customType string, data []byte) error {
	h.person.mu.Lock()
	defer h.person.mu.Unlock()
	h.person.did.entries = append(h.person.did.entries, customType+": "+string(data))
	return nil
}

// contentText is the content of a message: its text, or its blocks as JSON.
func contentText(content hook.JSON) string {
	if s, ok := content.AsString(); ok {
		return s
	}
	return content.Raw()
}
