package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hookline-dev/hookline/ui/clean"
)

// PlainConfig says where a Plain reads and writes.
type PlainConfig struct {
	// In is read line by line; nil is os.Stdin.
	In io.Reader
	// Out gets prompts and notices; nil is os.Stderr, so that standard output
	// holds nothing but results.
	Out io.Writer
	// Colour allows colours.
	Colour bool
	// Sequences says that Out is a terminal that takes sequences; see Sequencer.
	Sequences bool
	// Cells is the width of a status line; 0 is 80.
	Cells int
}

// Plain is a UI on a terminal that is used line by line: nothing is redrawn and
// nothing moves, so it suits screen readers, pipes and logs as well. It is safe
// for concurrent use; dialogs wait for each other.
//
// In a Select a number or the beginning of a choice takes it, and an empty line
// dismisses. A Confirm that gets an empty line counts as no. An Input that gets
// an empty line is dismissed. In an Editor a line with only "." ends the text;
// at once, it keeps the text that was there. The end of the input counts as
// nobody being there: dialogs return ErrNoUI from then on.
type Plain struct {
	cfg   PlainConfig
	lines *lines
	gone  atomic.Bool

	status Status

	mu        sync.Mutex // guards what follows, and the writes
	draft     string
	title     string
	shownLine string // the status line that was last shown
}

var (
	_ UI        = (*Plain)(nil)
	_ Sequencer = (*Plain)(nil)
)

// NewPlain returns a Plain. Close it when nobody will ask any more.
func NewPlain(cfg PlainConfig) *Plain {
	if cfg.In == nil {
		cfg.In = os.Stdin
	}
	if cfg.Out == nil {
		cfg.Out = os.Stderr
	}
	if cfg.Cells <= 0 {
		cfg.Cells = 80
	}
	return &Plain{cfg: cfg, lines: newLines(cfg.In)}
}

// Close releases what the Plain reads with. An In that is a closer, and no
// file, is closed.
func (p *Plain) Close() error {
	p.gone.Store(true)
	p.lines.close()
	return nil
}

// HasUI reports whether the input has not ended.
func (p *Plain) HasUI() bool { return !p.gone.Load() }

// ReadLine shows the status line if it has changed, and a prompt, and returns
// the line that the person types. An empty line takes the draft of
// SetEditorText, if there is one. It returns io.EOF at the end of the input.
func (p *Plain) ReadLine(ctx context.Context, prompt string) (string, error) {
	if err := p.lines.acquire(ctx); err != nil {
		return "", err
	}
	defer p.lines.release()
	p.showStatus()
	draft := p.EditorText()
	if draft != "" {
		p.printf("%s\n", p.Theme().Style("muted", "Draft (Enter takes it): "+clean.PlainLine(draft)))
	}
	line, err := p.answer(ctx, prompt)
	if errors.Is(err, ErrNoUI) {
		return "", io.EOF
	}
	if err != nil {
		return "", err
	}
	p.SetEditorText("")
	if line == "" {
		line = draft
	}
	return line, nil
}

// answer shows a prompt and reads a line. The caller has the turn.
func (p *Plain) answer(ctx context.Context, prompt string) (string, error) {
	if p.gone.Load() {
		return "", fmt.Errorf("the input has ended: %w", ErrNoUI)
	}
	p.printf("%s", prompt)
	line, err := p.lines.next(ctx)
	if err == nil {
		return line, nil
	}
	p.printf("\n")
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	p.gone.Store(true)
	if errors.Is(err, io.EOF) {
		return "", fmt.Errorf("the input has ended: %w", ErrNoUI)
	}
	return "", fmt.Errorf("reading an answer: %w", errors.Join(err, ErrNoUI))
}

func (p *Plain) printf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.cfg.Out, format, args...)
}

// text cleans what others wrote, for several lines.
func (p *Plain) text(s string) string {
	if p.cfg.Colour {
		return clean.Text(s)
	}
	return clean.PlainText(s)
}

// Notify prints a notice.
func (p *Plain) Notify(message string, level Level) {
	th := p.Theme()
	label := ""
	switch level {
	case Warning:
		label = th.Style("warning", "warning: ")
	case Error:
		label = th.Style("error", "error: ")
	}
	p.printf("%s%s\n", label, strings.TrimRight(p.text(message), "\n"))
}

// SetStatus keeps a status text; the next ReadLine shows what has changed.
func (p *Plain) SetStatus(key, text string) { p.status.Set(key, text) }

func (p *Plain) showStatus() {
	line := p.status.Line(p.cfg.Cells)
	if !p.cfg.Colour {
		line = clean.PlainLine(line)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if line != "" && line != p.shownLine {
		fmt.Fprintf(p.cfg.Out, "%s\n", line)
	}
	p.shownLine = line
}

// SetEditorText offers a text to the next ReadLine.
func (p *Plain) SetEditorText(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draft = text
}

// EditorText returns the text that the next ReadLine offers.
func (p *Plain) EditorText() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.draft
}

// SetTitle prints the title when it changes.
func (p *Plain) SetTitle(title string) {
	title = clean.PlainLine(title)
	p.mu.Lock()
	defer p.mu.Unlock()
	if title != "" && title != p.title {
		fmt.Fprintf(p.cfg.Out, "[%s]\n", title)
	}
	p.title = title
}

// Sequence sends a harmless sequence to a terminal that takes them.
func (p *Plain) Sequence(s string) {
	if !p.cfg.Sequences || !clean.Harmless(s) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprint(p.cfg.Out, s)
}

// Theme returns the default theme, with colours if they are allowed.
func (p *Plain) Theme() Theme {
	if p.cfg.Colour {
		return DefaultTheme()
	}
	return DefaultTheme().Plain()
}
