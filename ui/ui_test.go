package ui_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/ui"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNone(t *testing.T) {
	var u ui.UI = ui.None{}
	_, ok, err := u.Select(t.Context(), "t", []string{"a"}, ui.Dialog{})
	if ok || !errors.Is(err, ui.ErrNoUI) || u.HasUI() {
		t.Errorf("Select: %v, %v", ok, err)
	}
	if yes, err := u.Confirm(t.Context(), "t", "m", ui.Dialog{}); yes || !errors.Is(err, ui.ErrNoUI) {
		t.Errorf("Confirm: %v, %v", yes, err)
	}
	if _, ok, err := u.Input(t.Context(), "t", "", ui.Dialog{}); ok || !errors.Is(err, ui.ErrNoUI) {
		t.Errorf("Input: %v, %v", ok, err)
	}
	if _, ok, err := u.Editor(t.Context(), "t", "", ui.Dialog{}); ok || !errors.Is(err, ui.ErrNoUI) {
		t.Errorf("Editor: %v, %v", ok, err)
	}
	u.Notify("x", ui.Error)
	u.SetStatus("k", "v")
	u.SetEditorText("x")
	u.SetTitle("x")
	if u.EditorText() != "" || u.Theme().Style("error", "x") != "x" {
		t.Error("None keeps something")
	}
}

func TestStatus(t *testing.T) {
	tests := []struct {
		name  string
		texts map[string]string
		cells int
		want  string
	}{
		{"none", nil, 80, ""},
		{"sorted by key", map[string]string{"b": "two", "a": "one", "c": "three"}, 80, "one two three"},
		{"blanks", map[string]string{"a": "  x\r\n\ty \t z  ", "b": " \n "}, 80, "x y z"},
		{"colours count nothing", map[string]string{"a": "\x1b[31mred\x1b[0m"}, 3, "\x1b[31mred\x1b[0m"},
		{"cut", map[string]string{"a": "abcdef"}, 4, "abc…"},
		{"cut by cells", map[string]string{"a": "中文字"}, 4, "中…"},
		{"cut colour is closed", map[string]string{"a": "\x1b[31mabcdef"}, 4, "\x1b[31mabc…\x1b[0m"},
		{"escape sequences", map[string]string{"a": "a\x1b]52;c;x\x07b\x1b[2Jc"}, 80, "abc"},
		{"blanks that cleaning brings together", map[string]string{"a": "a \x1b[2J b"}, 80, "a b"},
	}
	for _, tt := range tests {
		var s ui.Status
		for k, v := range tt.texts {
			s.Set(k, v)
		}
		if got := s.Line(tt.cells); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	var s ui.Status
	s.Set("a", "raw\n")
	s.Set("b", "x")
	s.Set("b", "")
	if diff := cmp.Diff(map[string]string{"a": "raw\n"}, s.Texts()); diff != "" {
		t.Error(diff)
	}
}

func TestRecorder(t *testing.T) {
	boom := errors.New("boom")
	r := ui.NewRecorder(ui.Choose(1), ui.Yes(), ui.No(), ui.Type("hi"), ui.Dismiss(), ui.Fail(boom), ui.Choose(7), ui.Yes())
	ctx := t.Context()
	if i, ok, err := r.Select(ctx, "s", []string{"a", "b"}, ui.Dialog{Source: "h"}); i != 1 || !ok || err != nil {
		t.Error(i, ok, err)
	}
	if yes, err := r.Confirm(ctx, "c", "m", ui.Dialog{}); !yes || err != nil {
		t.Error(yes, err)
	}
	if yes, err := r.Confirm(ctx, "c", "m", ui.Dialog{}); yes || err != nil {
		t.Error(yes, err)
	}
	if s, ok, err := r.Input(ctx, "i", "p", ui.Dialog{}); s != "hi" || !ok || err != nil {
		t.Error(s, ok, err)
	}
	if s, ok, err := r.Editor(ctx, "e", "p", ui.Dialog{}); s != "" || ok || err != nil {
		t.Error(s, ok, err)
	}
	if _, err := r.Confirm(ctx, "c", "m", ui.Dialog{}); !errors.Is(err, boom) {
		t.Error(err)
	}
	if _, ok, err := r.Select(ctx, "s", []string{"a"}, ui.Dialog{}); ok || err == nil {
		t.Error(ok, err)
	}
	if _, ok, err := r.Input(ctx, "wrong kind", "", ui.Dialog{}); ok || err == nil {
		t.Error(ok, err)
	}
	if _, err := r.Confirm(ctx, "none left", "", ui.Dialog{}); err == nil || r.Remaining() != 0 {
		t.Error(err)
	}
	r.Add(ui.Hang())
	short, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Confirm(short, "hang", "", ui.Dialog{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r.SetEditorText("draft")
	r.SetStatus("k", "v")
	r.Notify("n", ui.Warning)
	r.SetTitle("t")
	calls := r.Calls()
	if len(calls) != 14 || r.EditorText() != "draft" || r.Status()["k"] != "v" || !r.HasUI() {
		t.Errorf("%d calls: %+v", len(calls), calls)
	}
	want := ui.Call{Method: "Select", Title: "s", Choices: []string{"a", "b"}, Dialog: ui.Dialog{Source: "h"}}
	if diff := cmp.Diff(want, calls[0]); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNotATerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if ui.IsTerminal(w) || ui.IsTerminal(nil) {
		t.Error("a pipe counts as a terminal")
	}
}
