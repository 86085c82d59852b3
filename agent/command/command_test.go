package command_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/recipe"
	"github.com/hookline-dev/hookline/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is an agent with its commands.
type bench struct {
	t     *testing.T
	reg   *hook.Registry
	a     *agent.Agent
	set   *command.Set
	model *script.Provider
	log   strings.Builder
}

func newBench(t *testing.T, o command.Options) *bench {
	t.Helper()
	b := &bench{t: t, reg: hook.NewRegistry()}
	var err error
	if b.model, err = script.Parse([]byte("turns:\n  - text: answer\n    repeat: -1\n"), script.Options{Log: &b.log}); err != nil {
		t.Fatal(err)
	}
	eng := hook.New(b.reg)
	dir := t.TempDir()
	s, err := session.Create(dir, session.Options{Cwd: "/work", NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	b.a, err = agent.New(agent.Config{
		Model: b.model, ModelName: "script", Hooks: eng, Session: s, SessionDir: dir, Dir: "/work", SessionOptions: session.Options{NoSync: true},
		Resolve: func(name string) (model.Provider, string, error) {
			if name != "other" {
				return nil, "", errors.New("there is no such model")
			}
			return b.model, name, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(b.a.Close(context.Background()), eng.Close()); err != nil {
			t.Error(err)
		}
	})
	o.SessionDir, o.Dir, o.Hooks = dir, "/work", b.reg.Infos
	b.set = command.New(b.a, o)
	return b
}

// input types something that must go well.
func (b *bench) input(text string) command.Reply {
	b.t.Helper()
	r, err := b.set.Input(b.t.Context(), text, command.Interactive)
	if err != nil {
		b.t.Fatalf("%s: %v", text, err)
	}
	return r
}

func has(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in %q", w, text)
		}
	}
}

func TestBuiltins(t *testing.T) {
	var added, told string
	b := newBench(t, command.Options{AddDir: func(_ context.Context, dir string) error { added = dir; return nil }})
	hook.On(b.reg, func(_ context.Context, in *hook.DirectoryAdded) (hook.Result, error) {
		told = in.Directory + " " + in.Source
		return hook.None(), nil
	})
	hook.On(b.reg, func(context.Context, *hook.Stop) (hook.Result, error) { return hook.None(), nil }, hook.Name("watch-stop"))
	has(t, b.input("/help").Output, "/compact", "/resume", "!!COMMAND")
	has(t, b.input("/compact").Output, "nothing to compact")
	if r := b.input("a question"); r.Result == nil || r.Result.Text != "answer" {
		t.Errorf("%+v", r)
	}
	first := b.a.SessionID()
	has(t, b.input("/tree").Output, "user: a question", "* ", "assistant: answer")
	leaf := b.a.Session().Leaf()
	has(t, b.input("/compact be short").Output, "is compacted")
	has(t, b.input("/tree").Output, "compaction: answer")
	has(t, b.input("/tree "+leaf).Output, "goes on from "+leaf)
	has(t, b.input("/branch").Output, "session of its own")
	if b.a.SessionID() == first {
		t.Error("it is the same session")
	}
	has(t, b.input("/clear").Output, "empty")
	has(t, b.input("/resume").Output, first, "a question")
	has(t, b.input("/resume "+first).Output, first)
	has(t, b.input("/model").Output, "script")
	has(t, b.input("/model other").Output, "other")
	has(t, b.input("/hooks").Output, "Stop", "watch-stop")
	has(t, b.input("/add-dir lib").Output, filepath.FromSlash("/work/lib"))
	if want := filepath.FromSlash("/work/lib"); added != want || told != want+" slash_command" {
		t.Errorf("added %q, told %q", added, told)
	}
	has(t, b.input("/cost").Output, "tokens in")
	for _, text := range []string{"/quit", "/exit"} {
		if !b.input(text).Quit {
			t.Errorf("%s does not end", text)
		}
	}
	for text, want := range map[string]string{"/nonsense": "no command /nonsense", "/resume nosuch": "nosuch", "/model what": "no such model", "/tree nosuch": "no such entry", "!ls": "can't be run"} {
		if _, err := b.set.Input(t.Context(), text, command.Interactive); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if r := b.input("/usr/bin is on my path"); r.Result == nil {
		t.Error("a path was taken for a command")
	}
}

func TestHooksCancelCommands(t *testing.T) {
	b := newBench(t, command.Options{})
	b.input("a question")
	hook.On(b.reg, func(context.Context, *hook.SessionBeforeSwitch) (hook.Result, error) {
		return hook.Result{Cancel: true}, nil
	})
	hook.On(b.reg, func(context.Context, *hook.PreModelSwitch) (hook.Result, error) { return hook.Deny("too dear"), nil })
	for text, want := range map[string]string{"/clear": "all is as it was", "/new": "all is as it was", "/model other": "too dear"} {
		if r := b.input(text); !r.Blocked || !strings.Contains(r.Output, want) {
			t.Errorf("%s: %+v", text, r)
		}
	}
}

func TestUserInput(t *testing.T) {
	b := newBench(t, command.Options{})
	hook.On(b.reg, func(_ context.Context, in *hook.UserInput) (hook.Result, error) {
		switch in.Text {
		case "drop":
			return hook.Deny("not now"), nil
		case "mine":
			return hook.Result{Host: &hook.HostEffects{Handled: true}}, nil
		case "change":
			in.Text = "changed by " + in.Source
			in.Images = []hook.JSON{hook.RawJSON(`{"type":"base64","media_type":"image/png","data":"UElD"}`)}
		}
		return hook.None(), nil
	})
	if r := b.input("drop"); !r.Blocked || r.Result != nil {
		t.Errorf("%+v", r)
	}
	if r := b.input("mine"); r.Blocked || r.Result != nil {
		t.Errorf("%+v", r)
	}
	b.input("change")
	has(t, b.log.String(), "changed by interactive")
	has(t, b.log.String(), `"data":"UElD"`)
}

func TestShellCommands(t *testing.T) {
	var ran []string
	b := newBench(t, command.Options{Shell: func(_ context.Context, line string) (string, error) {
		ran = append(ran, line)
		return "output of " + line, nil
	}})
	hook.On(b.reg, func(_ context.Context, in *hook.UserBash) (hook.Result, error) {
		switch in.Command {
		case "rm x":
			return hook.Deny("no"), nil
		case "date":
			return hook.Result{Host: &hook.HostEffects{Handled: true}, UpdatedOutput: hook.MustJSON("always now")}, nil
		}
		return hook.None(), nil
	})
	has(t, b.input("!ls").Output, "output of ls")
	has(t, b.input("!!secret").Output, "output of secret")
	has(t, b.input("! date").Output, "always now")
	if r := b.input("!rm x"); !r.Blocked {
		t.Errorf("%+v", r)
	}
	if fmt.Sprint(ran) != "[ls secret]" {
		t.Errorf("ran %v", ran)
	}
	b.input("go on")
	has(t, b.log.String(), "output of ls", "always now")
	if strings.Contains(b.log.String(), "secret") {
		t.Error("the model was told what it should not see")
	}
}

func TestRecipesAndFurtherCommands(t *testing.T) {
	project := t.TempDir()
	dir := filepath.Join(project, ".hookline", "recipes")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "shorten.md"), []byte("---\ndescription: shortens\n---\nShorten {{.what}}.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	more := []command.Command{
		{Name: "hidden", Unlisted: true},
		{Name: "plan", Description: "plans", Source: "module", Run: func(_ context.Context, args string) (command.Reply, error) {
			return command.Reply{Output: "planned " + args}, nil
		}},
	}
	b := newBench(t, command.Options{
		Recipes: func(ctx context.Context) (*recipe.Set, error) {
			return recipe.Discover(ctx, recipe.Options{Places: plugin.Places{ProjectDir: project}})
		},
		More: func() []command.Command { return more },
	})
	hook.On(b.reg, func(_ context.Context, in *hook.UserPromptExpansion) (hook.Result, error) {
		if strings.Contains(in.Prompt, "secrets") {
			return hook.Deny("leave them"), nil
		}
		return hook.AddContext("expanded " + in.CommandName + " " + in.CommandArgs), nil
	})
	help := b.input("/help").Output
	has(t, help, "/plan", "(module)", "/shorten", "(recipe)")
	if strings.Contains(help, "/hidden") || more[0].Name != "hidden" || more[1].Name != "plan" {
		t.Errorf("%s, of %v", help, more)
	}
	has(t, b.input("/plan the\nwork").Output, "planned the\nwork")
	b.input("/shorten what=tests")
	has(t, b.log.String(), "Shorten tests.", "expanded shorten what=tests")
	if r := b.input("/shorten what=secrets"); !r.Blocked || !strings.Contains(r.Output, "leave them") {
		t.Errorf("%+v", r)
	}
	if _, err := b.set.Input(t.Context(), "/shorten", command.Interactive); err == nil || !strings.Contains(err.Error(), "needs the argument what") {
		t.Error(err)
	}
}

func TestWhereACommandComesFrom(t *testing.T) {
	project := filepath.FromSlash("/home/me/p")
	for path, want := range map[string]string{
		"/home/me/p/.claude/commands/hi.md": "projectSettings", "/home/me/.claude/commands/hi.md": "userSettings", "": "userSettings",
	} {
		if got := (command.Expanded{Path: filepath.FromSlash(path)}).Prompt(project).Expansion.CommandSource; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if got := (command.Expanded{Path: filepath.FromSlash("/home/me/p/x.md"), Plugin: "org/repo"}).Prompt(project).Expansion.CommandSource; got != "plugin" {
		t.Errorf("of a plugin: %s", got)
	}
	if got := (command.Expanded{Name: "hi"}).Prompt(project).Expansion.Prompt; got != "/hi" {
		t.Errorf("typed %q", got)
	}
}
