package agent

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
)

// maxParallel bounds the tool calls that run at once.
const maxParallel = 8

// toolCall is one tool call of the model on its way to its result.
type toolCall struct {
	block    model.Block // as the model wrote it
	tool     tool.Tool
	input    hook.JSON // what will run
	original hook.JSON // before hooks changed it, absent when none did
	server   *hook.MCPServer
	asker    string // the scope of the hook that decided

	out      tool.Result
	err      error
	took     time.Duration
	response hook.JSON

	done   bool // result is there
	result model.Block
}

// callTools runs the tool calls of a turn and records their results in one
// message. Calls that only read and stand side by side run at the same time; the
// hooks of each call see them one by one in the model's order. Every call gets a
// result, whatever happens.
func (r *run) callTools(blocks []model.Block) error {
	if len(blocks) == 0 {
		return nil
	}
	byName := make(map[string]tool.Tool)
	for _, t := range r.Tools() {
		if _, taken := byName[t.Name()]; !taken {
			byName[t.Name()] = t
		}
	}
	calls := make([]*toolCall, len(blocks))
	for i, b := range blocks {
		calls[i] = &toolCall{block: b, tool: byName[b.Name], input: hook.RawJSON(b.InputText()), server: mcpServer(b.Name, byName[b.Name])}
	}
	for rest := calls; len(rest) > 0; {
		n := 1
		if r.readOnly(rest[0]) {
			for n < len(rest) && r.readOnly(rest[n]) {
				n++
			}
		}
		r.callGroup(rest[:n])
		rest = rest[n:]
	}
	msg := model.Message{Role: model.User}
	r.endAfterCalls = true
	for _, c := range calls {
		msg.Content = append(msg.Content, c.result)
		r.endAfterCalls = r.endAfterCalls && c.out.Last
	}
	if err := r.record(session.Entry{Type: session.Message}, msg, stored{}); err != nil {
		return err
	}
	r.turn.results, r.turn.resultEntry = &msg, r.lastEntry
	for _, c := range calls {
		if c.out.Then == "" || c.err != nil {
			continue
		}
		if err := r.recordUser(c.out.Then); err != nil {
			return err
		}
	}
	return r.batchDone(calls)
}

// mcpServer names the server of an MCP tool, nil for other tools.
func mcpServer(name string, t tool.Tool) *hook.MCPServer {
	if own, ok := t.(tool.OfServer); ok {
		return own.Server()
	}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, _, ok := strings.Cut(rest, "__"); ok {
			return &hook.MCPServer{Name: server}
		}
	}
	return nil
}

// callGroup runs calls that may run at the same time.
func (r *run) callGroup(calls []*toolCall) {
	r.reconfigure()
	var ready []*toolCall
	for _, c := range calls {
		if r.over() {
			c.refuse(r.whyNot())
		} else if r.prepare(c) {
			ready = append(ready, c)
		}
	}
	for _, c := range ready {
		if r.over() {
			c.refuse(r.whyNot())
			continue
		}
		r.emit(Event{Kind: KindToolStart, Call: &c.block})
		r.observe(r.ctx, &hook.ToolExecutionStart{Common: hook.Common{MCPServer: c.server}, ToolName: c.block.Name, ToolInput: c.input, ToolUseID: c.block.ID})
	}
	r.execute(ready)
	for _, c := range calls {
		if !c.done {
			r.conclude(c)
		}
		r.emit(Event{Kind: KindToolEnd, Call: &c.block, ToolResult: &c.result, Response: c.response})
	}
}

// refuse gives a call the result that it did not run.
func (c *toolCall) refuse(why string) {
	c.done, c.result = true, model.ToolError(c.block.ID, strings.ToValidUTF8(why, "\uFFFD"))
}

// refuseCall is refuse for a call that was decided about; the result of the prompt names
// it, and so does that of the prompt which a subagent works for.
func (r *run) refuseCall(c *toolCall, why string) {
	for a := r.Agent; a != nil; a = a.parent {
		a.prompt.deny(c.asResult())
	}
	c.refuse(why)
}

func (c *toolCall) asResult() Call { return Call{ID: c.block.ID, Tool: c.block.Name, Input: c.input} }

