package bridge

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// Installer puts the bridge into the files of hosts, and takes it out. It is safe for use
// by several processes at once.
type Installer struct {
	Dialects []dialect.Dialect
	Dirs     dialect.Dirs
	Getenv   func(string) string
	// Client is the absolute path of the program that a host starts, and Args stand before
	// the names of the host and the event.
	Client string
	Args   []string
	// Dry says that nothing is written: a Change is one that would be made.
	Dry bool
}

// Change is a change of a file, made or not.
type Change struct {
	Path          string
	Before, After []byte
	// Gone says that the file is not there after the change.
	Gone bool
}

// Nothing reports whether the file stays as it is.
func (c *Change) Nothing() bool { return !c.Gone && bytes.Equal(c.Before, c.After) }

// Diff is the change for people.
func (c *Change) Diff() string {
	return udiff.Unified(c.Path, c.Path, string(c.Before), string(c.After))
}

// file finds the file of a host's level that the bridge goes into; of "", the first one.
func (in *Installer) file(h *dialect.Host, level string) (*dialect.HostFile, string, error) {
	var levels []string
	for i := range h.Files {
		f := &h.Files[i]
		if !f.Write {
			continue
		}
		levels = append(levels, f.Level)
		if f.Level == level || level == "" {
			path := f.Path(in.Dirs, in.Getenv)
			if path == "" {
				return nil, "", fmt.Errorf("it is not known where the files of level %s lie", level)
			}
			return f, fsx.Resolve(path), nil
		}
	}
	return nil, "", fmt.Errorf("nothing can be installed for %s at the level %s; there are %s", h.Title, level, strings.Join(levels, ", "))
}

// Install puts the bridge into the host's file of a level, the first one for "", for some of its events by the
// host's names, nil for all that are not on request. It is an
// error, and nothing is changed, when the file cannot be read, and when the host would read
// the bridge in another file too.
func (in *Installer) Install(ctx context.Context, h *dialect.Host, level string, events []string) (*Change, error) {
	f, path, err := in.file(h, level)
	if err != nil {
		return nil, err
	}
	if err := in.twice(h, path); err != nil {
		return nil, err
	}
	for _, name := range events {
		if h.Event(name) == nil {
			return nil, fmt.Errorf("%s has no event %q", h.Title, name)
		}
	}
	wanted := func(e *dialect.HostEvent) bool {
		return events == nil && e.OnRequest == "" || slices.Contains(events, e.Name)
	}
	return in.change(ctx, path, func(before []byte) ([]byte, error) {
		if f.Format == dialect.FormatModule {
			if len(before) > 0 && !bytes.Contains(before, []byte(dialect.BridgeMark)) {
				return nil, fmt.Errorf("%s is somebody else's, and is left alone", path)
			}
			return in.module(h, f, wanted), nil
		}
		doc, err := in.cleared(before, path)
		if err != nil {
			return nil, err
		}
		if f.Shape == dialect.ShapeFlat {
			err = versioned(doc)
		} else if f.Shape == dialect.ShapeSole {
			err = sole(doc)
		}
		if err != nil {
			return nil, fmt.Errorf("%s is left alone: %w", path, err)
		}
		for i := range h.Events {
			if e := &h.Events[i]; wanted(e) {
				if err := doc.Append(entry(f.Shape, e, in.Command(h, e)), f.Shape.Holder(), e.Name); err != nil {
					return nil, fmt.Errorf("install into %s: %w", path, err)
				}
			}
		}
		return doc.Bytes(), nil
	})
}

//go:embed module.js
var moduleHead string

// module is the text of a module for the events that are wanted.
func (in *Installer) module(h *dialect.Host, f *dialect.HostFile, wanted func(*dialect.HostEvent) bool) []byte {
	var names []string
	for i := range h.Events {
		if e := &h.Events[i]; wanted(e) {
			names = append(names, e.Name)
		}
	}
	list := func(words []string) string { return hook.MustJSON(words).Raw() }
	start := ""
	if f.Starter != "" {
		start = f.Starter + "\n"
	}
	return []byte(start + strings.NewReplacer(
		"HOOKLINE_COMMAND", list(append([]string{in.Client}, in.Args...)), "HOOKLINE_EVENTS", list(names), "HOOKLINE_HOST", h.Name,
	).Replace(moduleHead+"\n"+f.Module))
}

