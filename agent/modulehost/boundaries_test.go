package modulehost_test

import (
	"strings"
	"testing"
)

// extension is a module of pi with a body.
func extension(body string) string {
	return `import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
		const text = (m: any) => typeof m.content === "string" ? m.content : m.content.map((b: any) => b.text ?? b.type).join("");
		export default (pi: ExtensionAPI) => {` + body + "};"
}

const note = `{ type: "custom_message", customType: "n", content: "look again", display: true }`

// What a handler answers where a turn or a prompt ends is added there, and the agent goes
// on where it says so.
func TestModulesAddToTheEndOfTurnsAndPrompts(t *testing.T) {
	for event, turns := range map[string]int{"turn_end": 2, "agent_before_settle": 2} {
		for answer, want := range map[string]int{
			`{ entries: [...e.entries, ` + note + `], continue: true }`: turns, `{ entries: [` + note + `] }`: 1,
			`{ entries: [{ type: "custom", customType: "st", data: 7 }] }`: 1, `{ continue: true }`: 1, `undefined`: 1,
		} {
			s := newStage(t, "turns: [{text: one}, {text: two}]", extension(`let n = 0; pi.on("`+event+`", (e: any) => n++ ? undefined : (`+answer+`));`))
			if res := s.prompt("go"); res.Turns != want {
				t.Errorf("%s, %s: the model was asked %d times, want %d", event, answer, res.Turns, want)
			}
			var kept []string
			for e, err := range s.a.Session().Entries() {
				if err != nil {
					t.Fatal(err)
				}
				kept = append(kept, string(e.Type)+e.CustomType)
			}
			if said := strings.Join(kept, " "); strings.Contains(said, "custom_messagen") != strings.Contains(answer, "look again") || strings.Contains(said, "customst") != strings.Contains(answer, `"st"`) {
				t.Errorf("%s, %s: the session has %s", event, answer, said)
			}
		}
	}
}

func TestModulesSeeWhereATurnEnds(t *testing.T) {
	s := newStage(t, "turns: [{text: one}]", extension(`pi.on("turn_end", (e: any, ctx: any) => ctx.ui.notify([
		e.entries.length, e.continue, e.outcome, e.context.canContinue, e.context.contextMessages.map(text), e.context.contextEntries.length, e.context.llmMessages.length,
	].join("; ")));
	pi.on("agent_end", (e: any, ctx: any) => { const p = ctx.sessionManager.buildSessionProjection(); ctx.ui.notify("projection " + p.messages.map(text) + " " + p.model.modelId); });`))
	s.prompt("go")
	s.shown("0; false; completed; false; go,one; 2; 2", "projection go,one script")
}

// agent_before_settle comes after all handlers of agent_end, and not while what they sent waits.
func TestAgentBeforeSettleComesLast(t *testing.T) {
	s := newStage(t, "turns: [{text: one}, {text: two}]", extension(`let n = 0;
		pi.on("agent_before_settle", (e: any, ctx: any) => ctx.ui.notify("before settling, " + e.outcome));
		pi.on("agent_end", (e: any, ctx: any) => { ctx.ui.notify("end"); if (!n++) pi.sendUserMessage("more", { deliverAs: "followUp" }); });
		pi.on("agent_settled", (e: any, ctx: any) => ctx.ui.notify("settled"));`))
	s.prompt("go")
	if got := s.notices(); got != "end\nend\nbefore settling, completed\nsettled" {
		t.Errorf("told:\n%s", got)
	}
}

// context_with_system sees the prompt and what context made of the messages, and changes both
// for one call. A list without the prompt leaves it as it is.
func TestModulesChangeTheSystemPromptOfACall(t *testing.T) {
	s := newStage(t, `turns:
  - {text: one, expect: {system: "^be a pirate$", last_user: "added"}}
  - {text: two, expect: {system: "coding agent", last_user: "alone"}}
`, extension(`let n = 0;
		pi.on("context_with_system", (e: any, ctx: any) => {
			ctx.ui.notify(e.messages[0].role + " " + e.messages.slice(1).map(text).join());
			const user = (content: string) => ({ role: "user", content, timestamp: 0 });
			return { messages: n++ ? [user("alone")] : [{ ...e.messages[0], content: "be a pirate" }, ...e.messages.slice(1), user("added")] };
		});
		pi.on("context", (e: any) => ({ messages: e.messages.slice(-1) }));`))
	s.prompt("first")
	s.prompt("second")
	s.shown("system first", "system second")
}

// A module is not told what the agent is known to a provider by, and does not choose it.
func TestModulesChooseNoCredentials(t *testing.T) {
	s := newStage(t, "turns: [{text: one}]", extension(`pi.on("before_provider_headers", (e: any, ctx: any) => { ctx.ui.notify("headers " + JSON.stringify(e.headers)); e.headers.authorization = "Bearer mine"; });`))
	s.prompt("go")
	s.shown("headers {}", "the header authorization, which carries credentials")
}

// A level is an effort where the agent was started with one: only then is the model known to
// think.
func TestModulesSetTheEffortOfAModelThatThinks(t *testing.T) {
	const levels = `pi.on("before_provider_request", (e: any, ctx: any) => {
		ctx.ui.notify(ctx.model.reasoning + " " + pi.getThinkingLevel() + " sent " + e.payload.effort);
		pi.setThinkingLevel(["off", "xhigh"][n++] as any);
	}); let n = 0;
	pi.on("message_end", (e: any, ctx: any) => { if (e.message.role === "assistant") ctx.ui.notify("answered " + e.message.thinkingLevel); });`
	turns := "turns: [{text: one}, {text: two}, {text: three}]"
	for effort, want := range map[string]string{
		"medium": "true medium sent medium\nanswered medium\ntrue low sent low\nanswered low\ntrue high sent high\nanswered high",
		"":       strings.Repeat("false off sent undefined\nanswered off\n", 2) + "false off sent undefined\nanswered off",
	} {
		s := newStage(t, turns, extension(levels))
		s.a.SetEffort(effort)
		for range 3 {
			s.prompt("go")
		}
		if got := s.notices(); got != want {
			t.Errorf("with the effort %q:\n%s\nwant\n%s", effort, got, want)
		}
	}
}
