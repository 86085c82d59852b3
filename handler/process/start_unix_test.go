//go:build unix

package process_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
)

func TestFailedStartsSayWhy(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	local := write("local-tool", "#!/bin/sh\n", 0o755)

	for name, tc := range map[string]struct {
		spec   process.Spec
		reason process.Reason
		says   string
	}{
		"missing file":     {process.Spec{Path: filepath.Join(dir, "gone")}, process.ReasonNotFound, "gone"},
		"empty path":       {process.Spec{}, process.ReasonNotFound, `""`},
		"missing command":  {process.Spec{Path: "no-such-command", Env: []string{"PATH=/bin:/usr/bin"}}, process.ReasonNotFound, "PATH=/bin:/usr/bin"},
		"no PATH":          {process.Spec{Path: "sh", Env: []string{}}, process.ReasonNotFound, "not found"},
		"no permission":    {process.Spec{Path: write("plain", "#!/bin/sh\n", 0o644)}, process.ReasonNotExecutable, "-rw-r--r--"},
		"directory":        {process.Spec{Path: dir}, process.ReasonNotExecutable, "a directory"},
		"link loop":        {process.Spec{Path: loop}, process.ReasonNotExecutable, "loop"},
		"no #! line":       {process.Spec{Path: write("bare", "echo hi\n", 0o755)}, process.ReasonBadFormat, "#!"},
		"empty file":       {process.Spec{Path: write("empty", "", 0o755)}, process.ReasonBadFormat, "#!"},
		"no interpreter":   {process.Spec{Path: write("lost", "#!/opt/none/interp -x\n", 0o755)}, process.ReasonNoInterpreter, "/opt/none/interp"},
		"CRLF interpreter": {process.Spec{Path: write("crlf", "#!/bin/sh\r\necho\r\n", 0o755)}, process.ReasonNoInterpreter, "CRLF"},
		"cwd gone":         {process.Spec{Path: "/bin/sh", Dir: filepath.Join(dir, "away")}, process.ReasonBadDir, "away"},
		"cwd is a file":    {process.Spec{Path: "/bin/sh", Dir: local}, process.ReasonBadDir, "local-tool"},
		"argument too big": {process.Spec{Path: "/bin/sh", Args: []string{strings.Repeat("x", 8<<20)}}, process.ReasonTooBig, "too big"},
		"env too big":      {process.Spec{Path: "/bin/sh", Env: []string{"A=" + strings.Repeat("x", 8<<20)}}, process.ReasonTooBig, "too big"},
		"NUL in argument":  {process.Spec{Path: "/bin/sh", Args: []string{"a\x00b"}}, process.ReasonUnsafeArgument, "argument"},
		"relative PATH":    {process.Spec{Path: "local-tool", Dir: dir, Env: []string{"PATH=."}}, process.ReasonUnsafePath, "entry ."},
		"empty PATH entry": {process.Spec{Path: "local-tool", Dir: dir, Env: []string{"PATH=/bin:"}}, process.ReasonUnsafePath, `entry ""`},
		"not executable in PATH": {
			process.Spec{Path: "plain", Env: []string{"PATH=" + dir}},
			process.ReasonNotExecutable, "plain",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.spec.Stdin = []byte("payload")
			e, err := process.Run(t.Context(), tc.spec)
			fail, ok := errors.AsType[*process.StartError](err)
			if !ok || e != nil {
				t.Fatalf("exit %v, error %v", e, err)
			}
			if fail.Reason != tc.reason || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("reason %q, want %q with %q: %v", fail.Reason, tc.reason, tc.says, err)
			}
		})
	}
}

func TestBusyFileIsTriedAgain(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a file open for writing can be run here")
	}
	exe, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Skip("no /bin/true")
	}
	file := filepath.Join(t.TempDir(), "busy")
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(exe); err != nil {
		t.Fatal(err)
	}
	_, err = process.Run(t.Context(), process.Spec{Path: file})
	if fail, ok := errors.AsType[*process.StartError](err); !ok || fail.Reason != process.ReasonBusy {
		t.Fatalf("got %v", err)
	}
	time.AfterFunc(10*time.Millisecond, func() { f.Close() })
	if e, err := process.Run(t.Context(), process.Spec{Path: file}); err != nil || !e.Success() {
		t.Errorf("after the writer closed: %v, %v", e, err)
	}
}

