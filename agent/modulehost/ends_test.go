package modulehost_test

import (
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/ui"
)

const greeter = `
	import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
	import { Type } from "typebox";
	export default (pi: ExtensionAPI) => {
		pi.on("tool_result", (e, ctx) => { ctx.ui.notify("result " + e.content[0].text + " " + e.isError + " " + JSON.stringify(e.details ?? null)); });
		pi.on("tool_execution_update", (e, ctx) => { ctx.ui.notify("half " + e.partialResult.content[0].text); });
		pi.on("tool_execution_end", (e, ctx) => { ctx.ui.notify("end " + e.result.content[0].text); });
		pi.registerTool({ name: "greet", label: "Greet", description: "greets", parameters: Type.Object({ who: Type.String() }),
			execute: async (id, p, signal, update) => { RUN } });
	}`

func greet(t *testing.T, run, turns string) *stage {
	s := newStage(t, turns, strings.Replace(greeter, "RUN", run, 1))
	s.person.Add(ui.Choose(0), ui.Choose(0))
	return s
}

const once = "turns:\n  - tool_calls: [{name: greet, input: {who: Ann}}]\n  - text: asked again\n"

// A result with terminate is the end of the turn, unless another call of it goes on.
func TestToolHasTheLastWord(t *testing.T) {
	last := `return { content: [{ type: "text", text: "bye " + p.who }], terminate: p.who === "Ann" };`
	for turns, want := range map[string]int{once: 1, strings.Replace(once, "[{", "[{name: greet, input: {who: Bob}}, {", 1): 2} {
		s := greet(t, last, turns)
		if res := s.prompt("go"); res.Turns != want || res.End != agent.EndDone {
			t.Errorf("the model was asked %d times, want %d; it ended %s", res.Turns, want, res.End)
		}
		s.shown("result bye Ann false null")
	}
}

func TestToolSaysThatItFailed(t *testing.T) {
	s := greet(t, `return { content: [{ type: "text", text: "no" }], details: { k: 1 }, isError: true };`, once)
	s.prompt("go")
	s.shown(`result no true {"k":1}`)
}

// What a tool throws is for the model: where it stands in the module is not.
func TestErrorOfAToolIsItsText(t *testing.T) {
	s := greet(t, `throw new Error("there is nobody");`, once)
	s.prompt("go")
	s.shown("result there is nobody true null")
}

func TestProgressAndEndHaveContent(t *testing.T) {
	s := greet(t, `update({ content: [{ type: "text", text: "some" }] }); return { content: [{ type: "text", text: "all" }] };`, once)
	s.prompt("go")
	s.shown("half some", "end all")
}

// Whoever goes to a prompt goes to where it stood, and has its text to change.
func TestNavigateGoesBeforeAPrompt(t *testing.T) {
	s := newStage(t, "turns:\n  - text: answer\n    repeat: -1\n", `
		export default (pi) => {
			const roles = (ctx) => ctx.sessionManager.getBranch().filter((e) => e.type === "message").map((e) => e.message.role).join(",");
			pi.registerCommand("back", { description: "d", handler: async (args, ctx) => {
				const user = ctx.sessionManager.getBranch().filter((e) => e.type === "message" && e.message.role === "user");
				await ctx.navigateTree(user[1].id);
				ctx.ui.notify("before " + roles(ctx) + ".");
				await ctx.navigateTree(ctx.sessionManager.getBranch().at(-1).id);
				ctx.ui.notify("at " + roles(ctx) + ".");
			} });
		}`)
	s.prompt("first")
	s.prompt("second")
	if err := s.module.RunCommand(t.Context(), "back", ""); err != nil {
		t.Fatal(err)
	}
	s.shown("before user,assistant.", "at user,assistant.")
	if got := s.person.EditorText(); got != "second" {
		t.Errorf("the editor has %q, want the prompt", got)
	}
}

// What a message_end handler returns stands in the place of the message, also for the
// next handler.
func TestModulesChangeMessagesAtTheirEnd(t *testing.T) {
	s := newStage(t, "turns:\n  - text: the secret\n  - text: bye\n", `
		import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
		export default (pi: ExtensionAPI) => {
			const replace = (from, to) => (e, ctx) => {
				const text = e.message.content[0].text;
				ctx.ui.notify("has " + text);
				if (text.includes(from)) return { message: { ...e.message, content: [{ type: "text", text: text.replace(from, to) }] } };
			};
			pi.on("message_end", replace("secret", "word"));
			pi.on("message_end", replace("word", "end"));
		}`)
	if res := s.prompt("go"); res.Text != "the end" {
		t.Errorf("the answer is %q", res.Text)
	}
	s.shown("has go", "has go", "has the secret", "has the word")
}

