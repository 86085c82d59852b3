package script

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// evaluate runs an expression in a module with the given imports and returns its
// value as JSON.
func evaluate(t *testing.T, imports, expression string, o Options) string {
	t.Helper()
	m := loadSource(t, imports+"\nexport default (pi) => { pi.on('e', async (e, ctx) => ({ v: await ("+expression+") })) }", o)
	got := fire(t, m, "e", "{}")
	return strings.TrimSuffix(strings.TrimPrefix(got, `{"v":`), "}")
}

// table runs expressions with the same imports in one module.
func table(t *testing.T, imports string, o Options, cases map[string]string) {
	t.Helper()
	var list strings.Builder
	for expression := range cases {
		key, err := json.Marshal(expression)
		if err != nil {
			t.Fatal(err)
		}
		list.WriteString(string(key) + ": async () => (" + expression + "),\n")
	}
	m := loadSource(t, imports+"\nconst table = {\n"+list.String()+"};\nexport default (pi) => { pi.on('e', async ({ key }) => ({ v: await table[key]() })) }", o)
	for expression, want := range cases {
		payload, err := json.Marshal(map[string]string{"key": expression})
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Dispatch(context.Background(), Call{Event: "e", Payload: payload})
		if got := string(r.Result); err != nil || got != `{"v":`+want+`}` {
			t.Errorf("%s\n got %s, %v\nwant %s", expression, got, err, want)
		}
	}
}

func TestTerminalText(t *testing.T) {
	table(t, `import { visibleWidth, truncateToWidth, wrapTextWithAnsi, fuzzyFilter } from "@mariozechner/pi-tui";`, Options{}, map[string]string{
		`visibleWidth("abc")`:                                       `3`,
		`visibleWidth("日本")`:                                        `4`,
		`visibleWidth("e\u0301")`:                                   `1`,
		`visibleWidth("👨‍👩‍👧")`:                                     `2`,
		`visibleWidth("\u001b[31mred\u001b[0m")`:                    `3`,
		`visibleWidth("\u001b]8;;x\u0007link\u001b]8;;\u0007")`:     `4`,
		`truncateToWidth("hello world", 8)`:                         `"hello..."`,
		`truncateToWidth("hello", 8)`:                               `"hello"`,
		`truncateToWidth("日本語日本語", 7, "…")`:                         `"日本語…"`,
		`truncateToWidth("ab", 4, "", true)`:                        `"ab  "`,
		`truncateToWidth("\u001b[1mbold text", 5, "")`:              `"\u001b[1mbold \u001b[0m"`,
		`wrapTextWithAnsi("the quick brown", 9)`:                    `["the quick","brown"]`,
		`wrapTextWithAnsi("abcdefgh", 3)`:                           `["abc","def","gh"]`,
		`wrapTextWithAnsi("a\n\nb", 5)`:                             `["a","","b"]`,
		`wrapTextWithAnsi("\u001b[31mone two\u001b[0m", 4)`:         `["\u001b[31mone\u001b[0m","\u001b[31mtwo\u001b[0m"]`,
		`fuzzyFilter(["apple", "grape", "maple"], "ape", (s) => s)`: `["apple","grape","maple"]`,
		`fuzzyFilter(["apple", "kiwi"], "ap", (s) => s)`:            `["apple"]`,
	})
}

