package permission

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission/rule"
)

// applyTo makes an update in the syntax tree of a settings file.
func applyTo(v *hujson.Value, u hook.PermissionUpdate) error {
	root, ok := v.Value.(*hujson.Object)
	if !ok {
		return errors.New("the file does not hold a JSON object")
	}
	adding := u.Type != RemoveRules && u.Type != RemoveDirectories
	perms, err := objectIn(root, "permissions", 1, adding)
	if perms == nil || err != nil {
		return err
	}
	var items []string
	key := u.Behavior
	switch u.Type {
	case SetMode:
		setString(perms, "defaultMode", u.Mode, 2)
		return nil
	case AddDirectories, RemoveDirectories:
		key = "additionalDirectories"
		for _, d := range u.Directories {
			items = append(items, filepath.Clean(d))
		}
	default:
		for _, r := range u.Rules {
			parsed, err := rule.New(r.ToolName, r.RuleContent)
			if err != nil {
				return err
			}
			items = append(items, parsed.String())
		}
	}
	list, err := arrayIn(perms, key, 2, adding)
	if list == nil || err != nil {
		return err
	}
	switch u.Type {
	case RemoveRules, RemoveDirectories:
		remove(list, func(s string) bool { return slices.Contains(items, s) })
	case ReplaceRules:
		remove(list, func(s string) bool { return !slices.Contains(items, s) })
		appendStrings(list, items, 3)
	default:
		appendStrings(list, items, 3)
	}
	return nil
}

// member finds a member by name. A name that stands twice is an error: which
// one counts differs between readers.
func member(o *hujson.Object, name string) (*hujson.ObjectMember, error) {
	var found *hujson.ObjectMember
	for i := range o.Members {
		if lit, ok := o.Members[i].Name.Value.(hujson.Literal); ok && lit.String() == name {
			if found != nil {
				return nil, fmt.Errorf("%q stands twice in it", name)
			}
			found = &o.Members[i]
		}
	}
	return found, nil
}

func objectIn(o *hujson.Object, name string, depth int, create bool) (*hujson.Object, error) {
	m, err := member(o, name)
	if err != nil {
		return nil, err
	}
	if m == nil {
		if !create {
			return nil, nil
		}
		made := &hujson.Object{AfterExtra: indent(depth)}
		addMember(o, name, made, depth)
		return made, nil
	}
	in, ok := m.Value.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%q is not an object in it", name)
	}
	return in, nil
}

func arrayIn(o *hujson.Object, name string, depth int, create bool) (*hujson.Array, error) {
	m, err := member(o, name)
	if err != nil {
		return nil, err
	}
	if m == nil {
		if !create {
			return nil, nil
		}
		made := &hujson.Array{AfterExtra: indent(depth)}
		addMember(o, name, made, depth)
		return made, nil
	}
	in, ok := m.Value.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("%q is not a list in it", name)
	}
	return in, nil
}

func setString(o *hujson.Object, name, value string, depth int) {
	if m, err := member(o, name); err == nil && m != nil {
		m.Value.Value = hujson.String(value)
		return
	}
	addMember(o, name, hujson.String(value), depth)
}

// addMember appends a member in the layout of the one before it.
func addMember(o *hujson.Object, name string, value hujson.ValueTrimmed, depth int) {
	before := indent(depth)
	if n := len(o.Members); n > 0 {
		before = layout(o.Members[n-1].Name.BeforeExtra)
		before, o.AfterExtra = splitTail(o.AfterExtra, before)
	} else if o.AfterExtra == nil || !bytes.Contains(o.AfterExtra, []byte("\n")) {
		o.AfterExtra = append(o.AfterExtra, indent(depth-1)...)
	}
	o.Members = append(o.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: before, Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value},
	})
}

// appendStrings appends the strings that the list doesn't hold yet.
func appendStrings(a *hujson.Array, items []string, depth int) {
	for _, item := range items {
		if slices.ContainsFunc(a.Elements, func(e hujson.ArrayElement) bool { return isString(e, item) }) {
			continue
		}
		before := indent(depth)
		if n := len(a.Elements); n > 0 {
			before = layout(a.Elements[n-1].BeforeExtra)
			if n == 1 && len(before) == 0 {
				before = hujson.Extra(" ")
			}
			before, a.AfterExtra = splitTail(a.AfterExtra, before)
		} else if a.AfterExtra == nil || !bytes.Contains(a.AfterExtra, []byte("\n")) {
			a.AfterExtra = append(a.AfterExtra, indent(depth-1)...)
		}
		a.Elements = append(a.Elements, hujson.ArrayElement{BeforeExtra: before, Value: hujson.String(item)})
	}
}

// splitTail parts what stands behind the last value of a list: a comment on the
// value's own line stays with it, in front of what is added.
func splitTail(tail, before hujson.Extra) (newBefore, newTail hujson.Extra) {
	end := bytes.IndexByte(tail, '\n')
	if end < 0 || len(bytes.TrimSpace(tail[:end])) == 0 {
		return before, tail
	}
	if !bytes.HasPrefix(before, []byte("\n")) {
		before = append(hujson.Extra("\n"), before...)
	}
	return slices.Concat(tail[:end], before), tail[end:]
}

// layout is the white space of an extra, from its last line break on.
func layout(x hujson.Extra) hujson.Extra {
	i := bytes.LastIndexByte(x, '\n')
	if i < 0 {
		return hujson.Extra(strings.Repeat(" ", min(len(x), 1)))
	}
	tail := bytes.TrimLeft(x[i+1:], " \t")
	return hujson.Extra("\n" + string(x[i+1:len(x)-len(tail)]))
}

func indent(depth int) hujson.Extra {
	return hujson.Extra("\n" + strings.Repeat("  ", depth))
}

func isString(e hujson.ArrayElement, s string) bool {
	lit, ok := e.Value.(hujson.Literal)
	return ok && lit.Kind() == '"' && lit.String() == s
}

// remove takes strings out of a list. A comment that stands before a removed
// entry goes with it.
func remove(a *hujson.Array, gone func(string) bool) {
	a.Elements = slices.DeleteFunc(a.Elements, func(e hujson.ArrayElement) bool {
		lit, ok := e.Value.(hujson.Literal)
		return ok && lit.Kind() == '"' && gone(lit.String())
	})
}
