package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/agent/worktree"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// general is the subagent that there always is.
var general = subagent.Definition{
	Name: "general-purpose", Description: "For work of several steps that needs no further words from you.",
	Prompt: "You are a subagent of a coding agent. Do what you are asked with your tools, and answer with what was asked for: nobody sees what you say in between.",
}

// ownTools are the tools that belong to the loop.
func (a *Agent) ownTools() []tool.Tool {
	var out []tool.Tool
	if !a.cfg.NoTask && a.depth < a.cfg.MaxDepth {
		out = append(out, a.taskTool())
	}
	if a.cfg.Team {
		out = append(out, a.teamTools()...)
	}
	if a.cfg.Worktrees != nil && a.depth == 0 {
		out = append(out, a.worktreeTools()...)
	}
	return out
}

// subagents lists the kinds of subagent.
func (a *Agent) subagents() []subagent.Definition {
	out := slices.Clone(a.cfg.Subagents)
	if !slices.ContainsFunc(out, func(d subagent.Definition) bool { return d.Name == general.Name }) {
		out = append(out, general)
	}
	return out
}

// agentTool is the tool that starts subagents. Task is its old name, which the person's
// files may still use.
const agentTool = "Agent"

const taskSchema = `{"type":"object","properties":{
"description":{"type":"string","description":"The task in a few words."},
"prompt":{"type":"string","minLength":1,"description":"What the subagent is to do. It knows nothing else."},
"subagent_type":{"type":"string","description":"The kind of subagent."},
"model":{"type":"string"},
"run_in_background":{"type":"boolean","description":"Go on without waiting. What it reports comes when it is done."},
"name":{"type":"string","description":"What the teammate is called."},
"isolation":{"type":"string","enum":["worktree"],"description":"worktree: it works in a worktree of its own, which is kept when it has changed something."}
},"required":["prompt"],"additionalProperties":false}`

type taskInput struct {
	Description string `json:"description"`
	Prompt      string `json:"prompt"`
	Type        string `json:"subagent_type"`
	Model       string `json:"model"`
	Background  bool   `json:"run_in_background"`
	Name        string `json:"name"`
	Isolation   string `json:"isolation"`
}

// loopTool is a tool made of a method of the agent.
type loopTool struct {
	name, description string
	schema            jsontext.Value
	readOnly          bool
	run               func(ctx context.Context, in tool.Input) (string, any, error)
}

func (t *loopTool) Name() string           { return t.name }
func (t *loopTool) Description() string    { return t.description }
func (t *loopTool) Schema() jsontext.Value { return t.schema }
func (t *loopTool) ReadOnly() bool         { return t.readOnly }

// Run runs the method and encodes its response.
func (t *loopTool) Run(ctx context.Context, in tool.Input) (tool.Result, error) {
	text, response, err := t.run(ctx, in)
	if err != nil {
		return tool.Result{}, err
	}
	raw, err := json.Marshal(response, rawOptions, json.Deterministic(true))
	if err != nil {
		return tool.Result{}, fmt.Errorf("encoding the result of %s: %w", t.name, err)
	}
	return tool.Result{Content: []model.Block{model.Text(strings.ToValidUTF8(text, "\uFFFD"))}, Response: raw}, nil
}

func decodeInput[T any](name string, in tool.Input) (T, error) {
	var args T
	if err := json.Unmarshal(in.JSON, &args); err != nil {
		return args, &tool.InputError{Tool: name, Problems: []string{err.Error()}}
	}
	return args, nil
}

func (a *Agent) taskTool() tool.Tool {
	var kinds strings.Builder
	for _, d := range a.subagents() {
		fmt.Fprintf(&kinds, "\n- %s: %s", d.Name, d.Description)
	}
	return &loopTool{
		name: agentTool, schema: jsontext.Value(taskSchema), readOnly: true,
		description: "Starts a subagent that works on its own and answers with what it found or did. Several calls in one turn run at the same time. The kinds of subagent:" + kinds.String(),
		run:         a.runTask,
	}
}

