package hooktest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

// miniHost is the smallest agent that keeps the rules; flaws leave things out.
type miniHost struct {
	eng   *hook.Engine
	flaw  string
	sent  []string
	queue []string // context for the next model call
}

func (h *miniHost) model(history []string) {
	h.sent = append(h.sent, strings.Join(append(history, h.queue...), "\n"))
	if h.flaw != "context" {
		h.queue = nil
	}
}

func (h *miniHost) Run(ctx context.Context, prompt string, input hook.JSON, probe func(hook.JSON) (string, error)) (Transcript, error) {
	up := &hook.UserPromptSubmit{Prompt: prompt}
	out, err := h.eng.Fire(ctx, up)
	if err != nil || out.Blocked() && h.flaw != "prompt" {
		return Transcript{h.sent}, err
	}
	if h.flaw != "re-prompt" {
		prompt = up.Prompt
	}
	history := []string{prompt}
	h.model(history)
	result, halt := h.tool(ctx, input, probe)
	if halt && h.flaw != "halt" {
		return Transcript{h.sent}, nil
	}
	history = append(history, result)
	h.model(history)
	for active := false; ; active = h.flaw != "active" {
		if h.flaw == "stop" || len(h.sent) > 5 {
			return Transcript{h.sent}, nil
		}
		out, err := h.eng.Fire(ctx, &hook.Stop{StopHookActive: active})
		if err != nil || !out.KeepGoing {
			return Transcript{h.sent}, err
		}
		history = append(history, out.Continuation()...)
		h.model(history)
	}
}

func (h *miniHost) tool(ctx context.Context, input hook.JSON, probe func(hook.JSON) (string, error)) (string, bool) {
	in := &hook.PreToolUse{ToolName: HostTool, ToolInput: input}
	out, err := h.eng.Fire(ctx, in)
	if err != nil {
		return err.Error(), true
	}
	h.queue = append(h.queue, out.Context...)
	if out.Decision == hook.DecisionDeny && h.flaw != "deny" && !(h.flaw == "failed" && strings.Contains(out.Reason, "could not answer")) {
		if h.flaw == "reason" {
			return "denied", out.Halt
		}
		return "denied: " + out.Reason, out.Halt
	}
	if len(out.Notices) > 0 && h.flaw == "open" {
		return "refused", false
	}
	use := in.ToolInput
	if h.flaw == "rewrite" {
		use = input
	}
	text, err := probe(use)
	if err != nil && h.flaw != "failure" {
		_, _ = h.eng.Fire(ctx, &hook.PostToolUseFailure{ToolName: HostTool, ToolInput: use, Error: err.Error()})
		return "error: " + err.Error(), out.Halt
	}
	if h.flaw == "post" {
		return text, out.Halt
	}
	post := &hook.PostToolUse{ToolName: HostTool, ToolInput: use, ToolResponse: hook.MustJSON(text)}
	if _, err := h.eng.Fire(ctx, post); err != nil {
		return err.Error(), true
	}
	if h.flaw == "output" {
		return text, out.Halt
	}
	return fmt.Sprint(post.ToolResponse.AsString()), out.Halt
}

func hostWith(flaw string) func(testing.TB, *hook.Registry) Host {
	return func(t testing.TB, reg *hook.Registry) Host {
		eng := hook.New(reg)
		t.Cleanup(func() { _ = eng.Close() })
		return &miniHost{eng: eng, flaw: flaw}
	}
}

func TestMinimalHostKeepsTheRules(t *testing.T) { TestHost(t, hostWith("")) }

func TestHostRulesFindFault(t *testing.T) {
	flaws := map[string]Rule{
		"deny": ruleHostDeny, "reason": ruleHostReason, "rewrite": ruleHostRewrite, "failed": ruleHostFailed, "open": ruleHostOpen,
		"context": ruleHostContext, "post": ruleHostPost, "failure": ruleHostFailure, "output": ruleHostOutput, "prompt": ruleHostPrompt,
		"re-prompt": ruleHostRePrompt, "stop": ruleHostStop, "active": ruleHostActive, "halt": ruleHostHalt,
	}
	if len(flaws) != len(HostRules()) || len(hostChecks) != len(HostRules()) {
		t.Errorf("%d rules, %d checks, %d flaws", len(HostRules()), len(hostChecks), len(flaws))
	}
	for flaw, rule := range flaws {
		for _, c := range hostChecks {
			if c.rule != rule {
				continue
			}
			rec := &tb{TB: t}
			h := &hostTest{TB: rec, reg: hook.NewRegistry(), rule: rule, output: "tool output"}
			c.setup(h)
			h.host = hostWith(flaw)(rec, h.reg)
			h.run()
			c.check(h)
			for _, f := range rec.cleanups {
				f()
			}
			if len(rec.failures) == 0 {
				t.Errorf("rule %q did not notice the flaw %q", rule.Name, flaw)
			}
		}
	}
}