func TestKeys(t *testing.T) {
	table(t, `import { Key, matchesKey, parseKey, isKeyRelease } from "@oh-my-pi/pi-tui";`, Options{}, map[string]string{
		`["\u001b[A", "\u001bOB", "\r", "\u001b", "\t", " ", "\u007f", "\u0003", "q", "Q", "\u001b[3~", "\u001b[1;5C", "\u001b[Z", "\u001bx", "\u001b[27u", "\u001b[97;5u", "\u001b[99;1:3u"].map(parseKey)`: `["up","down","enter","escape","tab","space","backspace","ctrl+c","q","shift+q","delete","ctrl+right","shift+tab","alt+x","escape","ctrl+a","c"]`,
		`matchesKey("\u0010", Key.ctrl("p"))`:            `true`,
		`matchesKey("\u001b[1;6A", Key.shiftCtrl("up"))`: `true`,
		`matchesKey("x", "y")`:                           `false`,
		`matchesKey("\u001b", "esc")`:                    `true`,
		`isKeyRelease("\u001b[99;1:3u")`:                 `true`,
		`matchesKey("\u001b[99;1:3u", "c")`:              `false`,
		`[Key.enter, Key.ctrlShift("x"), Key.plus]`:      `["enter","ctrl+shift+x","+"]`,
	})
}

func TestComponents(t *testing.T) {
	imports := `import { Box, Container, Editor, Input, Markdown, SelectList, SettingsList, Spacer, Text, TruncatedText } from "@mariozechner/pi-tui";
		const id = (s) => s, list = { selectedPrefix: id, selectedText: (s) => "[" + s + "]", description: id, scrollInfo: id, noMatch: id };
		const md = Object.fromEntries(["heading", "link", "linkUrl", "code", "codeBlock", "codeBlockBorder", "quote", "quoteBorder", "hr", "listBullet", "strikethrough", "underline"].map((k) => [k, id]));
		md.bold = (s) => "<b>" + s + "</b>"; md.italic = (s) => "<i>" + s + "</i>";
		const plain = (s) => s.replace(/\u001b(\[[0-9;]*m|_pi:c\u0007)/g, "").trimEnd();
		const type = (c, ...keys) => (keys.forEach((k) => c.handleInput(k)), c);`
	table(t, imports, Options{}, map[string]string{
		`new Text("hi", 1, 0).render(6)`: `[" hi   "]`,
		`new Box(1, 1).render(4)`:        `[]`,
		`(() => { const b = new Box(1, 0); b.addChild(new Text("x", 0, 0)); return b.render(4) })()`:                                                                                                                                                                                                                  `[" x  "]`,
		`(() => { const c = new Container(); c.addChild(new Spacer(1)); c.addChild(new TruncatedText("abcdef")); return c.render(5) })()`:                                                                                                                                                                             `["","ab..."]`,
		`(() => { let got; const s = new SelectList([{ value: "a", label: "A" }, { value: "b", label: "B" }], 5, list); s.onSelect = (i) => { got = i.value }; const before = s.render(20); type(s, "\u001b[B", "\r"); return [before, got] })()`:                                                                     `[["[→ A]","  B"],"b"]`,
		`(() => { let got = []; const s = new SettingsList([{ id: "x", label: "X", currentValue: "on", values: ["on", "off"] }], 5, { label: id, value: id, description: id, cursor: "> ", hint: id }, (...a) => got.push(a), () => got.push("cancel")); type(s, "\r", "\u001b"); return [got, s.render(30)[0]] })()`: `[[["x","off"],"cancel"],"> X  off"]`,
		`(() => { let sent; const i = new Input(); i.onSubmit = (v) => { sent = v }; type(i, "h", "e", "y", "\u007f", "\u001b[D", "X", "\r"); return [sent, plain(i.render(10)[0])] })()`:                                                                                                                             `["hXe","> hXe"]`,
		`(() => { const i = new Input(); type(i, "\u001b[200~pasted\ntext\u001b[201~"); return i.getValue() })()`:                                                                                                                                                                                                     `"pastedtext"`,
		`(() => { let sent; const e = new Editor({}, {}); e.onSubmit = (v) => { sent = v }; type(e, "a", "\n", "b"); const text = e.getText(); type(e, "\r"); return [text, sent, e.getText()] })()`:                                                                                                                  `["a\nb","a\nb",""]`,
		`new Markdown("# Title\n- one **two**\n> quote\n` + "`code`" + `", 0, 0, md).render(20).map(plain)`:                                                                                                                                                                                                           `["<b>Title</b>","- one <b>two</b>","│ <i>quote</i>","code"]`,
		`new Markdown("` + "```js\\nlet x\\n```" + `", 0, 0, md).render(20).map(plain)`:                                                                                                                                                                                                                               `["` + "```js\",\"  let x\",\"```" + `"]`,
	})
}

