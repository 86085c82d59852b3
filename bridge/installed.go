package bridge

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// installation is the record of a file that has the bridge: what it was before, so that
// it can be so again, and what it is since.
type installation struct {
	Path    string `json:"path"`
	Missing bool   `json:"missing"` // there was no file
	Before  []byte `json:"before"`
	After   []byte `json:"after"`
}

func (in *Installer) dir() string { return filepath.Join(in.Dirs.State, "bridge", "installed") }

func (in *Installer) recordPath(path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(in.dir(), fmt.Sprintf("%x.json", sum[:12]))
}

// record returns the record of a file, nil when there is none.
func (in *Installer) record(path string) (*installation, error) {
	return readInstallation(in.recordPath(path))
}

func readInstallation(path string) (*installation, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var i installation
	if err == nil {
		err = json.Unmarshal(data, &i)
	}
	if err != nil {
		return nil, fmt.Errorf("read what was installed, from %s: %w", path, err)
	}
	return &i, nil
}

func (in *Installer) keep(i *installation) error {
	data, err := json.Marshal(i)
	if err == nil {
		err = fsx.WriteFile(in.recordPath(i.Path), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep what %s was: %w", i.Path, err)
	}
	return nil
}

func (in *Installer) forget(path string) error {
	if err := os.Remove(in.recordPath(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget what %s was: %w", path, err)
	}
	return nil
}

// Installed are the files into which the bridge was installed, wherever they are, and that
// have it still.
func (in *Installer) Installed() ([]string, error) {
	names, err := filepath.Glob(filepath.Join(in.dir(), "*.json"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range names {
		i, err := readInstallation(name)
		if err != nil {
			return nil, err
		}
		if i != nil && has(i.Path) {
			out = append(out, i.Path)
		}
	}
	return out, nil
}

// Place is a file of a host that has the bridge.
type Place struct {
	Level, Path string
	// Problems say what keeps it from working as this version would install it.
	Problems []string
}

// Path is the file of a host's level that the bridge goes into.
func (in *Installer) Path(h *dialect.Host, level string) (string, error) {
	_, path, err := in.file(h, level)
	return path, err
}

// Places are the files of a host that have its bridge, as seen from the project.
func (in *Installer) Places(h *dialect.Host) ([]Place, error) {
	var out []Place
	for i := range h.Files {
		if h.Files[i].Name == "" {
			continue // a directory, into which nothing is installed
		}
		path := h.Files[i].Path(in.Dirs, in.Getenv)
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && in.ofAnother(h, &h.Files[i], data) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look for the bridge of %s: %w", h.Title, err)
		}
		out = append(out, Place{Level: h.Files[i].Level, Path: path, Problems: in.problems(h, &h.Files[i], data)})
	}
	return out, nil
}

// ofAnother reports whether a file of a host has no bridge, or that of another host only.
func (in *Installer) ofAnother(h *dialect.Host, f *dialect.HostFile, data []byte) bool {
	if !bytes.Contains(data, []byte(dialect.BridgeMark)) {
		return true
	}
	starts := func(h *dialect.Host) bool {
		return slices.ContainsFunc(h.Events, func(e dialect.HostEvent) bool { return bytes.Contains(data, []byte(lineEnd(h, e.Name))) })
	}
	return f.Format != dialect.FormatModule && !starts(h) && slices.ContainsFunc(dialect.Hosts(in.Dialects), starts)
}

// Others are the files of other hosts that a host reads too and that have the bridge: the hooks
// run behind it through that.
func (in *Installer) Others(h *dialect.Host) (paths []string) {
	places, _ := in.Places(h) // what cannot be read is told where it is looked for
	for _, path := range h.OwnFiles(in.Dialects, in.Dirs, in.Getenv) {
		if has(path) && !slices.ContainsFunc(places, func(p Place) bool { return p.Path == path }) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// problems compares what a file has with what would be installed.
func (in *Installer) problems(h *dialect.Host, f *dialect.HostFile, data []byte) (out []string) {
	if f.Format == dialect.FormatModule {
		if bytes.Equal(data, in.module(h, f, func(e *dialect.HostEvent) bool { return e.OnRequest == "" })) {
			return nil
		}
		return []string{"it is not what would be installed now: other events, another program or another version; installing again mends that"}
	}
	root, err := jsonx.Parse(data)
	if err != nil {
		return []string{"the file is not valid JSON, so that " + h.Title + " may run no hook of it: " + err.Error()}
	}
	has := map[string]bool{}
	commands(root.Get(f.Shape.Holder()), func(command string) { has[command] = true })
	var missing, other []string
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case has[in.Command(h, e)]:
		case containsSuffix(has, lineEnd(h, e.Name)):
			other = append(other, e.Name)
		case e.OnRequest == "":
			missing = append(missing, e.Name)
		}
	}
	if len(missing) > 0 {
		out = append(out, "not asked about: "+strings.Join(missing, ", "))
	}
	if len(other) > 0 {
		out = append(out, "another program, or another version, is started for: "+strings.Join(other, ", ")+"; installing again mends that")
	}
	return out
}

// lineEnd is what a command line for an event ends with, whatever program it starts.
func lineEnd(h *dialect.Host, event string) string {
	return " " + h.Name + " " + event + dialect.BridgeMark
}

func containsSuffix(has map[string]bool, suffix string) bool {
	for command := range has {
		if strings.HasSuffix(command, suffix) {
			return true
		}
	}
	return false
}

// commands calls fn with every string below a node that starts the bridge.
func commands(n *jsonx.Node, fn func(string)) {
	if n == nil {
		return
	}
	if n.Kind == jsonx.String && dialect.IsBridge(n.Text) {
		fn(n.Text)
	}
	for _, item := range n.Items {
		commands(item, fn)
	}
	for _, m := range n.Members {
		commands(m.Value, fn)
	}
}
