package agent_test

import (
	"context"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
)

// hostUnderTest is the agent as the conformance tests see it.
type hostUnderTest struct {
	t   testing.TB
	reg *hook.Registry
}

const hostScript = `
turns:
  - tool_calls: [{name: Probe, input: {command: original}}]
  - text: "done"
    repeat: 5
`

func (h *hostUnderTest) Run(ctx context.Context, prompt string, _ hook.JSON, probe func(hook.JSON) (string, error)) (hooktest.Transcript, error) {
	m := scripted(h.t, hostScript)
	eng := hook.New(h.reg)
	a, err := agent.New(agent.Config{Model: m, Hooks: eng, Dir: h.t.TempDir(), Tools: []tool.Tool{&funcTool{
		name: hooktest.HostTool, run: func(_ context.Context, in tool.Input) (tool.Result, error) {
			out, err := probe(hook.RawJSON(in.JSON))
			if err != nil {
				return tool.Result{}, err
			}
			return textResult(out), nil
		},
	}}})
	if err != nil {
		return hooktest.Transcript{}, err
	}
	_, err = a.Prompt(ctx, prompt)
	if closeErr := a.Close(ctx); closeErr != nil {
		h.t.Error(closeErr)
	}
	if closeErr := eng.Close(); closeErr != nil {
		h.t.Error(closeErr)
	}
	return hooktest.Transcript{Requests: m.texts()}, err
}

func TestHostConformance(t *testing.T) {
	hooktest.TestHost(t, func(t testing.TB, reg *hook.Registry) hooktest.Host { return &hostUnderTest{t, reg} })
}
