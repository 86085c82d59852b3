package ui_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/ui"
)

// buffer is a writer that can be read while it is written to.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func plain(t *testing.T, input string) (*ui.Plain, *buffer) {
	t.Helper()
	out := &buffer{}
	p := ui.NewPlain(ui.PlainConfig{In: strings.NewReader(input), Out: out})
	t.Cleanup(func() { p.Close() })
	return p, out
}

func TestPlainSelect(t *testing.T) {
	choices := []string{"Allow", "Allow always", "Deny", "\x1b[2Jevil\u202e"}
	tests := []struct {
		input string
		index int
		ok    bool
	}{
		{"1\n", 0, true},
		{" 3 \r\n", 2, true},
		{"deny\n", 2, true},
		{"allow\n", 0, true}, // the whole text goes before the beginning of another
		{"allow a\n", 1, true},
		{"\n", 0, false},
		{"9\nx\n2\n", 1, true},
		{"9\nx\nal\n2\n", 0, false}, // three tries
		{"4", 3, true},              // no newline at the end
	}
	for _, tt := range tests {
		p, out := plain(t, tt.input)
		i, ok, err := p.Select(t.Context(), "Run\x1b]0;x\x07 it?", choices, ui.Dialog{Source: "guard\n", InitialIndex: 2})
		if i != tt.index || ok != tt.ok || err != nil {
			t.Errorf("%q: got %d, %v, %v", tt.input, i, ok, err)
		}
		if got := out.String(); strings.ContainsAny(got, "\x1b\x07\u202e") || !strings.Contains(got, `[guard\n] Run\x1b]0;x\x07 it?`) || !strings.Contains(got, "* 3. Deny") {
			t.Errorf("shown: %q", got)
		}
	}
}

func TestPlainConfirm(t *testing.T) {
	tests := []struct {
		input string
		want  bool
		err   error
	}{
		{"y\n", true, nil},
		{"YES\n", true, nil},
		{"n\n", false, nil},
		{"\n", false, nil},
		{"maybe\nperhaps\ny\n", true, nil},
		{"a\nb\nc\ny\n", false, nil},
		{"", false, ui.ErrNoUI},
	}
	for _, tt := range tests {
		p, out := plain(t, tt.input)
		got, err := p.Confirm(t.Context(), "Sure?", "rm\rls", ui.Dialog{})
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%q: got %v, %v", tt.input, got, err)
		}
		if !strings.Contains(out.String(), `rm\rls`) {
			t.Errorf("shown: %q", out)
		}
		if p.HasUI() != (tt.err == nil) {
			t.Errorf("%q: HasUI is %v", tt.input, p.HasUI())
		}
	}
}

func TestPlainInputAndEditor(t *testing.T) {
	p, _ := plain(t, "Ada\n\nline 1\nline 2\n.\n.\nlast")
	ctx := t.Context()
	if s, ok, err := p.Input(ctx, "Name", "who", ui.Dialog{}); s != "Ada" || !ok || err != nil {
		t.Error(s, ok, err)
	}
	if s, ok, err := p.Input(ctx, "Name", "", ui.Dialog{}); s != "" || ok || err != nil {
		t.Error(s, ok, err)
	}
	if s, ok, err := p.Editor(ctx, "Edit", "old", ui.Dialog{}); s != "line 1\nline 2" || !ok || err != nil {
		t.Error(s, ok, err)
	}
	if s, ok, err := p.Editor(ctx, "Edit", "old", ui.Dialog{}); s != "old" || !ok || err != nil {
		t.Error(s, ok, err)
	}
	if s, ok, err := p.Editor(ctx, "Edit", "", ui.Dialog{}); s != "last" || !ok || err != nil {
		t.Error(s, ok, err)
	}
	if _, ok, err := p.Input(ctx, "Name", "", ui.Dialog{}); ok || !errors.Is(err, ui.ErrNoUI) {
		t.Error(ok, err)
	}
}

