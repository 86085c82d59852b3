// Package catalog decides, among things found on several levels, which one of a
// name counts. Recipes and skills share it.
package catalog

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/plugin"
)

// Entry is what the catalog needs to know of a thing.
type Entry struct {
	Name, Path string
	// Err says why it cannot be used.
	Err error
	// ShadowedBy is set to the path of the one that counts instead.
	ShadowedBy *string
}

func (e Entry) active() bool { return e.Err == nil && *e.ShadowedBy == "" }

// Shadow lets the first usable thing of a name shadow later ones, and sorts by name.
func Shadow[T any](items []T, entry func(T) Entry) {
	chosen := make(map[string]string)
	for _, item := range items {
		switch e := entry(item); {
		case e.Err != nil:
		case chosen[e.Name] != "":
			*e.ShadowedBy = chosen[e.Name]
		default:
			chosen[e.Name] = e.Path
		}
	}
	slices.SortStableFunc(items, func(a, b T) int { return cmp.Compare(entry(a).Name, entry(b).Name) })
}

// Active returns those that can be used.
func Active[T any](items []T, entry func(T) Entry) []T {
	var out []T
	for _, item := range items {
		if entry(item).active() {
			out = append(out, item)
		}
	}
	return out
}

// MissingError: there is none of that name that can be used.
type MissingError struct {
	Name    string
	Similar []string // names that may have been meant
}

func (e *MissingError) Error() string { return e.Text("entry") }

// Text is the error's text for one kind of entry, such as a recipe.
func (e *MissingError) Text(kind string) string {
	s := "there is no " + kind + " " + strconv.Quote(e.Name)
	if len(e.Similar) > 0 {
		return s + "; did you mean " + strings.Join(e.Similar, " or ") + "?"
	}
	return s + "; 'hookline " + kind + " list' shows what there is"
}

// Lookup finds the usable thing of a name, where org@repo/name stands for
// org/repo/name. When all of that name are broken it gives the error of the first;
// when there is none, a *MissingError.
func Lookup[T any](items []T, name string, entry func(T) Entry) (found T, err error) {
	item, err := plugin.ParseItem(strings.ReplaceAll(name, ":", "/"))
	if err != nil {
		return found, err
	}
	missing := &MissingError{Name: item}
	var broken error
	for _, it := range items {
		switch e := entry(it); {
		case e.Name == item && e.active():
			return it, nil
		case e.Name == item && e.Err != nil && broken == nil:
			broken = e.Err
		case e.active() && (strings.HasSuffix(e.Name, "/"+item) || strings.EqualFold(e.Name, item)):
			missing.Similar = append(missing.Similar, e.Name)
		}
	}
	if broken != nil {
		return found, broken
	}
	return found, missing
}

// diagnostic tells of a file that cannot be used.
func diagnostic(path string, err error) diag.Diagnostic {
	if e, ok := errors.AsType[*diag.Diagnostic](err); ok {
		return *e
	}
	return diag.Diagnostic{Severity: diag.Error, Path: path, Message: err.Error()}
}

// Read reads and parses a file. What cannot be read or parsed comes back as an error
// and is in the diagnostics too.
func Read[T any](path string, parse func(src []byte) (T, []diag.Diagnostic, error)) (item T, diags []diag.Diagnostic, err error) {
	src, err := frontmatter.ReadRegular(path, frontmatter.MaxFile)
	if err == nil {
		item, diags, err = parse(src)
	}
	if err != nil {
		diags = append(diags, diagnostic(path, err))
	}
	return item, diags, err
}