func (a *Agent) runTask(ctx context.Context, in tool.Input) (string, any, error) {
	args, err := decodeInput[taskInput](agentTool, in)
	if err != nil {
		return "", nil, err
	}
	def, err := a.definition(args)
	if err != nil {
		return "", nil, err
	}
	if args.Background {
		return a.startTeammate(ctx, def, args, in.ID)
	}
	select {
	case a.family.slots <- struct{}{}:
		defer func() { <-a.family.slots }()
	default:
		return "", nil, fmt.Errorf("%d subagents run already, which is the limit; wait for one", cap(a.family.slots))
	}
	child, err := a.newChild(ctx, def, identity{call: in.ID})
	if err != nil {
		return "", nil, err
	}
	defer child.dismiss(ctx)
	task, start := Task{ID: child.id, Call: in.ID, Type: def.Name, Description: args.Description, Prompt: args.Prompt}, time.Now()
	a.taskStarted(&task)
	res, err := child.serve(ctx, args.Prompt)
	a.taskEnded(task, start, res, err)
	if err != nil {
		child.dismiss(ctx)
		return "", nil, withNote(fmt.Errorf("the subagent ended early: %w", err), child.keptWorktree())
	}
	text, response, err := child.report(res)
	child.dismiss(ctx) // now it is known what becomes of its worktree
	kept := child.keptWorktree()
	if err != nil {
		return "", nil, withNote(err, kept)
	}
	if kept != "" {
		text += "\n\n(" + kept + ")"
		w, _, _ := child.Worktree()
		response.WorktreePath, response.WorktreeBranch = w.Path, w.Branch
	}
	response.Content = []model.Block{model.Text(strings.ToValidUTF8(text, "\uFFFD"))}
	response.Prompt, response.TookMS = args.Prompt, time.Since(start).Milliseconds()
	return text, response, nil
}

// withNote adds to an error where the work is.
func withNote(err error, kept string) error {
	if kept == "" {
		return err
	}
	return fmt.Errorf("%w\n%s", err, kept)
}

// definition finds the kind of subagent that a call asks for.
func (a *Agent) definition(args taskInput) (subagent.Definition, error) {
	kinds := a.subagents()
	if args.Type == "" {
		args.Type = general.Name
	}
	var names []string
	for _, d := range kinds {
		if d.Name == args.Type {
			if args.Model != "" {
				d.Model = args.Model
			}
			if args.Isolation != "" {
				d.Isolation = args.Isolation
			}
			return d, nil
		}
		names = append(names, d.Name)
	}
	return subagent.Definition{}, fmt.Errorf("there is no subagent %q; there are %s", args.Type, strings.Join(names, ", "))
}

// newChild makes a subagent for a tool call, perhaps as a teammate, with its own session and
// its own hooks, and, when it is isolated, its own worktree.
func (a *Agent) newChild(ctx context.Context, d subagent.Definition, who identity) (*Agent, error) {
	cfg, current := a.cfg, a.model.current()
	cfg.Model, cfg.ModelName, cfg.ThinkingBudget = current.provider, current.name, a.model.thinkingBudget()
	cfg.Tools, cfg.TaskBudget = a.tools.given, 0
	if d.Tools != nil || d.Disallowed != nil {
		cfg.Tools, cfg.Sources = filterTools(cfg.Tools, d.Offers), filterSources(cfg.Sources, d.Offers)
	}
	if d.MaxTurns > 0 {
		cfg.MaxTurns = d.MaxTurns
	}
	cfg.System, cfg.Todos, cfg.IdleAfter = []string{d.Prompt}, nil, 0
	cfg.NoTask = cfg.NoTask || !d.Offers(agentTool)
	if d.Model != "" && a.cfg.Resolve != nil {
		provider, name, err := a.cfg.Resolve(d.Model)
		if err != nil {
			return nil, fmt.Errorf("the model of subagent %s: %w", d.Name, err)
		}
		cfg.Model, cfg.ModelName = provider, name
	}
	var own *worktree.Worktree
	if d.Isolation == subagent.Worktree {
		var err error
		if own, err = a.isolate(ctx, &cfg); err != nil {
			return nil, err
		}
	}
	who.kind = d.Name
	child, err := a.childOf(cfg, who)
	if err != nil {
		if own != nil {
			_, undo := cfg.Worktrees.Manager.Finish(context.WithoutCancel(ctx), own, a.Fire)
			err = errors.Join(err, cfg.Worktrees.Set.Close(), undo)
		}
		return nil, err
	}
	child.place.enter(own, origin{})
	a.family.add(child)
	child.prompt.beginAs(a.prompt.current(), a.prompt.grants()) // until it begins with one of its own
	child.tools.limit(a.tools.limits())                         // which holds for subagents too
	if err := child.addHooks(d); err != nil {
		child.dismiss(ctx)
		return nil, err
	}
	return child, nil
}

