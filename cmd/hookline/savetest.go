package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/fsx"
)

// ofEachRun are members of payloads that a case does not repeat: they are of the session
// and the machine, or have a key of their own.
var ofEachRun = []string{
	"hook_event_name", "session_id", "transcript_path", "cwd", "tool_use_id", "prompt_id", "agent_id", "scratchpad_dir", "duration_ms",
	"messages", "tool_name", "tool_input", "tool_response", "prompt",
}

// savedTest is the case of an event and of what it came to.
func savedTest(ev hook.Event, payload hook.JSON, only []string, decision, reason string) hookTest {
	t := hookTest{Event: ev.String(), Only: only, Tool: payload.String("tool_name"), Prompt: payload.String("prompt"), Set: map[string]any{}}
	t.Expect.Decision = decision
	if reason, _, _ = strings.Cut(reason, "\n"); reason != "" {
		t.Expect.Reason = regexp.QuoteMeta(reason)
	}
	for _, key := range payload.Keys() {
		var v any
		m, _ := payload.Get(key)
		if m.Decode(&v) != nil {
			continue // what is not JSON in itself cannot be written
		}
		input, isObject := v.(map[string]any)
		switch {
		case key == "tool_input" && isObject:
			t.Input = input
		case key == "tool_response":
			t.Response = v
		case !slices.Contains(ofEachRun, key) && v != nil && v != "" && v != false:
			t.Set[key] = v
		}
	}
	if t.Set["permission_mode"] == "default" {
		delete(t.Set, "permission_mode")
	}
	t.Name = fmt.Sprintf("%s %s", t.Event, decision)
	if t.Tool != "" {
		command, _ := t.Input["command"].(string)
		about, _, _ := strings.Cut(command, "\n")
		t.Name = strings.TrimSpace(fmt.Sprintf("%s: %s %s", decision, t.Tool, about))
	}
	return t
}

// saveTests adds cases to a test file, which is made when it is not there.
func (a *app) saveTests(path string, tests []hookTest) error {
	if !strings.HasSuffix(path, testSuffix) {
		return usagef("--save-test %s: test files end in %s", path, testSuffix)
	}
	path = a.inDir(path)
	fail := func(err error) error { return fmt.Errorf("save the test in %s: %w", path, err) }
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = []byte("# Run with: hookline test\ntests:\n")
	case err != nil:
		return fail(err)
	default:
		if _, err := parseTests(path, old); err != nil {
			return err
		}
	}
	list, err := testList(tests)
	if err != nil {
		return fail(err)
	}
	var b bytes.Buffer
	b.Write(bytes.TrimRight(old, "\n"))
	b.WriteString("\n" + list)
	if _, err := parseTests(path, b.Bytes()); err != nil {
		return fail(fmt.Errorf("its list of tests is written in another way; add the case by hand:\n%s", list))
	}
	if err := fsx.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fail(err)
	}
	a.warnf("saved %s in %s", count(len(tests), "case", "cases"), path)
	return nil
}
