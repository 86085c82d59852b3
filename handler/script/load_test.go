package script

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLoadErrorsAreLocated(t *testing.T) {
	good := `export default (pi) => { pi.on("agent_start", () => ({ ok: true })) }`
	for name, c := range map[string]struct {
		src  string
		at   string // line:column, "" when only the file is known
		want string
	}{
		"throws":             {"const x: number = 1;\n\nthrow new RangeError('bad day ' + x);\nexport default () => {}", "3:11", "RangeError: bad day 1"},
		"factory throws":     {"export default function (pi) {\n\tpi.nope.x();\n}", "2:5", "cannot read property 'x' of undefined"},
		"async throws":       {"import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';\nexport default async function (pi: ExtensionAPI) {\n\tawait null;\n\tthrow new Error('later');\n}", "4:12", "later"},
		"top-level await":    {"await null;\nthrow new Error('awaited');\nexport default () => {}", "2:11", "awaited"},
		"exports nothing":    {"const x = 1;", "", "Hook must export a default function"},
		"exports a number":   {"export default 42;", "", "Hook must export a default function"},
		"two defaults":       {"export default () => {};\nexport default () => {};", "2:8", "Multiple exports with the same name \"default\""},
		"syntax error":       {"export default (pi) => {\n\tconst = 3;\n}", "2:8", "Expected identifier"},
		"missing package":    {"import x from 'left-pad';\nexport default () => x;", "1:15", "Could not resolve \"left-pad\""},
		"missing file":       {"\nimport x from './gone.js';\nexport default () => x;", "2:15", "Could not resolve \"./gone.js\""},
		"missing built-in":   {"import v8 from 'node:v8';\nexport default () => v8;", "1:16", "the Node built-in \"node:v8\" is not supported"},
		"bun":                {"import { SQL } from 'bun';\nexport default () => SQL;", "1:21", "needs Bun"},
		"network":            {"import x from 'https://example.com/x.js';\nexport default () => x;", "1:15", "not loaded from the network"},
		"no such export":     {"import { nope } from '@mariozechner/pi-tui';\nexport default () => nope();", "2:22", `nope of the host's package; put "// hookline: runtime=node"`},
		"no such package":    {"import { nope } from '@mariozechner/pi-web-ui';\nexport default () => nope();", "1:22", "host package"},
		"jsx":                {"export default () => <b/>;", "1:", ""},
		"action while loads": {"export default (pi) => pi.sendMessage({ customType: 'x', content: 'y' })", "", "sendMessage handler not initialized"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "hook.ts", c.src)
			_, err := Load(context.Background(), path, Options{Cache: sharedCache})
			e, ok := errors.AsType[*LoadError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			where := path
			if c.at != "" {
				where += ":" + c.at
			}
			if got := e.Problems[0].Position(); !strings.HasPrefix(got, where) {
				t.Errorf("located at %s, want %s", got, where)
			}
			if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "Failed to load hook: ") {
				t.Errorf("message %q lacks %q", err, c.want)
			}
			next := loadSource(t, good, Options{})
			if got := fire(t, next, "agent_start", "{}"); got != `{"ok":true}` {
				t.Errorf("the next module answered %s", got)
			}
		})
	}
}

func TestNotAModule(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.ts")
	if err := os.WriteFile(big, []byte("//"+strings.Repeat("x", 50<<20)), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"binary":    {write(t, "x.ts", "\x7fELF\x00\x01"), "not text"},
		"utf-16":    {write(t, "x.ts", "\xff\xfee\x00"), "not text"},
		"50 MB":     {big, "more than the limit"},
		"missing":   {filepath.Join(dir, "gone.ts"), "cannot be read"},
		"directory": {dir, "no index.ts"},
		"import big": {
			write(t, "x.ts", "import '"+filepath.ToSlash(big)+"';\nexport default () => {}"),
			"more than the limit",
		},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := Load(context.Background(), c.path, Options{Cache: sharedCache})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v", err)
			}
			if time.Since(start) > 20*time.Second {
				t.Error("it took far too long to say so")
			}
		})
	}
}

