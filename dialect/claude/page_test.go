package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPageNamesEveryTypeAndMember: what a hook of a settings file can have is on the
// dialect's page, where it tells of the entry.
func TestPageNamesEveryTypeAndMember(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "dialects", "claude.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, entry, _ := strings.Cut(string(b), "\n## The entry\n")
	entry, _, _ = strings.Cut(entry, "\n## ")
	names := typeNames()
	for _, f := range handlerFields {
		names = append(names, f.name)
	}
	for _, name := range names {
		if !strings.Contains(entry, "`"+name+"`") {
			t.Errorf("docs/dialects/claude.md does not name %s: add it to the table of a hook's members", name)
		}
	}
}
