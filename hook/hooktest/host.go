package hooktest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

// Host is an agent under test. For each rule a new one is made, over a registry
// that holds the rule's hooks.
type Host interface {
	// Run works on one prompt with a model that answers as scripted: its first
	// answer calls the tool "Probe" with the input, and its second is a final text.
	// When the agent is kept going, the model answers with a final text again.
	// Probe is a tool of the test's: the host calls probe with the input that it
	// would run and uses what it returns.
	Run(ctx context.Context, prompt string, input hook.JSON, probe func(input hook.JSON) (output string, err error)) (Transcript, error)
}

// Transcript is what a host's model was sent.
type Transcript struct {
	// Requests holds, for each model call in order, all text that the model could
	// see: system prompt, messages, tool results.
	Requests []string
}

// HostTool is the name of the tool that a host under test offers.
const HostTool = "Probe"

// TestHost proves an agent against HostRules. newHost returns a host whose events
// go through an engine over reg; it may use t for clean-up.
func TestHost(t *testing.T, newHost func(t testing.TB, reg *hook.Registry) Host) {
	for _, c := range hostChecks {
		t.Run(strings.ReplaceAll(c.rule.Name, " ", "_"), func(t *testing.T) {
			h := &hostTest{TB: t, reg: hook.NewRegistry(), rule: c.rule, output: "tool output"}
			c.setup(h)
			h.host = newHost(t, h.reg)
			h.run()
			c.check(h)
		})
	}
}

type hostCheck struct {
	rule  Rule
	setup func(*hostTest)
	check func(*hostTest)
}

// hostTest is one rule being checked.
type hostTest struct {
	testing.TB
	reg    *hook.Registry
	rule   Rule
	host   Host
	output string
	err    error

	ran  []hook.JSON
	got  Transcript
	seen []string
}

func (h *hostTest) broken(format string, args ...any) {
	h.Helper()
	h.Errorf("rule %q is broken: %s\nThe rule is there because %s.", h.rule.Name, fmt.Sprintf(format, args...), h.rule.Why)
}

func (h *hostTest) run() {
	var err error
	h.got, err = h.host.Run(context.Background(), "the prompt", hook.RawJSON(`{"command":"original"}`), func(in hook.JSON) (string, error) {
		h.ran = append(h.ran, in)
		return h.output, h.err
	})
	if err != nil {
		h.Logf("the host ended with: %v", err)
	}
}

// all returns everything that the model was sent.
func (h *hostTest) all() string { return strings.Join(h.got.Requests, "\n=====\n") }

func preTool(h *hostTest, r hook.Result, err error, opts ...hook.Option) {
	hook.On(h.reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) { return r, err }, opts...)
}

var errBroken = errors.New("the hook is broken")

