package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/hook"
)

// Mode is how freely the agent may act.
type Mode string

// The permission modes. The zero Mode counts as ModeDefault.
const (
	ModeDefault     Mode = "default"
	ModeAcceptEdits Mode = "acceptEdits"
	ModePlan        Mode = "plan"
	ModeDontAsk     Mode = "dontAsk"
	ModeBypass      Mode = "bypassPermissions"
)

// ModeNames are the names of all modes.
func ModeNames() []string {
	return []string{string(ModeDefault), string(ModeAcceptEdits), string(ModePlan), string(ModeDontAsk), string(ModeBypass)}
}

// ParseMode reads a mode's name; "" is the default mode.
func ParseMode(s string) (Mode, error) {
	names := ModeNames()
	if s == "" {
		return ModeDefault, nil
	}
	if slices.Contains(names, s) {
		return Mode(s), nil
	}
	return "", fmt.Errorf("permission mode %q is not one of %s", s, strings.Join(names, ", "))
}

// Scope is where a rule comes from.
type Scope uint8

// The scopes, the strongest first. Scopes order what is reported and which mode
// counts; they don't let an allow win over a deny.
const (
	ScopeManaged Scope = iota
	ScopeCLI
	ScopeSession
	ScopeLocal
	ScopeProject
	ScopeUser
)

func (s Scope) String() string {
	names := [...]string{"managed", "command line", "session", "local", "project", "user"}
	if int(s) < len(names) {
		return names[s]
	}
	return "unknown"
}

// Behavior is what a rule wants.
type Behavior string

// The behaviors.
const (
	Allow Behavior = "allow"
	Ask   Behavior = "ask"
	Deny  Behavior = "deny"
)

// Entry is a rule with its origin.
type Entry struct {
	Rule     Rule
	Behavior Behavior
	Scope    Scope
	// File is the settings file that holds the rule, "" when none does.
	File string
}

// String names the rule and where it comes from.
func (e Entry) String() string {
	s := fmt.Sprintf("%s rule %s (%s", e.Behavior, e.Rule, e.Scope)
	if e.File != "" {
		s += ", " + e.File
	}
	return s + ")"
}

// Request is a tool call that wants to run.
type Request struct {
	// Tool is the canonical tool name.
	Tool string
	// Input is the input that would run, after all changes that hooks made.
	Input hook.JSON
	// OriginalInput is the input before hooks changed it; zero when none did.
	OriginalInput hook.JSON
	// Cwd is the directory in which the call would run.
	Cwd string
	// Root is the worktree that the caller works in, "" for the project: it takes the
	// project's place among the working directories and for rules that allow. Rules
	// that deny or ask hold for both.
	Root string
	// Hook is what hooks decided about the call, on the final input.
	Hook hook.Decision
	// HookReason and HookName say why and which hook.
	HookReason, HookName string
	// Granted are rules that allow too, for this call.
	Granted []Rule
}

// Basis says what decided.
type Basis string

// What can decide.
const (
	ByRule      Basis = "rule"
	ByHook      Basis = "hook"
	ByMode      Basis = "mode"
	ByProtected Basis = "protected"
	ByReadOnly  Basis = "read-only"
	ByDefault   Basis = "default"
)

// Decision is what may happen with a call.
type Decision struct {
	// Decision is hook.DecisionAllow, DecisionAsk, DecisionDeny, or
	// DecisionDefer when a hook deferred the call.
	Decision hook.Decision
	// Basis is what decided.
	Basis Basis
	// Entry is the rule that decided; nil when none did.
	Entry *Entry
	// Reason says why, for the person and, on a deny, for the model.
	Reason string
	// Part is the part of the call that decided, such as one command of many.
	Part string
	// Outside is the file outside of the working directories that is asked about, "" where
	// it is about something else.
	Outside string
	// Notes are further things worth knowing: other rules that matched, what a
	// mode turned an answer into.
	Notes []string
	// Suggestions are updates that would allow this call and its like from now
	// on, for the answer "always"; empty unless the call is asked about.
	Suggestions []hook.PermissionUpdate
}

// Hint says how a call that is asked about could be allowed when there is nobody
// to ask; "" when no rule would help.
func (d Decision) Hint() string {
	var ways []string
	for _, u := range d.Suggestions {
		switch u.Type {
		case AddRules:
			for _, r := range u.Rules {
				if parsed, err := NewRule(r.ToolName, r.RuleContent); err == nil {
					ways = append(ways, fmt.Sprintf("the allow rule %q", parsed.String()))
				}
			}
		case AddDirectories:
			for _, dir := range u.Directories {
				ways = append(ways, fmt.Sprintf("the working directory %q", dir))
			}
		case SetMode:
			ways = append(ways, "the permission mode "+u.Mode)
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return "to allow it, add " + strings.Join(ways, " and ")
}
