package script

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Each file of testdata/standins has the imports of a package, and expressions
// with what the real package of the version that it names makes of them.
func TestStandInsAnswerAsThePackagesDo(t *testing.T) {
	files, err := filepath.Glob("testdata/standins/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no tables:", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			var real struct {
				Imports string                    `json:"imports"`
				Answers map[string]jsontext.Value `json:"answers"`
				Names   map[string]string         `json:"names"`
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &real); err != nil {
				t.Fatal(err)
			}
			if len(real.Answers) == 0 {
				t.Fatal("no answers")
			}
			compareStandIn(t, real.Imports, real.Answers)
			var tried strings.Builder
			for expression := range real.Answers {
				tried.WriteString(expression + "\n")
			}
			compareNames(t, real.Imports, real.Names, tried.String())
		})
	}
}

// compareNames holds each name that a real object has to one of two: it is in the
// table of answers, or asking for it throws with the remedy. And the stand-in has
// no name of its own; sliceByColumn is of oh-my-pi, renderFakeCursor of pi 1.6.0, which are not compared.
func compareNames(t *testing.T, imports string, names map[string]string, tried string) {
	const look = `(object, list) => {
		const all = new Set(list.split(" ")), have = [], own = [], silent = [];
		for (const name of all) {
			if (name in object) { have.push(name); continue; }
			try { object[name]; silent.push(name) } catch (e) { if (!/run "npm install /.test(e.message)) silent.push(name + ": " + e.message) }
		}
		for (let o = object; o && o !== Object.prototype && o !== Function.prototype; o = Object.getPrototypeOf(o)) {
			for (const name of Object.getOwnPropertyNames(o)) if (!all.has(name) && !/^(_|constructor$|prototype$|length$|name$|default$|z$|sliceByColumn$|renderFakeCursor$|$)/.test(name) && !(name in Object.prototype)) own.push(name);
		}
		return { have, own, silent };
	}`
	for expression, list := range names {
		argument, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Have   []string `json:"have"`
			Own    []string `json:"own"`
			Silent []string `json:"silent"`
		}
		answer := evaluate(t, imports, "("+look+")("+expression+", "+string(argument)+")", Options{})
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			t.Fatalf("%s: %v in %s", expression, err, answer)
		}
		if len(got.Silent) > 0 || len(got.Own) > 0 {
			t.Errorf("%s passes over %v, and has of its own %v", expression, got.Silent, got.Own)
		}
		for _, name := range got.Have {
			if !strings.Contains(tried, name) {
				t.Errorf("%s has %s, which no expression tries", expression, name)
			}
		}
	}
}

func compareStandIn(t *testing.T, imports string, answers map[string]jsontext.Value) {
	var list strings.Builder
	for expression := range answers {
		fmt.Fprintf(&list, "%q: () => (%s),\n", expression, expression)
	}
	m := loadSource(t, imports+`
		const table = {`+list.String()+`};
		export default (pi) => { pi.on("e", ({ key }) => { try { return { v: table[key]() ?? null } } catch (e) { return { v: "throws " + e.message } } }) }`, Options{})
	for expression, want := range answers {
		payload, err := json.Marshal(map[string]string{"key": expression})
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Dispatch(context.Background(), Call{Event: "e", Payload: payload})
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		var got struct {
			V jsontext.Value `json:"v"`
		}
		if err := json.Unmarshal(r.Result, &got); err != nil {
			t.Errorf("%s: %v in %s", expression, err, r.Result)
			continue
		}
		if err := got.V.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if err := want.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if string(got.V) != string(want) {
			t.Errorf("%s\n got %s\nwant %s", expression, got.V, want)
		}
	}
}

