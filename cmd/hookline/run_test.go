package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
)

// flags are agentFlags as they are when only some were given.
func (s *stage) flags(given ...string) agentFlags {
	return agentFlags{model: "script", changed: func(name string) bool {
		for _, g := range given {
			if g == name {
				return true
			}
		}
		return false
	}}
}

func TestRunRefusesFlagsThatMeanNothing(t *testing.T) {
	s := newStage(t)
	for what, change := range map[string]func(*runOptions){
		"no prompt":        func(o *runOptions) { o.args = nil },
		"output":           func(o *runOptions) { o.output = "xml" },
		"answer":           func(o *runOptions) { o.answers = []string{"confirm=perhaps"} },
		"mode":             func(o *runOptions) { o.agent.mode = "careless" },
		"model":            func(o *runOptions) { o.agent.model = "script:nothing.yaml" },
		"turns":            func(o *runOptions) { o.agent.maxTurns = -1 },
		"two sessions":     func(o *runOptions) { o.agent.resume, o.agent.goOn = "x", true },
		"an empty session": func(o *runOptions) { o.agent = s.flags("resume"); o.agent.model = "script" },
		"an empty recipe":  func(o *runOptions) { o.agent = s.flags("recipe") },
		"no session":       func(o *runOptions) { o.agent.goOn = true },
		"arguments":        func(o *runOptions) { o.agent.args = []string{"a=b"} },
		"directory":        func(*runOptions) { s.dir = filepath.Join(s.dir, "nothing") },
	} {
		o := runOptions{agent: s.flags(), args: []string{"hello"}, output: "text"}
		dir := s.dir
		change(&o)
		err := runRun(t.Context(), s.app, o)
		s.dir = dir
		if code, _ := exitCode(err); code != exitUsage {
			t.Errorf("%s: it ends with %d: %v", what, code, err)
		}
	}
	if s.out.Len() > 0 {
		t.Errorf("it printed %s", s.out)
	}
}

func TestRunBoundsStandardInput(t *testing.T) {
	s := newStage(t)
	s.in = io.LimitReader(zeros{}, maxStdin+1)
	if _, err := s.promptText(t.Context(), nil); err == nil {
		t.Error("a prompt that is too long is taken")
	}
	s.in = strings.NewReader(" a file \n")
	text, err := s.promptText(t.Context(), []string{"Review this"})
	if err != nil || text != "a file\n\nReview this" {
		t.Errorf("%q, %v", text, err)
	}
}

// A standard input that never ends does not outlast an interrupt.
func TestRunStopsReading(t *testing.T) {
	s := newStage(t)
	in, w := io.Pipe()
	defer w.Close()
	s.in = in
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the person has enough")
	cancel(stop)
	if _, err := s.promptText(ctx, nil); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestRunEndsAsThePromptDid(t *testing.T) {
	for end, want := range map[agent.End]int{
		agent.EndDone: exitOK, agent.EndBlocked: exitBlocked, agent.EndHalted: exitBlocked, agent.EndDeferred: exitBlocked,
		agent.EndInterrupted: exitBlocked, agent.EndMaxTurns: exitFailed, agent.EndBudget: exitFailed,
	} {
		if code, _ := exitCode(endError(command.Reply{Result: &agent.Result{End: end}})); code != want {
			t.Errorf("%s ends with %d, want %d", end, code, want)
		}
	}
	if code, _ := exitCode(endError(command.Reply{Blocked: true})); code != exitBlocked {
		t.Errorf("a command that a hook refused ends with %d", code)
	}
}

func TestRunLeavesASessionToGoOnWith(t *testing.T) {
	s := newStage(t)
	o := runOptions{agent: s.flags(), args: []string{"hello"}, output: "text"}
	if err := runRun(t.Context(), s.app, o); err != nil {
		t.Fatal(err)
	}
	o.agent.goOn = true
	if err := runRun(t.Context(), s.app, o); err != nil {
		t.Fatal(err)
	}
	found, err := os.ReadDir(filepath.Join(s.dirs(s.dir).State, "sessions"))
	sessions := 0
	for _, f := range found {
		if strings.HasSuffix(f.Name(), ".session.jsonl") {
			sessions++
		}
	}
	if err != nil || sessions != 1 {
		t.Errorf("%d sessions, %v", sessions, err)
	}
}
