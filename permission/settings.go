package permission

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// Settings is what one settings file says about permissions.
type Settings struct {
	Scope Scope
	File  string
	// Rules are the file's rules, in its order: deny, ask, allow.
	Rules []Entry
	// Mode is the file's defaultMode, "" when it names none.
	Mode Mode
	// Directories are its additionalDirectories.
	Directories []string
	// NoBypass reports that the file switches bypassPermissions off.
	NoBypass bool
	// Problems are entries that could not be used. They cost only themselves. One
	// that was to forbid something or ask about it is an error, since what it
	// guarded is not guarded; the others are warnings.
	Problems []diag.Diagnostic
}

// ParseSettings reads the permissions of a settings file, JSON with comments.
// An error is returned when the text is not valid; single bad entries are
// listed in Problems. Unknown keys are left alone.
func ParseSettings(data []byte, scope Scope, file string) (Settings, error) {
	s := Settings{Scope: scope, File: file}
	if len(bytes.TrimSpace(data)) == 0 {
		return s, nil
	}
	root, err := jsonx.Parse(data)
	if err != nil {
		return s, fmt.Errorf("reading %s: %w", file, err)
	}
	var doc struct {
		Permissions map[string]jsontext.Value `json:"permissions"`
	}
	if err := json.Unmarshal([]byte(root.JSON()), &doc); err != nil {
		return s, fmt.Errorf("reading %s: %w", file, err)
	}
	for _, b := range []Behavior{Deny, Ask, Allow} {
		s.rules(b, doc.Permissions[string(b)])
	}
	s.strings("additionalDirectories", doc.Permissions["additionalDirectories"], func(_ string, dir string) error {
		s.Directories = append(s.Directories, dir)
		return nil
	})
	s.mode(doc.Permissions)
	return s, nil
}

func (s *Settings) mode(p map[string]jsontext.Value) {
	var text string
	if raw, ok := p["defaultMode"]; ok {
		err := json.Unmarshal(raw, &text)
		if err == nil {
			s.Mode, err = ParseMode(text)
		}
		if err != nil {
			s.problem(diag.Warning, "/permissions/defaultMode", err)
		}
	}
	if raw, ok := p["disableBypassPermissionsMode"]; ok {
		text = ""
		if err := json.Unmarshal(raw, &text); err != nil || text != "disable" {
			s.problem(diag.Error, "/permissions/disableBypassPermissionsMode", fmt.Errorf("%s is not \"disable\"", raw))
		}
		s.NoBypass = true // the key was meant to forbid it, however it is spelled
	}
}

func (s *Settings) problem(severity diag.Severity, pointer string, err error) {
	s.Problems = append(s.Problems, diag.Diagnostic{Severity: severity, Path: s.File, Pointer: pointer, Message: err.Error()})
}

// strings reads a list of strings.
func (s *Settings) strings(key string, raw jsontext.Value, use func(pointer, text string) error) {
	if raw == nil {
		return
	}
	severity := diag.Warning
	if key == string(Deny) || key == string(Ask) {
		severity = diag.Error // something that guards is missing
	}
	pointer := "/permissions/" + key
	var list []jsontext.Value
	if err := json.Unmarshal(raw, &list); err != nil {
		s.problem(severity, pointer, err)
		return
	}
	for i, item := range list {
		at := fmt.Sprintf("%s/%d", pointer, i)
		var text string
		err := json.Unmarshal(item, &text)
		if err == nil {
			err = use(at, text)
		}
		if err != nil {
			s.problem(severity, at, err)
		}
	}
}

func (s *Settings) rules(b Behavior, raw jsontext.Value) {
	s.strings(string(b), raw, func(_, text string) error {
		r, err := ParseRule(text)
		if err == nil {
			s.Rules = append(s.Rules, Entry{Rule: r, Behavior: b, Scope: s.Scope, File: s.File})
		}
		return err
	})
}

// Untrusted returns the settings without what would loosen something: allow
// rules, further directories and every mode but plan and default. That is how
// the settings of a project count which the person has not approved: what is
// judged doesn't supply the judgement.
func (s Settings) Untrusted() Settings {
	s.Rules = slices.DeleteFunc(slices.Clone(s.Rules), func(e Entry) bool { return e.Behavior == Allow })
	s.Directories = nil
	if s.Mode != ModePlan && s.Mode != ModeDontAsk {
		s.Mode = ""
	}
	return s
}

// Merge makes the configuration that several settings come to: all rules, all
// directories, and the mode of the strongest scope that names one. Bypass is
// never taken from project or local settings.
func Merge(cfg Config, settings ...Settings) Config {
	sorted := slices.SortedStableFunc(slices.Values(settings), func(a, b Settings) int { return int(a.Scope) - int(b.Scope) })
	for _, s := range sorted {
		cfg.Rules = append(cfg.Rules, s.Rules...)
		cfg.Directories = append(cfg.Directories, s.Directories...)
		cfg.NoBypass = cfg.NoBypass || s.NoBypass
		if s.Mode == ModeBypass && (s.Scope == ScopeProject || s.Scope == ScopeLocal) {
			continue
		}
		if cfg.Mode == "" {
			cfg.Mode = s.Mode
		}
	}
	if cfg.NoBypass && cfg.Mode == ModeBypass {
		cfg.Mode = ModeDefault
	}
	return cfg
}
