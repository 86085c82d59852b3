package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// What a Keep takes copies of at most.
const (
	keepBytes = 64 << 20
	keepFiles = 20_000
)

// Keep holds names inside a directory that is written, which no wall can: it has a copy
// of what is there while commands run, compares when one has ended, and puts back what
// has changed, was removed or was made. Who has changed it is not known: what others
// write there meanwhile is put back too, unless it is accepted. Nothing is lost: what is
// put back lies aside. It may be used concurrently.
type Keep struct {
	dir        string
	root       *os.Root
	names      []string // slash-separated, as except
	putBackDir string

	except []string

	mu    sync.Mutex
	users int
	base  map[string]entry
}

// Change is a name that was put back, and what had been done to it.
type Change struct {
	Path string // absolute
	Did  string // changed, removed or made
	// MovedTo is where that is now which was put away, "" where nothing was.
	MovedTo string
}

// entry is what a name stood for.
type entry struct {
	mode    fs.FileMode
	content string // of a file, or where a link leads
	stamp   stamp  // zero: not to be trusted
}

func (e entry) same(o entry) bool { return e.mode == o.mode && e.content == o.content }

// NewKeep keeps names, which are relative to dir, with all below them. A name that ends
// in a slash is kept as long as it is not a directory. Except are names below them that are
// not kept. What is put away goes to putBackDir, which is made. Close it.
func NewKeep(dir string, names, except []string, putBackDir string) (*Keep, error) {
	dir = fsx.Resolve(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("keeping the settings of %s: %w", dir, err)
	}
	k := &Keep{dir: dir, root: root, putBackDir: putBackDir, except: except}
	for _, name := range names {
		k.names = append(k.names, filepath.ToSlash(name))
		// Where a link leads inside of the directory is kept too.
		if rel, err := filepath.Rel(dir, fsx.Resolve(filepath.Join(dir, name))); err == nil && filepath.IsLocal(rel) && filepath.Clean(name) != rel && rel != "." {
			k.names = append(k.names, filepath.ToSlash(rel))
		}
	}
	return k, nil
}

// Close lets go of the directory.
func (k *Keep) Close() error { return k.root.Close() }

// Begin takes a copy, unless another command runs that has one. A directory that is too
// large for it is an error. What has changed since the last command ended is returned and
// left as it is: a person may have done it, or what a command left running.
func (k *Keep) Begin() ([]Change, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var changes []Change
	if k.users == 0 {
		now, err := k.scan()
		if err != nil {
			return nil, err
		}
		for _, name := range names(k.base, now) {
			before, had := k.base[name]
			after, has := now[name]
			if k.base != nil && (had != has || !before.same(after)) {
				changes = append(changes, k.change(name, had, has))
			}
		}
		k.base = now
	}
	k.users++
	return changes, nil
}

// names returns the names of two copies, directories before what is in them.
func names(a, b map[string]entry) []string {
	all := slices.Collect(maps.Keys(a))
	for name := range b {
		if _, ok := a[name]; !ok {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func (k *Keep) change(name string, had, has bool) Change {
	c := Change{Path: filepath.Join(k.dir, filepath.FromSlash(name)), Did: "changed"}
	switch {
	case !had:
		c.Did = "made"
	case !has:
		c.Did = "removed"
	}
	return c
}

// Accept takes over what is written at a path now: somebody did it who may.
func (k *Keep) Accept(file string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	name, err := filepath.Rel(k.dir, fsx.Resolve(file))
	if err != nil || k.base == nil {
		return
	}
	rel := filepath.ToSlash(name)
	now, err := k.scan()
	if err != nil {
		return // End meets it too
	}
	below := func(name string, _ entry) bool { return name == rel || strings.HasPrefix(name, rel+"/") }
	maps.DeleteFunc(k.base, below)
	for name, e := range now {
		if below(name, e) || strings.HasPrefix(rel, name+"/") {
			k.base[name] = e
		}
	}
}

// End compares, after a command, and puts back. Paths of written are accepted first.
func (k *Keep) End(written ...string) ([]Change, error) {
	for _, file := range written {
		k.Accept(file)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.users--
	changes := k.reopen()
	now, err := k.scan()
	if err != nil {
		return changes, err
	}
	var errs []error
	away := "" // a directory that was put away whole
	for _, name := range names(k.base, now) {
		before, had := k.base[name]
		after, has := now[name]
		if away != "" && strings.HasPrefix(name, away+"/") {
			has = false
		}
		if had == has && (!had || before.same(after)) {
			continue
		}
		c := k.change(name, had, has)
		if has && !(had && before.mode.IsDir() && after.mode.IsDir()) {
			if c.MovedTo, err = k.putAway(name); err != nil {
				errs = append(errs, fmt.Errorf("putting %s aside: %w", c.Path, err))
				continue
			}
			away = name
		}
		if had {
			err := k.restore(name, before)
			if errors.Is(err, fs.ErrNotExist) && k.gone() {
				k.base = now
				break
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("putting %s back: %w", c.Path, err))
				continue
			}
		}
		changes = append(changes, c)
	}
	return changes, errors.Join(errs...)
}

// gone reports whether the directory itself was removed, and all in it with it. One that
// was moved is still looked after.
func (k *Keep) gone() bool {
	info, err := k.root.Stat(".")
	return err == nil && removed(info)
}

// reopen gives directories their modes again, without which nothing in them is seen.
func (k *Keep) reopen() (changes []Change) {
	for _, name := range slices.Sorted(maps.Keys(k.base)) {
		e := k.base[name]
		info, err := k.root.Lstat(name)
		if err == nil && e.mode.IsDir() && info.IsDir() && info.Mode() != e.mode && k.root.Chmod(name, e.mode.Perm()) == nil {
			changes = append(changes, Change{Path: filepath.Join(k.dir, filepath.FromSlash(name)), Did: "changed"})
		}
	}
	return changes
}

// putAway moves what a name stands for out of the way.
func (k *Keep) putAway(name string) (string, error) {
	if err := os.MkdirAll(k.putBackDir, 0o700); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(k.putBackDir, time.Now().UTC().Format("20060102-150405-"))
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, path.Base(name))
	info, err := k.root.Lstat(name)
	switch {
	case err != nil:
	case info.IsDir():
		var sub fs.FS
		if sub, err = fs.Sub(k.root.FS(), name); err == nil {
			err = os.CopyFS(to, sub)
		}
	case info.Mode()&fs.ModeSymlink != 0:
		var target string
		if target, err = k.root.Readlink(name); err == nil {
			err = os.WriteFile(to, []byte("a link to "+target+"\n"), 0o600)
		}
	case info.Mode().IsRegular():
		var data []byte
		if data, err = k.read(name); err == nil {
			err = os.WriteFile(to, data, 0o600)
		}
	}
	if err != nil {
		// What is odd is not worth keeping; that it goes is.
		to = ""
	}
	return to, k.root.RemoveAll(name)
}

// restore makes a name what it was.
func (k *Keep) restore(name string, e entry) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := k.root.Lstat(dir); err == nil && !info.IsDir() {
			if _, err := k.putAway(dir); err != nil {
				return err
			}
		}
	}
	if err := k.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch {
	case e.mode.IsDir():
		if err := k.root.MkdirAll(name, 0o755); err != nil {
			return err
		}
	case e.mode&fs.ModeSymlink != 0:
		return k.root.Symlink(e.content, name)
	default:
		if err := k.root.WriteFile(name, []byte(e.content), 0o600); err != nil {
			return err
		}
	}
	return k.root.Chmod(name, e.mode.Perm())
}