// whyNot says why nothing more runs.
func (r *run) whyNot() string {
	haltReason := r.prompt.whyHalted()
	switch {
	case haltReason != "":
		return "Not run: a hook ended the run: " + haltReason
	case r.deferred != "":
		return "Not run: the run ended at a call that was deferred."
	case r.refused != "":
		return "Not run: the turn was interrupted: " + r.refused
	}
	return "Not run: the person interrupted the turn."
}

// prepare asks hooks and permissions about a call. It reports whether it may run;
// if not, the call has its result.
func (r *run) prepare(c *toolCall) bool {
	if c.tool == nil {
		c.refuse(fmt.Sprintf("There is no tool %q.", c.block.Name))
		return false
	}
	if err := r.check(c); err != nil {
		c.refuse(c.invalid(err))
		return false
	}
	in := &hook.PreToolUse{Common: hook.Common{MCPServer: c.server}, ToolName: c.block.Name, ToolInput: c.input, ToolUseID: c.block.ID}
	out, err := r.Fire(r.ctx, in)
	if err != nil {
		c.refuse(r.hooksFailed(err))
		return false
	}
	if in.ToolInput != c.input {
		c.original, c.input = c.input, in.ToolInput
	}
	switch {
	case out.Decision == hook.DecisionDeny:
		if slices.ContainsFunc(out.Runs, func(run hook.Run) bool { return run.Decision == hook.DecisionDeny }) {
			r.refuseCall(c, r.refusalText(&out, in))
		} else { // nobody refused it: a guard could not answer
			c.refuse(r.refusalText(&out, in))
		}
		return false
	case r.over():
		c.refuse(r.whyNot())
		return false
	}
	if !c.original.IsZero() {
		if err := r.check(c); err != nil { // what is refused is the model's call
			why := c.invalid(err)
			c.input = c.original
			r.refuseCall(c, why)
			return false
		}
	}
	return r.permit(c, &out)
}

// hooksFailed is the result of a call about which hooks could not be asked.
func (r *run) hooksFailed(err error) string {
	if r.ctx.Err() != nil {
		return r.whyNot()
	}
	return "Not run: the hooks that guard tools could not be asked: " + err.Error()
}

// execute runs calls, several at the same time where none of them changes anything, also
// after what hooks made of them.
func (r *run) execute(calls []*toolCall) {
	if len(calls) == 1 {
		if !calls[0].done {
			r.executeOne(calls[0])
		}
		return
	}
	var wg sync.WaitGroup
	atOnce := maxParallel
	if slices.ContainsFunc(calls, func(c *toolCall) bool { return !c.original.IsZero() && !r.readOnly(c) }) {
		atOnce = 1
	}
	slots := make(chan struct{}, atOnce)
	for _, c := range calls {
		if c.done {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			r.executeOne(c)
		})
	}
	wg.Wait()
}

func (r *run) executeOne(c *toolCall) {
	start := time.Now()
	defer func() {
		if p := recover(); p != nil {
			c.err = fmt.Errorf("the tool panicked: %v\n%s", p, firstLines(debug.Stack(), 20))
		}
		c.took = time.Since(start)
	}()
	c.out, c.err = c.tool.Run(r.ctx, tool.Input{
		JSON: jsontext.Value(c.input.Raw()), ID: c.block.ID, Source: c.block.Name, Progress: r.progress(c),
	})
}

// progress passes on what a tool says while it runs.
func (r *run) progress(c *toolCall) func(string, jsontext.Value) {
	if r.cfg.OnEvent == nil && !r.has(hook.EventToolExecutionUpdate) {
		return nil
	}
	var one sync.Mutex
	return func(text string, whole jsontext.Value) {
		one.Lock()
		defer one.Unlock()
		r.emit(Event{Kind: KindToolProgress, Call: &c.block, Text: text})
		if r.has(hook.EventToolExecutionUpdate) {
			partial := hook.RawJSON(whole)
			if partial.IsZero() {
				partial = hook.MustJSON(strings.ToValidUTF8(text, "\uFFFD"))
			}
			r.observe(r.ctx, &hook.ToolExecutionUpdate{
				Common: hook.Common{MCPServer: c.server}, ToolName: c.block.Name, ToolInput: c.input, ToolUseID: c.block.ID,
				PartialResult: partial,
			})
		}
	}
}

// firstLines returns the beginning of a text.
func firstLines(b []byte, n int) string {
	lines := strings.SplitAfterN(string(b), "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "")
}
