package agent_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/hook"
)

const taskTurns = `
turns:
  - when: {system: "You review"}
    expect: {last_user: "look at it"}
    tool_calls: [{name: Look, input: {x: 1}}]
  - when: {system: "You review", last_tool_result: "ran|There is no tool"}
    text: "it is fine"
    repeat: 3
  - tool_calls: [{name: Agent, input: {prompt: "look at it", subagent_type: reviewer}}]
  - text: "Done."
    repeat: 3
`

func withReviewer(_ *bench, cfg *agent.Config) {
	cfg.Subagents = []subagent.Definition{{Name: "reviewer", Description: "reviews", Prompt: "You review.", Tools: []string{"Look"}, Hooks: []byte(`{"any":1}`)}}
}

func TestSubagent(t *testing.T) {
	b := newBench(t, taskTurns, withFiles, withReviewer, func(b *bench, cfg *agent.Config) {
		cfg.ScopedHooks = func(d subagent.Definition, id string) ([]hook.Registration, error) {
			return []hook.Registration{{Event: hook.EventSubagentStop, Handler: hook.HandlerFunc(func(_ context.Context, c *hook.Call) (hook.Result, error) {
				b.note("scoped %s %v", d.Name, c.Input.Base().AgentID == id)
				return hook.None(), nil
			})}}, nil
		}
	})
	var transcript, prompt string
	hook.OnEvent(b.reg, func(_ context.Context, in hook.Input) (hook.Result, error) {
		c := in.Base()
		if c.SessionID != b.a.SessionID() || (c.AgentID == "") != (c.InvokedBy == "main") || c.PromptID != cmp.Or(prompt, c.PromptID) {
			t.Errorf("%v: %+v", in.Event(), c)
		}
		prompt = c.PromptID
		b.note("%v %s %s", in.Event(), c.InvokedBy, c.AgentType)
		switch in := in.(type) {
		case *hook.SubagentStart:
			return hook.AddContext("for the subagent"), nil
		case *hook.SubagentStop:
			transcript = in.AgentTranscriptPath
			if in.LastAssistantMessage != "it is fine" {
				t.Errorf("%+v", in)
			}
			if len(in.Messages) < 4 || !strings.Contains(in.Messages[0].Text(), "look at it") || in.Messages[len(in.Messages)-1].Text() != "it is fine" {
				t.Errorf("its conversation: %+v", in.Messages)
			}
			if !in.StopHookActive {
				return hook.Deny("look again"), nil
			}
		}
		return hook.None(), nil
	}, []hook.Event{hook.EventSubagentStart, hook.EventSubagentStop, hook.EventPreToolUse, hook.EventStop})
	b.allowAll()
	before := b.reg.Len()
	res := b.prompt("go")
	want := []string{
		"PreToolUse main ", "SubagentStart subagent reviewer", "PreToolUse subagent reviewer",
		"SubagentStop subagent reviewer", "scoped reviewer true", "SubagentStop subagent reviewer", "scoped reviewer true", "Stop main ",
	}
	if got := b.noted(); !slices.Equal(got, want) {
		t.Errorf("events\n got %q\nwant %q", got, want)
	}
	expect(t, b.lastResult(), "it is fine", "!is_error")
	if b.a.Usage().OutputTokens <= res.Usage.OutputTokens {
		t.Errorf("what the subagent used is not counted: %+v", b.a.Usage())
	}
	texts := b.model.texts()
	expect(t, texts[1], "for the subagent", "You review.", "!user: go")
	expect(t, texts[3], "user: look again")
	expect(t, texts[4], "!for the subagent", "!You review.")
	if b.reg.Len() != before {
		t.Errorf("the subagent left hooks: %d, before %d", b.reg.Len(), before)
	}
	data, err := os.ReadFile(transcript)
	if err != nil || !strings.Contains(string(data), `"isSidechain":true`) || !strings.Contains(string(data), "it is fine") {
		t.Errorf("transcript %s: %v", data, err)
	}
	for _, r := range b.model.requests[1:3] {
		if len(r.Tools) != 1 || r.Tools[0].Name != "Look" {
			t.Errorf("the subagent was offered %v", r.Tools)
		}
	}
}

