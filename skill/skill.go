package skill

import (
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/plugin"
)

// FileName is the file that makes a directory a skill.
const FileName = "SKILL.md"

// Bounds of a header's values, in characters.
const (
	MaxName        = 64
	MaxDescription = 1024
)

// Skill is one skill.
type Skill struct {
	Name        string // the directory's, with the plugin's org/repo/ in front
	Title       string // name in the header
	Description string
	Dir         string // the skill's directory
	Path        string // its SKILL.md
	Plugin      string // org/repo, or empty
	Location    plugin.Location
	// AllowedTools is nil when the skill says nothing, and empty when it
	// allows none.
	AllowedTools []string
	Model        string // that the skill asks for; may be empty
	// Hooks is the header's value of hooks as JSON, for the dialect that reads
	// it; nil when there is none. HooksLine is its line.
	Hooks     []byte
	HooksLine int
	Body      string
	BodyLine  int // line of the file on which Body starts

	// Err says why the skill cannot be used; nil for a good one. Errors of the
	// file's content are of type *diag.Diagnostic.
	Err error
	// ShadowedBy is the path of the skill of the same name that counts instead.
	ShadowedBy string
}

// Parse reads a skill from the content of the SKILL.md at path. Errors are of
// type *[diag.Diagnostic]. The diagnostics are about what is used though it is not as it
// should be.
func Parse(path string, src []byte) (*Skill, []diag.Diagnostic, error) {
	doc, err := frontmatter.Split(path, src)
	if err != nil {
		return nil, nil, err
	}
	if !doc.HasHeader {
		return nil, nil, &diag.Diagnostic{Path: path, Line: 1, Message: "a skill needs a header", Remedy: "start the file with ---, lines for name and description, and ---"}
	}
	header, err := doc.Decode()
	if err != nil {
		return nil, nil, err
	}
	s := &Skill{Path: path, Dir: filepath.Dir(path), Body: doc.Body, BodyLine: doc.BodyLine}
	if err := s.readHeader(header); err != nil {
		return nil, nil, err
	}
	var diags []diag.Diagnostic
	if dir := filepath.Base(s.Dir); dir != "." && dir != s.Title {
		name, _ := header.Get("name")
		d := name.Errorf("", "the skill is called by its directory, %q, not by the name %q in its header", dir, s.Title)
		d.Severity = diag.Warning
		diags = append(diags, *d)
	}
	return s, diags, nil
}

func (s *Skill) readHeader(header frontmatter.Value) (err error) {
	entries, err := header.Entries("the header")
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Key {
		case "name":
			s.Title, err = line(e.Value, "name", MaxName)
		case "description":
			s.Description, err = line(e.Value, "description", MaxDescription)
		case "model":
			s.Model, err = e.Value.Text("model")
		case "allowed-tools", "allowed_tools":
			s.AllowedTools, err = e.Value.Strings(e.Key, frontmatter.Words)
			if s.AllowedTools == nil {
				s.AllowedTools = []string{}
			}
		case "hooks":
			s.HooksLine = e.Line
			s.Hooks, err = json.Marshal(e.Value.Any(), json.Deterministic(true))
		}
		if err != nil {
			return err
		}
	}
	switch {
	case s.Title == "":
		return header.Errorf("write name: "+filepath.Base(s.Dir), "the skill has no name")
	case s.Description == "":
		return header.Errorf("write description: what it is for, and when to use it", "the skill has no description")
	}
	return nil
}

// line reads text that is shown to people and models.
func line(v frontmatter.Value, what string, limit int) (string, error) {
	s, err := v.Text(what)
	if err != nil {
		return "", err
	}
	s = strings.TrimSpace(s)
	if s == "" {
		return "", v.Errorf("say something", "%s is empty", what)
	}
	if n := utf8.RuneCountInString(s); n > limit {
		return "", v.Errorf("shorten it", "%s has %d characters, %d are allowed", what, n, limit)
	}
	for _, r := range s {
		if (unicode.IsControl(r) && r != '\n' && r != '\t') || unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c' {
			return "", v.Errorf("remove it", "%s contains the control character %U", what, r)
		}
	}
	return s, nil
}
