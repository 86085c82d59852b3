package plugin

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/diag"
)

// Errors that callers branch on, with errors.Is.
var (
	// ErrDeclined: the Approve callback said no; nothing was changed.
	ErrDeclined = errors.New("not approved; nothing was changed")
	// ErrNeedsApproval: a change makes hooks active, overwrites files that somebody changed
	// or follows a tag that was moved, and there is no Approve callback to ask; nothing was
	// changed.
	ErrNeedsApproval = errors.New("that needs approval; nothing was changed")
)

// RefusedError says why what a source contains is not installed.
type RefusedError struct {
	Plugin string
	Path   string // inside the plugin; may be empty
	Reason string
}

// Error implements error. Paths are quoted: they are not to be trusted.
func (e *RefusedError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("plugin %s is refused: %s", e.Plugin, e.Reason)
	}
	return fmt.Sprintf("plugin %s is refused: %q: %s", e.Plugin, e.Path, e.Reason)
}

// emptyError: there is nothing to install in a source.
type emptyError struct {
	Plugin string
	Hint   string
}

// Error implements error.
func (e *emptyError) Error() string {
	s := fmt.Sprintf("plugin %s: there are no skills, recipes, hooks, tools, agents or MCP servers in it (looked for skills/*/SKILL.md, recipes/**/*.md, executable files in hooks/ and tools/, and the layout of a Claude Code plugin)", e.Plugin)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// ExistsError: a plugin of that name is installed already.
type ExistsError struct {
	Plugin string
	Path   string
	Source string // that it was installed from; empty when not known
}

// Error implements error.
func (e *ExistsError) Error() string {
	from := ""
	if e.Source != "" {
		from = " from " + e.Source
	}
	return fmt.Sprintf("plugin %s is already installed%s (%s); update it with plugin update, or replace it with --force", e.Plugin, from, e.Path)
}

// NotInstalledError names the plugins that are not there.
type NotInstalledError struct {
	Names     []string
	Location  Location // empty: looked for everywhere
	Elsewhere string   // the location where they are; empty when nowhere
}

// Error implements error.
func (e *NotInstalledError) Error() string {
	where := ""
	if e.Location != "" {
		where = string(e.Location) + " "
	}
	s := fmt.Sprintf("no %splugin %s is installed", where, strings.Join(e.Names, ", "))
	switch e.Elsewhere {
	case string(Global):
		s += "; it is installed globally: add --global"
	case string(Local):
		s += "; it is installed in the project: leave --global out"
	default:
		s += "; 'hookline plugin list' shows what is"
	}
	return s
}

// BusyError: another process held the store until the context ended.
type BusyError struct {
	Dir    string
	Holder string // "plugin add acme/tools, process 4711, since 10:04:05"; may be empty
	Err    error  // why the wait ended
}

// Error implements error.
func (e *BusyError) Error() string {
	s := fmt.Sprintf("waiting for the plugins in %s: %v", e.Dir, e.Err)
	if e.Holder != "" {
		s += "; held by " + e.Holder
	}
	return s
}

// Unwrap gives the cause.
func (e *BusyError) Unwrap() error { return e.Err }

// lockFileError: plugins.lock cannot be used. Nothing writes over such a file.
type lockFileError struct {
	diag.Diagnostic // where and why; its String is the error's text
}

// installError is the failure of one of several sources.
type installError struct {
	Plugin string // name, or the source as written
	Err    error
}

// Error implements error.
func (e *installError) Error() string {
	text := e.Err.Error()
	if strings.HasPrefix(text, "plugin "+e.Plugin) {
		return text
	}
	return fmt.Sprintf("plugin %s: %s", e.Plugin, text)
}

// Unwrap gives the cause.
func (e *installError) Unwrap() error { return e.Err }

// stamp is how times are written in messages.
func stamp(t time.Time) string { return t.Local().Format(time.TimeOnly) }
