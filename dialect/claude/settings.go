package claude

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/toolrule"
	"github.com/hookline-dev/hookline/sandbox"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui/clean"
)

// Scope is the level at which a file of hooks was found. A larger scope comes
// later in the declared order.
type Scope uint8

// The scopes, in the order in which their hooks are declared.
const (
	ScopeManaged Scope = iota + 1 // the administrator's
	ScopeUser                     // ~/.claude/settings.json
	ScopeProject                  // .claude/settings.json
	ScopeLocal                    // .claude/settings.local.json
	ScopeFlag                     // a file given for one run
	ScopePlugin                   // a plugin's
	ScopeSkill                    // the frontmatter of a skill
	ScopeAgent                    // the frontmatter of an agent
)

// String returns the scope's word, such as user or project.
func (s Scope) String() string {
	names := [...]string{"managed", "user", "project", "local", "flag", "plugin", "skill", "agent"}
	if s == 0 || int(s) > len(names) {
		return "none"
	}
	return names[s-1]
}

// trusted reports whether the scope may loosen what others or the defaults make
// strict: the administrator's and the person's own files may, those that come with
// a project or a plugin may not.
func (s Scope) trusted() bool { return s == ScopeManaged || s == ScopeUser || s == ScopeFlag }

// Plugin is the plugin that hooks belong to.
type Plugin struct {
	Name string
	// Root is the plugin's directory and Data the one in which it keeps data.
	Root, Data string
	// Config holds the person's values for the plugin's options.
	Config map[string]string
	// Forced says that the administrator turned the plugin on.
	Forced bool
}

// Options say how a file is read.
type Options struct {
	Scope Scope
	// Plugin is set for the files of a plugin.
	Plugin *Plugin
	// Skill is the name of the skill whose file it is.
	Skill string
	// MaxSize bounds the file, in bytes; 0 means 4 MiB.
	MaxSize int64
}

// defaultMaxSize is the largest file that is read.
const defaultMaxSize = 4 << 20

// Settings is what one file says about hooks.
type Settings struct {
	Path        string
	Scope       Scope
	Plugin      *Plugin
	Description string
	// Entries are the hooks in the order of the file, broken ones included.
	Entries []Entry
	// Unread says that nothing of the hooks could be read: the file, or its member
	// hooks, is not what it should be as a whole.
	Unread bool
	// Switches are what the file says about hooks as a whole.
	Switches Switches
	// Skill is the name of the skill whose file this is.
	Skill string
	// whole, when not nil, is what approval of all its entries at once is about.
	whole *trust.Artifact
	// AgentName is the agent whose frontmatter this is.
	AgentName string
}

// Entry is one hook of a file.
type Entry struct {
	Event hook.Event
	// Matcher is the text of the group's matcher; matcher is what it means, nil for
	// everything.
	Matcher string
	matcher hook.Matcher

	Type HandlerType
	// Name is the name that the file gives the hook, "" when it gives none.
	Name string
	// Broken says why the entry could not be loaded; the rest is then what was
	// understood of it.
	Broken string
	// Place is where the entry stands, such as PreToolUse[0].hooks[1]; Line and
	// Column count from 1.
	Place        string
	Pointer      string
	Line, Column int

	// If is the text of the filter; filter is its meaning.
	If     string
	filter toolrule.Rule

	// Timeout is what the file says, 0 when it says nothing.
	Timeout          time.Duration
	OnFailure        hook.FailurePolicy
	IncludeSubagents bool
	Guard            bool
	Once             bool
	StatusMessage    string
	Env              map[string]string

	// Of command hooks and workers: what it says of its sandbox. Args is nil in the shell form.
	Sandbox sandbox.Needs
	Command string
	Args    []string
	// Of command hooks.
	Shell         string
	Prewarm       int
	Async         bool
	AsyncRewake   bool
	RewakeMessage string
	RewakeSummary string
	// Of http hooks.
	URL            string
	Headers        map[string]string
	AllowedEnvVars []string
	// Of mcp_tool hooks.
	Server string
	Tool   string
	Input  hook.JSON
	// Of prompt and agent hooks.
	Prompt          string
	Model           string
	ContinueOnBlock bool
}

// Label names the entry for people: its name, or what it runs, in one short line
// without the credentials of a URL. What cannot be shown appears as an escape; the
// lines of a command are joined by spaces.
func (e *Entry) Label() string { return clip(e.label()) }

func (e *Entry) label() string {
	label := clean.ExactLine(strings.TrimSpace(e.Name))
	if label == "" {
		runs := ""
		if k := e.Type.row(); k != nil {
			runs = k.label(e)
		}
		label = clean.ExactLine(strings.Join(strings.Fields(runs), " "))
	}
	if label == "" {
		label = e.Place
	}
	return label
}

// clip leaves out the middle of a long label: what tells the hooks of a plugin apart often
// stands at the end.
func clip(label string) string {
	r := []rune(label)
	if len(r) <= 60 {
		return label
	}
	return string(r[:20]) + "..." + string(r[len(r)-37:])
}

// named is the name of a hook of the file.
func (f *Settings) named(label string) string {
	switch {
	case f.Skill != "":
		return f.Skill + ": " + label
	case f.Plugin != nil:
		return f.Plugin.Name + ": " + label
	}
	return label
}

// earlier is the name that a hook of the file had when long labels lost their end, "" for the
// same: settings and approvals may have it.
func (f *Settings) earlier(e *Entry) string {
	label := e.label()
	if len(label) <= 60 {
		return ""
	}
	return f.named(truncate(label, 57) + "...")
}

// defaultTimeout is how long a hook of a type may take on an event when its file
// does not say.
func defaultTimeout(typ HandlerType, ev hook.Event) time.Duration {
	d := 600 * time.Second
	if k := typ.row(); k != nil && k.timeout != 0 {
		d = k.timeout
	}
	switch ev {
	case hook.EventUserPromptSubmit, hook.EventPreModelSwitch, hook.EventPostModelSwitch:
		d = min(d, 30*time.Second)
	case hook.EventMessageDisplay:
		d = min(d, 10*time.Second)
	}
	return d
}

// fileSet is the settings of all sources, in declared order.
type fileSet struct{ files []*Settings }

// newFileSet joins settings. Their declared order is managed, user, project, local,
// flag, then plugins by name, skills and agents; files of one scope keep the order
// in which they are given.
func newFileSet(files ...*Settings) *fileSet {
	s := &fileSet{slices.Clone(files)}
	slices.SortStableFunc(s.files, func(a, b *Settings) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), strings.Compare(a.pluginName(), b.pluginName()))
	})
	return s
}

func (f *Settings) pluginName() string {
	if f.Plugin == nil {
		return ""
	}
	return f.Plugin.Name
}

// SessionEnd budgets: what all hooks have together without saying, and at most.
const (
	sessionEndDefault = 1500 * time.Millisecond
	sessionEndMax     = 60 * time.Second
)

// SessionEndBudget returns how long all SessionEnd hooks may take together, which
// they start at the same time: 1.5 s, raised to the longest time that one of them
// asks for, at most a minute.
func (s *fileSet) SessionEndBudget() time.Duration {
	budget := sessionEndDefault
	for _, f := range s.files {
		for i := range f.Entries {
			if e := &f.Entries[i]; e.Event == hook.EventSessionEnd && e.Broken == "" {
				budget = max(budget, min(e.Timeout, sessionEndMax))
			}
		}
	}
	return budget
}

// place makes a diagnostic's position.
func place(path string, line, column int, pointer string) diag.Diagnostic {
	return diag.Diagnostic{Path: path, Line: line, Column: column, Pointer: pointer}
}
