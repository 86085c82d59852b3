//go:build unix

package discovery_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// firstRules makes a project with approvals by the first rules, which a program of that
// time gave: of a shell script, of a Python and a node script with what they import by
// name, and of a command whose script it did not see.
func firstRules(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	from := os.DirFS(filepath.Join("testdata", "rules1", "project"))
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		return os.Chmod(p.write(p.dirs.Project, name, string(data)), mode)
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "rules1", "trust.json"))
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(p.dirs.Project)
	if err != nil {
		t.Fatal(err)
	}
	store := p.write(discovery.TrustDir(p.dirs), "trust.json", strings.ReplaceAll(string(data), `"ROOT"`, string(hook.MustJSON(real).Raw())))
	for _, dir := range []string{store, filepath.Dir(store)} {
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// standing loads the hooks of the project: those that may run, with the files that their
// approvals leave out.
func (p *place) standing() map[string]string {
	p.Helper()
	set, err := p.loader(func(o *discovery.Options) { o.Gate = nil }).Load(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	out := map[string]string{}
	for _, h := range set.Hooks {
		if h.Status == discovery.Active {
			out[h.Name] = strings.Join(h.Uncovered, " ")
		}
	}
	for name, files := range out {
		said := false
		for _, d := range set.Diagnostics {
			said = said || d.Message == name+": newly covered files: "+strings.ReplaceAll(files, " ", ", ")+"; approve once with hookline trust"
		}
		if said != (files != "") {
			p.Errorf("%s, newly covered %q: %v", name, files, set.Diagnostics)
		}
	}
	return out
}

// TestApprovalsOfEarlierRules: an approval by earlier rules counts for what it covered then;
// what it leaves out is said, and covered once it is approved.
func TestApprovalsOfEarlierRules(t *testing.T) {
	all := map[string]string{"shell": "", "python": "py/other.py", "node": "js/extra.js", "pwd": "x.sh"}
	with := func(name, files string) map[string]string {
		out := maps.Clone(all)
		if out[name] = files; files == "untrusted" {
			delete(out, name)
		}
		return out
	}
	for name, c := range map[string]struct {
		file, text string
		want       map[string]string
	}{
		"nothing changed":                      {"README", "", all},
		"a script that was covered":            {"hooks/guard.sh", "#!/bin/sh\n", with("shell", "untrusted")},
		"a module that was covered":            {"py/helper.py", "", with("python", "untrusted")},
		"a required file that was covered":     {"js/lib.js", "", with("node", "untrusted")},
		"a file that was not covered":          {"py/other.py", "", all},
		"a script that was not seen":           {"x.sh", "#!/bin/sh\nexit 0\n", all},
		"a file that was not there":            {"py/selectors.py", "", with("python", "py/other.py py/selectors.py")},
		"a file that was covered when it came": {"py/sys.py", "", with("python", "untrusted")},
		"what an import takes first":           {"py/helper/__init__.py", "", with("python", "untrusted")},
	} {
		t.Run(name, func(t *testing.T) {
			p := firstRules(t)
			p.write(p.dirs.Project, c.file, c.text)
			got := p.standing()
			if !maps.Equal(got, c.want) {
				t.Errorf("may run: %q, want %q", got, c.want)
			}
		})
	}
}

// TestApprovedOnceByTheRulesOfToday: what an approval by earlier rules left out is covered
// from the next approval on.
func TestApprovedOnceByTheRulesOfToday(t *testing.T) {
	p := firstRules(t)
	p.approve()
	for name, newly := range p.standing() {
		if newly != "" {
			t.Errorf("%s leaves out %s", name, newly)
		}
	}
	p.write(p.dirs.Project, "py/other.py", "")
	p.write(p.dirs.Project, "js/new.js", "")
	p.write(p.dirs.Project, "x.sh", "#!/bin/sh\n")
	if got := p.standing(); len(got) != 1 || got["shell"] != "" {
		t.Errorf("may run: %q", got)
	}
}

// TestEarlierApprovalInASession: a file that an earlier approval leaves out and that changes
// during a session does not take effect in it.
func TestEarlierApprovalInASession(t *testing.T) {
	p := firstRules(t)
	g := trust.NewGate(trust.GateOptions{Store: trust.NewStore(discovery.TrustDir(p.dirs)), Copies: trust.Copies{Dir: discovery.CopiesDir(p.dirs)}})
	l := p.loader(func(o *discovery.Options) { o.Gate = g })
	reg := hook.NewRegistry()
	if _, err := l.Register(t.Context(), reg); err != nil {
		t.Fatal(err)
	}
	g.Seal()
	p.write(p.dirs.Project, "x.sh", "#!/bin/sh\ntouch planted\n")
	set, _, err := l.Refresh(t.Context(), reg)
	if err != nil {
		t.Fatal(err)
	}
	e := hook.New(reg)
	defer e.Close()
	p.call(e)
	if p.planted() {
		t.Errorf("the file of the session ran: %+v", set.Hooks)
	}
}