func TestPlainReadLine(t *testing.T) {
	p, out := plain(t, "hello\n\nbye\n")
	ctx := t.Context()
	p.SetStatus("k", "\x1b[31mbusy\x1b[0m\n")
	p.Notify("careful\x1b[2J", ui.Warning)
	p.SetTitle("work\x07")
	if s, err := p.ReadLine(ctx, "> "); s != "hello" || err != nil {
		t.Error(s, err)
	}
	p.SetEditorText("from a hook")
	if s, err := p.ReadLine(ctx, "> "); s != "from a hook" || err != nil || p.EditorText() != "" {
		t.Error(s, err)
	}
	if s, err := p.ReadLine(ctx, "> "); s != "bye" || err != nil {
		t.Error(s, err)
	}
	if _, err := p.ReadLine(ctx, "> "); err != io.EOF {
		t.Error(err)
	}
	if got := out.String(); strings.Contains(got, "\x1b") || strings.Count(got, "busy\n") != 1 || !strings.Contains(got, "warning: careful\n") {
		t.Errorf("shown: %q", got)
	}
}

// TestPlainCancel asks a question that is cancelled and then another: nothing
// of the first may answer the second.
func TestPlainCancel(t *testing.T) {
	run := func(t *testing.T, in io.ReadCloser, w io.WriteCloser) {
		out := &buffer{}
		p := ui.NewPlain(ui.PlainConfig{In: in, Out: out})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := p.Confirm(ctx, "first?", "", ui.Dialog{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
		answered := make(chan bool, 1)
		go func() {
			yes, err := p.Confirm(t.Context(), "second?", "", ui.Dialog{})
			answered <- yes && err == nil
		}()
		for !strings.Contains(out.String(), "second?") {
			time.Sleep(time.Millisecond)
		}
		io.WriteString(w, "y\n")
		if !<-answered {
			t.Error("the answer to the second question was lost")
		}
		w.Close()
		p.Close()
		in.Close()
	}
	t.Run("pipe of the system", func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		run(t, r, w)
	})
	t.Run("any reader", func(t *testing.T) {
		r, w := io.Pipe()
		run(t, r, w)
	})
}

func TestPlainDropsLateAnswers(t *testing.T) {
	r, w := io.Pipe()
	out := &buffer{}
	p := ui.NewPlain(ui.PlainConfig{In: r, Out: out})
	defer p.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.Confirm(ctx, "Install?", "", ui.Dialog{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	io.WriteString(w, "y\n") // returns when it has been read
	time.Sleep(20 * time.Millisecond)
	go io.WriteString(w, "n\n")
	if yes, err := p.Confirm(t.Context(), "Delete everything?", "", ui.Dialog{}); yes || err != nil {
		t.Errorf("got %v, %v", yes, err)
	}
}

func TestPlainDialogsWaitForEachOther(t *testing.T) {
	r, w := io.Pipe()
	out := &buffer{}
	p := ui.NewPlain(ui.PlainConfig{In: r, Out: out})
	defer p.Close()
	var wg sync.WaitGroup
	var yes [2]bool
	for i := range yes {
		wg.Go(func() { yes[i], _ = p.Confirm(t.Context(), "sure?", "", ui.Dialog{}) })
	}
	for range yes {
		io.WriteString(w, "y\n")
	}
	wg.Wait()
	if !yes[0] || !yes[1] || strings.Count(out.String(), "sure?\n[y/N] ") != 2 {
		t.Errorf("got %v, shown %q", yes, out)
	}
	// One that waits for its turn ends with its context.
	ctx, cancel := context.WithCancel(t.Context())
	wg.Go(func() { p.Confirm(t.Context(), "holds the turn", "", ui.Dialog{}) })
	for !strings.Contains(out.String(), "holds the turn") {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if _, err := p.Confirm(ctx, "waits", "", ui.Dialog{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	w.Close()
	wg.Wait()
}

func TestPlainLongLine(t *testing.T) {
	p, _ := plain(t, strings.Repeat("x", 3<<20)+"\n")
	if _, ok, err := p.Input(t.Context(), "x", "", ui.Dialog{}); ok || err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("got %v, %v", ok, err)
	}
}

func TestSequences(t *testing.T) {
	for _, takes := range []bool{false, true} {
		var out strings.Builder
		p := ui.NewPlain(ui.PlainConfig{In: strings.NewReader(""), Out: &out, Sequences: takes})
		p.Sequence("\x1b]52;c;eA==\a")
		p.Sequence("\x1b]9;done\a")
		want := ""
		if takes {
			want = "\x1b]9;done\a"
		}
		if out.String() != want {
			t.Errorf("takes %v: %q", takes, out.String())
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
