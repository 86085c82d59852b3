package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/agent/worktree"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// repository makes a repository with one commit.
func repository(t testing.TB) *gittest.Repo {
	t.Helper()
	gittest.Isolate(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := gittest.New(t, filepath.Join(dir, "my project ü"))
	r.Write("a.txt", "one\n")
	r.Commit()
	return r
}

// inRepository gives an agent file tools in such a repository.
func inRepository(r **gittest.Repo) func(*bench, *agent.Config) {
	return func(b *bench, cfg *agent.Config) {
		*r = repository(b.t)
		withSet(b, cfg, (*r).Dir)
	}
}

// withSet gives an agent file tools and worktrees in a directory.
func withSet(b *bench, cfg *agent.Config, dir string) {
	set, err := tool.New(tool.Config{Dir: dir})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = set.Close() })
	cfg.Dir, cfg.Tools = dir, set.Tools()
	cfg.Worktrees = &agent.Worktrees{Manager: worktree.New(dir), Set: set}
	withPermission(rules(b.t, permission.Allow, "EnterWorktree")...)(b, cfg)
}

var worktreeEvents = []hook.Event{
	hook.EventWorktreeCreate, hook.EventWorktreeRemove, hook.EventCwdChanged, hook.EventSubagentStart, hook.EventSubagentStop, hook.EventSessionEnd, hook.EventSessionStart,
}

// noteWhere notes events with the directory that they happen in, as seen from base.
func noteWhere(b *bench, base string, events ...hook.Event) {
	short := func(path string) string {
		rel, err := filepath.Rel(base, path)
		if err != nil {
			return path
		}
		return filepath.ToSlash(rel)
	}
	hook.OnEvent(b.reg, func(_ context.Context, in hook.Input) (hook.Result, error) {
		text := fmt.Sprintf("%v in %s", in.Event(), short(in.Base().CWD))
		switch in := in.(type) {
		case *hook.WorktreeCreate:
			text += " " + in.Name
		case *hook.WorktreeRemove:
			text += " " + short(in.WorktreePath)
		case *hook.CwdChanged:
			text += fmt.Sprintf(" %s -> %s", short(in.OldCWD), short(in.NewCWD))
		case *hook.PreToolUse:
			text += " " + in.ToolName
		case *hook.PostToolUse:
			text += " " + in.ToolName
		}
		b.note("%s", text)
		return hook.None(), nil
	}, events)
}

func TestEnterAndExitWorktree(t *testing.T) {
	var r *gittest.Repo
	b := newBench(t, `
turns:
  - tool_calls:
      - {name: ExitWorktree, input: {action: keep}}
      - {name: EnterWorktree, input: {name: "../up"}}
      - {name: EnterWorktree, input: {name: feature}}
      - {name: EnterWorktree, input: {}}
      - {name: Write, input: {file_path: new.txt, content: hello}}
  - tool_calls: [{name: ExitWorktree, input: {action: remove}}]
  - tool_calls: [{name: ExitWorktree, input: {action: keep}}, {name: Read, input: {file_path: a.txt}}]
  - tool_calls: [{name: EnterWorktree, input: {name: feature}}, {name: ExitWorktree, input: {action: remove, discard_changes: true}}]
  - text: "Done."
`, inRepository(&r)).allowAll()
	noteWhere(b, r.Dir, append(worktreeEvents, hook.EventPreToolUse, hook.EventPostToolUse)...)
	b.prompt("go")
	want := []string{
		"SessionStart in .",
		"PreToolUse in . ExitWorktree", "PreToolUse in . EnterWorktree", // both fail
		"PreToolUse in . EnterWorktree", "WorktreeCreate in . feature", "CwdChanged in W . -> W", "PostToolUse in W EnterWorktree",
		"PreToolUse in W EnterWorktree",
		"PreToolUse in W Write", "PostToolUse in W Write",
		"PreToolUse in W ExitWorktree", // it has changes
		"PreToolUse in W ExitWorktree", "CwdChanged in . W -> .", "PostToolUse in . ExitWorktree",
		"PreToolUse in . Read", "PostToolUse in . Read",
		"PreToolUse in . EnterWorktree", "WorktreeCreate in . feature", "CwdChanged in W . -> W", "PostToolUse in W EnterWorktree",
		"PreToolUse in W ExitWorktree", "CwdChanged in . W -> .", "WorktreeRemove in . W", "PostToolUse in . ExitWorktree",
	}
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], "W", "\x00")
		want[i] = strings.NewReplacer("\x00orktree", "Worktree", "\x00rite", "Write", "\x00", ".claude/worktrees/feature").Replace(want[i])
	}
	if got := b.noted(); !slices.Equal(got, want) {
		t.Errorf("events\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	all := strings.Join(messages(t, b.a.Session()), "\n")
	expect(t, all, "the session works in no worktree", `it holds \"..\"`, "the session works in a worktree already", "is kept: 1 changed file",
		"The worktree "+filepath.Join(r.Dir, ".claude", "worktrees", "feature")+" is removed", "which was there already")
	if list := r.Git("worktree", "list", "--porcelain"); strings.Count(list, "worktree ") != 1 || r.Git("branch", "--list", "worktree-*") != "" {
		t.Error(list)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "new.txt")); err == nil {
		t.Error("the file is in the project")
	}
}

