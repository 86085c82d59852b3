package trust

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestNothingOfAProjectRunsUnapproved(t *testing.T) {
	b := newBench(t)
	g := b.gate()
	for _, level := range []string{"project", "local", "", "plugin", "Managed"} {
		a := b.hook
		a.Level = level
		v := b.check(g, a, false, "untrusted")
		if g.CheckFile(a.Files[0], v.Digest) {
			t.Errorf("level %q: a file is allowed", level)
		}
	}
	b.approve(b.hook)
	b.check(g, b.hook, true, "")
}

// TestAnyChangeIsUntrustedAgain changes one thing at a time and takes it back.
func TestAnyChangeIsUntrustedAgain(t *testing.T) {
	for name, change := range map[string]func(b *bench) Artifact{
		"one byte of the script": func(b *bench) Artifact { b.write("hooks/guard.sh", "#!/bin/sh\nexit 1\n", 0o755); return b.hook },
		"its mode": func(b *bench) Artifact {
			if runtime.GOOS == "windows" {
				b.t.Skip("permission bits mean little on Windows")
			}
			b.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n", 0o700)
			return b.hook
		},
		"it is gone": func(b *bench) Artifact { os.Remove(b.path("hooks/guard.sh")); return b.hook },
		"a further file": func(b *bench) Artifact {
			b.write("hooks/lib.sh", "x", 0o644)
			a := b.hook
			a.Files = append(a.Files, b.path("hooks/lib.sh"))
			return a
		},
		"the definition":  func(b *bench) Artifact { a := b.hook; a.Definition += " "; return a },
		"the source":      func(b *bench) Artifact { a := b.hook; a.Source = b.path("other.json"); return a },
		"the dialect":     func(b *bench) Artifact { a := b.hook; a.Dialect = "kodelet"; return a },
		"what it asks":    func(b *bench) Artifact { a := b.hook; a.Capabilities = []string{"exec"}; return a },
		"what it shadows": func(b *bench) Artifact { a := b.hook; a.Replaces = "user guard"; return a },
		"a link": func(b *bench) Artifact {
			b.write("hooks/real.sh", "#!/bin/sh\nexit 0\n", 0o755)
			os.Remove(b.path("hooks/guard.sh"))
			if err := os.Symlink("real.sh", b.path("hooks/guard.sh")); err != nil {
				b.t.Skipf("no links here: %v", err)
			}
			return b.hook
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.approve(b.hook)
			b.check(b.gate(), b.hook, true, "")
			changed := change(b)
			b.check(b.gate(), changed, false, "untrusted")
			os.Remove(b.path("hooks/guard.sh"))
			b.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n", 0o755)
			b.check(b.gate(), b.hook, true, "")
		})
	}
}

func TestOrderAndPlaceDoNotMatter(t *testing.T) {
	b := newBench(t)
	b.write("hooks/a.sh", "a", 0o755)
	a := b.hook
	a.Files = append(a.Files, b.path("hooks/a.sh"))
	a.Capabilities = []string{"exec", "net:x"}
	b.approve(a)
	a.Files = []string{a.Files[1], a.Files[0], a.Files[1]}
	a.Capabilities = []string{"net:x", "exec"}
	a.Name = "guard #2"
	b.check(b.gate(), a, true, "")
}

func TestNamesOfFilesAreNotRunTogether(t *testing.T) {
	a := digestOf(Artifact{Dialect: "a", Definition: "bc"}, State{})
	b := digestOf(Artifact{Dialect: "ab", Definition: "c"}, State{})
	c := digestOf(Artifact{Dialect: "a", Definition: "bc"}, State{Files: []FileState{{Path: "x\n1:y"}}})
	d := digestOf(Artifact{Dialect: "a", Definition: "bc"}, State{Files: []FileState{{Path: "x"}, {Path: "y"}}})
	if a == b || c == d || a == c {
		t.Error("two artifacts have one digest")
	}
}

