package pi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/trust"
)

// finder finds script modules and keeps the loaded ones.
type finder struct {
	*dialect.Kit
	cache *script.Cache
	bus   *script.Bus
	node  *script.Node
	// groups are those of the registrations before they are installed.
	groups Groups
	loaded map[string]*loadedModule
	renew  bool // the next Find loads all anew
}

// loadedModule is a module and what its files were when it was loaded.
type loadedModule struct {
	m     *script.Module
	stamp string
}

// Finder finds script modules of all levels and those that are named.
func (Dialect) Finder(k *dialect.Kit) dialect.Finder {
	s := &finder{Kit: k, bus: &script.Bus{}, loaded: map[string]*loadedModule{}}
	s.cache = script.NewCache(dialect.Join(k.Dirs.Cache, "modules"))
	s.node = script.NewNode(script.NodeOptions{Dir: k.StartDir, Env: k.Env, OnPrint: s.printed})
	s.groups = NewGroups(hook.NewRegistry())
	return s
}

var _ dialect.Modules = (*finder)(nil)

func (s *finder) Close() error {
	var errs []error
	for _, lm := range s.loaded {
		errs = append(errs, lm.m.Close())
	}
	s.loaded = map[string]*loadedModule{}
	errs = append(errs, s.node.Close()) // after the modules that run in it
	return errors.Join(errs...)
}

// printed reports what modules in Node print.
func (s *finder) printed(text string) {
	if report := s.Hosting.OnReport; report != nil {
		report(script.Report{Path: "node", Kind: script.ReportLog, Level: "info", Message: text})
	}
}

func (s *finder) Find(ctx context.Context) ([]dialect.Found, []diag.Diagnostic) {
	files, out := s.files()
	var diags []diag.Diagnostic
	keep := map[string]bool{}
	for _, f := range files {
		keep[f.path] = true
		found, d := s.one(ctx, f)
		out = append(out, found...)
		diags = append(diags, d...)
	}
	for path, lm := range s.loaded {
		if !keep[path] {
			if err := s.unload(ctx, path, lm.m); err != nil {
				diags = append(diags, dialect.Note(diag.Warning, path, "%v", err))
			}
		}
	}
	s.renew = false
	return out, diags
}

// maxShim is more than the modules have by which other agents ask us.
const maxShim = 64 << 10

// one finds out what one module registers.
func (s *finder) one(ctx context.Context, f moduleFile) ([]dialect.Found, []diag.Diagnostic) {
	base := dialect.Found{
		Name: dialect.BaseName(f.path), Dialect: name, Level: f.level, Type: "module", Path: f.path, Source: f.path, Command: f.path, Status: dialect.Active, Group: s.groups.Others.Name(),
	}
	if text, err := frontmatter.ReadRegular(f.path, maxShim); err == nil && dialect.IsBridgeModule(text) && base.Bridge(dialect.BridgeMark) {
		return []dialect.Found{base}, nil
	}
	base.Artifact = trust.Artifact{Name: base.Name, Dialect: name, Level: f.level, Root: s.root(f.level, filepath.Dir(f.path)), Source: f.path, Definition: "script module " + base.Name}
	inputs, requests, err := script.Inspect(ctx, f.path, s.options(f, nil))
	if err != nil {
		unloadable(&base, err)
		return []dialect.Found{base}, moduleDiags(f.path, err)
	}
	for _, in := range inputs {
		base.Artifact.Files = append(base.Artifact.Files, in.Path)
	}
	base.Artifact.Capabilities = requests
	if !s.Allow(&base) {
		if old := s.InForce(&base); old != nil {
			return old, nil // the loaded module is what was approved
		}
		return []dialect.Found{base}, nil
	}
	m, err := s.load(ctx, f, requests)
	if err != nil {
		unloadable(&base, err)
		return []dialect.Found{base}, moduleDiags(f.path, err)
	}
	return s.registered(base, m)
}

// lostGate is what a module that asks for tool calls would have registered: it fails closed.
func lostGate() *hook.Registration {
	return &hook.Registration{Event: hook.EventPreToolUse, OnFailure: hook.FailClosed}
}

// unloadable says of a module, which may have been a gate, why it does not run. One whose
// text names tool_call, or cannot be read, fails as its handler would have: closed.
func unloadable(base *dialect.Found, err error) {
	base.Status, base.Why = dialect.Broken, "the module could not be loaded: "+err.Error()
	if text, err := frontmatter.ReadRegular(base.Path, script.DefaultMaxSource); err != nil || bytes.Contains(text, []byte("tool_call")) {
		base.Registration = lostGate()
	}
}