var hostChecks = []hostCheck{
	{ruleHostDeny, func(h *hostTest) { preTool(h, hook.Deny("because"), nil) }, func(h *hostTest) {
		if len(h.ran) != 0 {
			h.broken("the tool ran with %s", h.ran[0].Raw())
		}
	}},
	{ruleHostReason, func(h *hostTest) { preTool(h, hook.Deny("policy 4711 forbids it"), nil) }, func(h *hostTest) {
		if !strings.Contains(h.all(), "policy 4711 forbids it") {
			h.broken("the model was sent %q", h.all())
		}
	}},
	{ruleHostRewrite, func(h *hostTest) {
		preTool(h, hook.Result{Decision: hook.DecisionAllow, UpdatedInput: hook.RawJSON(`{"command":"rewritten"}`)}, nil)
	}, func(h *hostTest) {
		if len(h.ran) != 1 || h.ran[0].String("command") != "rewritten" {
			h.broken("the tool ran with %v", h.ran)
		}
	}},
	{ruleHostFailed, func(h *hostTest) { preTool(h, hook.None(), errBroken, hook.OnFailure(hook.FailClosed)) }, func(h *hostTest) {
		if len(h.ran) != 0 {
			h.broken("the tool ran")
		}
	}},
	{ruleHostOpen, func(h *hostTest) {
		preTool(h, hook.None(), errBroken, hook.OnFailure(hook.FailOpen))
		preTool(h, hook.Allow(), nil)
	}, func(h *hostTest) {
		if len(h.ran) != 1 {
			h.broken("the tool ran %d times", len(h.ran))
		}
	}},
	{ruleHostContext, func(h *hostTest) {
		preTool(h, hook.Result{Decision: hook.DecisionAllow, Context: []string{"remember 4711"}}, nil)
		stopOnce(h) // so that there is one more model call
	}, func(h *hostTest) {
		n := 0
		for _, r := range h.got.Requests {
			n += strings.Count(r, "remember 4711")
		}
		if n != 1 {
			h.broken("it reached the model %d times in %d calls", n, len(h.got.Requests))
		}
	}},
	{ruleHostPost, func(h *hostTest) { preTool(h, hook.Allow(), nil); watchPost(h) }, func(h *hostTest) {
		if len(h.seen) != 1 || !strings.HasPrefix(h.seen[0], "PostToolUse ") || !strings.Contains(h.seen[0], "tool output") {
			h.broken("hooks saw %q", h.seen)
		}
	}},
	{ruleHostFailure, func(h *hostTest) {
		preTool(h, hook.Allow(), nil)
		h.err = errors.New("disk on fire")
		watchPost(h)
	}, func(h *hostTest) {
		if len(h.seen) != 1 || !strings.HasPrefix(h.seen[0], "PostToolUseFailure ") || !strings.Contains(h.seen[0], "disk on fire") {
			h.broken("hooks saw %q", h.seen)
		}
	}},
	{ruleHostOutput, func(h *hostTest) {
		preTool(h, hook.Allow(), nil)
		h.output = "the key is 4711"
		hook.On(h.reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) {
			return hook.Result{UpdatedOutput: hook.MustJSON("the key is [redacted]")}, nil
		})
	}, func(h *hostTest) {
		if strings.Contains(h.all(), "4711") || !strings.Contains(h.all(), "[redacted]") {
			h.broken("the model was sent %q", h.all())
		}
	}},
	{ruleHostPrompt, func(h *hostTest) { onPrompt(h, hook.Deny("no secrets")) }, func(h *hostTest) {
		if strings.Contains(h.all(), "the prompt") || len(h.ran) != 0 {
			h.broken("the model was sent %q", h.all())
		}
	}},
	{ruleHostRePrompt, func(h *hostTest) {
		text := "another question"
		onPrompt(h, hook.Result{UpdatedPrompt: &text})
	}, func(h *hostTest) {
		if strings.Contains(h.all(), "the prompt") || !strings.Contains(h.all(), "another question") {
			h.broken("the model was sent %q", h.all())
		}
	}},
	{ruleHostStop, func(h *hostTest) { stopOnce(h) }, func(h *hostTest) {
		if !strings.Contains(h.all(), "run the tests first") {
			h.broken("the model was sent %q", h.all())
		}
	}},
	{ruleHostActive, func(h *hostTest) { stopOnce(h) }, func(h *hostTest) {
		if got := strings.Join(h.seen, " "); got != "stop:false stop:true" {
			h.broken("stop hooks saw %q", got)
		}
	}},
	{ruleHostHalt, func(h *hostTest) {
		preTool(h, hook.Result{Decision: hook.DecisionAllow, Continue: hook.No, StopReason: "enough"}, nil)
	}, func(h *hostTest) {
		if len(h.got.Requests) != 1 {
			h.broken("the model was called %d times", len(h.got.Requests))
		}
	}},
}

func watchPost(h *hostTest) {
	hook.On(h.reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
		h.seen = append(h.seen, "PostToolUse "+in.ToolResponse.Raw())
		return hook.None(), nil
	}, hook.Match(HostTool))
	hook.On(h.reg, func(_ context.Context, in *hook.PostToolUseFailure) (hook.Result, error) {
		h.seen = append(h.seen, "PostToolUseFailure "+in.Error)
		return hook.None(), nil
	}, hook.Match(HostTool))
}

func onPrompt(h *hostTest, r hook.Result) {
	preTool(h, hook.Allow(), nil)
	hook.On(h.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) { return r, nil })
}

func stopOnce(h *hostTest) {
	preTool(h, hook.Allow(), nil)
	hook.On(h.reg, func(_ context.Context, in *hook.Stop) (hook.Result, error) {
		h.seen = append(h.seen, fmt.Sprintf("stop:%v", in.StopHookActive))
		if in.StopHookActive {
			return hook.None(), nil
		}
		return hook.Deny("run the tests first"), nil
	})
}
