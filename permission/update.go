package permission

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/hook"
)

// The kinds of permission update.
const (
	AddRules          = "addRules"
	ReplaceRules      = "replaceRules"
	RemoveRules       = "removeRules"
	SetMode           = "setMode"
	AddDirectories    = "addDirectories"
	RemoveDirectories = "removeDirectories"
)

// The destinations of a permission update.
const (
	Session         = "session"
	LocalSettings   = "localSettings"
	ProjectSettings = "projectSettings"
	UserSettings    = "userSettings"
)

// ErrBypassDisabled is returned when bypassPermissions is asked for where it is
// switched off.
var ErrBypassDisabled = errors.New("bypassPermissions is switched off here")

// Store keeps permission updates beyond the session.
type Store interface {
	// Update writes one update to the settings file that its destination names.
	// It returns that file's path, also when the file already said so.
	Update(ctx context.Context, u hook.PermissionUpdate) (file string, err error)
}

// Apply makes updates take effect: at once in this session, and in a settings
// file where the destination asks for one. All updates are checked before the
// first is applied; one that can't be written to its file is reported and not
// applied, and those before it stay.
//
// A mode set here counts for the session even when it is also written to a file.
func (c *Checker) Apply(ctx context.Context, updates ...hook.PermissionUpdate) error {
	was, err := c.apply(ctx, updates)
	if c.cfg.OnMode != nil && was != c.Mode() {
		c.cfg.OnMode()
	}
	return err
}

// apply also returns the mode as it was before.
func (c *Checker) apply(ctx context.Context, updates []hook.PermissionUpdate) (was Mode, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was = c.Mode()
	for i, u := range updates {
		if err := c.checkUpdate(u); err != nil {
			return was, fmt.Errorf("permission update %d (%s): %w", i+1, u.Type, err)
		}
	}
	for i, u := range updates {
		file := ""
		if destination(u) != Session && c.cfg.Store != nil {
			var err error
			if file, err = c.cfg.Store.Update(ctx, u); err != nil {
				return was, fmt.Errorf("permission update %d (%s) to %s: %w", i+1, u.Type, u.Destination, err)
			}
		}
		c.state.Store(c.state.Load().with(u, file))
	}
	return was, nil
}

// SetMode changes the mode for this session.
func (c *Checker) SetMode(mode Mode) error {
	return c.Apply(context.Background(), hook.PermissionUpdate{Type: SetMode, Mode: string(mode), Destination: Session})
}

// destination returns where an update goes; without one it stays in the session.
func destination(u hook.PermissionUpdate) string {
	if u.Destination == "" {
		return Session
	}
	return u.Destination
}

func (c *Checker) checkUpdate(u hook.PermissionUpdate) error {
	if err := validateUpdate(u); err != nil {
		return err
	}
	if u.Type == SetMode && Mode(u.Mode) == ModeBypass && c.cfg.NoBypass {
		return ErrBypassDisabled
	}
	return nil
}

// validateUpdate says what is wrong with an update, nil when nothing is.
func validateUpdate(u hook.PermissionUpdate) error {
	if _, ok := scopeOf(u); !ok {
		return fmt.Errorf("destination %q is not one of session, localSettings, projectSettings, userSettings", u.Destination)
	}
	switch u.Type {
	case AddRules, ReplaceRules, RemoveRules:
		if b := Behavior(u.Behavior); b != Allow && b != Ask && b != Deny {
			return fmt.Errorf("behavior %q is not one of allow, ask, deny", u.Behavior)
		}
		if len(u.Rules) == 0 && u.Type != ReplaceRules {
			return errors.New("no rules in it")
		}
		for _, r := range u.Rules {
			if _, err := NewRule(r.ToolName, r.RuleContent); err != nil {
				return err
			}
		}
	case SetMode:
		if u.Mode == "" {
			return errors.New("no mode in it")
		}
		_, err := ParseMode(u.Mode)
		return err
	case AddDirectories, RemoveDirectories:
		if len(u.Directories) == 0 {
			return errors.New("no directories in it")
		}
		for _, d := range u.Directories {
			if !filepath.IsAbs(d) {
				return fmt.Errorf("directory %q is not an absolute path", d)
			}
		}
	default:
		return fmt.Errorf("type %q is not one of addRules, replaceRules, removeRules, setMode, addDirectories, removeDirectories", u.Type)
	}
	return nil
}

// scopeOf returns the scope of an update's destination.
func scopeOf(u hook.PermissionUpdate) (Scope, bool) {
	switch destination(u) {
	case Session:
		return ScopeSession, true
	case LocalSettings:
		return ScopeLocal, true
	case ProjectSettings:
		return ScopeProject, true
	case UserSettings:
		return ScopeUser, true
	}
	return 0, false
}

// with returns the state after one update that was found good.
func (s *state) with(u hook.PermissionUpdate, file string) *state {
	next := &state{mode: s.mode, entries: slices.Clone(s.entries), dirs: slices.Clone(s.dirs)}
	scope, _ := scopeOf(u)
	behavior := Behavior(u.Behavior)
	var rules []Rule
	for _, r := range u.Rules {
		if parsed, err := NewRule(r.ToolName, r.RuleContent); err == nil {
			rules = append(rules, parsed)
		}
	}
	same := func(e Entry) bool { return e.Scope == scope && e.Behavior == behavior }
	add := func() {
		for _, r := range rules {
			if !slices.ContainsFunc(next.entries, func(e Entry) bool { return same(e) && e.Rule.Equal(r) }) {
				next.entries = append(next.entries, Entry{Rule: r, Behavior: behavior, Scope: scope, File: file})
			}
		}
		next.sort()
	}
	switch u.Type {
	case AddRules:
		add()
	case ReplaceRules:
		next.entries = slices.DeleteFunc(next.entries, same)
		add()
	case RemoveRules:
		next.entries = slices.DeleteFunc(next.entries, func(e Entry) bool {
			return same(e) && slices.ContainsFunc(rules, e.Rule.Equal)
		})
	case SetMode:
		next.mode = Mode(u.Mode)
	case AddDirectories:
		for _, d := range u.Directories {
			if d = filepath.Clean(d); !slices.Contains(next.dirs, d) {
				next.dirs = append(next.dirs, d)
			}
		}
	case RemoveDirectories:
		next.dirs = slices.DeleteFunc(next.dirs, func(d string) bool {
			return slices.ContainsFunc(u.Directories, func(x string) bool { return filepath.Clean(x) == filepath.Clean(d) })
		})
	}
	return next
}