// isModule reports whether a file is one of code, not of settings.
func isModule(path string) bool { return filepath.Ext(path) != ".json" }

// moduleSays is a list that a module of ours has under a name.
func moduleSays(text []byte, name string) (words []string) {
	_, rest, _ := strings.Cut(string(text), "\nconst "+name+" = ")
	list, _, _ := strings.Cut(rest, "\n")
	_ = hook.RawJSON(list).Decode(&words) // of one that somebody changed, nothing is known
	return words
}

// Remove takes the bridge out of a file, which is as it was before unless somebody has
// changed it since.
func (in *Installer) Remove(ctx context.Context, path string) (*Change, error) {
	path = fsx.Resolve(path)
	return in.change(ctx, path, func(before []byte) ([]byte, error) {
		if isModule(path) { // which is ours from end to end
			if !bytes.Contains(before, []byte(dialect.BridgeMark)) {
				return before, nil
			}
			return nil, nil
		}
		doc, err := in.cleared(before, path)
		if err != nil {
			return nil, err
		}
		return doc.Bytes(), nil
	})
}

// cleared is a file without the bridge. Where it is as it was installed, it is as it was
// before that.
func (in *Installer) cleared(data []byte, path string) (*jsonx.Doc, error) {
	if was, err := in.record(path); err != nil {
		return nil, err
	} else if was != nil && bytes.Equal(was.After, data) {
		data = was.Before
	}
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}\n")
	}
	doc, err := jsonx.Edit(data)
	if err != nil {
		return nil, fmt.Errorf("%s is not valid JSON, and is left alone: %w", path, err)
	}
	for _, shape := range []dialect.HostShape{dialect.ShapeNested, dialect.ShapeNamed} {
		if _, err := doc.Purge(dialect.IsBridge, shape.Holder()); err != nil {
			return nil, fmt.Errorf("%s is left alone: %w", path, err)
		}
	}
	return doc, nil
}

// versioned gives a file the version without which its host reads nothing of it.
func versioned(doc *jsonx.Doc) error {
	root, err := jsonx.Parse(doc.Bytes())
	if err != nil {
		return err
	}
	switch v := root.Get("version"); {
	case v == nil:
		return doc.Set(1, "version")
	case v.JSON() != "1":
		return fmt.Errorf("its version is %s, and only 1 is known", v.JSON())
	}
	return nil
}

// sole says why a file must have no hooks of ours: its host would read nothing else of it.
func sole(doc *jsonx.Doc) error {
	root, err := jsonx.Parse(doc.Bytes())
	if err != nil {
		return err
	}
	for _, m := range root.Members {
		if m.Key != "hooks" {
			return fmt.Errorf("%s stands beside \"hooks\", and would not be read any more: put it in there first", m.Key)
		}
	}
	return nil
}

// change reads a file, has it changed, and writes it, under a lock.
func (in *Installer) change(ctx context.Context, path string, with func([]byte) ([]byte, error)) (c *Change, err error) {
	if err := os.MkdirAll(in.dir(), 0o700); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	lock, err := fsx.Lock(ctx, filepath.Join(in.dir(), "lock"))
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	c = &Change{Path: path}
	c.Before, err = os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if c.After, err = with(c.Before); err != nil {
		return nil, err
	}
	installed := bytes.Contains(c.After, []byte(dialect.BridgeMark))
	was, err := in.record(path)
	if err != nil {
		return nil, err
	}
	original := installation{Path: path, Before: c.Before, Missing: missing}
	if was != nil && bytes.Equal(was.After, c.Before) {
		original.Before, original.Missing = was.Before, was.Missing
		if !installed && !bytes.Contains(was.Before, []byte(dialect.BridgeMark)) {
			c.After, c.Gone = was.Before, was.Missing
		}
	}
	switch {
	case installed:
	case missing:
		c.After = nil // an empty object that nobody asked for
	case len(c.After) == 0:
		c.Gone = true
	}
	if in.Dry || c.Nothing() {
		return c, nil
	}
	original.After = c.After
	return c, in.write(c, &original, installed)
}

