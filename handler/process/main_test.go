package process_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/handler/process"
)

// modeVariable makes the test binary act as a misbehaving child. Its value is
// a mode, with an argument after an equals sign.
const modeVariable = "PROCESS_TEST_MODE"

// watcherArg makes it a watcher.
const watcherArg = "watcher"

// noRaceSleep spares a child built with the race detector its second of sleep
// at exit.
const noRaceSleep = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == watcherArg {
		if err := process.Watcher(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if mode := os.Getenv(modeVariable); mode != "" {
		name, arg, _ := strings.Cut(mode, "=")
		misbehave(name, arg)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// misbehave is the child. Returning is exit code 0.
func misbehave(mode, arg string) {
	switch mode {
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
	case "exit":
		code, _ := strconv.Atoi(arg)
		fmt.Fprintln(os.Stderr, "exiting with", code)
		os.Exit(code)
	case "bom":
		os.Stdout.WriteString("\uFEFF{}\r\n")
	case "ignore-term":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		time.Sleep(time.Minute)
	case "obey-term":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println("ready")
		<-c
		fmt.Println("cleaned up")
		os.Exit(3)
	case "sleep":
		d, _ := time.ParseDuration(arg)
		time.Sleep(d)
	case "no-read-exit":
		fmt.Println("done without reading")
	case "close-stdin":
		os.Stdin.Close()
		time.Sleep(100 * time.Millisecond)
		fmt.Println("went on")
	case "spew":
		spew(os.Stdout, arg)
	case "spew-stderr":
		spew(os.Stderr, arg)
		os.Stderr.WriteString("the last line")
	case "sig":
		n, _ := strconv.Atoi(arg)
		killSelf(n)
		time.Sleep(time.Minute)
	case "env-dump":
		for _, kv := range os.Environ() {
			fmt.Println(kv)
		}
	case "read-tty":
		if _, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err != nil {
			fmt.Println("no tty:", err)
		} else {
			fmt.Println("got a tty")
		}
	case "slow-byte":
		for {
			os.Stdout.WriteString("x")
			time.Sleep(20 * time.Millisecond)
		}
	case "split-runes":
		for _, b := range []byte("aé漢🙂\xf0\x9f") {
			os.Stdout.Write([]byte{b})
			time.Sleep(5 * time.Millisecond)
		}
	case "async-then":
		fmt.Println(`{"async":true}`)
		d, _ := time.ParseDuration(arg)
		time.Sleep(d)
		fmt.Println(`{"systemMessage":"later"}`)
	case "worker":
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			fmt.Printf("{\"pid\":%d,\"echo\":%q}\n", os.Getpid(), lines.Text())
		}
	case "launch":
		launchAndDie(arg)
	case "watched":
		watched(arg)
		time.Sleep(time.Minute)
	case "ending":
		process.Adopt()
		watched(arg).Wait()
		process.EndAdopted()
	default:
		misbehaveUnix(mode, arg)
	}
}

func spew(f *os.File, arg string) {
	n, _ := strconv.Atoi(arg)
	chunk := bytes.Repeat([]byte{'y'}, 1<<16)
	for ; n > 0; n -= len(chunk) {
		f.Write(chunk[:min(n, len(chunk))])
	}
}

// launchAndDie starts a sleeping child through the package, then waits to be
// killed without a chance to clean up.
func launchAndDie(token string) {
	spec := process.Spec{Path: os.Args[0], Args: []string{token}, Env: []string{modeVariable + "=sleep=1m"}}
	p, err := process.Start(context.Background(), spec)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(p.Pid())
	time.Sleep(time.Minute)
}

// watched starts a shell command through the package as the command does.
func watched(line string) *process.Process {
	process.Watch(watcherArg)
	spec := process.Spec{Path: "sh", Args: []string{"-c", line}, Leave: true, StdinLater: true, StdoutFile: os.Stdout}
	p, err := process.Start(context.Background(), spec)
	if err == nil {
		err = p.Feed([]byte("go\n"))
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return p
}

// withoutPump makes the helpers' specs read as on systems that cannot pump.
// TestWithoutPump sets it; no test is parallel.
var withoutPump bool

func portable(s process.Spec) process.Spec {
	if withoutPump {
		return s.WithoutPump()
	}
	return s
}

// child returns the spec of a misbehaving child. The token in its arguments
// finds it, and what it forks of itself, in /proc.
func child(t testing.TB, mode string) (process.Spec, string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	token := fmt.Sprintf("token-%d-%d", os.Getpid(), time.Now().UnixNano())
	env, _ := process.Environ(os.Environ(), []string{modeVariable + "=" + mode, noRaceSleep}, process.EnvPolicy{})
	return portable(process.Spec{Path: exe, Args: []string{token}, Env: env}), token
}

// shell returns the spec of a command line for the real sh.
func shell(t testing.TB, line string) process.Spec {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this machine")
	}
	return portable(process.Spec{Path: "sh", Args: []string{"-c", line}})
}

// script writes an executable file and returns its path.
func script(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// mustRun runs spec and fails the test if it did not start.
func mustRun(t testing.TB, spec process.Spec) *process.Exit {
	t.Helper()
	e, err := process.Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
