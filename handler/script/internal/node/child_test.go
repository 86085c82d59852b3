//go:build unix

package node_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/handler/script/internal/node"
)

func shell(script string, more map[string]any) map[string]any {
	a := map[string]any{
		"file": "/bin/sh", "args": []string{"-c", script}, "cwd": "/", "env": map[string]string{"PATH": os.Getenv("PATH")},
		"stdio": []string{"pipe", "pipe", "pipe"}, "killSignal": "SIGTERM",
	}
	for k, v := range more {
		a[k] = v
	}
	return a
}

func start(t *testing.T, p *node.Primitives, script string) (id, pid int) {
	t.Helper()
	out, err := p.Sync("node.child.start", args(t, shell(script, nil)))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		ID  int `json:"id"`
		Pid int `json:"pid"`
	}
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatal(err)
	}
	return c.ID, c.Pid
}

func stdoutOf(t *testing.T, result []byte) string {
	t.Helper()
	var r struct {
		Stdout []byte `json:"stdout"`
	}
	if err := json.Unmarshal(result, &r, json.RejectUnknownMembers(false)); err != nil {
		t.Fatal(err)
	}
	return string(r.Stdout)
}

func awaitFile(t *testing.T, path string) string {
	t.Helper()
	for range 500 {
		if data, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(data), "\n") {
			return strings.TrimSpace(string(data))
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the child did not write", path)
	return ""
}

func gone(pid int) bool {
	for range 500 {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		// A killed grandchild may wait for its new parent to reap it.
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil && strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func TestCloseEndsChildrenAndTheirGroup(t *testing.T) {
	p, err := node.New(node.Options{Grants: node.All()})
	if err != nil {
		t.Fatal(err)
	}
	pidFile := filepath.Join(t.TempDir(), "pid")
	_, pid := start(t, p, "trap '' TERM; sleep 300 & echo $! > "+pidFile+"; wait; sleep 300")
	grandchild, err := strconv.Atoi(awaitFile(t, pidFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if !gone(pid) || !gone(grandchild) {
		t.Error("processes outlive Close")
	}
	if _, code := try(t, p, "node.fs.exists", map[string]any{"path": "/"}); code != "ABORT_ERR" {
		t.Error("an operation after Close:", code)
	}
	if err := p.Close(); err != nil {
		t.Error("a second Close:", err)
	}
}

func TestCloseEndsASynchronousRun(t *testing.T) {
	p, err := node.New(node.Options{Grants: node.All()})
	if err != nil {
		t.Fatal(err)
	}
	pidFile := filepath.Join(t.TempDir(), "pid")
	failed := make(chan error, 1)
	go func() {
		_, err := p.Sync("node.child.spawnSync", []byte(`{"file":"/bin/sh","cwd":"/","env":{"PATH":"/usr/bin:/bin"},"args":["-c","trap '' TERM; echo $$ > `+pidFile+`; sleep 300; sleep 300"]}`))
		failed <- err
	}()
	pid, err := strconv.Atoi(awaitFile(t, pidFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil {
		t.Error("the run came to a good end")
	}
	if !gone(pid) {
		t.Error("the program outlives Close")
	}
}

func TestTimeoutKillsWhatIgnoresItsSignal(t *testing.T) {
	p := newPrimitives(t, node.Options{Grants: node.All()})
	var s string
	for ms := 100; ms < 1_000_000 && !strings.Contains(s, `"stdout":"b3V0Cg=="`); ms *= 10 { // longer, when it did not come to its loop
		out, err := p.Sync("node.child.spawnSync", args(t, shell("trap '' TERM; echo out; while :; do sleep 1; done", map[string]any{"timeout": ms})))
		if err != nil {
			t.Fatal(err)
		}
		s = string(out)
	}
	if !strings.Contains(s, "SIGKILL") || !strings.Contains(s, "ETIMEDOUT") || !strings.Contains(s, `"stdout":"b3V0Cg=="`) {
		t.Error(s)
	}
}

// A daemon that holds the pipes does not hold the answer.
func TestAHeldPipeDoesNotHoldTheAnswer(t *testing.T) {
	p := newPrimitives(t, node.Options{Grants: node.All()})
	pidFile := filepath.Join(t.TempDir(), "pid")
	out, err := p.Sync("node.child.spawnSync", args(t, shell("sleep 3600 & echo $! > "+pidFile+"; echo done", nil)))
	if err != nil || !strings.Contains(string(out), `"stdout":"ZG9uZQo="`) {
		t.Error(string(out), err)
	}
	daemon, err := strconv.Atoi(awaitFile(t, pidFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(daemon, syscall.SIGKILL); err != nil {
		t.Error("the answer came when the daemon had ended:", err)
	}
}

func TestChildrenGetNoTerminalAndNoneOfOurFiles(t *testing.T) {
	p := newPrimitives(t, node.Options{Grants: node.All()})
	path := filepath.Join(t.TempDir(), "held-open")
	held, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	out, err := p.Sync("node.child.spawnSync", args(t, shell("(: </dev/tty) 2>/dev/null && echo terminal; ls -l /proc/self/fd 2>/dev/null; true", nil)))
	if err != nil {
		t.Fatal(err)
	}
	if s := stdoutOf(t, out); !strings.Contains(s, "->") && runtime.GOOS == "linux" || strings.Contains(s, "terminal") || strings.Contains(s, "held-open") {
		t.Error(s)
	}
}

func TestAnAbandonedReadEndsWithItsChild(t *testing.T) {
	p := newPrimitives(t, node.Options{Grants: node.All()})
	id, _ := start(t, p, "sleep 300")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Async(ctx, "node.child.wait", args(t, map[string]any{"id": id}), nil); err == nil {
		t.Error("waiting under a context that has ended")
	}
	// A read that waits is ended by its context; the stream stays whole.
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Async(ctx, "node.child.read", args(t, map[string]any{"id": id, "fd": 1}), nil); err == nil {
		t.Error("a read under a context that has ended")
	}
	if out, code := try(t, p, "node.child.kill", map[string]any{"id": id, "signal": "SIGKILL"}); out != "true" {
		t.Error(out, code)
	}
	if out, err := p.Async(t.Context(), "node.child.wait", args(t, map[string]any{"id": id}), nil); err != nil || !strings.Contains(string(out), "SIGKILL") {
		t.Error(string(out), err)
	}
	if out, err := p.Async(t.Context(), "node.child.read", args(t, map[string]any{"id": id, "fd": 1}), nil); err != nil || string(out) != "null" {
		t.Error(string(out), err)
	}
	if out, _ := try(t, p, "node.child.kill", map[string]any{"id": id, "signal": "SIGKILL"}); out != "false" {
		t.Error("a signal to what has ended:", out)
	}
}

func TestProgramsAreNotTakenFromTheWorkingDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "planted"), []byte("#!/bin/sh\necho planted\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := newPrimitives(t, node.Options{Grants: node.All(), Cwd: dir})
	for _, path := range []string{"", ".", ":", ".:/usr/bin", "sub/..:/bin"} {
		_, code := try(t, p, "node.child.spawnSync", map[string]any{"file": "planted", "cwd": dir, "env": map[string]string{"PATH": path}})
		if code != "ENOENT" {
			t.Errorf("with PATH=%q: %q", path, code)
		}
	}
	if out, code := try(t, p, "node.child.spawnSync", map[string]any{"file": "./planted", "cwd": dir, "env": map[string]string{"PATH": "/usr/bin:/bin"}}); code != "" || stdoutOf(t, []byte(out)) != "planted\n" {
		t.Error("by its path:", out, code)
	}
}

func TestOpeningAFIFODoesNotHang(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Skip(err)
	}
	p := newPrimitives(t, node.Options{Cwd: dir, Grants: node.Grants{Read: []string{dir}}})
	done := make(chan string, 1)
	go func() {
		out, _ := try(t, p, "node.fs.readFile", map[string]any{"path": "fifo", "utf8": true})
		done <- out
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		t.Fatal("reading a FIFO that nobody writes to hangs")
	}
}
