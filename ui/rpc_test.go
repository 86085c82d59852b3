package ui_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hookline-dev/hookline/ui"
)

// peer is the program on the other side.
type peer struct {
	sent *bufio.Scanner
	back *io.PipeWriter
}

func connect(t *testing.T) (*ui.RPC, *peer) {
	t.Helper()
	outR, outW := io.Pipe()
	inR, inW := io.Pipe()
	r := ui.NewRPC(func(line []byte) error {
		_, err := outW.Write(append(line, '\n'))
		return err
	})
	served := make(chan error, 1)
	go func() { served <- r.Serve(inR, func(err error) { t.Errorf("bad line: %v", err) }) }()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return r, &peer{sent: bufio.NewScanner(outR), back: inW}
}

// answer reads one request and answers it, and returns the request.
func (p *peer) answer(reply string) <-chan string {
	got := make(chan string, 1)
	go func() {
		p.sent.Scan()
		got <- p.sent.Text()
		io.WriteString(p.back, reply+"\n")
	}()
	return got
}

func TestRPCDialogs(t *testing.T) {
	r, p := connect(t)
	ctx := t.Context()
	req := p.answer(`{"type":"ui_response","id":"ui-1","index":1}`)
	if i, ok, err := r.Select(ctx, "Which\x1b[2J\none?", []string{"a", "b"}, ui.Dialog{Source: "h", InitialIndex: 1}); i != 1 || !ok || err != nil {
		t.Error(i, ok, err)
	}
	want := `{"type":"ui_request","id":"ui-1","method":"select","source":"h","title":"Which\\x1b[2J\none?","choices":["a","b"],"initial_index":1}`
	if got := <-req; got != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
	p.answer(`{"type":"ui_response","id":"ui-2","confirmed":true}`)
	if yes, err := r.Confirm(ctx, "Sure?", "m", ui.Dialog{}); !yes || err != nil {
		t.Error(yes, err)
	}
	p.answer(`{"type":"ui_response","id":"ui-3","text":""}`)
	if s, ok, err := r.Input(ctx, "Name", "", ui.Dialog{}); s != "" || !ok || err != nil {
		t.Error(s, ok, err)
	}
	p.answer(`{"type":"ui_response","id":"ui-4","dismissed":true}`)
	if s, ok, err := r.Editor(ctx, "Edit", "old", ui.Dialog{}); s != "" || ok || err != nil {
		t.Error(s, ok, err)
	}
	p.answer(`{"type":"ui_response","id":"ui-5","index":2}`)
	if _, ok, err := r.Select(ctx, "Which?", []string{"a", "b"}, ui.Dialog{}); ok || err == nil {
		t.Error(ok, err)
	}
	p.answer(`{"type":"ui_response","id":"ui-6","text":"yes"}`)
	if yes, err := r.Confirm(ctx, "Sure?", "", ui.Dialog{}); yes || err == nil {
		t.Error(yes, err)
	}
	p.answer(`{"type":"ui_response","id":"ui-7","error":"no window"}`)
	if yes, err := r.Confirm(ctx, "Sure?", "", ui.Dialog{}); yes || err == nil || !strings.Contains(err.Error(), "no window") {
		t.Error(yes, err)
	}
}

func TestRPCMessages(t *testing.T) {
	var got []string
	r := ui.NewRPC(func(line []byte) error { got = append(got, string(line)); return nil })
	r.Notify("n\x1b]52;c;x\x07", ui.Warning)
	r.SetStatus("k", "a\n b")
	r.SetStatus("k", "")
	r.SetEditorText("raw\x1b\xff")
	r.SetTitle("t")
	r.Decorate("below", "w", []string{"a\nb", "\x1b[2Jc"})
	r.Decorate("above", "w", nil)
	r.Decorate("footer", "", []string{"for a screen"})
	want := []string{
		`{"type":"ui_notify","message":"n","level":"warning"}`,
		`{"type":"ui_status","key":"k","text":"a b"}`,
		`{"type":"ui_status","key":"k"}`,
		`{"type":"ui_editor_text","text":"raw\u001b` + "\uFFFD" + `"}`,
		`{"type":"ui_title","title":"t"}`,
		`{"type":"ui_widget","key":"w","placement":"below","lines":["a b","c"]}`,
		`{"type":"ui_widget","key":"w","placement":"above"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := r.Receive([]byte(`{"type":"ui_editor_text","text":"typed"}`)); err != nil || r.EditorText() != "typed" {
		t.Error(err, r.EditorText())
	}
	for _, bad := range []string{"", "x", "{}", `{"type":"ui_response"}`, `{"type":"prompt"}`, `{"type":"ui_response","id":"a","id":"b"}`} {
		if r.Receive([]byte(bad)) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if err := r.Receive([]byte(`{"type":"ui_response","id":"ui-99","index":0}`)); err != nil {
		t.Errorf("a late answer: %v", err)
	}
}

func TestRPCCancel(t *testing.T) {
	lines := make(chan string, 10)
	r := ui.NewRPC(func(line []byte) error { lines <- string(line); return nil })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := r.Confirm(ctx, "Sure?", "", ui.Dialog{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	<-lines
	if got := <-lines; got != `{"type":"ui_cancel","id":"ui-1"}` {
		t.Errorf("sent %s", got)
	}
}

func TestRPCProgramGoesAway(t *testing.T) {
	t.Run("while it is asked", func(t *testing.T) {
		var r *ui.RPC
		r = ui.NewRPC(func([]byte) error { go r.Disconnect(); return nil })
		if _, err := r.Confirm(t.Context(), "Sure?", "", ui.Dialog{}); !errors.Is(err, ui.ErrNoUI) || r.HasUI() {
			t.Errorf("got %v", err)
		}
		if _, _, err := r.Input(t.Context(), "x", "", ui.Dialog{}); !errors.Is(err, ui.ErrNoUI) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("can not be written to", func(t *testing.T) {
		n := 0
		r := ui.NewRPC(func([]byte) error { n++; return io.ErrClosedPipe })
		if _, err := r.Confirm(t.Context(), "Sure?", "", ui.Dialog{}); !errors.Is(err, ui.ErrNoUI) || !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
		r.Notify("x", ui.Info)
		if n != 1 || r.HasUI() {
			t.Errorf("%d writes", n)
		}
	})
}

func FuzzRPCReceive(f *testing.F) {
	for _, s := range []string{`{"type":"ui_response","id":"ui-1","index":1}`, `{"type":"ui_editor_text","text":"x"}`, "{", `[]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r := ui.NewRPC(func([]byte) error { return nil })
		_ = r.Receive(line)
	})
}
