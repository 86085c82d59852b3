package diag_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/diag"
)

func Example() {
	d := diag.Diagnostic{
		Path: "settings.json", Line: 3, Column: 7, Pointer: "/hooks/PreTool",
		Message: `unknown event "PreTool"`, Remedy: "did you mean PreToolUse?",
	}
	fmt.Println(d)
	fmt.Println(d.Severity, d.Pointer, d.Remedy)
	// Output:
	// settings.json:3:7: unknown event "PreTool"
	// error /hooks/PreTool did you mean PreToolUse?
}

func TestPositionLeavesOutTheUnknown(t *testing.T) {
	for _, tt := range []struct {
		d    diag.Diagnostic
		want string
	}{
		{diag.Diagnostic{Message: "m"}, "m"},
		{diag.Diagnostic{Path: "f", Message: "m"}, "f: m"},
		{diag.Diagnostic{Path: "f", Line: 2, Message: "m"}, "f:2: m"},
		{diag.Diagnostic{Path: "f", Column: 2, Message: "m"}, "f: m"},
		{diag.Diagnostic{Path: "f", Line: 2, Column: 4, Message: "m"}, "f:2:4: m"},
	} {
		if got := tt.d.String(); got != tt.want {
			t.Errorf("String() = %q, want %q", got, tt.want)
		}
	}
}

func TestSortKeepsTheOrderOfOnePlace(t *testing.T) {
	list := []diag.Diagnostic{
		{Path: "b", Line: 1, Message: "4"},
		{Path: "a", Line: 9, Message: "3"},
		{Path: "a", Line: 2, Column: 5, Message: "1", Severity: diag.Warning},
		{Path: "a", Line: 2, Column: 5, Message: "2", Severity: diag.Info},
	}
	diag.Sort(list)
	var got []string
	for _, d := range list {
		got = append(got, d.Message)
	}
	if want := []string{"1", "2", "3", "4"}; !slices.Equal(got, want) {
		t.Errorf("sorted: %v", got)
	}
	if !diag.HasErrors(list) || diag.HasErrors(list[:2]) {
		t.Error("HasErrors looks at severities wrongly")
	}
}
