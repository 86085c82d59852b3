package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/script"
	"github.com/hookline-dev/hookline/agent/modulehost"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/cmd/hookline/internal/report"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// demoPrompt is what the person of the demo asks for.
const demoPrompt = "deploy with sk-4f9a21 today"

// demoSession is the agent's session of the demo: it shows what the model says and
// wants, and of each event that the demo is about what the hooks made of it.
type demoSession struct {
	d *demo

	mu     sync.Mutex
	scenes int
	told   map[string]bool
}

// session runs the agent on the demo's prompt. The model is a script; the loop, the
// tools, the permissions and the hooks are real.
func (d *demo) session(ctx context.Context, modules *modulehost.Host) error {
	s := &demoSession{d: d, told: map[string]bool{}}
	cfg, tools, err := s.config()
	if err != nil {
		return err
	}
	defer tools.Close()
	a, err := agent.New(cfg)
	if err != nil {
		return err
	}
	modules.Bind(a)
	res, err := a.Prompt(ctx, demoPrompt)
	err = errors.Join(err, a.Close(context.WithoutCancel(ctx), "other"))
	if err == nil && res.End != agent.EndDone {
		err = fmt.Errorf("the session ended early: %s", res.Reason)
	}
	d.printf("%d events of one session, %d hooks of %d dialects. 'hookline list' shows the hooks of your own project.\n", s.scenes, d.w.Registry.Len(), countDialects(d.w.Registry))
	return err
}

// config is the agent's, with the files that the session works on.
func (s *demoSession) config() (agent.Config, *tool.Set, error) {
	var cfg agent.Config
	dir := s.d.project()
	for name, text := range map[string]string{"config.ini": "API_KEY=4f9a21c7\nPORT=80\n", "build.log": longOutput()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return cfg, nil, err
		}
	}
	turns, err := demoFiles.ReadFile("demofiles/session.yaml")
	if err != nil {
		return cfg, nil, err
	}
	provider, err := script.Parse(turns, script.Options{})
	if err != nil {
		return cfg, nil, err
	}
	checker, err := permission.New(permission.Config{ProjectDir: dir, Mode: permission.ModeAcceptEdits})
	if err != nil {
		return cfg, nil, err
	}
	tools, err := tool.New(tool.Config{Dir: dir})
	if err != nil {
		return cfg, nil, err
	}
	return agent.Config{
		Model: provider, Tools: tools.Tools(), Cwd: tools.Cwd, Dir: dir, Hooks: s, Permission: checker, OnEvent: s.event,
	}, tools, nil
}

// longOutput is a log of fifty lines.
func longOutput() string {
	var lines strings.Builder
	for i := range 50 {
		fmt.Fprintln(&lines, "line", i+1)
	}
	return lines.String()
}

// event shows what the model says and wants.
func (s *demoSession) event(ev agent.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.d
	if ev.Kind != agent.KindMessage || ev.Message.Role != model.Assistant {
		return
	}
	if text := ev.Message.Text(); text != "" {
		d.printf("%s %s\n", d.style("35;1", "model:"), line(text))
	}
	for _, call := range ev.Message.ToolUses() {
		d.printf("%s %s\n", d.style("35;1", "model wants "+line(call.Name)+":"), line(call.InputText()))
	}
	d.printf("\n")
}

// Fire is the engine's, and shows the outcome.
func (s *demoSession) Fire(ctx context.Context, in hook.Input) (hook.Outcome, error) {
	out, err := s.d.w.Fire(ctx, in)
	if err != nil {
		return out, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	says := demoSays(in, &out)
	if says == "" || s.told[says] {
		return out, nil
	}
	s.told[says] = true
	s.scenes++
	d := s.d
	d.printf("%s %s\n", d.style("36;1", fmt.Sprint(s.scenes, ".")), says)
	rep := report.New(&out, nil)
	d.outcomeText(d.w, in, &out, &rep)
	d.printf("\n")
	return out, nil
}

// demoSays says what an event of the session shows; "" is not shown.
func demoSays(in hook.Input, out *hook.Outcome) string {
	switch in := in.(type) {
	case *hook.SessionStart:
		return "A session starts. A shell hook tells the model a rule of the house."
	case *hook.UserPromptSubmit:
		return "The person pastes a key along with a prompt. A Go function masks it in place."
	case *hook.Context:
		if out.Messages != nil {
			return "The model is about to be called. A TypeScript module leaves a debug message out of this one call."
		}
	case *hook.PreToolUse:
		return demoCall(in)
	case *hook.PostToolUse:
		return demoResult(in)
	case *hook.Stop:
		if in.StopHookActive {
			return "It wants to stop again, and now it may."
		}
		return "The model wants to stop. A stop hook keeps it going."
	}
	return ""
}

func demoCall(in *hook.PreToolUse) string {
	command, file := in.ToolInput.String("command"), in.ToolInput.String("file_path")
	switch {
	case strings.HasPrefix(command, "rm "):
		return "The model wants to delete everything. A bash guard says no."
	case strings.Contains(command, "git push"):
		return "The model wants to push. A hook with a condition leaves it to the person, and nobody is there: refused."
	case command == "npm publish":
		return "The model wants to publish a package. A gate in TypeScript asks for a person, and there is none."
	case filepath.Base(file) == ".env":
		return "The model writes .env by a relative path. A Go function makes the path absolute; the executable hook after it sees that, and refuses."
	case filepath.Base(file) == "id":
		return "The model writes a key into a file. A hook from the plugin refuses."
	}
	return ""
}

func demoResult(in *hook.PostToolUse) string {
	switch in.ToolName {
	case "Read":
		return "The model reads a file with a key in it. A redactor changes what the model sees."
	case "Bash":
		return "A command printed a lot. A hook from the plugin shortens it for the model."
	case "Write":
		return "The model wrote a file. A formatter leaves a note for the next call."
	}
	return ""
}
