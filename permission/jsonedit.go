package permission

import (
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// applyTo makes an update in the text of a settings file.
func applyTo(d *jsonx.Doc, u hook.PermissionUpdate) error {
	const top = "permissions"
	var items []string
	key := u.Behavior
	switch u.Type {
	case SetMode:
		return d.Set(u.Mode, top, "defaultMode")
	case AddDirectories, RemoveDirectories:
		key = "additionalDirectories"
		for _, dir := range u.Directories {
			items = append(items, filepath.Clean(dir))
		}
	default:
		for _, r := range u.Rules {
			parsed, err := NewRule(r.ToolName, r.RuleContent)
			if err != nil {
				return err
			}
			items = append(items, parsed.String())
		}
	}
	named := func(s string) bool { return slices.Contains(items, s) }
	switch u.Type {
	case RemoveRules, RemoveDirectories:
		return d.Remove(named, top, key)
	case ReplaceRules:
		if err := d.Remove(func(s string) bool { return !named(s) }, top, key); err != nil {
			return err
		}
	}
	for _, item := range items {
		if err := d.Append(item, top, key); err != nil {
			return err
		}
	}
	return nil
}