func TestSchemas(t *testing.T) {
	table(t, `import { Type } from "@sinclair/typebox"; import { Value } from "@sinclair/typebox/value"; import { StringEnum } from "@mariozechner/pi-ai";
		import { z } from "@mariozechner/pi-coding-agent"; const schema = Type.Object({ a: Type.Integer({ minimum: 1 }), b: Type.Optional(Type.Array(Type.String())) }, { additionalProperties: false });`,
		Options{}, map[string]string{
			`Value.Check(schema, { a: 1, b: ["x"] })`:                  `true`,
			`Value.Check(schema, { a: 0 })`:                            `false`,
			`Value.Check(schema, { a: 1, c: 2 })`:                      `false`,
			`[...Value.Errors(schema, { b: [1] })].map((e) => e.path)`: `["/a","/a","/b/0"]`,
			`StringEnum(["x", "y"], { description: "d" })`:             `{"type":"string","enum":["x","y"],"description":"d"}`,
			`Type.Union([Type.Literal("a"), Type.Null()])`:             `{"anyOf":[{"const":"a","type":"string"},{"type":"null"}]}`,
			`Type.Partial(Type.Object({ a: Type.String() }))`:          `{"type":"object","properties":{"a":{"type":"string"}}}`,
			`Type.Record(Type.String(), Type.Number())`:                `{"type":"object","patternProperties":{"^(.*)$":{"type":"number"}}}`,
		})
}

func TestConversationsAndCuts(t *testing.T) {
	table(t, `import { convertToLlm, serializeConversation, parseFrontmatter, truncateHead, truncateTail, formatSize, createEventBus, getLanguageFromPath } from "@oh-my-pi/pi-coding-agent";`, Options{}, map[string]string{
		`convertToLlm([{ role: "custom", content: "x", timestamp: 1 }, { role: "bashExecution", command: "ls", output: "a", exitCode: 0, timestamp: 2 }, { role: "weird" }]).map((m) => [m.role, m.content[0].text])`:                                      `[["user","x"],["user","Ran ` + "`ls`" + `\n` + "```" + `\na\n` + "```" + `"]]`,
		`serializeConversation([{ role: "user", content: "hi" }, { role: "assistant", content: [{ type: "text", text: "yo" }, { type: "toolCall", name: "ls", arguments: { p: 1 } }] }, { role: "toolResult", content: [{ type: "text", text: "ok" }] }])`: `"[User]: hi\n\n[Assistant]: yo\n\n[Assistant tool calls]: ls(p=1)\n\n[Tool result]: ok"`,
		`parseFrontmatter("---\nname: x\nn: 2\ntags: [a, b]\nlist:\n  - p\n---\nbody")`:                                              `{"frontmatter":{"name":"x","n":2,"tags":["a","b"],"list":["p"]},"body":"body"}`,
		`(({ content, truncatedBy, outputLines }) => [content, truncatedBy, outputLines])(truncateHead("a\nb\nc", { maxLines: 2 }))`: `["a\nb","lines",2]`,
		`(({ content, truncatedBy }) => [content, truncatedBy])(truncateTail("aaaa\nbbbb\ncccc", { maxBytes: 9 }))`:                  `["bbbb\ncccc","bytes"]`,
		`formatSize(51200)`:           `"50.0KB"`,
		`getLanguageFromPath("x.ts")`: `"typescript"`,
		`(() => { const b = createEventBus(), got = []; const off = b.on("x", (v) => got.push(v)); b.emit("x", 1); off(); b.emit("x", 2); return got })()`: `[1]`,
	})
}

