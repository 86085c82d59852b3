package trust

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/go-json-experiment/json/jsontext"
)

// Description is what an approval of an artifact would be about.
type Description struct {
	Artifact Artifact
	State    State
	// Contents has the text of each file of the state, in its order.
	Contents []Content
	// Warnings say in words what the person should know before deciding.
	Warnings []string
}

// Content is the text of a file.
type Content struct {
	FileState
	// Text is what the file says, "" when it is Binary or not there.
	Text string
	// Binary says that the file is not text, and Cut that Text is only its beginning.
	Binary, Cut bool
}

// maxShown bounds how much of one file a description holds, in bytes.
const maxShown = 256 << 10

// Describe reads an artifact and everything that an approval would be about. The
// digest of its state is that of the content that it returns: a file that changes
// meanwhile is an error.
func Describe(a Artifact) (Description, error) {
	st, err := readState(a)
	if err != nil {
		return Description{}, fmt.Errorf("looking at %s: %w", strconv.Quote(a.Name), err)
	}
	d := Description{Artifact: a, State: st}
	for _, f := range st.Files {
		c := Content{FileState: f}
		if f.Digest != "" {
			if c, err = contentOf(f); err != nil {
				return Description{}, fmt.Errorf("reading %s: %w", strconv.Quote(f.Path), bare(err))
			}
		}
		d.Contents = append(d.Contents, c)
	}
	d.Warnings = warnings(a, st)
	return d, nil
}

// contentOf reads the text of a file and checks that it is what the state says.
func contentOf(f FileState) (Content, error) {
	c := Content{FileState: f}
	var head limited
	digest, _, err := digestFile(f.Abs, &head)
	if err != nil {
		return c, err
	}
	if digest != f.Digest {
		return c, errChanging
	}
	data := head.Bytes()
	if c.Cut = head.cut; c.Cut { // not in the middle of a rune
		for i := 0; i < utf8.UTFMax && len(data) > 0 && !utf8.Valid(data); i++ {
			data = data[:len(data)-1]
		}
	}
	c.Text, c.Binary = text(data)
	return c, nil
}

func text(data []byte) (s string, binary bool) {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", true
	}
	return string(data), false
}

// limited keeps the beginning of what is written to it.
type limited struct {
	bytes.Buffer
	cut bool
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), maxShown-l.Len())
	l.cut = l.cut || n < len(p)
	l.Buffer.Write(p[:n])
	return len(p), nil
}

// warnings says what is notable about an artifact.
func warnings(a Artifact, st State) []string {
	var out []string
	if a.Replaces != "" {
		out = append(out, fmt.Sprintf("it takes the place of %s, which then does not run", a.Replaces))
	}
	for _, c := range a.Capabilities {
		out = append(out, "it is granted "+c)
	}
	for _, f := range st.Files {
		switch {
		case f.Digest == "":
			out = append(out, f.Path+" is not there; once it is, the hook has to be approved again")
		case f.Link != "":
			out = append(out, fmt.Sprintf("%s is a link to %s", f.Path, f.Link))
		}
		if len(f.Mode) == 4 && f.Mode[0] >= '2' {
			out = append(out, fmt.Sprintf("%s runs with the rights of its owner or group (mode %s)", f.Path, f.Mode))
		}
	}
	for _, u := range a.Unseen {
		out = append(out, "not covered: "+u)
	}
	if a.Confined {
		out = append(out, "for that it writes to a directory of its own only, HOOKLINE_DATA_DIR, and to what it is granted; 'hookline trust --allow-writes' lets it write what others may")
	}
	return out
}

// Status says how an artifact stands in the store.
type Status string

// How one may stand.
const (
	StatusApproved Status = "approved"
	StatusChanged  Status = "changed" // something else of this hook was approved
	StatusNew      Status = "new"     // nothing of it was
	StatusRefused  Status = "refused"
)

// Report is what status says about an artifact.
type Report struct {
	Artifact Artifact
	Status   Status
	State    State
	// Approval is the approval of the content, or the one before it changed.
	Approval *Approval
	// Uncovered are the files that an approval of today would cover and this one, by earlier
	// rules, does not.
	Uncovered []string
	// Changes are what is different from the approval, in the order of the paths;
	// the definition comes first.
	Changes []Change
}

// Change is one difference from what was approved.
type Change struct {
	// Path is the file, "" for the definition.
	Path string
	// Kind is changed, added, removed or mode.
	Kind string
	// Diff is a unified diff, "" when the approved content was not kept or is not
	// text; Note then says why.
	Diff, Note string
}