func TestNoDescriptorLeftIsAReasonNotAPanic(t *testing.T) {
	spec, _ := child(t, "fd-starved")
	e := mustRun(t, spec)
	if got := string(e.Stdout); got != "reason: "+process.ReasonExhausted.String()+"\n" {
		t.Errorf("%v: %q %q", e, got, e.Stderr)
	}
}

func TestOnlyThreeDescriptorsAreInherited(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc/self/fd")
	}
	// A descriptor without close-on-exec, as a careless parent leaves it.
	leak, err := syscall.Open("/dev/zero", syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(leak)
	// The shell: a Go child would have descriptors of its own to show.
	spec := shell(t, `for f in /proc/$$/fd/*; do readlink "$f"; done`)
	if e := mustRun(t, spec); !strings.Contains(string(e.Stdout), "/dev/zero") {
		t.Fatalf("the leak was not seen: the test proves nothing\n%s", e.Stdout)
	}
	if err := process.SealFDs(); err != nil {
		t.Fatal(err)
	}
	e := mustRun(t, spec)
	lines := strings.Split(strings.TrimSpace(string(e.Stdout)), "\n")
	if len(lines) != 3 {
		t.Errorf("inherited:\n%s", e.Stdout)
	}
}

func TestNoControllingTerminal(t *testing.T) {
	spec, _ := child(t, "read-tty")
	if e := mustRun(t, spec); !strings.HasPrefix(string(e.Stdout), "no tty") {
		t.Errorf("got %q", e.Stdout)
	}
}

func TestChildHasItsOwnSessionAndGroup(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	e := mustRun(t, shell(t, "cat /proc/$$/stat; echo $$"))
	f := strings.Fields(string(e.Stdout))
	// pid (sh) S ppid pgrp session tty_nr ...
	pid := f[len(f)-1]
	if f[0] != pid || f[4] != pid || f[5] != pid || f[6] != "0" {
		t.Errorf("stat %q", e.Stdout)
	}
}

func TestExecFormPassesArgumentsExactly(t *testing.T) {
	args := []string{"a b", `"q"`, "$(id)", "`id`", "-rf", "line\nbreak", "\xff\xfe", "", "*"}
	spec := shell(t, "")
	spec.Args = append([]string{"-c", `for a; do printf '%s\0' "$a"; done`, "sh"}, args...)
	e := mustRun(t, spec)
	if got := string(e.Stdout); got != strings.Join(args, "\x00")+"\x00" {
		t.Errorf("got %q", got)
	}
}

func TestWorkingDirectoryWithOddName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b$(x)'\"\n\xff")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skip("the file system refuses the name:", err)
	}
	spec := shell(t, `printf %s "$PWD"; printf '\0'; pwd -P | tr -d '\000'`)
	spec.Dir = dir
	e := mustRun(t, spec)
	pwd, _, _ := strings.Cut(string(e.Stdout), "\x00")
	if pwd != dir || !e.Success() {
		t.Errorf("%v: %q", e, e.Stdout)
	}
}

func TestRelativePathIsRelativeToTheWorkingDirectory(t *testing.T) {
	file := script(t, "tool", "#!/bin/sh\necho found\n")
	e := mustRun(t, process.Spec{Path: "./tool", Dir: filepath.Dir(file)})
	if string(e.Stdout) != "found\n" {
		t.Errorf("%v: %q %q", e, e.Stdout, e.Stderr)
	}
}

func TestNilEnvironmentIsTheFilteredOne(t *testing.T) {
	t.Setenv("PLANTED_API_TOKEN", "canary")
	t.Setenv("PLANTED_PLAIN", "visible")
	t.Setenv(modeVariable, "env-dump")
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e := mustRun(t, process.Spec{Path: exe})
	if out := string(e.Stdout); strings.Contains(out, "canary") || !strings.Contains(out, "PLANTED_PLAIN=visible") ||
		!strings.Contains(out, "GIT_TERMINAL_PROMPT=0") {
		t.Errorf("the child's environment:\n%s", out)
	}
	if e := mustRun(t, process.Spec{Path: exe, Env: []string{modeVariable + "=env-dump", noRaceSleep}}); strings.Contains(string(e.Stdout), "PLANTED") {
		t.Errorf("an explicit environment was added to:\n%s", e.Stdout)
	}
}
