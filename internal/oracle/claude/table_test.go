package claude

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestDeclaredDifferencesAreInTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/dialects/claude.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| declared difference | reason |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "<!-- declared ends -->")
	var want strings.Builder
	for _, d := range DeclaredDifferences {
		fmt.Fprintf(&want, "| %s | %s |\n", d.What, d.Reason)
	}
	if strings.TrimSpace(table) != strings.TrimSpace(want.String()) {
		t.Errorf("docs/dialects/claude.md has\n%s\nit should have\n%s", table, &want)
	}
}

func TestCellsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Cases() {
		if seen[c.Name] {
			t.Errorf("two cells are called %s", c.Name)
		}
		seen[c.Name] = true
	}
}
