//go:build linux || darwin

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// looksModule changes what the screen looks like, draws its tool, completes, and has flags
// and shortcuts.
const looksModule = `
import { Key } from "@earendil-works/pi-tui";
export default function (pi) {
  pi.registerFlag("greeting", { type: "string", default: "none" });
  pi.on("session_start", (ev, ctx) => {
    ctx.ui.setWidget("wide", (tui, theme) => ({ render: (w) => ["the widget is " + w + " wide in " + ctx.ui.theme.name] }));
    ctx.ui.addAutocompleteProvider((current) => ({
      ...current,
      getSuggestions: async (lines, row, column, o) => /#$/.test(lines[row].slice(0, column))
        ? { items: [{ value: "#12", label: "#12", description: "a fault" }, { value: "#13", label: "#13" }], prefix: "#" }
        : current.getSuggestions(lines, row, column, o),
    }));
    ctx.ui.setFooter((tui, theme, data) => ({ render: () => ["statuses " + [...data.getExtensionStatuses()].join(" ")] }));
    ctx.ui.setStatus("flag", "greeting " + pi.getFlag("greeting"));
  });
  pi.registerShortcut(Key.ctrlAlt("p"), { description: "go light", handler: (ctx) => {
    ctx.ui.setEditorText("draft of " + ctx.ui.setTheme("light").success);
    ctx.ui.setToolsExpanded(true);
  }});
  pi.registerShortcut("ctrl+o", { handler: () => {} });
  pi.registerCommand("pick", { description: "takes a colour", getArgumentCompletions: () => [{ value: "red", label: "red" }],
    handler: async (args, ctx) => ctx.ui.notify("picked " + args) });
  pi.registerTool({ name: "boxes", description: "counts boxes", parameters: { type: "object" },
    execute: async (id, args) => ({ content: [{ type: "text", text: "for the model" }], details: { n: 3 } }),
    renderCall: (args, theme) => ({ render: (w) => ["BOXES " + args.where] }),
    renderResult: (result, o, theme) => ({ render: (w) => ["found " + result.details.n + (o.expanded ? " in full" : "")] }),
  });
}
`

