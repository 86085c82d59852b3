package trust

import (
	"fmt"
	"io"
	"strings"

	"github.com/hookline-dev/hookline/ui/clean"
)

// Shown is how much of an artifact is shown.
type Shown bool

// Everything is what it does and what its files hold, Outline is without the latter.
const (
	Outline    Shown = false
	Everything Shown = true
)

// RenderDescription writes for people what an approval would be about. With
// Everything the files' text follows. Everything that comes from the hook is shown
// with its control characters as escapes, and each line of it is marked with |, so
// that none of it can pass for text of this program.
func RenderDescription(w io.Writer, d Description, shown Shown) error {
	var b strings.Builder
	contents := shown == Everything
	a := d.Artifact
	row := func(label, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", label, clean.ExactLine(value))
		}
	}
	fmt.Fprintf(&b, "%s\n", clean.ExactLine(a.Name))
	row("event", a.Event)
	row("matcher", a.Matcher)
	row("dialect", a.Dialect)
	row("source", a.Source)
	row("runs", a.Command)
	if a.Command == "" && !contents { // no hook: what it is about is all there is to say
		row("about", a.Definition)
	}
	row("digest", d.State.Digest)
	for _, f := range d.State.Files {
		if f.Digest == "" {
			row("file", f.Path+" (not there)")
		} else {
			row("file", fmt.Sprintf("%s (%d bytes, mode %s, %s)", f.Path, f.Size, f.Mode, f.Digest))
		}
	}
	for _, warning := range d.Warnings {
		fmt.Fprintf(&b, "  note: %s\n", clean.ExactLine(warning))
	}
	if contents {
		fmt.Fprintf(&b, "\ndefinition:\n")
		quote(&b, pretty(a.Definition))
		for _, c := range d.Contents {
			renderContent(&b, c)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func renderContent(b *strings.Builder, c Content) {
	fmt.Fprintf(b, "\n%s:\n", clean.ExactLine(c.Path))
	switch {
	case c.Digest == "":
		b.WriteString("  (not there)\n")
	case c.Binary:
		fmt.Fprintf(b, "  (no text, %d bytes)\n", c.Size)
	default:
		quote(b, c.Text)
	}
	if c.Cut {
		fmt.Fprintf(b, "  (only the beginning of %d bytes is shown)\n", c.Size)
	}
}

// RenderReport writes for people how a hook stands and what changed.
func RenderReport(w io.Writer, r Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", clean.ExactLine(r.Artifact.Name), r.Status)
	if r.Approval != nil {
		fmt.Fprintf(&b, "  approved  %s, %s\n", r.Approval.Time.UTC().Format("2006-01-02 15:04:05 UTC"), r.Approval.Digest)
	}
	if r.Status != StatusApproved {
		fmt.Fprintf(&b, "  now       %s\n", r.State.Digest)
	}
	if len(r.Uncovered) > 0 {
		fmt.Fprintf(&b, "  newly covered files: %s; approve once with hookline trust\n", clean.ExactLine(strings.Join(r.Uncovered, ", ")))
	}
	for _, u := range r.Artifact.Unseen {
		fmt.Fprintf(&b, "  not covered: %s\n", clean.ExactLine(u))
	}
	if r.Artifact.Confined {
		writes := "a directory of its own only, and what it is granted"
		if r.Approval != nil && r.Approval.MayWrite {
			writes = "what others may, as its approval says"
		}
		fmt.Fprintf(&b, "  writes    %s\n", writes)
	}
	for _, c := range r.Changes {
		path := clean.ExactLine(c.Path)
		if path == "" {
			path = "the definition"
		}
		fmt.Fprintf(&b, "  %-8s  %s", c.Kind, path)
		if c.Note != "" {
			fmt.Fprintf(&b, " (%s)", clean.ExactLine(c.Note))
		}
		b.WriteByte('\n')
		if c.Diff != "" {
			quote(&b, c.Diff)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// quote marks every line of a text of somebody else.
func quote(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(b, "  | %s\n", clean.Exact(strings.TrimSuffix(line, "\n")))
	}
}