func TestSubagentsAreBounded(t *testing.T) {
	b := newBench(t, `
turns:
  - when: {system: "You are a subagent"}
    expect: {not: "there-is-no-tool"}
    text: "nested"
    repeat: 5
  - tool_calls:
      - {name: Agent, input: {prompt: "a"}}
      - {name: Agent, input: {prompt: "b", subagent_type: nobody}}
  - text: "Done."
`)
	b.prompt("go")
	expect(t, b.lastResult(), "nested", `no subagent \"nobody\"; there are general-purpose`)
	for _, r := range b.model.requests {
		offered := false
		for _, tl := range r.Tools {
			offered = offered || tl.Name == "Agent"
		}
		if sub := strings.Contains(strings.Join(r.System, ""), "You are a subagent"); sub == offered {
			t.Errorf("subagent %v is offered Agent: %v", sub, offered)
		}
	}
}

func TestLimitOfToolsHoldsInSubagents(t *testing.T) {
	b := newBench(t, taskTurns, withReviewer).allowAll()
	b.a.SetActiveTools([]string{"Agent"})
	b.prompt("go")
	expect(t, b.model.texts()[2], `There is no tool "Look"`)
}

func TestHaltInASubagentEndsOnlyTheSubagent(t *testing.T) {
	b := newBench(t, taskTurns, withReviewer)
	hook.On(b.reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		if in.AgentID != "" {
			return hook.Result{Continue: hook.No, StopReason: "too deep"}, nil
		}
		return hook.None(), nil
	})
	if res := b.prompt("go"); res.End != agent.EndDone || res.Text != "Done." {
		t.Errorf("%+v", res)
	}
	expect(t, b.lastResult(), "the subagent was stopped (halted): too deep", `"is_error":true`)
}

func TestHaltWhereASubagentStopsAnywayKeepsItsReport(t *testing.T) {
	b := newBench(t, taskTurns, withReviewer).allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.SubagentStop) (hook.Result, error) {
		return hook.Result{Continue: hook.No, StopReason: "enough"}, nil
	})
	hook.On(b.reg, func(_ context.Context, in *hook.SubagentStart) (hook.Result, error) {
		return hook.AddContext("first"), nil
	})
	if res := b.prompt("go"); res.End != agent.EndDone {
		t.Errorf("%+v", res)
	}
	expect(t, b.lastResult(), "it is fine", "!is_error")
	expect(t, b.model.texts()[1], "first\n</system-reminder>\nuser: look at it")
}

const teamTurns = `
turns:
  - when: {system: "You are a subagent", last_user: "write the docs"}
    tool_calls: [{name: TaskUpdate, input: {taskId: "2", status: completed}}]
  - when: {system: "You are a subagent", last_tool_result: "TaskCompleted hook feedback"}
    text: "not done yet"
  - when: {system: "You are a subagent", last_user: "^finish it"}
    text: "docs are written"
  - when: {system: "You are a subagent", last_user: "one more"}
    text: "one more is done"
  - when: {last_user: "one more is done"}
    text: "All done."
  - when: {last_user: "scribe reports:\n\ndocs are written"}
    tool_calls:
      - {name: SendMessage, input: {to: scribe, message: "one more"}}
      - {name: TaskList, input: {}}
  - tool_calls:
      - {name: TaskCreate, input: {subject: "forbidden"}}
      - {name: TaskCreate, input: {subject: "docs", description: "all of them"}}
      - {name: Agent, input: {prompt: "write the docs", run_in_background: true, name: "scribe"}}
  - text: "I wait."
    repeat: -1
`

