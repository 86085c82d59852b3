package acpproxy_test

import (
	"testing"

	"github.com/hookline-dev/hookline/bridge/acpproxy"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

// An agent asks in some of its modes only. The person is told when it is in another, however
// it came there, and where a gate is required it gets no prompt then.
func TestModesInWhichAnAgentDoesNotAsk(t *testing.T) {
	polite := &dialect.Host{Title: "Polite", ACP: &dialect.HostACP{Agent: "polite", Asks: "commands", Seen: "reading", AsksIn: []string{"default", "plan"}}}
	const eager, says = `Polite is in its mode eager, in which it is not known to ask`, `It asks in: default, plan.`
	for _, strict := range []bool{false, true} {
		s := newStage(t, acpproxy.Options{RequireGate: strict, Hosts: []*dialect.Host{polite}}, func(reg *hook.Registry) {
			onTool(reg, func(in *hook.PreToolUse) hook.Result { return hook.Deny(in.PermissionMode) })
		})
		go s.client.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
		s.agent.read()
		go s.agent.send(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"polite","version":"1"}}}`)
		s.client.read()
		go s.client.send(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`)
		s.agent.read()
		go s.agent.send(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"eager","availableModes":[]}}}`)
		s.client.gets(`"id":1,"result"`)
		s.client.says("Hooks can stop what Polite does")
		s.client.says(eager)
		refused := func() {
			t.Helper()
			if !strict {
				return
			}
			s.agent.gets("session/cancel") // the turn that there may be
			go s.client.send("%s", prompt("2", "go"))
			s.client.says("The prompt was refused: " + eager)
			s.client.gets(`"id":2,"result":{"stopReason":"refusal"}`)
		}
		refused()

		setMode := func(id, mode string) {
			go s.client.send(`{"jsonrpc":"2.0","id":%s,"method":"session/set_mode","params":{"sessionId":"s","modeId":%q}}`, id, mode)
			s.agent.gets(mode)
			go s.agent.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
			s.client.gets(`"id":` + id + `,"result":{}`)
		}
		setMode("3", "plan") // of which nothing is said, and hooks learn of it
		go s.client.send("%s", prompt("4", "go"))
		s.agent.gets("session/prompt")
		go s.agent.send(`{"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"execute","rawInput":{"command":"make"}},"options":[{"optionId":"n","name":"no","kind":"reject_once"}]}}`)
		s.client.says("plan")
		s.agent.gets(`"id":5,"result"`, `"optionId":"n"`)
		go s.agent.send(`{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}`)
		s.client.gets(`"id":4,"result"`)

		setMode("6", "eager")
		s.client.says(says)
		refused()
		for _, update := range []string{`"sessionUpdate":"current_mode_update","currentModeId":%q`, `"sessionUpdate":"config_option_update","configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":%q,"options":[]}]`} {
			for _, mode := range []string{"default", "eager"} {
				go s.agent.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{`+update+`}}}`, mode)
				s.client.gets(mode)
			}
			s.client.says(says)
			refused()
		}
	}
}
