package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/internal/hookclient"
	"github.com/hookline-dev/hookline/internal/toy"
	"github.com/hookline-dev/hookline/sandbox"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == watcherArg { // started by a name of no command
		os.Exit(program(os.Args[1:], osStreams()))
	}
	testscript.Main(m, map[string]func(){
		"hookline":      func() { os.Exit(program(os.Args[1:], osStreams())) },
		"hookline-toy":  func() { os.Exit(program(os.Args[1:], osStreams(), append(all.Dialects(), toy.Dialect{})...)) },
		"hookline-hook": func() { os.Exit(hookclient.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"elicitserver":  elicitServer,
	})
}

// TestScripts runs the command as a person would: real arguments, files, exit
// codes, shells. Each script has a home directory of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("USERPROFILE", home)
			e.Setenv("HOOKLINE_MANAGED_DIR", filepath.Join(e.WorkDir, "managed"))
			for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"} {
				e.Setenv(name, "")
			}
			e.Setenv("NO_COLOR", "1")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // a program with the race detector sleeps for a second when it ends
			e.Setenv("NAME", "na\x1b[2Jme")         // names that no script can hold
			e.Setenv("COLOURED", "na\x1b[31mme")
			if out, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil {
				e.Setenv("GOCACHE", strings.TrimSpace(string(out))) // what the demo builds need not be built anew
			}
			e.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
			return os.MkdirAll(home, 0o755)
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"chmodx":   chmodx,
			"exitcode": exitCodeIs,
		},
	})
}

// condition adds [has:PROGRAM], and [sandbox] and [namespaces] where the system offers them.
func condition(cond string) (bool, error) {
	if cond == "sandbox" {
		return sandbox.Offered().Name != "", nil
	}
	if cond == "namespaces" {
		return sandbox.Namespaces() == nil, nil
	}
	if name, ok := strings.CutPrefix(cond, "has:"); ok {
		return exec.Command(name, "--version").Run() == nil || exec.Command(name, "version").Run() == nil, nil // go knows the second only
	}
	return false, nil
}

// chmodx makes files executable.
func chmodx(ts *testscript.TestScript, _ bool, args []string) {
	for _, a := range args {
		ts.Check(os.Chmod(ts.MkAbs(a), 0o755))
	}
}

// exitCodeIs runs the command and checks its exit code: exitcode N hookline ARGS.
func exitCodeIs(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exitcode N command args...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if exit, ok := err.(*exec.ExitError); ok {
		got = strings.TrimPrefix(exit.Error(), "exit status ")
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}