func TestTeam(t *testing.T) {
	b := newBench(t, teamTurns, func(_ *bench, cfg *agent.Config) { cfg.Team = true }).allowAll()
	noteJSON(b, hook.EventTaskCreated, hook.EventTaskCompleted, hook.EventTeammateIdle)
	hook.On(b.reg, func(_ context.Context, in *hook.TaskCreated) (hook.Result, error) {
		if in.TaskSubject == "forbidden" {
			return hook.Deny("not this one"), nil
		}
		return hook.None(), nil
	})
	hook.On(b.reg, func(context.Context, *hook.TaskCompleted) (hook.Result, error) { return hook.Deny("no tests"), nil })
	idle := 0
	hook.On(b.reg, func(context.Context, *hook.TeammateIdle) (hook.Result, error) {
		if idle++; idle == 1 {
			return hook.Deny("finish it"), nil
		}
		return hook.None(), nil
	})
	res := b.prompt("go")
	if res.Text != "All done." || b.model.Remaining() != 0 {
		t.Errorf("%+v, %d turns left", res, b.model.Remaining())
	}
	all := strings.Join(b.noted(), "\n")
	expect(t, all, `TaskCreated {"task_description":"all of them","task_id":"2","task_subject":"docs"}`, `TaskCompleted {"agent_type":"scribe"`, `"teammate_name":"scribe"`, `TeammateIdle {"agent_type":"scribe","team_name":"session-`+b.a.SessionID()[28:]+`","teammate_name":"scribe"}`)
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), "TaskCreated hook feedback:\\nnot this one", "[pending] docs", "!] forbidden")
}

func TestDefinitionsOfAProject(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	good := "---\nname: reviewer\ndescription: reviews\ntools: Read, Grep\nmodel: inherit\nhooks:\n  Stop: []\n---\nYou review.\n"
	write(filepath.Join(project, ".claude", "agents", "reviewer.md"), good)
	write(filepath.Join(home, ".hookline", "agents", "reviewer.md"), strings.Replace(good, "You review", "At home", 1))
	write(filepath.Join(home, ".hookline", "agents", "broken.md"), "---\nname: x\n---\nbody")
	defs, err := subagent.Load(project, home)
	if err == nil || !strings.Contains(err.Error(), "broken.md") {
		t.Errorf("error %v", err)
	}
	if len(defs) != 1 {
		t.Fatalf("%+v", defs)
	}
	d := defs[0]
	if d.Name != "reviewer" || d.Prompt != "You review." || !slices.Equal(d.Tools, []string{"Read", "Grep"}) || d.Model != "" || string(d.Hooks) != `{"Stop":[]}` || !d.Project {
		t.Errorf("%+v", d)
	}
}

func TestSubagentsInTheBackgroundWithoutATeam(t *testing.T) {
	b := newBench(t, `
turns:
  - when: {system: "You are a subagent", last_user: "look about"}
    text: "all is well"
  - when: {last_user: "The subagent general-purpose-1 reports:"}
    text: "It says that all is well."
  - tool_calls: [{name: Agent, input: {prompt: "look about", description: look, run_in_background: true}}]
  - text: "I go on."
`)
	var launched hook.JSON
	hook.On(b.reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
		launched = in.ToolResponse
		return hook.None(), nil
	})
	said := make(chan struct{})
	hook.On(b.reg, func(_ context.Context, in *hook.MessageDisplay) (hook.Result, error) {
		if in.Delta == "I go on." {
			close(said)
		}
		return hook.None(), nil
	})
	hook.On(b.reg, func(context.Context, *hook.SubagentStop) (hook.Result, error) {
		<-said // so that the report comes after it
		return hook.None(), nil
	})
	hook.On(b.reg, func(context.Context, *hook.TeammateIdle) (hook.Result, error) {
		t.Error("there is no team")
		return hook.None(), nil
	})
	if res := b.prompt("go"); res.Text != "It says that all is well." || res.Resumed != 4 || len(res.Messages) != 6 || b.model.Remaining() != 0 {
		t.Errorf("%+v, %d turns left", res, b.model.Remaining())
	}
	if launched.String("status") != "async_launched" || launched.String("description") != "look" || launched.String("agentId") == "" {
		t.Errorf("the call answers %s", launched.Raw())
	}
	for _, tl := range b.a.Tools() {
		if tl.Name() == "SendMessage" {
			t.Error("there is nobody to write to")
		}
	}
}
