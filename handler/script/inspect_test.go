package script

import (
	"slices"
	"testing"
)

func TestInspectRunsNothing(t *testing.T) {
	path := write(t, "hook.ts", "// hookline: exec read:./data\nthrow new Error('ran');\nexport default (pi) => {}")
	files, requests, err := Inspect(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || files[0].Path != path || !slices.Equal(requests, []string{"exec", "read:./data"}) {
		t.Errorf("files %v, requests %v", files, requests)
	}
	if _, _, err := Inspect(t.Context(), write(t, "bad.ts", "let 1"), Options{}); err == nil {
		t.Error("a syntax error was passed over")
	}
}