func TestModulesChangeTheScreen(t *testing.T) {
	module := filepath.Join(t.TempDir(), "looks.ts")
	if err := os.WriteFile(module, []byte(looksModule), 0o600); err != nil {
		t.Fatal(err)
	}
	r := prepareTerminal(t, `turns: [{tool_calls: [{name: boxes, input: {where: cellar}}]}, {text: "Done.", repeat: 9}]`,
		"chat", "--hook", module, "--greeting", "hello", "--theme", "mono")
	if err := errors.Join(os.MkdirAll(filepath.Join(r.cmd.Dir, "src"), 0o755), os.WriteFile(filepath.Join(r.cmd.Dir, "src", "engine.go"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	r.start()
	for _, text := range []string{
		"the widget is 80 wide in mono", "statuses flag,greeting hello", "The shortcut ctrl+o of looks.ts does not run: chat has the key",
	} {
		r.wait(text)
	}
	r.send("see #")
	r.wait("▸ #12  a fault")
	r.send("\x1b[B\r")
	r.wait("> see #13")
	r.send("\x15look at @eng")
	r.wait("▸ @src/engine.go")
	r.send("\t")
	r.wait("> look at @src/engine.go")
	r.send("\x15/pick ")
	r.wait("▸ red")
	r.send("\t\r")
	r.wait("picked red")
	r.send("count\r")
	r.wait("Allow boxes?")
	r.answer("1")
	r.wait("BOXES cellar")
	r.wait("found 3")
	r.wait("Done.")
	r.send("\x1b\x10") // ctrl-alt-p
	r.wait("draft of true")
	r.wait("found 3 in full")
	r.wait("80 wide in light")
	r.send("\x15?")
	r.wait("go light")
	r.send("\x04")
	r.ended(0)
}

const ownTheme = `{"name": "forest", "vars": {"green": "#00aa11", "leaf": "green"}, "colors": {"accent": "leaf", "muted": 240, "selectedBg": "#010203", "text": ""}}`

func TestThemes(t *testing.T) {
	r := prepareTerminal(t, chatTurns, "chat", "--theme", "forest")
	dir := filepath.Join(home(r.cmd), ".config", "hookline", "themes")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "f.json"), []byte(ownTheme), 0o600),
		os.WriteFile(filepath.Join(dir, "g.json"), []byte(`{"name": "bad", "colors": {"accent": "nosuch"}}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.wait("default ·")
	r.send("/theme\r")
	r.wait("Which colours?")
	r.wait("> 5. forest")
	r.send("\x1b[A\x1b[A\x1b[A\r")
	r.send("/theme nosuch\r")
	r.wait("there is no theme nosuch")
	r.send("/theme\r")
	r.wait("> 2. light")
	r.send("\x1b")
	r.gone("Which colours?")
	r.send("\x04")
	r.ended(0)

	wrong := prepareTerminal(t, chatTurns, "chat", "--theme", "nosuch")
	wrong.start()
	wrong.wait("--theme nosuch: there are dark, light")
	wrong.ended(exitUsage)
}

// home is the home directory of a command.
func home(cmd *exec.Cmd) string {
	dir := ""
	for _, v := range cmd.Env {
		if d, ok := strings.CutPrefix(v, "HOME="); ok {
			dir = d // the last one counts
		}
	}
	return dir
}

func TestTheTreeAndSessionsAreLists(t *testing.T) {
	r := onTerminal(t, `turns: [{text: one}, {text: two}, {text: three}, {text: four}]`, "chat")
	r.wait("default ·")
	r.send("first prompt\r")
	r.wait("one")
	r.send("second prompt\r")
	r.wait("two")
	r.send("/tree\r")
	r.wait("user: first prompt")
	r.wait("> 4. *")
	r.send("\x1b[A\r") // the second prompt
	r.wait("Change this prompt")
	r.send("\r")
	r.gone("two")
	r.wait("> second prompt")
	r.send(" again\r")
	r.wait("three")
	r.send("/tree\r")
	r.wait("user: second prompt again") // both are in the tree
	r.wait("user: second prompt\n")
	r.send("\x1b")
	r.gone("The session\n")
	r.send("/new\r")
	r.wait("This is a new session.")
	r.send("/resume\r")
	r.wait("Go on with which session?")
	r.send("first\r")
	r.wait("> first prompt")
	r.send("\x04")
	r.ended(0)
}

// TestFilesAreTakenBack goes back to a prompt, with the files that changed since and without
// them: one that was there, and one that was not.
func TestFilesAreTakenBack(t *testing.T) {
	const turns = `turns: [{tool_calls: [{name: Read, input: {file_path: old.txt}}]}, {text: read},
		{tool_calls: [{name: Edit, input: {file_path: old.txt, old_string: first, new_string: second}}, {name: Write, input: {file_path: new.txt, content: "new\n"}}]}, {text: changed},
		{text: again}]`
	for _, k := range []struct {
		choice, old string
		isNew       bool
	}{{"2", "first\n", false}, {"1", "second\n", true}} {
		r := prepareTerminal(t, turns, "chat", "--permission-mode", "acceptEdits")
		read := func(name string) string {
			text, err := os.ReadFile(filepath.Join(r.cmd.Dir, name))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			return string(text)
		}
		if err := os.WriteFile(filepath.Join(r.cmd.Dir, "old.txt"), []byte("first\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r.start()
		r.wait("acceptEdits ·")
		r.send("look\r")
		r.wait("read\n")
		r.send("change both\r")
		r.wait("changed\n")
		if read("old.txt") != "second\n" || read("new.txt") != "new\n" {
			t.Fatal("the files were not changed")
		}
		r.send("/tree\r")
		r.wait("The session")
		r.send("change both\r") // found by its text
		r.wait("1. Change this prompt")
		r.wait("2. Change this prompt, and take these files back")
		r.wait("Changed since then (going back: +1 -2 lines):")
		r.wait("  old.txt\n")
		r.wait("  new.txt\n")
		r.send(k.choice)
		r.gone("changed\n")
		r.wait("> change both")
		if old, isNew := read("old.txt"), read("new.txt") != ""; old != k.old || isNew != k.isNew {
			t.Errorf("%s: old.txt has %q, new.txt is there: %v", k.choice, old, isNew)
		}
		r.send(" better\r")
		r.wait("again\n")
		r.send("\x04")
		r.ended(0)
	}
}