// A message for the next turn waits for the person, one from agent_end goes to the model
// at once.
func TestModulesMessagesFindTheirTurn(t *testing.T) {
	s := newStage(t, "turns:\n  - text: one\n  - text: two\n  - text: three\n", `
		export default (pi) => {
			let n = 0;
			pi.on("agent_end", () => { if (n++ === 0) pi.sendMessage({ customType: "n", content: "at the end", display: false }); });
			pi.registerCommand("later", { handler: async () => { pi.sendMessage({ customType: "n", content: "later", display: false }, { triggerTurn: true, deliverAs: "nextTurn" }); } });
		}`)
	if res := s.prompt("first"); res.Turns != 2 {
		t.Errorf("%d turns, want another for what agent_end sent", res.Turns)
	}
	if err := s.module.RunCommand(t.Context(), "later", ""); err != nil {
		t.Fatal(err)
	}
	s.prompt("second")
	items, err := s.a.Session().Context()
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, it := range items {
		if all.Write(it.Message); string(it.Details) == "null" {
			t.Error("a message without details has some")
		}
	}
	if texts := all.String(); !strings.Contains(texts, "later") || strings.Index(texts, "second") > strings.Index(texts, "later") {
		t.Errorf("the session holds %s", texts)
	}
}

// What modules of pi 0.73.1 send at the end of an agent waits for the next prompt: they send
// each time.
func TestWhatOldModulesSendAtEachEndDoesNotGoOn(t *testing.T) {
	s := newStage(t, "turns:\n  - text: on and on\n    repeat: -1\n", `
		import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
		export default (pi: ExtensionAPI) => {
			pi.on("agent_end", async () => { await new Promise((r) => setTimeout(r, 1)); pi.sendMessage({ customType: "n", content: "still to do", display: true }); });
		}`)
	for _, prompt := range []string{"first", "second"} {
		if res := s.prompt(prompt); res.Turns != 1 {
			t.Errorf("%d turns of the prompt %s, want 1", res.Turns, prompt)
		}
	}
	items, err := s.a.Session().Context()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(items); n != 5 || !strings.Contains(string(items[3].Message), "still to do") {
		t.Errorf("the session has %d messages, want the message of the first end behind the second prompt", n)
	}
}

func TestCompactSaysWhatItMade(t *testing.T) {
	s := newStage(t, "turns:\n  - text: one\n  - text: two\n  - text: in short\n", `
		export default (pi) => {
			pi.on("session_before_compact", ({ preparation: p }, ctx) => {
				ctx.ui.notify("keeps " + p.settings.keepRecentTokens + " " + typeof p.settings.reserveTokens + " " + p.settings.enabled + " " + ("previousSummary" in p) + " " + p.previousSummary);
			});
			pi.registerCommand("shrink", { handler: async (args, ctx) => {
				await ctx.compact({ onComplete: (r) => ctx.ui.notify("made " + r.summary + " of " + typeof r.tokensBefore), onError: (e) => ctx.ui.notify(e.message) });
			} });
		}`)
	s.prompt("first")
	s.prompt("second")
	if err := s.module.RunCommand(t.Context(), "shrink", ""); err != nil {
		t.Fatal(err)
	}
	s.shown("keeps 0 number false true undefined", "made in short of number")
}

// What a tool shows is for the model too, in its place among the texts.
func TestPicturesOfAToolReachTheModel(t *testing.T) {
	s := greet(t, `return { content: [{ type: "text", text: "before" }, { type: "image", data: "aGk=", mimeType: "image/gif" }, { type: "image", data: "aG8=" }] };`, once)
	res := s.prompt("go")
	s.shown("result before false null")
	var got []string
	for _, m := range res.Messages {
		for _, b := range m.Content {
			for _, in := range b.Content {
				if got = append(got, in.Text); in.Source != nil {
					got = append(got, in.Source.MediaType+" "+in.Source.Data)
				}
			}
		}
	}
	if strings.Join(got, "|") != "before||image/gif aGk=||image/png aG8=" {
		t.Errorf("the model got %q", got)
	}
}
