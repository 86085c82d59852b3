package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/hookline-dev/hookline/ui/clean"
)

// streams are what a command reads and writes. Data goes to out, everything else
// to err.
type streams struct {
	in     io.Reader
	out    io.Writer
	err    io.Writer
	getenv func(string) string
	// terminal says whether out is one, and asks whether a person can be asked.
	terminal bool
	asks     bool
	// hurry is closed when the person wants the program to end at once; nil for never.
	hurry <-chan struct{}
	// watchReader ends the command's context when nobody reads out any more, also while
	// nothing is written, until the function that it returns is called; nil watches nothing.
	watchReader func() (stop func())
}

func osStreams() *streams {
	return &streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv,
		terminal: term.IsTerminal(int(os.Stdout.Fd())),
		asks:     term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
	}
}

// colour reports whether out takes colours.
func (s *streams) colour() bool {
	return s.terminal && s.getenv("NO_COLOR") == "" && s.getenv("TERM") != "dumb"
}

// style wraps text in an SGR sequence where out takes colours.
func (s *streams) style(sgr, text string) string {
	if !s.colour() || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

// printf writes to out. Every %s argument that is not the program's own text must
// have gone through line or text.
func (s *streams) printf(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

// warnf writes a line to err.
func (s *streams) warnf(format string, args ...any) {
	fmt.Fprintln(s.err, clean.Exact(fmt.Sprintf(format, args...)))
}

// line makes foreign text safe for one line of a terminal. What cannot be shown
// appears as an escape, so that two texts which differ look different; the lines
// of a longer text are joined by spaces.
func line(s string) string { return escaped(joined.Replace(s)) }

// escaped is line for names and paths, in which line breaks are shown as escapes too.
func escaped(s string) string { return clean.ExactLine(s) }

var joined = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ")
