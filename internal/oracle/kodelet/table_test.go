package kodelet

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestDeclaredDifferencesAreInTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/dialects/kodelet.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range DeclaredDifferences {
		if row := fmt.Sprintf("| %s | %s |\n", d.What, d.Reason); !strings.Contains(string(page), row) {
			t.Errorf("docs/dialects/kodelet.md has no row %s", row)
		}
	}
}