func TestSessionInAWorktree(t *testing.T) {
	for _, change := range []bool{false, true} {
		t.Run(fmt.Sprint("changes ", change), func(t *testing.T) {
			var r *gittest.Repo
			b := newBench(t, "turns: [{tool_calls: [{name: Read, input: {file_path: a.txt}}]}, {text: Done.}]", inRepository(&r)).allowAll()
			noteWhere(b, r.Dir, append(worktreeEvents, hook.EventPreToolUse)...)
			w, err := b.a.EnterWorktree(t.Context(), "x")
			if err != nil {
				t.Fatal(err)
			}
			b.prompt("go")
			if change {
				if err := os.WriteFile(filepath.Join(w.Path, "a.txt"), []byte("two, and longer\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.a.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			const at = ".claude/worktrees/x"
			want := []string{"WorktreeCreate in . x", "SessionStart in " + at, "PreToolUse in " + at + " Read", "SessionEnd in " + at}
			if !change {
				want = append(want, "WorktreeRemove in "+at+" "+at)
			}
			if got := b.noted(); !slices.Equal(got, want) {
				t.Errorf("events\n got %q\nwant %q", got, want)
			}
			kept, why, ok := b.a.Worktree()
			if ok != change || change && (kept.Path != w.Path || why != "1 changed file") {
				t.Errorf("%+v, %q, %v", kept, why, ok)
			}
			if got := r.Git("status", "--porcelain"); got != "" {
				t.Errorf("the project's status shows %q", got)
			}
		})
	}
}

const isolatedTurns = `
turns:
  - when: {system: "You write", last_tool_result: "."}
    text: "written"
    repeat: 2
  - when: {system: "You write", first_user: "task (a|b)"}
    tool_calls: [{name: Write, input: {file_path: new.txt, content: "by a subagent"}}]
    repeat: 2
  - when: {system: "You write", first_user: "task c"}
    text: "looked"
  - tool_calls:
      - {name: Agent, input: {prompt: "task a", subagent_type: writer}}
      - {name: Agent, input: {prompt: "task b", subagent_type: writer}}
      - {name: Agent, input: {prompt: "task c", subagent_type: plain, isolation: worktree}}
  - text: "Done."
`

func TestIsolatedSubagents(t *testing.T) {
	var r *gittest.Repo
	b := newBench(t, isolatedTurns, inRepository(&r), func(_ *bench, cfg *agent.Config) {
		cfg.Subagents = []subagent.Definition{
			{Name: "writer", Description: "writes", Prompt: "You write.", Isolation: subagent.Worktree},
			{Name: "plain", Description: "looks", Prompt: "You write."},
		}
	}).allowAll()
	where := map[string]string{}
	hook.OnEvent(b.reg, func(_ context.Context, in hook.Input) (hook.Result, error) {
		c := in.Base()
		b.mu.Lock()
		defer b.mu.Unlock()
		switch in := in.(type) {
		case *hook.SubagentStart:
			where[c.AgentID] = c.CWD
		case *hook.PreToolUse:
			if c.AgentID != "" && c.CWD != where[c.AgentID] {
				t.Errorf("%s in %s, expected %s", in.ToolName, c.CWD, where[c.AgentID])
			}
		case *hook.WorktreeCreate, *hook.WorktreeRemove:
			if c.AgentID != "" || c.CWD != r.Dir {
				t.Errorf("%v: %+v", in.Event(), c)
			}
		}
		return hook.None(), nil
	}, []hook.Event{hook.EventSubagentStart, hook.EventPreToolUse, hook.EventWorktreeCreate, hook.EventWorktreeRemove})
	noteWhere(b, r.Dir, hook.EventWorktreeCreate, hook.EventWorktreeRemove)
	b.prompt("go")
	if len(where) != 3 {
		t.Fatalf("%q", where)
	}
	seen, kept := map[string]bool{}, 0
	for _, dir := range where {
		if seen[dir] || !strings.HasPrefix(dir, filepath.Join(r.Dir, ".claude", "worktrees", "agent-")) {
			t.Errorf("%s", dir)
		}
		seen[dir] = true
		if data, err := os.ReadFile(filepath.Join(dir, "new.txt")); err == nil && string(data) == "by a subagent" {
			kept++
			result := strings.ReplaceAll(b.lastResult(), `\\`, `\`)
			expect(t, result, "Its worktree is kept at "+dir+" on the branch worktree-"+filepath.Base(dir)+": 1 changed file.")
		}
	}
	if list := strings.Count(r.Git("worktree", "list", "--porcelain"), "worktree "); kept != 2 || list != 3 {
		t.Errorf("%d kept, %d worktrees", kept, list)
	}
	if got := strings.Join(b.noted(), "\n"); strings.Count(got, "WorktreeCreate") != 3 || strings.Count(got, "WorktreeRemove") != 1 {
		t.Errorf("%s", got)
	}
	if got := r.Git("status", "--porcelain"); got != "" {
		t.Errorf("the project's status shows %q", got)
	}
	expect(t, b.all(), "You work in a worktree of your own")
}

// What a subagent may do without being asked ends with its worktree.
func TestIsolatedSubagentStaysInItsWorktree(t *testing.T) {
	r := repository(t)
	outside := filepath.Join(r.Dir, "a.txt")
	b := newBench(t, fmt.Sprintf(`
turns:
  - when: {system: "You are a subagent", last_tool_result: "nobody is there to ask"}
    text: "inside only"
  - when: {system: "You are a subagent"}
    tool_calls: [{name: Read, input: {file_path: a.txt}}, {name: Read, input: {file_path: %q}}]
  - tool_calls: [{name: Agent, input: {prompt: "look", isolation: worktree}}]
  - text: "Done."
`, outside), func(b *bench, cfg *agent.Config) { withSet(b, cfg, r.Dir) })
	b.prompt("go")
	expect(t, b.all(), "outside the working directories")
	expect(t, b.lastResult(), "inside only", "!worktree is kept")
}

func TestWorktreesThatHooksMake(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(dir, "made by a hook")
	person := &ui.Recorder{}
	b := newBench(t, `
turns:
  - tool_calls: [{name: EnterWorktree, input: {name: x}}, {name: Write, input: {file_path: a.txt, content: hello}}, {name: ExitWorktree, input: {action: remove}}]
  - tool_calls: [{name: ExitWorktree, input: {action: remove, discard_changes: true}}]
  - text: "Done."
`, func(b *bench, cfg *agent.Config) { withSet(b, cfg, b.t.TempDir()); cfg.UI = person }).allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.WorktreeCreate) (hook.Result, error) {
		b.note("create %s", in.Name)
		return hook.Result{Host: &hook.HostEffects{WorktreePath: made}}, os.Mkdir(made, 0o755)
	})
	hook.On(b.reg, func(_ context.Context, in *hook.WorktreeRemove) (hook.Result, error) {
		b.note("remove %v", in.WorktreePath == made)
		return hook.None(), errors.New("the disk is on fire")
	})
	b.prompt("go")
	if want := []string{"create x", "remove true"}; !slices.Equal(b.noted(), want) {
		t.Errorf("%q", b.noted())
	}
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), "not as the hook left them")
	expect(t, b.lastResult(), "could not be removed and is kept", "!the disk is on fire", `!"is_error":true`)
	expect(t, told(person), "the hook failed and the directory is left", "the disk is on fire")
	if _, err := os.Stat(filepath.Join(made, "a.txt")); err != nil {
		t.Error(err)
	}
}

func TestWorktreesThatCannotBeMade(t *testing.T) {
	b := newBench(t, `
turns:
  - tool_calls: [{name: EnterWorktree, input: {}}, {name: Agent, input: {prompt: look, isolation: worktree}}]
  - text: "Done."
`, func(b *bench, cfg *agent.Config) {
		gittest.Isolate(b.t)
		withSet(b, cfg, b.t.TempDir())
	}).allowAll()
	b.prompt("go")
	if got := b.lastResult(); strings.Count(got, "this is not a git repository") != 2 || strings.Count(got, `"is_error":true`) != 2 {
		t.Error(got)
	}
	// A hook that refuses, or fails, leaves none.
	for _, why := range []string{"too many", "out of luck"} {
		var r *gittest.Repo
		b := newBench(t, "turns: [{text: Done.}]", inRepository(&r))
		hook.On(b.reg, func(context.Context, *hook.WorktreeCreate) (hook.Result, error) {
			if why == "too many" {
				return hook.Deny(why), nil
			}
			return hook.None(), errors.New(why)
		})
		if _, err := b.a.EnterWorktree(t.Context(), "x"); !errors.Is(err, worktree.ErrRefused) || !strings.Contains(err.Error(), why) || b.a.Root() != "" {
			t.Errorf("%v", err)
		}
	}
	if _, err := agent.New(agent.Config{Model: scripted(t, "turns: [{text: x}]"), Worktrees: &agent.Worktrees{}}); err == nil {
		t.Error("worktrees without a manager")
	}
	plain := newBench(t, "turns: [{tool_calls: [{name: Agent, input: {prompt: look, isolation: worktree}}]}, {text: Done.}]").allowAll()
	plain.prompt("go")
	expect(t, plain.lastResult(), "there are no worktrees here")
}

func TestIsolationNeedsThePermissionForWorktrees(t *testing.T) {
	var r *gittest.Repo
	b := newBench(t, `
turns:
  - tool_calls: [{name: Agent, input: {prompt: look, isolation: worktree}}, {name: EnterWorktree, input: {}}]
  - text: "Done."
`, inRepository(&r), func(b *bench, cfg *agent.Config) { withPermission()(b, cfg) })
	b.prompt("go")
	expect(t, b.lastResult(), "which is not allowed", "a checkout runs what the settings of the repository name", "Permission to use EnterWorktree was refused")
	if r.Git("branch", "--list", "worktree-*") != "" {
		t.Error("a worktree was made")
	}
}

func TestResumeInTheWorktree(t *testing.T) {
	var r *gittest.Repo
	b := newBench(t, "turns: [{text: Done.}]", inRepository(&r), withFilesOf)
	w, err := b.a.EnterWorktree(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.Path, "new.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.prompt("go")
	path := b.a.Session().Path()
	if err := b.a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	open := func() *bench {
		return newBench(t, "turns: [{text: Done.}]", func(b *bench, cfg *agent.Config) {
			withSet(b, cfg, r.Dir)
			var err error
			if cfg.Session, err = session.Open(path, session.Options{NoSync: true}); err != nil {
				t.Fatal(err)
			}
		})
	}
	again := open()
	noteWhere(again, r.Dir, worktreeEvents...)
	if ok, err := again.a.ResumeWorktree(t.Context()); !ok || err != nil || again.a.Dir() != w.Path {
		t.Errorf("%v, %v, in %s", ok, err, again.a.Dir())
	}
	if len(again.noted()) != 0 {
		t.Errorf("fired %q", again.noted())
	}
	if err := os.Remove(filepath.Join(w.Path, "new.txt")); err != nil {
		t.Fatal(err)
	}
	if err := again.a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.Path); err == nil {
		t.Error("nothing is in it any more, and it is kept")
	}
	if ok, err := open().a.ResumeWorktree(t.Context()); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestOtherSessionsInTheWorktree(t *testing.T) {
	var r *gittest.Repo
	b := newBench(t, "turns: [{text: Done., repeat: -1}]", inRepository(&r), withFilesOf)
	w, err := b.a.EnterWorktree(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	b.prompt("go")
	first := b.a.Session().Path()
	if _, err := b.a.NewSession(t.Context(), agent.NewSessionOptions{}); err != nil {
		t.Fatal(err)
	}
	b.prompt("go on")
	data, err := os.ReadFile(b.a.Session().Path())
	if err != nil || !strings.Contains(string(data), `"customType":"worktree"`) || b.a.Dir() != w.Path {
		t.Errorf("%v, in %s: %s", err, b.a.Dir(), data)
	}
	if _, _, err := b.a.LeaveWorktree(t.Context(), agent.LeaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.a.Resume(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, ev := range b.shownEvents() {
		if ev.Kind == agent.KindNotice {
			said += ev.Text
		}
	}
	expect(t, said, "The session was left in the worktree "+w.Path+"; it goes on in "+r.Dir)
}

// withFilesOf keeps the session in a file and leaves the rest as it is.
func withFilesOf(b *bench, cfg *agent.Config) { withFiles(b, cfg) }

func TestTeammateInAWorktree(t *testing.T) {
	var r *gittest.Repo
	b := newBench(t, `
turns:
  - when: {system: "You are a subagent", last_tool_result: "."}
    text: "it is written"
  - when: {system: "You are a subagent"}
    tool_calls: [{name: Write, input: {file_path: new.txt, content: x}}]
  - when: {last_user: "it is written"}
    text: "All done."
  - tool_calls: [{name: Agent, input: {prompt: "write", isolation: worktree, run_in_background: true, name: scribe}}]
  - text: "I wait."
    repeat: -1
`, inRepository(&r), func(_ *bench, cfg *agent.Config) { cfg.Team = true }).allowAll()
	if res := b.prompt("go"); res.Text != "All done." {
		t.Errorf("%+v", res)
	}
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), "It works in the worktree ")
	if err := b.a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, ev := range b.shownEvents() {
		if ev.Kind == agent.KindNotice {
			said += ev.Text
		}
	}
	expect(t, said, "Its worktree is kept at ")
}

func TestInterruptedSubagentLeavesNoWorktree(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sleep")
	}
	var r *gittest.Repo
	b := newBench(t, `
turns:
  - when: {system: "You are a subagent"}
    tool_calls: [{name: Bash, input: {command: "sleep 600"}}]
  - tool_calls: [{name: Agent, input: {prompt: look, isolation: worktree}}]
`, inRepository(&r)).allowAll()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hook.On(b.reg, func(_ context.Context, in *hook.ToolExecutionStart) (hook.Result, error) {
		if in.ToolName == "Bash" {
			cancel()
		}
		return hook.None(), nil
	})
	noteWhere(b, r.Dir, hook.EventWorktreeRemove)
	if _, err := b.a.Prompt(ctx, "go"); err == nil {
		t.Error("not interrupted")
	}
	if list := r.Git("worktree", "list", "--porcelain"); strings.Count(list, "worktree ") != 1 || r.Git("branch", "--list", "worktree-*") != "" || len(b.noted()) != 1 {
		t.Errorf("%s, fired %q", list, b.noted())
	}
}
