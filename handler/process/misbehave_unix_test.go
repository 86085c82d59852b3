//go:build unix

package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
)

func killSelf(n int) { syscall.Kill(os.Getpid(), syscall.Signal(n)) }

// misbehaveUnix has the modes that fork or use signals.
func misbehaveUnix(mode, arg string) {
	switch mode {
	case "hold-stdout": // a child keeps the pipes, we exit at once
		again("sleep=1m", nil, false)
		fmt.Println("answer")
	case "hold-and-spew":
		again("slow-byte", nil, false)
		fmt.Println("answer")
	case "fork-setsid": // a grandchild in a session of its own, reparented
		again("fork-once=keep", &syscall.SysProcAttr{Setsid: true}, false)
		time.Sleep(time.Minute)
	case "fork-setsid-bare": // the same without any environment
		again("fork-once=bare", &syscall.SysProcAttr{Setsid: true}, true)
		time.Sleep(time.Minute)
	case "fork-once":
		again("sleep-deaf", &syscall.SysProcAttr{Setsid: true}, arg == "bare")
	case "sleep-deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		time.Sleep(time.Minute)
	case "fork-many":
		n, _ := strconv.Atoi(arg)
		for range n {
			again("sleep-deaf", &syscall.SysProcAttr{Setsid: true}, false)
		}
		time.Sleep(time.Minute)
	case "fd-starved":
		starve()
	default:
		fmt.Fprintln(os.Stderr, "unknown mode", mode)
		os.Exit(99)
	}
}

// again starts this program once more, in another mode, with the same token
// and pipes, and does not wait. A bare one keeps nothing of the environment
// but its mode.
func again(mode string, attr *syscall.SysProcAttr, bare bool) {
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	if !bare {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, modeVariable+"="+mode)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = attr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(98)
	}
}

// alive counts the living processes whose arguments hold token.
func alive(t testing.TB, token string) (pids []int) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	if len(files) == 0 {
		t.Skip("no /proc to count processes in")
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || !strings.Contains(string(b), token) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "stat"))
		if i := strings.LastIndex(string(stat), ") "); i >= 0 && strings.HasPrefix(string(stat)[i+2:], "Z") {
			continue
		}
		pids = append(pids, pid)
	}
	return pids
}

// waitAlive waits until n processes hold token.
func waitAlive(t testing.TB, token string, n int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); len(alive(t, token)) != n; {
		if time.Now().After(end) {
			t.Fatalf("%d processes with the token, want %d", len(alive(t, token)), n)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// reap kills by pid what a test left on purpose.
func reap(t testing.TB, token string) {
	t.Helper()
	t.Cleanup(func() {
		for _, pid := range alive(t, token) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	})
}

// starve runs the package with no descriptor left and prints what it says. A
// run before that has the runtime open what it needs for itself.
func starve() {
	spec := process.Spec{Path: "/bin/sh", Args: []string{"-c", ":"}, Env: []string{}}
	if _, err := process.Run(context.Background(), spec); err != nil {
		fmt.Println("before the limit:", err)
		return
	}
	next, err := syscall.Dup(0)
	if err != nil {
		fmt.Println("no free descriptor:", err)
		return
	}
	limit := syscall.Rlimit{Cur: uint64(next) + 1, Max: uint64(next) + 1}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		fmt.Println("no limit:", err)
		return
	}
	_, err = process.Run(context.Background(), spec)
	fail, ok := errors.AsType[*process.StartError](err)
	if !ok {
		fmt.Println("not a start error:", err)
		return
	}
	fmt.Println("reason:", fail.Reason)
}
