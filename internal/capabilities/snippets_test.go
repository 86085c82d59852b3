package capabilities

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// snippetHead is put before every piece of Go code in a page: what the pieces use.
const snippetHead = `package snippet

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/ui"
)

var (
	_ context.Context
	_ = fmt.Sprint
	_ = slog.Default
	_ = os.Getenv
	_ = filepath.Join
	_ = strings.Contains
	_ testing.TB
	_ time.Duration
	_ audit.Options
	_ discovery.Options
	_ script.Host
	_ hook.Result
	_ hooktest.Host
	_ host.Options
	_ ui.UI
)

`

// goBlocks returns the pieces of Go code of a page.
func goBlocks(text string) []string {
	var out []string
	for _, part := range strings.Split(text, "```go\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		out = append(out, block)
	}
	return out
}

// program makes a file of a piece: declarations stand as they are, statements go into
// a function that has what the page speaks of.
func program(block string) string {
	if strings.HasPrefix(block, "func ") || strings.HasPrefix(block, "type ") {
		return snippetHead + block + "\n"
	}
	params := "ctx context.Context, reg *hook.Registry, eng *hook.Engine, dir string"
	if !strings.Contains(block, "out, err := ") {
		params += ", out hook.Outcome"
	}
	return snippetHead + "func _(" + params + ") error {\n" + block + "\nreturn nil\n}\n"
}

// TestGoOfPagesCompiles type-checks the Go code of the pages, each piece as a package
// of its own that exists in an overlay only.
func TestGoOfPagesCompiles(t *testing.T) {
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	args := []string{"build", "-overlay", filepath.Join(tmp, "overlay.json")}
	for _, p := range readPages(t) {
		if !strings.HasPrefix(p.path, "docs/") {
			continue
		}
		for i, block := range goBlocks(p.text) {
			name := fmt.Sprintf("snippet_%s_%d", strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(p.path), i+1)
			file := filepath.Join(tmp, name+".go")
			if err := os.WriteFile(file, []byte(program(block)), 0o600); err != nil {
				t.Fatal(err)
			}
			overlay.Replace[filepath.Join(top, "internal", "capabilities", name, "snippet.go")] = file
			args = append(args, "./internal/capabilities/"+name)
		}
	}
	if len(overlay.Replace) < 5 {
		t.Fatalf("only %d pieces of code were found", len(overlay.Replace))
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tmp, "overlay.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