func TestApprovalOfOneProjectDoesNotCountInAnother(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	other := filepath.Join(filepath.Dir(b.root), "other")
	if err := os.CopyFS(other, os.DirFS(b.root)); err != nil {
		t.Fatal(err)
	}
	a := b.hook
	a.Root, a.Source, a.Files = other, filepath.Join(other, "settings.json"), []string{filepath.Join(other, "hooks/guard.sh")}
	b.check(b.gate(), a, false, "untrusted")
	// A pointer to the approved project, under the project's control, changes nothing.
	if err := os.MkdirAll(filepath.Join(other, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"commondir", "gitdir"} {
		if err := os.WriteFile(filepath.Join(other, ".git", name), []byte(filepath.Join(b.root, ".git")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.check(b.gate(), a, false, "untrusted")
}

func TestProjectThroughALinkIsTheSameProject(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	link := filepath.Join(filepath.Dir(b.root), "link")
	if err := os.Symlink(b.root, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	a := b.hook
	a.Root, a.Source, a.Files = link, filepath.Join(link, "settings.json"), []string{filepath.Join(link, "hooks", "guard.sh")}
	b.check(b.gate(), a, true, "")
}

func TestLinksOutOfTheProject(t *testing.T) {
	b := newBench(t)
	outside := filepath.Join(filepath.Dir(b.root), "outside.sh")
	if err := os.WriteFile(outside, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	os.Remove(b.path("hooks/guard.sh"))
	if err := os.Symlink(outside, b.path("hooks/guard.sh")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	b.check(b.gate(), b.hook, false, "leads out of the project")
	_, err := b.store.Approve(t.Context(), ApproveOptions{}, b.hook)
	if _, ok := errors.AsType[*escapeError](err); !ok {
		t.Errorf("approved: %v", err)
	}
	b.check(b.gate(func(o *GateOptions) { o.TrustProject = true }), b.hook, false, "leads out of the project")
	// The person's own hooks may be links into a place for such files.
	a := b.hook
	a.Level = "user"
	b.check(b.gate(), a, true, "")
	// The same for a directory on the way, and for the defining file.
	os.Remove(b.path("hooks/guard.sh"))
	os.Remove(b.path("hooks"))
	if err := os.Symlink(filepath.Dir(outside), b.path("hooks")); err != nil {
		t.Fatal(err)
	}
	a = b.hook
	a.Files = []string{b.path("hooks/outside.sh")}
	b.check(b.gate(), a, false, "leads out of the project")
	a.Files, a.Source = nil, b.path("hooks/outside.sh")
	b.check(b.gate(), a, false, "leads out of the project")
}

func TestUserAndManagedHooks(t *testing.T) {
	b := newBench(t)
	user, managed := b.hook, b.hook
	user.Level, managed.Level = "user", "managed"
	b.check(b.gate(), user, true, "")
	b.check(b.gate(), managed, true, "")
	if runtime.GOOS == "windows" {
		t.Skip("modes and owners mean little on Windows")
	}
	for _, mode := range []os.FileMode{0o775, 0o757} {
		b.write("hooks/guard.sh", "#!/bin/sh\n", mode)
		b.check(b.gate(), user, false, "is writable by")
		b.check(b.gate(), managed, false, "is writable by")
	}
	b.approve(user) // by content nevertheless
	b.check(b.gate(), user, true, "")
	b.write("hooks/guard.sh", "#!/bin/sh\necho\n", 0o755)
	b.check(b.gate(), user, true, "")
	if err := os.Chmod(b.path("hooks"), 0o777); err != nil {
		t.Fatal(err)
	}
	b.check(b.gate(), user, false, "is writable by everybody")
	if err := os.Chmod(b.path("hooks"), 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	b.check(b.gate(), user, true, "")
	if err := os.Chmod(b.path("hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		t.Skip("changing owners needs root")
	}
	for _, name := range []string{"hooks/guard.sh", "hooks", "settings.json"} {
		if err := os.Chown(b.path(name), 12345, 12345); err != nil {
			t.Fatal(err)
		}
		b.check(b.gate(), user, false, "belongs to user 12345")
		b.check(b.gate(), managed, false, "belongs to user 12345")
		if err := os.Chown(b.path(name), 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	b.check(b.gate(), user, true, "")
}

// TestUserHookThatRunsFilesOfTheProject has a hook of the person's settings that
// names a script which the project supplies.
func TestUserHookThatRunsFilesOfTheProject(t *testing.T) {
	b := newBench(t)
	home := filepath.Join(filepath.Dir(b.root), "home")
	must(t, os.MkdirAll(home, 0o755))
	must(t, os.WriteFile(filepath.Join(home, "settings.json"), []byte("{}"), 0o644))
	must(t, os.WriteFile(filepath.Join(home, "own.sh"), []byte("x"), 0o755))
	a := b.hook
	a.Level, a.Source = "user", filepath.Join(home, "settings.json")
	b.check(b.gate(), a, false, "it runs hooks/guard.sh of the project")
	b.approve(a)
	b.check(b.gate(), a, true, "")
	b.write("hooks/guard.sh", "changed", 0o755)
	b.check(b.gate(), a, false, "untrusted")
	a.Level = "managed" // the administrator knows
	b.check(b.gate(), a, true, "")
	a.Level, a.Files = "user", []string{filepath.Join(home, "own.sh"), b.path("hooks/none.sh")}
	b.check(b.gate(), a, true, "")
	b.write("hooks/none.sh", "there now", 0o755)
	b.check(b.gate(), a, false, "untrusted")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
