package skill

import (
	"errors"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
	"github.com/hookline-dev/hookline/plugin"
)

// FileName is the file that makes a directory a skill.
const FileName = "SKILL.md"

// Bounds in characters: of a name in a header, and of what a listing shows of a
// description.
const (
	maxName    = 64
	maxSummary = 1024
)

// Skill is one skill.
type Skill struct {
	Name        string // the directory's, with the plugin's org/repo/ in front
	Title       string // name in the header, or that of the directory
	Description string
	Dir         string // the skill's directory
	Path        string // its SKILL.md
	Plugin      string // org/repo, or empty
	Location    plugin.Location
	// AllowedTools is nil when the skill says nothing, and empty when it
	// allows none.
	AllowedTools []string
	Model        string // that the skill asks for; may be empty
	// PersonOnly and ModelOnly say that only a person, or only the model, may use it:
	// disable-model-invocation: true and user-invocable: false, as Claude Code has them.
	PersonOnly, ModelOnly bool
	// Hooks is the header's value of hooks as JSON, for the dialect that reads
	// it; nil when there is none.
	Hooks    []byte
	Body     string
	BodyLine int // line of the file on which Body starts

	// Err says why the skill cannot be used; nil for a good one. Errors of the
	// file's content are of type *diag.Diagnostic.
	Err error
	// ShadowedBy is the path of the skill of the same name that counts instead.
	ShadowedBy string
}

// Parse reads a skill from the content of the SKILL.md at path. A header, and all that
// stands in it, may be missing: the skill is then called by its directory and described by
// the first words of its body. Errors are of type *[diag.Diagnostic]. The diagnostics are
// about what is used though it is not as it should be.
func Parse(path string, src []byte) (*Skill, []diag.Diagnostic, error) {
	doc, err := frontmatter.Split(path, src)
	if err != nil {
		return nil, nil, err
	}
	s := &Skill{Path: path, Dir: filepath.Dir(path), Body: doc.Body, BodyLine: doc.BodyLine}
	var diags []diag.Diagnostic
	header, err := doc.Decode()
	if err != nil {
		d, ok := errors.AsType[*diag.Diagnostic](err)
		if !ok || securing.Get().MatchString(doc.Header) {
			return nil, nil, err
		}
		s.readLines(doc.Header)
		d.Severity = diag.Warning
		diags = append(diags, *d)
	} else if diags, err = s.readHeader(header); err != nil {
		return nil, nil, err
	}
	dir := filepath.Base(s.Dir)
	switch {
	case s.Title == "":
		s.Title = dir
	case dir != "." && dir != s.Title:
		name, _ := header.Get("name")
		d := name.Errorf("", "the skill is called by its directory, %q, not by the name %q in its header", dir, s.Title)
		d.Severity, d.Path = diag.Warning, path
		diags = append(diags, *d)
	}
	if s.Description == "" {
		s.Description = opening(doc.Body)
	}
	if s.Description == "" {
		return nil, nil, &diag.Diagnostic{Path: path, Line: 1, Message: "the skill has neither a description nor a text", Remedy: "write description: what it is for, and when to use it"}
	}
	return s, diags, nil
}

// securing finds in a header what a skill must not lose: hooks that guard its work,
// the tools that it is limited to, and who may use it.
var securing = lazyregexp.New(`(?m)^["']?(hooks|allowed[-_]tools|disable-model-invocation|user-invocable)["']?\s*:`)

// readLines reads the name and the description of a header that is not YAML, such as one
// with a colon in a text that should have been quoted.
func (s *Skill) readLines(header string) {
	for l := range strings.Lines(header) {
		key, value, _ := strings.Cut(l, ":")
		switch value = harmless(value); key {
		case "name":
			s.Title = value
		case "description":
			s.Description = value
		}
	}
}

// opening is the first paragraph of a body that is not a heading.
func opening(body string) string {
	for _, paragraph := range strings.Split(body, "\n\n") {
		if paragraph = harmless(paragraph); paragraph != "" && !strings.HasPrefix(paragraph, "#") {
			return paragraph
		}
	}
	return harmless(strings.TrimLeft(body, "# \n"))
}

// harmless makes one line of a text, without what must not be shown.
func harmless(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, text)), " ")
}

// Summary is what a listing shows of the description.
func (s *Skill) Summary() string {
	if utf8.RuneCountInString(s.Description) <= maxSummary {
		return s.Description
	}
	return string([]rune(s.Description)[:maxSummary-1]) + "…"
}

func (s *Skill) readHeader(header frontmatter.Value) (diags []diag.Diagnostic, err error) {
	entries, err := header.Entries("the header")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		switch e.Key {
		case "name", "description":
			text, found, err := line(e.Value, e.Key)
			if err != nil {
				return nil, err
			}
			if e.Key == "name" {
				s.Title = text
			} else {
				s.Description = text
			}
			diags = append(diags, found...)
		case "model":
			s.Model, err = e.Value.Text("model")
		case "allowed-tools", "allowed_tools":
			s.AllowedTools, err = e.Value.Strings(e.Key, frontmatter.Words)
			if s.AllowedTools == nil {
				s.AllowedTools = []string{}
			}
		case "disable-model-invocation":
			s.PersonOnly, err = e.Value.Bool(e.Key)
		case "user-invocable":
			var invocable bool
			invocable, err = e.Value.Bool(e.Key)
			s.ModelOnly = !invocable
		case "hooks":
			s.Hooks, err = json.Marshal(e.Value.Any(), json.Deterministic(true))
		}
		if err != nil {
			return nil, err
		}
	}
	return diags, nil
}

// line reads text that is shown to people and models. What is not text, or too long for a
// name, counts as missing, with a diagnostic; text that hides something is an error.
func line(v frontmatter.Value, what string) (string, []diag.Diagnostic, error) {
	s, err := v.Text(what)
	s = strings.TrimSpace(s)
	if n := utf8.RuneCountInString(s); err == nil && what == "name" && n > maxName {
		err = v.Errorf("shorten it", "%s has %d characters, %d are allowed", what, n, maxName)
	}
	if d, ok := errors.AsType[*diag.Diagnostic](err); ok {
		d.Severity = diag.Warning
		return "", []diag.Diagnostic{*d}, nil
	}
	for _, r := range s {
		if hidden(r) {
			return "", nil, v.Errorf("remove it", "%s contains the control character %U", what, r)
		}
	}
	return s, nil, err
}

func hidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c'
}
