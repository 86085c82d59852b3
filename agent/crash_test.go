package agent_test

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// stuckModel says on standard output that it was asked and then hangs, after the
// text, if there is one.
type stuckModel struct{ text string }

func (m stuckModel) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		if m.text != "" {
			yield(model.Event{Kind: model.Start}, nil)
			yield(model.Event{Kind: model.TextDelta, Text: m.text}, nil)
		}
		fmt.Println("asked:", strings.Contains(req.Messages[len(req.Messages)-1].Text(), "remember 4711"))
		<-ctx.Done()
	}
}

// crashMain is the process that is killed: a hook adds context, the model is asked
// and never answers.
func crashMain(dir string) {
	reg := hook.NewRegistry()
	hook.On(reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return hook.AddContext("remember 4711"), nil
	})
	s, err := session.Create(dir, session.Options{Cwd: dir})
	if err != nil {
		panic(err)
	}
	a, err := agent.New(agent.Config{Model: stuckModel{"some text"}, Hooks: hook.New(reg), Session: s, Dir: dir})
	if err != nil {
		panic(err)
	}
	_, _ = a.Prompt(context.Background(), "hello")
}

// Context of a hook reaches the conversation once, also when the process is killed
// between the hook and the model's answer.
func TestContextSurvivesAKill(t *testing.T) {
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "AGENT_TEST_CRASH="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "asked: true\n" {
		t.Errorf("the model was not told: %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	time.Sleep(10 * time.Millisecond)

	files, err := filepath.Glob(filepath.Join(dir, "*.session.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("sessions %v, %v", files, err)
	}
	s, err := session.Open(files[0], session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := scripted(t, "turns:\n  - text: one\n  - text: two\n")
	a, err := agent.New(agent.Config{Model: m, Session: s, Source: "resume", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := a.Prompt(t.Context(), "again"); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	texts := m.texts()
	if !strings.Contains(texts[0], "remember 4711") || strings.Contains(texts[1], "remember 4711") {
		t.Errorf("after the kill the model was sent %q", texts)
	}
}