// write makes a change. The record is written first: of a crash in between, the record of a
// file that is not as it says is what is left, and it counts for nothing.
func (in *Installer) write(c *Change, original *installation, installed bool) error {
	if installed {
		if err := in.keep(original); err != nil {
			return err
		}
	}
	switch {
	case c.Gone:
		if err := os.Remove(c.Path); err != nil {
			return fmt.Errorf("remove %s: %w", c.Path, err)
		}
	default:
		if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
			return fmt.Errorf("write %s: %w", c.Path, err)
		}
		if info, err := os.Stat(c.Path); err == nil && info.Mode().Perm()&0o200 == 0 {
			return fmt.Errorf("%s is read-only, and is left alone", c.Path)
		}
		mode := fs.FileMode(0o644)
		if bytes.HasPrefix(c.After, []byte("#!")) {
			mode = 0o755
		}
		if err := fsx.WriteFile(c.Path, c.After, mode); err != nil {
			return err
		}
	}
	if !installed {
		return in.forget(c.Path)
	}
	return nil
}

// entry is what a file has for an event.
func entry(shape dialect.HostShape, e *dialect.HostEvent, command string) any {
	type hook struct {
		Type      string `json:"type"`
		Command   string `json:"command"`
		OnFailure string `json:"on_failure,omitzero"`
	}
	one := hook{"command", command, e.OnFailure}
	switch {
	case shape == dialect.ShapeFlat, shape == dialect.ShapeNamed && e.Event.Spec().Subject != "tool_name":
		return one
	case shape == dialect.ShapeList:
		return map[string]string{"command": command}
	}
	return struct {
		Matcher string `json:"matcher,omitzero"`
		Hooks   []hook `json:"hooks"`
	}{e.Matcher, []hook{one}}
}

// Command is the line by which a host starts us for an event. It stays the same from
// release to release, since some hosts approve hooks by their text. Without the client it
// refuses in the host's own form, where the event can be refused.
func (in *Installer) Command(h *dialect.Host, e *dialect.HostEvent) string {
	_, d := dialect.HostByName(in.Dialects, h.Name)
	a := refusal(d, h, e.Name, "Hookline is gone: install it again, or take the hooks whose command ends in '"+strings.TrimSpace(dialect.BridgeMark)+"' out of the settings.")
	say := fmt.Sprintf("echo %s >&2", quoted(strings.TrimSpace(string(a.Stderr))))
	if len(a.Stdout) > 0 {
		say = fmt.Sprintf(`printf '%%s\n' %s`, quoted(strings.TrimSpace(string(a.Stdout))))
	}
	words := []string{quoted(in.Client)}
	words = append(append(words, in.Args...), h.Name, e.Name)
	return fmt.Sprintf("[ -x %s ] || { %s; exit %d; }; exec %s%s", quoted(in.Client), say, a.ExitCode, strings.Join(words, " "), dialect.BridgeMark)
}

// quoted is a word for sh.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// twice says why the bridge must not go into a file of a host: another file that the host
// reads here has it.
func (in *Installer) twice(h *dialect.Host, path string) error {
	for _, other := range h.OwnFiles(in.Dialects, in.Dirs, in.Getenv) {
		if other = fsx.Resolve(other); other != path && has(other) {
			return fmt.Errorf("%s would run every hook twice: the bridge is in %s, which it reads too", h.Title, other)
		}
	}
	for _, reader := range dialect.Hosts(in.Dialects) {
		own := reader.OwnFiles(in.Dialects, in.Dirs, in.Getenv)
		if reader == h || !slices.ContainsFunc(own, func(p string) bool { return fsx.Resolve(p) == path }) {
			continue
		}
		if i := slices.IndexFunc(own, func(p string) bool { return fsx.Resolve(p) != path && has(p) }); i >= 0 {
			return fmt.Errorf("%s reads %s too, and would run every hook twice: the bridge is in %s", reader.Title, path, own[i])
		}
	}
	return nil
}

// has reports whether a file has the bridge.
func has(path string) bool {
	data, err := os.ReadFile(path)
	return err == nil && bytes.Contains(data, []byte(dialect.BridgeMark))
}
