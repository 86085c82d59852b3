package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/recipe"
)

// fileSchemas are the schemas of files that people write, and of what workers say.
var fileSchemas = []string{"config", "settings", "hooktest", "plugin", "recipe", "worker"}

func schemaText(t *testing.T, name string) []byte {
	t.Helper()
	b, err := (&app{dialects: all.Dialects()}).findSchema(name, (&app{dialects: all.Dialects()}).schemas())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func parsedSchema(t *testing.T, name string) (*jsonschema.Schema, *jsonschema.Resolved) {
	t.Helper()
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(schemaText(t, name), s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s, r
}

// TestSchemasAreFresh: docs/schemas has what the command prints. 'make docs' writes it.
func TestSchemasAreFresh(t *testing.T) {
	for _, name := range fileSchemas {
		path := filepath.Join("..", "..", "docs", "schemas", name+".schema.json")
		want := schemaText(t, name)
		if got, err := os.ReadFile(path); err == nil && bytes.Equal(got, want) {
			continue
		}
		if os.Getenv("UPDATE_DOCS") == "" {
			t.Errorf("%s is stale; run 'make docs'", path)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// madeFile is a file of the documentation, the examples or the tests.
type madeFile struct{ from, text string }

// writtenFiles are all files and blocks of pages that might be something that people write.
func writtenFiles(t *testing.T) (out []madeFile) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "schemas" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		ext := filepath.Ext(path)
		if !slices.Contains([]string{".md", ".txtar", ".json", ".yaml"}, ext) || !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch ext {
		case ".txtar":
			for _, f := range txtar.Parse(data).Files {
				out = append(out, madeFile{path + "/" + f.Name, string(f.Data)})
			}
		case ".md":
			for i, block := range strings.Split("\n"+string(data), "\n```") {
				if _, text, ok := strings.Cut(block, "\n"); ok && i%2 == 1 {
					out = append(out, madeFile{path, text})
				}
			}
		}
		out = append(out, madeFile{path, string(data)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// readers say of each schema which texts are files of its kind without a fault, and what is in
// them.
var readers = map[string]func(madeFile) (any, bool){
	"config": func(w madeFile) (any, bool) {
		f, diags := config.Parse(w.from, []byte(w.text))
		return jsonValue(w), f != nil && len(diags) == 0
	},
	"settings": func(w madeFile) (any, bool) {
		s, diags := claude.ParseSettings(w.from, []byte(w.text), claude.Options{Scope: claude.ScopeUser})
		return jsonValue(w), len(diags) == 0 && len(s.Entries) > 0
	},
	"hooktest": func(w madeFile) (any, bool) {
		_, err := parseTests(w.from, []byte(w.text))
		return yamlValue(w.text), err == nil
	},
	"plugin": func(w madeFile) (any, bool) {
		if !strings.HasSuffix(w.from, ".claude-plugin/plugin.json") && !strings.Contains(w.from, "plugins.md") {
			return nil, false
		}
		v, _ := jsonValue(w).(map[string]any)
		return v, v["name"] != nil && v["plugins"] == nil
	},
	"recipe": func(w madeFile) (any, bool) {
		r, diags, err := recipe.Parse("r", w.from, recipe.Template, []byte(w.text))
		if err != nil || len(diags) > 0 || r.Description == "" {
			return nil, false
		}
		doc, err := frontmatter.Split(w.from, []byte(w.text))
		if err != nil {
			return nil, false
		}
		return yamlValue(doc.Header), true
	},
}

func jsonValue(w madeFile) (v any) {
	text, err := hujson.Standardize([]byte(w.text)) // such files may have comments
	if err != nil || json.Unmarshal(text, &v) != nil {
		return nil
	}
	return v
}

func yamlValue(text string) (v any) {
	if yaml.Load([]byte(text), &v) != nil {
		return nil
	}
	return v
}

// TestSchemasTakeValidFiles: whatever the documentation, the examples and the tests have, and
// is read without a fault, fits its schema.
func TestSchemasTakeValidFiles(t *testing.T) {
	files := writtenFiles(t)
	for name, read := range readers {
		_, schema := parsedSchema(t, name)
		n := 0
		for _, w := range files {
			v, ok := read(w)
			if !ok {
				continue
			}
			n++
			if err := schema.Validate(v); err != nil {
				t.Errorf("%s: %s is refused: %v\n%s", name, w.from, err, w.text)
			}
		}
		if least := map[string]int{"config": 15, "settings": 60, "hooktest": 10, "plugin": 2, "recipe": 5}[name]; n < least {
			t.Errorf("only %d files of kind %s were found", n, name)
		}
	}
}

// whole makes a value that has every member that a schema names.
func whole(root, s *jsonschema.Schema) any {
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		return whole(root, root.Defs[name])
	}
	typ := s.Type
	if typ == "" && len(s.Types) > 0 {
		typ = s.Types[0]
	}
	switch {
	case s.Const != nil:
		return *s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case typ == "object" || s.Properties != nil:
		out := map[string]any{}
		for k, p := range s.Properties {
			out[k] = whole(root, p)
		}
		if s.Properties == nil && s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
			out["free"] = whole(root, s.AdditionalProperties)
		}
		return out
	case typ == "array" && s.Items != nil:
		return []any{whole(root, s.Items)}
	case typ == "array":
		return []any{}
	case typ == "integer" || typ == "number":
		return 1.0
	case typ == "boolean":
		return true
	case typ == "string" || s.AnyOf == nil:
		return "x"
	}
	for _, a := range s.AnyOf { // the one with members, if there is one
		if v, ok := whole(root, a).(map[string]any); ok && len(v) > 0 {
			return v
		}
	}
	return whole(root, s.AnyOf[0])
}

// misspellings are what a hand makes of a name: a letter too few, one twice, two exchanged,
// another case.
func misspellings(name string) []string {
	i := len(name) / 2
	out := []string{name[:i] + name[i+1:], name[:i] + name[i:i+1] + name[i:], name[:i-1] + name[i:i+1] + name[i-1:i] + name[i+1:], name + "s", name[1:]}
	if upper := strings.ToUpper(name); upper != name {
		out = append(out, upper)
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == name })
}

// misspell puts each misspelling of each key in its place, once for objects with the same keys,
// and calls try.
func misspell(v any, seen map[string]bool, try func(key, misspelt string)) {
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		id := strings.Join(keys, " ")
		if seen[id] {
			return
		}
		seen[id] = true
		for _, k := range keys {
			if k == "free" { // any name will do there
				continue
			}
			if len(k) > 2 {
				for _, m := range misspellings(k) {
					if _, taken := v[m]; taken {
						continue // which is a name too
					}
					v[m] = v[k]
					delete(v, k)
					try(k, m)
					v[k] = v[m]
					delete(v, m)
				}
			}
			misspell(v[k], seen, try)
		}
	case []any:
		for _, e := range v {
			misspell(e, seen, try)
		}
	}
}

// TestSchemasRefuseMisspeltKeys: a file with everything fits, and no longer does when any of its
// keys is misspelt.
func TestSchemasRefuseMisspeltKeys(t *testing.T) {
	for _, name := range fileSchemas {
		root, schema := parsedSchema(t, name)
		kinds := []*jsonschema.Schema{root}
		if name == "worker" {
			kinds = nil
			for _, k := range slices.Sorted(maps.Keys(root.Defs)) {
				kinds = append(kinds, root.Defs[k])
			}
		}
		tried := 0
		for _, kind := range kinds {
			v := whole(root, kind)
			if err := schema.Validate(v); err != nil {
				t.Errorf("%s: a file with everything is refused: %v\n%v", name, err, v)
				continue
			}
			misspell(v, map[string]bool{}, func(key, misspelt string) {
				tried++
				if schema.Validate(v) == nil {
					t.Errorf("%s: %s passes for %s", name, misspelt, key)
				}
			})
		}
		if tried < 50 {
			t.Errorf("%s: only %d misspellings were tried", name, tried)
		}
	}
}

// TestSchemaMayBeNamed: the key that tells editors is not a fault to those who read the files.
func TestSchemaMayBeNamed(t *testing.T) {
	const key = `"$schema": "https://example.com/x.schema.json"`
	for name, text := range map[string]string{
		"config":   `{` + key + `, "strict": true}`,
		"settings": `{` + key + `, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`,
		"hooktest": "$schema: x\ntests: [{event: Stop, expect: {decision: none}}]\n",
		"recipe":   "---\n$schema: x\ndescription: a recipe\n---\ntext\n",
	} {
		v, ok := readers[name](madeFile{name, text})
		if _, schema := parsedSchema(t, name); !ok || schema.Validate(v) != nil {
			t.Errorf("%s: it is a fault (%v), or its schema refuses it: %v", name, !ok, schema.Validate(v))
		}
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".claude-plugin"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := []byte(`{` + key + `, "name": "p"}`)
	if err := os.WriteFile(filepath.Join(dir, ".claude-plugin", "plugin.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	c, diags := plugin.ReadClaude(dir)
	if _, schema := parsedSchema(t, "plugin"); c == nil || len(diags) > 0 || schema.Validate(jsonValue(madeFile{text: string(text)})) != nil {
		t.Errorf("plugin: %v", diags)
	}
}
