package plugin_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/plugin"
)

func file(p string) plugin.PlanEntry         { return plugin.PlanEntry{Path: p} }
func link(p, target string) plugin.PlanEntry { return plugin.PlanEntry{Path: p, Target: target} }

func TestLinksInsideBecomeCopies(t *testing.T) {
	got, err := plugin.Plan([]plugin.PlanEntry{
		file("lib/a.py"), file("lib/deep/b.py"),
		link("hooks/a.py", "../lib/a.py"), link("hooks/lib", "../lib"), link("hooks/again", "lib/deep"),
		link("hooks/chain", "a.py"), link("skills/x/shared", "../../lib"), link("lib/self.py", "a.py"),
	}, plugin.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"lib/a.py": "lib/a.py", "lib/deep/b.py": "lib/deep/b.py", "lib/self.py": "lib/a.py",
		"hooks/a.py": "lib/a.py", "hooks/chain": "lib/a.py", "hooks/again/b.py": "lib/deep/b.py",
		"hooks/lib/a.py": "lib/a.py", "hooks/lib/deep/b.py": "lib/deep/b.py", "hooks/lib/self.py": "lib/a.py",
		"skills/x/shared/a.py": "lib/a.py", "skills/x/shared/deep/b.py": "lib/deep/b.py", "skills/x/shared/self.py": "lib/a.py",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestPlanRefuses(t *testing.T) {
	tests := []struct {
		name, reason string
		entries      []plugin.PlanEntry
	}{
		{"parent", "contains . or ..", []plugin.PlanEntry{file("../x")}},
		{"parent inside", "contains . or ..", []plugin.PlanEntry{file("a/../../b")}},
		{"absolute", "absolute", []plugin.PlanEntry{file("/etc/x")}},
		{"empty part", "empty part", []plugin.PlanEntry{file("a//b")}},
		{"backslash", "backslash", []plugin.PlanEntry{file(`..\x`)}},
		{"drive", "backslash", []plugin.PlanEntry{file(`C:\x`)}},
		{"newline", "control character U+000A", []plugin.PlanEntry{file("hooks/a\nb")}},
		{"escape", "control character U+001B", []plugin.PlanEntry{file("hooks/\x1b[2J")}},
		{"C1", "control character U+009B", []plugin.PlanEntry{file("hooks/\u009b2J")}},
		{"direction", "invisible character U+202E", []plugin.PlanEntry{file("hooks/\u202egpj")}},
		{"not UTF-8", "not UTF-8", []plugin.PlanEntry{file("hooks/\xff")}},
		{"trailing dot", "dot or space", []plugin.PlanEntry{file("hooks/a.")}},
		{"git", "git directory", []plugin.PlanEntry{file(".git/hooks/x")}},
		{"git spelled", "git directory", []plugin.PlanEntry{file("sub/.GiT/config")}},
		{"git short", "git directory", []plugin.PlanEntry{file("GIT~1/config")}},
		{"git stream", "git directory", []plugin.PlanEntry{file(".git::$INDEX_ALLOCATION/config")}},
		{"case", "upper and lower case", []plugin.PlanEntry{file("hooks/Run"), file("hooks/run")}},
		{"case of directory", "upper and lower case", []plugin.PlanEntry{file("Hooks/a"), file("hooks/b")}},
		{"kelvin", "upper and lower case", []plugin.PlanEntry{file("hooks/k"), file("hooks/\u212a")}},
		{"twice", "twice", []plugin.PlanEntry{file("a"), file("a")}},
		{"submodule", "submodule", []plugin.PlanEntry{{Path: "hooks", Submodule: true}}},
		{"link absolute", "out of the plugin", []plugin.PlanEntry{link("hooks/x", "/etc/passwd")}},
		{"link up", "out of the plugin", []plugin.PlanEntry{link("hooks/x", "../../x")}},
		{"link up and back", "out of the plugin", []plugin.PlanEntry{file("hooks/y"), link("hooks/x", "../../repo/hooks/y")}},
		{"link by link", "out of the plugin", []plugin.PlanEntry{link("a", "b"), link("b", "../x")}},
		{"link through link", "out of the plugin", []plugin.PlanEntry{link("d", "/etc"), link("x", "d/passwd")}},
		{"link drive", "out of the plugin", []plugin.PlanEntry{link("x", "C:/x")}},
		{"link backslash", "out of the plugin", []plugin.PlanEntry{link("x", `..\x`)}},
		{"dangling", "not in the plugin", []plugin.PlanEntry{link("x", "nowhere")}},
		{"circle", "circle", []plugin.PlanEntry{link("a", "b"), link("b", "a")}},
		{"itself", "circle", []plugin.PlanEntry{link("a", "a")}},
		{"own directory", "in itself", []plugin.PlanEntry{file("d/f"), link("d/loop", "../d")}},
		{"top", "in itself", []plugin.PlanEntry{file("f"), link("loop", ".")}},
		{"mutual", "in itself", []plugin.PlanEntry{file("a/f"), file("b/f"), link("a/b", "../b"), link("b/a", "../a")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := plugin.Plan(tt.entries, plugin.Limits{})
			if _, ok := errors.AsType[*plugin.RefusedError](err); !ok || !strings.Contains(err.Error(), tt.reason) {
				t.Fatalf("got %v, want a refusal that says %q", err, tt.reason)
			}
			if strings.ContainsAny(err.Error(), "\n\x1b\u009b\u202e") {
				t.Errorf("%q carries the trick on", err)
			}
		})
	}
}

func TestPlanCountsWhatLinksMultiply(t *testing.T) {
	// Ten directories that each hold ten links to the one before: ten billion files.
	entries := []plugin.PlanEntry{file("d0/f")}
	for i := 1; i < 10; i++ {
		for j := range 10 {
			entries = append(entries, link(fmt.Sprintf("d%d/l%d", i, j), fmt.Sprintf("../d%d", i-1)))
		}
	}
	if _, err := plugin.Plan(entries, plugin.Limits{}); err == nil || !strings.Contains(err.Error(), "more than 10000 files") {
		t.Errorf("got %v", err)
	}
	if _, err := plugin.Plan([]plugin.PlanEntry{{Path: "blob", Size: 2 << 30}}, plugin.Limits{}); err == nil || !strings.Contains(err.Error(), "256 MiB") {
		t.Errorf("got %v", err)
	}
	big := []plugin.PlanEntry{{Path: "big", Size: 1 << 20}, link("l1", "big"), link("l2", "big")}
	if _, err := plugin.Plan(big, plugin.Limits{Bytes: 2 << 20}); err == nil || !strings.Contains(err.Error(), "2 MiB") {
		t.Errorf("got %v", err)
	}
}

func FuzzPlan(f *testing.F) {
	f.Add("hooks/a", "lib", "../lib", "x/y")
	f.Add("a", "b", "a", "b")
	f.Add("a/b", "a/c", "..", "a")
	f.Add("../x", "/x", "C:x", "\u212a")
	f.Fuzz(func(t *testing.T, p1, p2, target, p3 string) {
		if target == "" {
			return // what has no target is a file here
		}
		files, err := plugin.Plan([]plugin.PlanEntry{file(p1), link(p2, target), file(p3)}, plugin.Limits{})
		if err != nil {
			return
		}
		for p, from := range files {
			if !filepath.IsLocal(filepath.FromSlash(p)) || strings.Contains(p, `\`) || (from != p1 && from != p3) {
				t.Fatalf("%q, %q -> %q, %q gave %q from %q", p1, p2, target, p3, p, from)
			}
		}
	})
}
