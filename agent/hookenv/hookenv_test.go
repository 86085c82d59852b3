package hookenv_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/agent/hookenv"
	"github.com/hookline-dev/hookline/hook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// appends is a hook that appends a text to its file, after something else.
func appends(env *hookenv.Env, text string, before func()) hook.Handler {
	return hook.HandlerFunc(func(_ context.Context, call *hook.Call) (hook.Result, error) {
		path := env.File(call)
		if before != nil {
			before()
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return hook.Result{}, err
		}
		if _, err := f.WriteString(text); err != nil {
			return hook.Result{}, err
		}
		return hook.None(), f.Close()
	})
}

// content joins what a shell would read.
func content(t *testing.T, env *hookenv.Env) string {
	t.Helper()
	var b strings.Builder
	for _, f := range env.Files() {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}

func newEngine(t *testing.T, env *hookenv.Env, regs ...hook.Registration) *hook.Engine {
	t.Helper()
	reg := hook.NewRegistry()
	g := reg.Group("test", hook.Parallel, 100)
	for i := range regs {
		regs[i].Group = g
	}
	if _, err := reg.AddAll(regs); err != nil {
		t.Fatal(err)
	}
	eng := hook.New(reg, hook.WithRecorder(env))
	t.Cleanup(func() { _ = eng.Close() })
	return eng
}

func fire(t *testing.T, eng *hook.Engine, in hook.Input) hook.Outcome {
	t.Helper()
	out, err := eng.Fire(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDeclaredOrder(t *testing.T) {
	env := &hookenv.Env{}
	defer env.Close()
	second := make(chan struct{})
	eng := newEngine(
		t, env,
		// The first of the file is done last.
		hook.Registration{Event: hook.EventSessionStart, Name: "a", Handler: appends(env, "export A=1", func() { <-second })},
		hook.Registration{Event: hook.EventSessionStart, Name: "b", Handler: appends(env, "export A=2\n", func() { close(second) })},
		hook.Registration{Event: hook.EventCwdChanged, Name: "c", Handler: appends(env, "export A=3\n", nil)},
	)
	fire(t, eng, &hook.SessionStart{Source: "startup"})
	if got, want := content(t, env), "export A=1\nexport A=2\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	fire(t, eng, &hook.CwdChanged{})
	if got, want := content(t, env), "export A=1\nexport A=2\nexport A=3\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	files := env.Files()
	if len(files) != 1 {
		t.Fatalf("%q", files)
	}
	if runtime.GOOS != "windows" {
		for _, p := range []string{files[0], filepath.Dir(files[0])} {
			if info, err := os.Stat(p); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: others may do something with it: %v, %v", p, info.Mode(), err)
			}
		}
	}
	env.Clear()
	if files := env.Files(); files != nil {
		t.Errorf("after Clear there is %q", files)
	}
	fire(t, eng, &hook.CwdChanged{})
	if got, want := content(t, env), "export A=3\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	dir := filepath.Dir(env.Files()[0])
	if err := env.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("after Close: %v", err)
	}
	if path := env.File(&hook.Call{ID: "x-1", Hook: &hook.Info{}}); path != "" {
		t.Errorf("after Close: %q", path)
	}
}

func TestUnreadable(t *testing.T) {
	var problems []error
	env := &hookenv.Env{OnProblem: func(err error) { problems = append(problems, err) }}
	defer env.Close()
	eng := newEngine(
		t, env,
		hook.Registration{Event: hook.EventSetup, Name: "broken", Handler: appends(env, "export A='1\n", nil)},
		hook.Registration{Event: hook.EventSetup, Name: "good", Handler: appends(env, "export B=2\n", nil)},
		hook.Registration{Event: hook.EventSetup, Name: "silent", Handler: appends(env, "\n", nil)},
	)
	fire(t, eng, &hook.Setup{Trigger: "init"})
	if got, want := content(t, env), "export B=2\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "broken") {
		t.Errorf("%v", problems)
	}
}

func TestBackground(t *testing.T) {
	env := &hookenv.Env{}
	defer env.Close()
	goOn := make(chan struct{})
	eng := newEngine(
		t, env,
		hook.Registration{Event: hook.EventSessionStart, Name: "later", Async: hook.AsyncYes, Handler: appends(env, "export A=late\n", func() { <-goOn })},
		hook.Registration{Event: hook.EventSessionStart, Name: "now", Handler: appends(env, "export A=now\n", nil)},
	)
	out := fire(t, eng, &hook.SessionStart{Source: "startup"})
	if got, want := content(t, env), "export A=now\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	close(goOn)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if _, err := out.Pending[0].Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, env), "export A=now\nexport A=late\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A hook that goes on in the background after it has answered, as a command does
// that prints {"async":true} first.
func TestGoesOn(t *testing.T) {
	env := &hookenv.Env{}
	defer env.Close()
	eng := newEngine(t, env, hook.Registration{
		Event: hook.EventSessionStart, Name: "turns", Handler: hook.HandlerFunc(func(_ context.Context, call *hook.Call) (hook.Result, error) {
			path := env.File(call)
			return hook.Result{Async: &hook.Async{Wait: func(context.Context) (hook.Result, error) {
				return hook.None(), os.WriteFile(path, []byte("export A=1\n"), 0o600)
			}}}, nil
		}),
	})
	out := fire(t, eng, &hook.SessionStart{Source: "startup"})
	if len(out.Pending) != 1 {
		t.Fatalf("%+v", out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if r, err := out.Pending[0].Wait(ctx); err != nil || r.Err != nil {
		t.Fatal(err, r.Err)
	}
	if got, want := content(t, env), "export A=1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestShellReadsIt(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	env := &hookenv.Env{}
	defer env.Close()
	eng := newEngine(t, env, hook.Registration{
		Event: hook.EventSessionStart, Name: "a", Handler: appends(env, `export GREETING="it's \$5" DIRS="$DIRS:/x"`+"\n", nil),
	})
	fire(t, eng, &hook.SessionStart{Source: "startup"})
	cmd := exec.Command(sh, "-c", ". '"+filepath.ToSlash(env.Files()[0])+`'; sh -c 'echo "$GREETING $DIRS"'`)
	cmd.Env = append(os.Environ(), "DIRS=/a")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "it's $5 /a:/x\n" {
		t.Errorf("%q, %v", out, err)
	}
}
