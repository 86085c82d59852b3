package policy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var quoted = regexp.MustCompile("`([^`]+)`")

// firstCells are the names between backquotes in the first cells of the tables of a page.
func firstCells(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// covers reports whether a name, of which "x/..." stands for all below x, is about another.
func covers(name, other string) bool {
	below, all := strings.CutSuffix(name, "...")
	return name == other || all && strings.HasPrefix(other, below)
}

// TestRoomsAreThoseOfTheArchitecture: each package stands in the table of the rooms, and the
// table names none that is not there.
func TestRoomsAreThoseOfTheArchitecture(t *testing.T) {
	rooms := firstCells(t, "architecture.md")
	var there []string
	for _, dir := range packages(t) {
		there = append(there, strings.TrimPrefix(importPath(dir), module+"/"))
	}
	for _, room := range rooms {
		if !slices.ContainsFunc(there, func(p string) bool { return covers(room, p) }) {
			t.Errorf("architecture.md has a room %s, and there is no such package", room)
		}
	}
	for _, p := range there {
		if !slices.ContainsFunc(rooms, func(room string) bool { return covers(room, p) }) {
			t.Errorf("architecture.md has no room for %s", p)
		}
	}
}

// TestDependenciesHaveAReason: each module that is required stands in the table of
// dependencies, and the table names none that is not.
func TestDependenciesHaveAReason(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var required []string
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(text), -1) { // those that are indirect say so behind it
		required = append(required, regexp.MustCompile(`/v\d+$`).ReplaceAllString(strings.TrimPrefix(m[1], "github.com/"), ""))
	}
	reasons := firstCells(t, "decisions.md")
	is := func(reason, m string) bool { return reason == m || strings.HasPrefix(m, reason+"/") }
	for _, m := range required {
		if !slices.ContainsFunc(reasons, func(reason string) bool { return is(reason, m) }) {
			t.Errorf("decisions.md has no reason for %s", m)
		}
	}
	for _, reason := range reasons {
		if !slices.ContainsFunc(required, func(m string) bool { return is(reason, m) }) {
			t.Errorf("decisions.md has a reason for %s, which go.mod does not require", reason)
		}
	}
	if len(required) < 20 {
		t.Errorf("only %d modules were found", len(required))
	}
}
