package dialect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/sandbox"
	"github.com/hookline-dev/hookline/trust"
)

// DisableSuffix ends the names of executables that are switched off.
const DisableSuffix = ".disable"

// Programs lists the executables of a directory of a level, by name, as hooks of which
// the event is not known. fill says what they are: it sets name, dialect, type and group,
// and in the artifact the definition and the command; it returns false to pass one over.
func (k *Kit) Programs(lv plugin.Level, dir string, fill func(f *Found) bool) ([]Found, []diag.Diagnostic) {
	entries, err := os.ReadDir(dir)
	err = fsx.LinkFault(dir, err)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		f := Unlisted(dir, LevelName(lv), k.root(lv), filepath.Base(lv.Dir), err)
		f.Name, f.Plugin = lv.Prefix+f.Name, lv.Plugin
		fill(&f)
		return []Found{f}, nil
	}
	var out []Found
	for _, e := range entries { // ReadDir sorts by name
		skip, why := inspect(dir, e)
		if skip {
			continue
		}
		path := filepath.Join(dir, e.Name())
		f := Found{Level: LevelName(lv), Plugin: lv.Plugin, Path: path, Source: path, Command: path, Status: Active}
		f.Artifact = trust.Artifact{Level: f.Level, Root: k.root(lv), Source: path, Command: path}
		if !fill(&f) {
			continue
		}
		f.Artifact.Name, f.Artifact.Dialect = f.Name, f.Dialect
		if lv.Plugin != "" {
			f.Ask(sandbox.Needs{}, filepath.Dir(lv.Dir))
			if !f.Needs.Zero() {
				f.Artifact.Definition += " with sandbox " + string(hook.MustJSON(f.Needs).Raw())
			}
		}
		k.seeProgram(&f)
		f.judge(why)
		out = append(out, f)
	}
	return out, nil
}

// Unlisted stands for the hooks of a directory of a level of which nobody can say what is in
// it, and so for a guard. Its name is that of the directory, what is what should be listed.
func Unlisted(dir, level, root, what string, err error) Found {
	name := filepath.Base(dir)
	return Found{
		Name: name, Level: level, Path: dir, Source: dir,
		Status: Broken, Why: fmt.Sprintf("its %s cannot be listed: %v", what, err),
		Artifact: trust.Artifact{Name: name, Level: level, Root: root, Source: dir},
	}
}

// judge settles the status of an executable by its name and by what inspect says.
func (f *Found) judge(why string) {
	switch {
	case why == NotExecutable:
		f.Status, f.Why = Disabled, why
	case why != "":
		f.Status, f.Why = Broken, why
	case strings.HasSuffix(f.Path, DisableSuffix):
		f.Status, f.Why, f.Off = Disabled, "its name ends in "+DisableSuffix, true
	}
}

// inspect says whether an entry of a directory of executables is passed over, as helper
// files and directories are, or why it is not a hook although it looks like one.
func inspect(dir string, e fs.DirEntry) (skip bool, why string) {
	path := filepath.Join(dir, e.Name())
	if strings.HasPrefix(e.Name(), ".") || e.IsDir() {
		return true, ""
	}
	if e.Type()&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return false, "its link leads nowhere: " + err.Error()
		}
		if base, err := filepath.EvalSymlinks(dir); err != nil || !inside(base, target) {
			return false, fmt.Sprintf("its link leads out of the hooks directory, to %s", target)
		}
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return false, err.Error()
	case info.IsDir():
		return true, ""
	case !info.Mode().IsRegular():
		return false, "it is not a regular file"
	case !strings.HasSuffix(e.Name(), DisableSuffix) && !executableFile(path, info):
		if startsLikeScript(path) {
			return false, NotExecutable
		}
		return true, "" // helper modules and notes lie beside hooks
	case info.Size() == 0:
		return false, "the file is empty"
	}
	return false, ""
}

// NotExecutable is why a file among executables, a helper perhaps, is not a hook.
const NotExecutable = "the file begins like a script but is not executable: chmod +x makes it a hook"

// startsLikeScript reports whether a file begins with #!.
func startsLikeScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [2]byte
	n, _ := f.Read(head[:])
	return n == 2 && string(head[:]) == "#!"
}

func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// BaseName is the name of a program or module without its ending; that of its directory
// for one that is called index.
func BaseName(path string) string {
	name := filepath.Base(path)
	if ext := filepath.Ext(name); strings.TrimSuffix(name, ext) == "index" {
		return filepath.Base(filepath.Dir(path))
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// RenameProgram switches an executable on or off by its name. It reports whether that
// changed anything, which it does not where the name says so already.
func RenameProgram(path string, on bool) (changed bool, err error) {
	plain, off := strings.CutSuffix(path, DisableSuffix)
	if off != on {
		return false, nil
	}
	to := path + DisableSuffix
	if on {
		to = plain
	}
	if _, err := os.Lstat(to); err == nil {
		return false, fmt.Errorf("rename %s: %s is there already", path, to)
	}
	if err := os.Rename(path, to); err != nil {
		return false, fmt.Errorf("rename hook: %w", err)
	}
	return true, nil
}
