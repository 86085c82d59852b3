//go:build unix

package executable_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/executable"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
)

func TestConformance(t *testing.T) {
	dir := t.TempDir()
	var made []string
	hooktest.TestKind(t, hooktest.Kind{
		Make: func(tb testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
			lines, ok := codectest.Script(b)
			file := program(tb, dir, string(b), "echo before_tool_call", lines)
			made = append(made, file)
			return &executable.Hook{Path: file, Trusted: trustAll, Codec: codectest.Codec{}}, ok
		},
		Starts: func() int {
			n := 0
			seen := map[string]bool{}
			for _, file := range made {
				if !seen[file] {
					n += starts(t, file)
				}
				seen[file] = true
			}
			return n
		},
	})
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CANARY_SECRET", "planted")
	file := program(t, dir, "guard", "echo before_tool_call",
		`cat > got; echo "$HOOKLINE|$HOOKLINE_EVENT|$HOOKLINE_HOOK|$HOOKLINE_PROJECT_DIR|$CANARY_SECRET|$#" > env; echo '{"decision":"deny","reason":"no"}'`)
	h := &executable.Hook{Path: file, ProjectDir: "/proj", Trusted: trustAll}
	in := toolUse(t.TempDir())
	out, run := fire(t, h, in, time.Minute)
	if out.Decision != hook.DecisionDeny || out.Reason != "no" {
		t.Fatalf("%v %q %v", out.Decision, out.Reason, run.Err)
	}
	want, err := hook.MarshalInput(in)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(in.CWD, "got")); err != nil || string(got) != string(want)+"\n" {
		t.Errorf("payload %q, %v", got, err)
	}
	if got, err := os.ReadFile(filepath.Join(in.CWD, "env")); err != nil || string(got) != "1|PreToolUse|guard|/proj||1\n" {
		t.Errorf("environment %q, %v", got, err)
	}
}

func TestRunFailures(t *testing.T) {
	dir := t.TempDir()
	noNode := write(t, filepath.Join(dir, "node-script"), "#!/usr/bin/env nodeX\n")
	plain := write(t, filepath.Join(dir, "plain"), "#!/bin/sh\n")
	if err := os.Chmod(plain, 0o644); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(dir, "gone")
	for _, tt := range []struct {
		name, path string
		kind       hook.FailureKind
		want       string
	}{
		{"non-zero exit", program(t, dir, "exits", "", "echo oops >&2; exit 1"), hook.FailureExit, "oops"},
		{"bad JSON", program(t, dir, "garbage", "", "echo '{'"), hook.FailureAnswer, "not one JSON object"},
		{"killed", program(t, dir, "killed", "", "kill -9 $$"), hook.FailureSignal, "SIGKILL"},
		{"slow", program(t, dir, "slow", "", "sleep 60"), hook.FailureTimeout, "no answer within"},
		{"missing interpreter", noNode, hook.FailureLaunch, "command not found: nodeX, PATH="},
		{"not executable", plain, hook.FailureLaunch, "not executable"},
		{"missing", fifo, hook.FailureLaunch, "no such file"},
		{"a directory", dir, hook.FailureLaunch, "it is a directory"},
		{"empty", write(t, filepath.Join(dir, "empty"), ""), hook.FailureLaunch, "it is empty"},
		{"no shebang", write(t, filepath.Join(dir, "noshebang"), "echo hi\n"), hook.FailureLaunch, "#!"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			timeout := time.Minute
			if tt.name == "slow" {
				timeout = 300 * time.Millisecond
			}
			out, run := fire(t, &executable.Hook{Path: tt.path, Trusted: trustAll}, toolUse(t.TempDir()), timeout)
			if out.Decision != hook.DecisionNone || kindOf(run.Err) != tt.kind || !strings.Contains(run.Err.Error(), tt.want) {
				t.Errorf("%v, failure %q %v, want %q with %q", out.Decision, kindOf(run.Err), run.Err, tt.kind, tt.want)
			}
		})
	}
}

func TestUntrustedNeverRuns(t *testing.T) {
	dir := t.TempDir()
	file := program(t, dir, "guard", "echo turn_end", "echo '{}'")
	var asked [][2]string
	for _, trusted := range []func(string, string) bool{nil, func(p, d string) bool {
		asked = append(asked, [2]string{p, d})
		return false
	}} {
		_, run := fire(t, &executable.Hook{Path: file, Trusted: trusted}, toolUse(dir), time.Minute)
		e, ok := errors.AsType[*executable.UntrustedError](run.Err)
		if !ok || kindOf(run.Err) != hook.FailureLaunch || e.Path != file || !strings.HasPrefix(e.Digest, "sha256:") || len(e.Digest) != 71 {
			t.Errorf("%v", run.Err)
		}
		if _, err := (&executable.Types{Trusted: trusted}).Query(t.Context(), file); !errors.As(err, &e) {
			t.Errorf("query: %v", err)
		}
	}
	if len(asked) != 2 || asked[0] != asked[1] || starts(t, file) != 0 {
		t.Errorf("asked %v, started %d times", asked, starts(t, file))
	}
}

func TestChangedContentIsAskedForAgain(t *testing.T) {
	dir := t.TempDir()
	file := program(t, dir, "guard", "", `echo '{"decision":"deny","reason":"first"}'`)
	approved := ""
	h := &executable.Hook{Path: file, Trusted: func(_, digest string) bool {
		if approved == "" {
			approved = digest
		}
		return digest == approved
	}}
	for range 2 {
		if out, run := fire(t, h, toolUse(dir), time.Minute); out.Reason != "first" {
			t.Fatalf("%v %v", out.Decision, run.Err)
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	// The same size and the same time, and other content.
	program(t, dir, "guard", "", `echo '{"decision":"deny","reason":"other"}'`)
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	out, run := fire(t, h, toolUse(dir), time.Minute)
	if _, ok := errors.AsType[*executable.UntrustedError](run.Err); !ok || out.Decision != hook.DecisionNone {
		t.Errorf("%v %v", out.Decision, run.Err)
	}
}

// A program that is replaced after it has been looked at.
func TestReplacedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	file := program(t, dir, "guard", "", `echo '{"decision":"allow"}'`)
	other := write(t, filepath.Join(dir, "other"), "#!/bin/sh\necho '{\"decision\":\"allow\",\"reason\":\"other\"}'\n")
	h := &executable.Hook{Path: file, Trusted: trustAll, Codec: swapCodec{rename: func() {
		if err := os.Rename(other, file); err != nil {
			t.Error(err)
		}
	}}}
	out, run := fire(t, h, toolUse(dir), time.Minute)
	if out.Decision != hook.DecisionNone || kindOf(run.Err) != hook.FailureLaunch || !strings.Contains(run.Err.Error(), "changed") {
		t.Errorf("%v %v", out.Decision, run.Err)
	}
}

// swapCodec does something between the look at the program and its start.
type swapCodec struct {
	codectest.Plain
	rename func()
}

func (c swapCodec) EncodeInput(call *hook.Call) ([]byte, error) {
	c.rename()
	return c.Plain.EncodeInput(call)
}

func TestIdentity(t *testing.T) {
	a, b := &executable.Hook{Path: "/x/a"}, &executable.Hook{Path: "/x/../x/a"}
	if a.Identity() != b.Identity() || a.Identity() == (&executable.Hook{Path: "/x/b"}).Identity() {
		t.Error("identity is not the path")
	}
}