func TestToolFactories(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs bash")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\nthree\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := evaluate(t, `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
		import { createBashTool, createEditTool, createFindTool, createGrepTool, createLsTool, createReadTool, createWriteTool } from "@mariozechner/pi-coding-agent";
		const text = async (tool, params) => { try { return (await tool.execute("id", params, undefined, undefined)).content[0].text } catch (e) { return "error: " + e.message } };`, `(async () => {
		const d = ctx.cwd, out = [];
		out.push(await text(createReadTool(d), { path: "a.txt", offset: 2, limit: 1 }));
		out.push(await text(createWriteTool(d), { path: "sub/b.txt", content: "x=1" }));
		out.push(await text(createEditTool(d), { path: "sub/b.txt", oldText: "1", newText: "2" }));
		out.push(await text(createEditTool(d), { path: "sub/b.txt", oldText: "nope", newText: "2" }));
		out.push(await text(createBashTool(d), { command: "cat sub/b.txt; echo; exit 3" }));
		out.push(await text(createBashTool(d, { spawnHook: (c) => ({ ...c, command: "echo hooked" }) }), { command: "false" }));
		out.push(await text(createGrepTool(d), { pattern: "t.o" }));
		out.push(await text(createFindTool(d), { pattern: "**/*.txt" }));
		out.push(await text(createLsTool(d), {}));
		return out;
	})()`, Options{Cwd: dir, Grants: GrantAll()})
	want := `["two\n\n[2 more lines in file. Use offset=3 to continue.]","Successfully wrote 3 bytes to sub/b.txt","Successfully replaced text in sub/b.txt.",` +
		`"error: Could not find the exact text in sub/b.txt. The old text must match exactly including all whitespace and newlines.",` +
		`"error: x=2\n\n\nCommand exited with code 3","hooked\n","a.txt:2: two","a.txt\nsub/b.txt","a.txt\nsub/"]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// modelHost answers model calls.
type modelHost struct{ NoHost }

func (modelHost) ModelQuery(method string, args []byte) ([]byte, error) {
	if method == "find" {
		return []byte(`{"id":"m","provider":"p"}`), nil
	}
	return []byte(`[{"id":"m","provider":"p"},{"id":"n","provider":"q"}]`), nil
}

func (modelHost) ModelDo(_ context.Context, method string, args []byte) ([]byte, error) {
	if method == "getApiKey" {
		return []byte(`"key"`), nil
	}
	return []byte(`{"role":"assistant","stopReason":"stop","content":[{"type":"text","text":"answer"}]}`), nil
}

func TestModelCalls(t *testing.T) {
	table(t, `import { complete, stream, getModel, getProviders, getModels } from "@mariozechner/pi-ai";`, Options{Host: modelHost{}}, map[string]string{
		`complete(getModel("p", "m"), { messages: [] }, { apiKey: "k" }).then((m) => m.content[0].text)`:                                          `"answer"`,
		`(async () => { const seen = []; for await (const e of stream(getModel("p", "m"), { messages: [] })) seen.push(e.type); return seen })()`: `["start","done"]`,
		`[getProviders(), getModels("q")[0].id]`: `[["p","q"],"n"]`,
	})
	table(t, `import { complete, anthropicMessagesApi } from "@earendil-works/pi-ai/compat";`, Options{Host: modelHost{}}, map[string]string{
		`complete({ id: "m" }, { messages: [] }).then((m) => m.content[0].text)`:   `"answer"`,
		`(() => { try { anthropicMessagesApi() } catch (e) { return e.name } })()`: `"UnsupportedError"`,
	})
	if got := evaluate(t, "", `ctx.modelRegistry.getApiKey(ctx.modelRegistry.find("p", "m"))`, Options{Host: modelHost{}}); got != `"key"` {
		t.Errorf("key %s", got)
	}
	if got := evaluate(t, `import { complete } from "@mariozechner/pi-ai";`, `complete({}, {}).catch((e) => e.message)`, Options{}); got != `"not supported by this host: calling a model (complete)"` {
		t.Errorf("without models: %s", got)
	}
}