func TestModulesThatAreFine(t *testing.T) {
	for name, src := range map[string]string{
		"imports itself": "import * as me from './hook.ts';\nexport default (pi) => { pi.on('e', () => ({ ok: typeof me.default === 'function' })) }",
		"commonjs":       "module.exports = (pi) => { pi.on('e', () => ({ ok: true })) }",
		"commonjs default": "Object.defineProperty(exports, '__esModule', { value: true });\n" +
			"exports.default = (pi) => { pi.on('e', () => ({ ok: true })) }",
		"typescript": "enum Color { Red = 1 }\nnamespace N { export const x = 2 }\nclass P { constructor(private a = 1) {} get() { return this.a } }\n" +
			"export default (pi: any) => { pi.on('e', () => ({ ok: Color.Red === 1 && N.x === 2 && new P().get() === 1 } satisfies object)) }",
		"named too":       "export const other = () => {};\nexport default (pi) => { pi.on('e', () => ({ ok: true })) }",
		"type imports":    "import type { Foo } from 'not-installed';\nimport { type Bar } from 'not-installed-either';\nexport default (pi) => { pi.on('e', (x: Foo | Bar) => ({ ok: true })) }",
		"top-level await": "const v = await Promise.resolve(true);\nexport default (pi) => { pi.on('e', () => ({ ok: v })) }",
		"own path":        "import { basename } from 'node:path';\nexport default (pi) => { pi.on('e', () => ({ ok: import.meta.url.endsWith('/hook.ts') && basename(__filename) === 'hook.ts' })) }",
		"dynamic import":  "export default (pi) => { pi.on('e', async () => ({ ok: typeof (await import('node:path')).join === 'function' })) }",
		"byte order mark": "\ufeffexport default (pi) => { pi.on('e', () => ({ ok: true })) }",
		"using":           "export default (pi) => { pi.on('e', () => { let ok = false; { using x = { [Symbol.dispose]() { ok = true } }; } return { ok } }) }",
	} {
		t.Run(name, func(t *testing.T) {
			m := loadSource(t, src, Options{Grants: GrantAll()})
			if got := fire(t, m, "e", "{}"); got != `{"ok":true}` {
				t.Errorf("answered %s", got)
			}
		})
	}
}

func TestRelativeImportsAndPackagesAreBundledAndListed(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"index.ts":                        "import { greet } from './lib/greet.js';\nimport shout from 'shout';\nimport data from './data.json';\nexport default (pi) => { pi.on('e', () => ({ text: shout(greet(data.name)) })) }",
		"lib/greet.ts":                    "export const greet = (name: string) => `hello ${name}`;",
		"data.json":                       `{"name":"ann"}`,
		"node_modules/shout/package.json": `{"name":"shout","main":"./lib.js"}`,
		"node_modules/shout/lib.js":       "module.exports = (s) => s.toUpperCase();",
		"unused.ts":                       "export {};",
	}
	for name, src := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := load(t, dir, Options{})
	if got := fire(t, m, "e", "{}"); got != `{"text":"HELLO ANN"}` {
		t.Fatalf("answered %s", got)
	}
	got := map[string]bool{}
	for _, f := range m.Files() {
		rel, err := filepath.Rel(dir, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.ToSlash(rel)] = f.Digest == digest(files[filepath.ToSlash(rel)])
	}
	delete(files, "unused.ts")
	for name := range files {
		if !got[name] {
			t.Errorf("%s is not listed with its digest", name)
		}
	}
	if len(got) != len(files) {
		t.Errorf("listed %v", got)
	}
}