// What a stand-in lacks fails where the module is loaded, with the remedy, however
// the package is imported.
func TestStandInsRefuseWhatTheyLack(t *testing.T) {
	for _, source := range []string{
		`import { refine } from "zod"; refine();`,
		`import * as z from "zod"; z.preprocess();`,
		`import z from "zod"; z.string().refine(() => false);`,
		`import { z } from "zod/v4"; z.string().transform(() => 1);`,
		`import * as all from "zod"; const { coerce } = all;`,
		`const z = await import("zod"); z.coerce.number();`,
		`import { z } from "zod"; z.string().min(1, { abort: true });`,
		`import { z } from "zod"; z.string().min(1, { error: () => "x" });`,
		`import { z } from "zod"; z.object({}).catchall(z.string());`,
		`import { z } from "zod"; z.record(z.enum(["a"]), z.string());`,
		`import { z } from "@mariozechner/pi-coding-agent"; z.string().email();`,
		`import { Type } from "@sinclair/typebox"; Type.Transform(Type.String());`,
		`import { Type } from "@sinclair/typebox"; Type.Optional(Type.String(), false);`,
		`import { Type } from "@sinclair/typebox"; import { Value } from "@sinclair/typebox/value"; Value.Check(Type.String({ format: "email" }), "a");`,
		`import { Type } from "@sinclair/typebox"; import { TypeCompiler } from "@sinclair/typebox/compiler"; TypeCompiler.Compile(Type.Array(Type.Any(), { contains: Type.Null() }));`,
		`import { Type } from "typebox"; Type.Refine(Type.String(), () => false);`,
		`import { Type } from "typebox"; import { Compile } from "typebox/compile"; Compile({ type: "object", minProperties: 1 });`,
		`import chalk from "chalk"; chalk.visible("x");`,
		`import { Chalk } from "chalk"; new Chalk({ level: 1 });`,
		`import { setKeybindings } from "@mariozechner/pi-tui"; setKeybindings({});`,
		`import { Editor } from "@mariozechner/pi-tui"; new Editor().setAutocompleteProvider({});`,
		`import { SelectList } from "@mariozechner/pi-tui"; new SelectList([], 1, {}, { minPrimaryColumnWidth: 3 });`,
	} {
		_, err := Load(t.Context(), write(t, "hook.ts", source+"\nexport default (pi) => {}"), Options{Cache: sharedCache})
		if err == nil || !strings.Contains(err.Error(), `run "npm install `) {
			t.Errorf("%s\ngives %v", source, err)
		}
	}
}

// A package that is installed beside the module, or above it, is taken instead of
// its stand-in; what approval covers has its files; and one that is installed later
// is found without a change of the module.
func TestInstalledPackagesComeBeforeStandIns(t *testing.T) {
	const source = "import { z } from 'zod';\nexport default (pi) => { pi.on('e', () => ({ v: z.own ?? null })) }"
	for _, name := range []string{"hook.ts", "sub/hook.ts", ".omp/hooks/hook.ts"} {
		path := write(t, name, strings.ReplaceAll(source, "z.own ??", `"own" in z ? z.own :`))
		root := strings.TrimSuffix(path, filepath.FromSlash(name))
		o := Options{Cache: NewCache(t.TempDir())}
		if got := fire(t, load(t, path, o), "e", "{}"); got != `{"v":null}` {
			t.Errorf("%s: without the package: %s", name, got)
		}
		pkg := filepath.Join(root, "node_modules", "zod")
		for file, text := range map[string]string{"package.json": `{"main":"main.js"}`, "main.js": `export { z } from "./z.js"`, "z.js": `export const z = { own: 1 }`} {
			if err := os.MkdirAll(pkg, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(pkg, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := fire(t, load(t, path, o), "e", "{}"); got != `{"v":1}` {
			t.Errorf("%s: with the package: %s", name, got)
		}
		files, _, err := Inspect(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{path, filepath.Join(pkg, "package.json"), filepath.Join(pkg, "main.js"), filepath.Join(pkg, "z.js")} {
			if !slices.ContainsFunc(files, func(f File) bool { return f.Path == want }) {
				t.Errorf("%s: %s is not among the files %v", name, want, files)
			}
		}
	}
}

// A tool's parameters may be a schema that checks values itself, as zod's do.
func TestToolsTakeSchemasThatCheckThemselves(t *testing.T) {
	m := loadSource(t, `import { z } from "zod";
		export default (pi) => {
			pi.registerTool({ name: "t", parameters: z.object({ a: z.string().min(2), b: z.string().default("x") }), execute: (id, args) => JSON.stringify(args) });
			pi.on("e", () => {});
		}`, Options{})
	if got := string(m.Info().Tools[0].Parameters); !strings.Contains(got, `"minLength":2`) || strings.Contains(got, "$schema") {
		t.Errorf("parameters %s", got)
	}
	for input, want := range map[string]string{`{"a":"ok","c":1}`: `{\"a\":\"ok\",\"b\":\"x\"}`, `{"a":"o"}`: `a: Too small`} {
		got, err := m.RunTool(t.Context(), "t", "1", []byte(input), nil)
		if !strings.Contains(fmt.Sprint(string(got), err), want) {
			t.Errorf("%s gives %s, %v", input, got, err)
		}
	}
	_, err := Load(t.Context(), write(t, "hook.ts", `export default (pi) => pi.registerTool({ name: "t", parameters: { "~standard": {} }, execute() {} })`), Options{Cache: sharedCache})
	if err == nil || !strings.Contains(err.Error(), "zod 4.2 or later") {
		t.Errorf("a schema that is none of JSON loads: %v", err)
	}
}