// Status is that of a Reader, for one hook.
func (s *Store) Status(a Artifact) (Report, error) { return s.Reader().Status(a) }

// Status says how an artifact stands and what changed since it was approved. An
// error is one of reading the artifact's files or the store.
func (r *Reader) Status(a Artifact) (Report, error) {
	st, err := readState(a)
	if err != nil {
		return Report{Artifact: a}, fmt.Errorf("looking at %s: %w", strconv.Quote(a.Name), err)
	}
	rep := Report{Artifact: a, State: st, Status: StatusNew}
	c, err := r.view()
	if err != nil {
		return rep, err
	}
	if b := c.approval(st.Root, st.Digest); b != nil {
		rep.Status, rep.Approval = StatusApproved, b
		return rep, nil
	}
	if b, newly := c.earlier(a, st); b != nil && !c.refused(st.Root, st.Digest) {
		rep.Status, rep.Approval, rep.Uncovered = StatusApproved, b, newly
		return rep, nil
	}
	if b := c.base(a, st); b != nil {
		rep.Status, rep.Approval = StatusChanged, b
		rep.Changes = r.store.changes(a, st, b)
	}
	if c.refused(st.Root, st.Digest) {
		rep.Status = StatusRefused
	}
	return rep, nil
}

// changes compares an artifact with an approval.
func (s *Store) changes(a Artifact, st State, b *Approval) []Change {
	var out []Change
	if a.Definition != b.Definition {
		out = append(out, Change{Kind: "changed", Diff: udiff.Unified("approved", "now", pretty(b.Definition), pretty(a.Definition))})
	}
	if a.Replaces != b.Replaces {
		out = append(out, Change{Kind: "changed", Note: fmt.Sprintf("what it takes the place of: %q, approved was %q", a.Replaces, b.Replaces)})
	}
	if caps := slices.Sorted(slices.Values(a.Capabilities)); !slices.Equal(caps, slices.Sorted(slices.Values(b.Capabilities))) {
		out = append(out, Change{Kind: "changed", Note: fmt.Sprintf("what it asks for: %q, approved was %q", caps, b.Capabilities)})
	}
	now := map[string]FileState{}
	for _, f := range st.Files {
		now[f.Path] = f
	}
	before := map[string]FileState{}
	for _, f := range b.Files {
		before[f.Path] = f
		if _, still := now[f.Path]; !still {
			out = append(out, Change{Path: f.Path, Kind: "removed"})
		}
	}
	for _, f := range st.Files {
		if was, known := before[f.Path]; !known || was.Digest != f.Digest || was.Mode != f.Mode || was.Link != f.Link {
			out = append(out, s.fileChange(was, f))
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// fileChange compares a file with what was approved of it; the zero was is a file
// of which nothing was.
func (s *Store) fileChange(was, f FileState) Change {
	ch := Change{Path: f.Path, Kind: "changed"}
	switch {
	case was.Digest == "":
		ch.Kind = "added"
	case f.Digest == "":
		ch.Kind = "removed"
		return ch
	case was.Digest == f.Digest && was.Link != f.Link:
		ch.Note = fmt.Sprintf("leads to %q, approved was %q", f.Link, was.Link)
		return ch
	case was.Digest == f.Digest:
		ch.Kind, ch.Note = "mode", fmt.Sprintf("mode %s, approved was %s", f.Mode, was.Mode)
		return ch
	}
	old, ok := "", true
	if was.Digest != "" {
		var data []byte
		var binary bool
		if data, ok = s.approvedContent(was.Digest); ok {
			old, binary = text(data)
			ok = !binary
		}
	}
	c, err := contentOf(f)
	switch {
	case err != nil:
		ch.Note = bare(err).Error()
	case !ok || c.Binary || c.Cut:
		ch.Note = fmt.Sprintf("%s, approved was %s", f.Digest, was.Digest)
	default:
		ch.Diff = udiff.Unified("approved/"+f.Path, "now/"+f.Path, old, c.Text)
	}
	if was.Mode != "" && was.Mode != f.Mode {
		ch.Note = strings.TrimPrefix(ch.Note+fmt.Sprintf("; mode %s, approved was %s", f.Mode, was.Mode), "; ")
	}
	return ch
}

// pretty spreads a definition that is JSON over lines, so that a diff shows the
// member that changed.
func pretty(definition string) string {
	v := jsontext.Value(definition)
	if v.IsValid() && v.Indent() == nil {
		definition = string(v)
	}
	if !strings.HasSuffix(definition, "\n") {
		definition += "\n"
	}
	return definition
}
