package trust

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPageNamesTestsThatExist holds docs/security.md to the tests that it
// names.
func TestSecurityPageNamesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z/]+): ((?:Test|Fuzz)[A-Za-z0-9]+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 60 {
		t.Fatalf("only %d tests are named", len(named))
	}
	sources := map[string]string{}
	for _, m := range named {
		pkg, name := m[1], m[2]
		if _, read := sources[pkg]; !read {
			files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			for _, f := range files {
				data, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				all.Write(data)
			}
			sources[pkg] = all.String()
		}
		if !strings.Contains(sources[pkg], "\nfunc "+name+"(") {
			t.Errorf("%s has no %s", pkg, name)
		}
	}
}
