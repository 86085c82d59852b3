package dialect

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/template"

	"github.com/hookline-dev/hookline/hook"
)

// NewHook says what hook to write.
type NewHook struct {
	// Name is the hook's name: letters, digits, dots, dashes and underscores.
	Name string
	// Event is what it is for.
	Event hook.Event
	// Lang is bash, python, js, ts or go.
	Lang string
	// Matcher is the pattern for the event's subject, "" for all.
	Matcher string
	// Refuses is a regular expression, in what JavaScript, Python, jq and Go have in common,
	// for what the example refuses, and Field the canonical member of the tool input that it
	// is looked for in, or prompt. "" refuses nothing.
	Refuses, Field string
	// Base is the project, or the home directory when Global.
	Base   string
	Global bool
}

// Pattern is Refuses as a string literal, the same in JSON, JavaScript, Python, jq and Go,
// and without a quote that would end a shell's.
func (p NewHook) Pattern() string {
	return strings.ReplaceAll(hook.MustJSON(p.Refuses).Raw(), "'", `\u0027`)
}

// Draft is what a new hook consists of. Nothing of it is written yet.
type Draft struct {
	// Files are the files, the hook itself first.
	Files []DraftFile
	// Program, when not "", is what GoBuild makes of the files.
	Program string
	// Guards says that the example refuses what the hook's Refuses says.
	Guards bool
}

// DraftFile is a file to be written.
type DraftFile struct {
	Path string
	Data []byte
	Mode os.FileMode
	// Replace says that the file may be there already, and is written anew.
	Replace bool
}

// NoSuchHookError: a dialect has no new hook of the kind that was asked for.
type NoSuchHookError struct{ Message string }

func (e *NoSuchHookError) Error() string { return e.Message }

// NoSuchHook returns a *NoSuchHookError with a formatted message.
func NoSuchHook(format string, args ...any) error {
	return &NoSuchHookError{fmt.Sprintf(format, args...)}
}

// RenderFile executes a template of a new hook.
func RenderFile(files fs.FS, name string, data any) ([]byte, error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("template of a hook: %w", err)
	}
	t, err := template.New(name).Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	return []byte(b.String()), nil
}