func TestErrorInImportedFileNamesIt(t *testing.T) {
	dir := t.TempDir()
	entry := filepath.Join(dir, "hook.ts")
	if err := os.WriteFile(entry, []byte("import { f } from './b';\nexport default (pi) => { pi.on('e', () => f()) }"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.ts"), []byte("interface A { x: number }\n\nexport function f(): A {\n  throw new TypeError('deep');\n}"), 0o644); err != nil {
		t.Fatal(err)
	}
	m := load(t, entry, Options{})
	_, err := m.Dispatch(context.Background(), Call{Event: "e", Payload: []byte("{}")})
	js, ok := errors.AsType[*Error](err)
	if !ok || js.Position.File != filepath.Join(dir, "b.ts") || js.Position.Line != 4 {
		t.Fatalf("got %v at %v", err, js)
	}
	if !strings.Contains(js.Stack, entry+":2:") {
		t.Errorf("stack %q", js.Stack)
	}
}

func TestOriginIsToldByTheText(t *testing.T) {
	for name, c := range map[string]struct {
		file, src string
		family    Family
		kind      Kind
	}{
		"omp hook":      {"h.ts", `import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";`, FamilyOMP, KindHook},
		"omp extension": {"h.ts", `import type { ExtensionAPI } from "@oh-my-pi/pi-coding-agent";`, FamilyOMP, KindExtension},
		"pi extension":  {"h.ts", `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";`, FamilyPi, KindExtension},
		"pi folder":     {".pi/extensions/h.ts", ``, FamilyPi, KindExtension},
		"omp folder":    {".omp/hooks/h.ts", ``, FamilyOMP, KindHook},
		"nothing":       {"h.ts", ``, FamilyOMP, KindHook},
	} {
		t.Run(name, func(t *testing.T) {
			m := load(t, write(t, c.file, c.src+"\nexport default () => {}"), Options{})
			if info := m.Info(); info.Family != c.family || info.Kind != c.kind {
				t.Errorf("took it for %s %s", info.Family, info.Kind)
			}
		})
	}
}

func TestCacheFollowsContent(t *testing.T) {
	dir := t.TempDir()
	path := write(t, "hook.ts", `export default (pi) => { pi.on("e", () => ({ n: 1 })) }`)
	answer := func() string {
		t.Helper()
		return fire(t, load(t, path, Options{Cache: NewCache(dir)}), "e", "{}")
	}
	if got := answer(); got != `{"n":1}` {
		t.Fatalf("got %s", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Fatalf("nothing was stored: %v", err)
	}
	if got := answer(); got != `{"n":1}` {
		t.Fatalf("from the cache: %s", got)
	}
	if err := os.WriteFile(path, []byte(`export default (pi) => { pi.on("e", () => ({ n: 2 })) }`), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := answer(); got != `{"n":2}` {
		t.Fatalf("a changed file was answered from the cache: %s", got)
	}
	for _, e := range entries {
		if err := os.WriteFile(filepath.Join(dir, e.Name()), []byte("garbage"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := answer(); got != `{"n":2}` {
		t.Fatalf("with a damaged cache: %s", got)
	}
}

func TestCacheForgetsWhatIsOld(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.code")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().AddDate(-1, 0, 0)); err != nil {
		t.Fatal(err)
	}
	load(t, write(t, "hook.ts", "export default () => {}"), Options{Cache: NewCache(dir)})
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestHeaderRequests(t *testing.T) {
	m := loadSource(t, "#!/usr/bin/env node\n// A hook.\n// hookline: exec, net:example.com\n//hookline: read:./data\n\nexport default () => {};\n// hookline: write:/", Options{})
	if got := strings.Join(m.Info().Requests, " "); got != "exec net:example.com read:./data" {
		t.Errorf("requests %q", got)
	}
}

func TestNamesStayAsGivenBehindALink(t *testing.T) {
	real := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for name, src := range map[string]string{
		"hook.ts": "import { f } from './b';\nexport default (pi) => { pi.on('e', () => f()) }",
		"b.ts":    "export const f = () => {\n\tthrow new Error('here');\n}",
	} {
		if err := os.WriteFile(filepath.Join(real, name), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := load(t, filepath.Join(link, "hook.ts"), Options{})
	_, err := m.Dispatch(context.Background(), Call{Event: "e", Payload: []byte("{}")})
	if js, ok := errors.AsType[*Error](err); !ok || js.Position.String() != filepath.Join(link, "b.ts")+":2:12" {
		t.Errorf("located %v", err)
	}
	for _, f := range m.Files() {
		if filepath.Dir(f.Path) != link {
			t.Errorf("listed as %s", f.Path)
		}
	}
}