// childOf makes an agent below this one, with a session of its own.
func (a *Agent) childOf(cfg Config, who identity) (*Agent, error) {
	opts := cfg.SessionOptions
	opts.ID, opts.Cwd, opts.ParentSession = "", cfg.Dir, fileOf(a.Session())
	cfg.Session = session.Memory(opts)
	if cfg.SessionDir != "" {
		var err error
		if cfg.Session, err = session.Create(filepath.Join(cfg.SessionDir, "subagents"), opts); err != nil {
			return nil, err
		}
	}
	who.parent, who.depth, who.id = a, a.depth+1, newID()
	return newAgent(cfg, who)
}

// addHooks registers the definition's own hooks for this subagent.
func (a *Agent) addHooks(d subagent.Definition) error {
	if len(d.Hooks) == 0 {
		return nil
	}
	engine, ok := a.cfg.Hooks.(Registrar)
	if !ok || a.cfg.ScopedHooks == nil {
		a.notify(fmt.Sprintf("The hooks of subagent %s do not run here.", d.Name), ui.Warning)
		return nil
	}
	regs, err := a.cfg.ScopedHooks(d, a.id)
	if err != nil {
		return fmt.Errorf("hooks of subagent %s: %w", d.Name, err)
	}
	for i := range regs {
		regs[i].AgentID = a.id
	}
	if _, err := engine.Registry().AddAll(regs); err != nil {
		return fmt.Errorf("hooks of subagent %s: %w", d.Name, err)
	}
	return nil
}

// dismiss ends a subagent and takes its hooks away. What it used counts as its
// parent's. Only the first call counts.
func (a *Agent) dismiss(ctx context.Context) { a.holder.dismissed.Do(func() { a.end(ctx) }) }

func (a *Agent) end(ctx context.Context) {
	if err := a.Close(ctx); err != nil {
		a.notify(err.Error(), ui.Warning)
	}
	if a.teammate != nil {
		a.notify(a.keptWorktree(), ui.Info)
	}
	if engine, ok := a.cfg.Hooks.(Registrar); ok {
		engine.Registry().RemoveScope(a.id)
	}
	a.family.remove(a)
	a.parent.model.used(a.Usage())
}

// serve runs a subagent on a prompt, from SubagentStart to SubagentStop.
func (a *Agent) serve(ctx context.Context, prompt string) (Result, error) {
	if _, err := a.Fire(ctx, &hook.SubagentStart{}); err != nil {
		return Result{}, err
	}
	return a.Run(ctx, Prompt{Text: prompt, Quiet: true, Granted: a.prompt.grants()})
}

// report is what the caller of a subagent gets.
func (a *Agent) report(res Result) (string, *taskResponse, error) {
	text := res.Text
	switch res.End {
	case EndDone:
	case EndHalted, EndBlocked, EndDeferred, EndInterrupted:
		return "", nil, fmt.Errorf("the subagent was stopped (%s): %s", res.End, res.Reason)
	default:
		text = strings.TrimSpace(text + "\n\n(The subagent stopped early: " + res.Reason + ")")
	}
	if text == "" {
		text = "(The subagent said nothing.)"
	}
	r := &taskResponse{
		Status: "completed", AgentID: a.id, AgentType: a.kind, Model: a.Model(), ToolCalls: toolCalls(res.Messages),
		Usage: res.Usage, Turns: res.Turns, TranscriptPath: a.ownTranscript(),
		Tokens: a.conversation.lastCount(),
	}
	return text, r, nil
}

// taskResponse is what hooks see of the call that a subagent has answered. Tokens are those
// that its last call filled, Usage is all that it used.
type taskResponse struct {
	Status         string        `json:"status"`
	Prompt         string        `json:"prompt"`
	AgentID        string        `json:"agentId"`
	AgentType      string        `json:"agentType"`
	Content        []model.Block `json:"content"`
	Model          string        `json:"resolvedModel"`
	TookMS         int64         `json:"totalDurationMs"`
	Tokens         int64         `json:"totalTokens"`
	ToolCalls      int           `json:"totalToolUseCount"`
	Usage          model.Usage   `json:"usage"`
	Turns          int           `json:"totalTurns"`
	TranscriptPath string        `json:"transcriptPath"`
	WorktreePath   string        `json:"worktreePath,omitzero"`
	WorktreeBranch string        `json:"worktreeBranch,omitzero"`
}

// ownTranscript returns the transcript of the agent itself, which for a subagent is
// not the session's.
func (a *Agent) ownTranscript() string {
	_, path := a.conversation.identity()
	return path
}