func moduleDiags(path string, err error) []diag.Diagnostic {
	le, ok := errors.AsType[*script.LoadError](err)
	if !ok {
		return []diag.Diagnostic{{Path: path, Message: err.Error()}}
	}
	var out []diag.Diagnostic
	for _, p := range le.Problems {
		if p.Path == "" {
			p.Path = path
		}
		out = append(out, p)
	}
	return out
}

// Renew has all modules loaded anew by the next Find. One that changed and is not approved
// stays as it was.
func (s *finder) Renew() { s.renew = true }

// unload ends a module, which is told before.
func (s *finder) unload(ctx context.Context, path string, m *script.Module) error {
	if s.Hosting.Leave != nil {
		s.Hosting.Leave(ctx, m)
	}
	delete(s.loaded, path)
	return m.Close()
}

// load returns the module, loaded anew only when a file of it changed, or all are to be.
func (s *finder) load(ctx context.Context, f moduleFile, requests []string) (*script.Module, error) {
	if lm := s.loaded[f.path]; lm != nil {
		if !s.renew && lm.stamp == s.filesStamp(lm.m) {
			return lm.m, nil
		}
		_ = s.unload(ctx, f.path, lm.m) // what could not be stopped is reported by its reports
	}
	m, err := script.Load(ctx, f.path, s.options(f, requests))
	if err != nil {
		return nil, err
	}
	s.loaded[f.path] = &loadedModule{m, s.filesStamp(m)}
	return m, nil
}

func (s *finder) filesStamp(m *script.Module) string {
	return dialect.Fingerprint(func(st *dialect.Stamper) {
		for _, f := range m.Files() {
			st.File(f.Path)
		}
	})
}

// options are what a module may do and use. Modules of the person and of the
// administrator may do all; those of a project what their header asks for, which
// is part of what was approved.
func (s *finder) options(f moduleFile, requests []string) script.Options {
	o := script.Options{
		Cwd: s.StartDir, Env: s.Env, Cache: s.cache, Bus: s.bus, Host: s.Hosting.Host, OnReport: s.Hosting.OnReport,
		Flags: s.Hosting.Flags, Approve: s.approve, Node: s.node, Speech: Speech(),
	}
	if s.Sandbox.Only {
		o.Grants = script.Grants{UI: true, ReadRoots: []string{"*"}, Env: []string{"*"}}
		return o
	}
	if f.level != "project" {
		o.Grants = script.GrantAll()
		return o
	}
	o.Grants = projectGrants(requests, s.Dirs.Project)
	return o
}

// approve asks the gate about the bytes that are about to run.
func (s *finder) approve(files []script.File) error {
	for _, f := range files {
		if !s.AllowFile(f.Path, "sha256:"+f.Digest) {
			return fmt.Errorf("%s is not what was approved", f.Path)
		}
	}
	return nil
}

func (s *finder) registered(base dialect.Found, m *script.Module) ([]dialect.Found, []diag.Diagnostic) {
	info := m.Info()
	regs, remarks := Registrations(m, s.groups)
	var diags []diag.Diagnostic
	for _, r := range remarks {
		diags = append(diags, diag.Diagnostic{Severity: diag.Warning, Path: base.Path, Message: strings.TrimPrefix(r, base.Path+": ")})
	}
	base.Registers = registers(info)
	if len(regs) == 0 {
		base.Type = "module without events"
		return []dialect.Found{base}, diags
	}
	var out []dialect.Found
	for i := range regs {
		f := base
		f.Event, f.Registration, f.Group = regs[i].Event, &regs[i], regs[i].Group.Name()
		f.Type = nameOf(f.Event)
		if i > 0 {
			f.Registers = nil
		}
		out = append(out, f)
	}
	return out, diags
}

// registers lists what a module registers besides handlers.
func registers(info script.Info) []string {
	var out []string
	for _, c := range info.Commands {
		out = append(out, "command /"+c.Name)
	}
	for _, t := range info.Tools {
		out = append(out, "tool "+t.Name)
	}
	for _, f := range info.Flags {
		out = append(out, "flag --"+f.Name)
	}
	for _, k := range info.Shortcuts {
		out = append(out, "shortcut "+k.Key)
	}
	for _, r := range info.Renderers {
		out = append(out, "renderer "+r)
	}
	return out
}

// Modules returns the loaded modules in the order in which they load: the first to
// register a command or a renderer has it.
func (s *finder) Modules() []*script.Module {
	files, _ := s.files()
	var out []*script.Module
	for _, f := range files {
		if lm := s.loaded[f.path]; lm != nil {
			out = append(out, lm.m)
		}
	}
	return out
}
