//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// overModule lays panels over the conversation, and draws entries that it adds.
const overModule = `
export default function (pi) {
  pi.registerCommand("panel", { handler: async (args, ctx) => {
    let text = "";
    const said = await ctx.ui.custom((tui, theme, keys, done) => ({
      render: (w) => ["+" + "-".repeat(w - 2) + "+", "panel on " + tui.terminal.rows + " rows: " + text],
      handleInput: (data) => data === "q" ? done(text) : (text += data, tui.requestRender()),
    }), { overlay: true, overlayOptions: { width: 30, anchor: "top-right" } });
    ctx.ui.notify("panel said " + said);
  }});
  pi.registerCommand("note", { handler: (args, ctx) => {
    void ctx.ui.custom(() => ({ render: (w) => ["NOTE " + args] }), { overlay: true, overlayOptions: { width: 12, row: 2, col: 60, nonCapturing: true } });
  }});
  pi.registerEntryRenderer("card", (entry, { expanded, keyText }) => ({ render: (w) => ["card " + entry.data.n + (expanded ? " in full" : "") + " " + keyText("tui.select.cancel")] }));
  pi.registerCommand("card", { handler: (args) => pi.appendEntry("card", { n: args }) });
  pi.registerCommand("ask", { handler: async (args, ctx) => ctx.ui.notify("answer " + await ctx.ui.confirm("Sure?", "Of it")) });
}
`

func TestModulesDrawOverTheConversation(t *testing.T) {
	module := filepath.Join(t.TempDir(), "over.ts")
	if err := os.WriteFile(module, []byte(overModule), 0o600); err != nil {
		t.Fatal(err)
	}
	r := prepareTerminal(t, `turns: [{text: "`+strings.Repeat("a word and a word ", 30)+`"}]`, "chat", "--hook", module)
	r.start()
	r.wait("default ·")
	r.send("talk\r")
	r.wait("> talk")
	// The panel stands beside what is below it, has the keys, and gives them back.
	r.send("/panel\r")
	r.wait("                    +----------------------------+")
	r.wait("panel on 24 rows:")
	r.send("xy")
	r.wait("panel on 24 rows: xy")
	r.send("q")
	r.wait("panel said xy")
	r.gone("panel on")
	r.send("mine")
	r.wait("> mine")
	// Ctrl-C twice closes it in any case.
	r.send("\x15/panel\r")
	r.wait("panel on")
	r.send("\x03\x03")
	r.wait("panel said undefined")
	// One that takes no keys stays while the person types, below a question that is asked.
	r.send("/note first\r")
	r.wait("NOTE first")
	r.send("/ask\r")
	r.wait("over.ts asks")
	r.answer("y")
	r.wait("answer true")
	r.wait("NOTE first")
	// Entries are drawn, opened, and there again.
	r.send("/card one\r")
	r.wait("card one ")
	r.gone("[card]")
	r.send("\x0f")
	r.wait("card one in full")
	r.send("/card two\r")
	r.wait("card two in full")
	r.send("/tree\r")
	r.wait("The session")
	r.send("\x1b")
	r.gone("The session")
	r.send("\x04")
	r.ended(0)

	again := prepareTerminal(t, chatTurns, "chat", "--hook", module, "--continue")
	again.cmd.Dir, again.cmd.Env = r.cmd.Dir, r.cmd.Env
	again.start()
	again.wait("card one ")
	again.wait("card two ")
	again.send("\x04")
	again.ended(0)
}
