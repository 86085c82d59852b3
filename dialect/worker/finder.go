package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/plugin"
)

// finder finds workers: executables in the workers directories, which say themselves
// what they want, and kodelet's extensions.
type finder struct {
	*dialect.Kit
	running map[string]*started
	// helpers are the files that programs are made of besides themselves.
	helpers []string
}

// started is a worker and the content that it was started from.
type started struct {
	w      *worker.Worker
	digest string
}

// How long workers and extensions may take to say what they want while hooks load. Extensions
// have what kodelet gives them: npx and uv fetch them first.
const (
	helloTime          = 10 * time.Second
	extensionHelloTime = 3 * time.Minute
)

// Finder finds workers and extensions of all levels and of plugins.
func (Dialect) Finder(k *dialect.Kit) dialect.Finder {
	return &finder{Kit: k, running: map[string]*started{}}
}

var _ dialect.Warmer = (*finder)(nil)

// Warm begins to start the workers that do not run yet.
func (s *finder) Warm() {
	for _, r := range s.running {
		r.w.Warm()
	}
}

func (s *finder) Close() error {
	var errs []error
	for _, r := range s.running {
		errs = append(errs, r.w.Close())
	}
	s.running = map[string]*started{}
	return errors.Join(errs...)
}

func (s *finder) Stamp(st *dialect.Stamper) {
	for _, kind := range []string{"workers", "extensions"} {
		levels, _ := s.Levels(kind)
		for _, lv := range levels {
			st.Tree(lv.Dir, 2)
		}
	}
	for _, p := range s.helpers {
		st.File(p)
	}
}

func (s *finder) Find(ctx context.Context) ([]dialect.Found, []diag.Diagnostic) {
	all, diags := s.candidates()
	first := map[string]string{}
	s.helpers = nil
	for i := range all {
		f := &all[i]
		s.helpers = append(s.helpers, f.Artifact.Files...)
		if by, taken := first[f.Name]; taken && f.Status == dialect.Active {
			f.Status, f.Why = dialect.Shadowed, "shadowed by "+by
		}
		if why, off := s.Disabled(f); off && f.Status == dialect.Active {
			f.Status, f.Why = dialect.Disabled, why // and is not started
		}
		if f.Status == dialect.Active {
			first[f.Name] = f.Path
			s.Allow(f)
		}
	}
	out := make([][]dialect.Found, len(all))
	more := make([][]diag.Diagnostic, len(all))
	s.start(ctx, all, func(i int, r *started, err error) {
		out[i], more[i] = s.resolve(all[i], r, err)
	})
	var hooks []dialect.Found
	for i := range all {
		hooks = append(hooks, out[i]...)
		diags = append(diags, more[i]...)
	}
	return hooks, append(diags, s.prune(all)...)
}

// candidates lists the files.
func (s *finder) candidates() ([]dialect.Found, []diag.Diagnostic) {
	var out []dialect.Found
	workers, diags := s.Levels("workers")
	for _, lv := range workers {
		found, d := s.scan(lv, lv.Dir, "worker", "")
		out, diags = append(out, found...), append(diags, d...)
	}
	extensions, d := s.Levels("extensions")
	diags = append(diags, d...)
	for _, lv := range extensions {
		dirs := []string{lv.Dir}
		if entries, err := os.ReadDir(lv.Dir); err == nil {
			for _, e := range entries {
				if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
					dirs = append(dirs, filepath.Join(lv.Dir, e.Name()))
				}
			}
		}
		for _, dir := range dirs {
			found, d := s.scan(lv, dir, "extension", extensionPrefix)
			out, diags = append(out, found...), append(diags, d...)
		}
	}
	return out, diags
}

// maxShim is more than the extension has by which kodelet asks us.
const maxShim = 64 << 10

func (s *finder) scan(lv plugin.Level, dir, typ, prefix string) ([]dialect.Found, []diag.Diagnostic) {
	return s.Programs(lv, dir, func(f *dialect.Found) bool {
		f.Dialect, f.Type, f.Group = workerName, typ, workerName
		if !strings.HasPrefix(filepath.Base(f.Path), prefix) {
			return false
		}
		plain := strings.TrimSuffix(f.Path, dialect.DisableSuffix)
		f.Name = lv.Prefix + dialect.BaseName(plain)
		if typ == "extension" {
			f.Name = lv.Prefix + extensionID(lv.Dir, plain)
		}
		f.Artifact.Definition = typ + " " + f.Name
		if text, err := frontmatter.ReadRegular(f.Path, maxShim); err == nil && dialect.IsBridgeModule(text) {
			f.Bridge(dialect.BridgeMark)
		}
		return !s.RunByHost(f.Path)
	})
}

// start gives each candidate to then, with its worker where it may run; new ones are
// started two at a time. then is called in any order, one call at a time.
func (s *finder) start(ctx context.Context, all []dialect.Found, then func(i int, r *started, err error)) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i := range all {
		f := &all[i]
		mu.Lock()
		r := s.running[f.Path]
		settled := f.Status != dialect.Active || r != nil && r.digest == f.Digest
		if settled {
			then(i, r, nil)
		}
		mu.Unlock()
		if settled {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			w, err := s.launch(ctx, f)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				then(i, r, err)
				return
			}
			if r != nil {
				err = r.w.Close() // it ran what is no longer there
			}
			s.running[f.Path] = &started{w, f.Digest}
			then(i, s.running[f.Path], err)
		})
	}
	wg.Wait()
}

// launch makes a worker of a program that may run.
func (s *finder) launch(ctx context.Context, f *dialect.Found) (*worker.Worker, error) {
	copied, err := s.CopyOf(f)
	if err != nil {
		return nil, err
	}
	spec := worker.Spec{
		Name: f.Name, Path: copied.Path, Dir: s.Dirs.Project, Env: s.Env, Files: f.Artifact.Files, Trusted: s.AllowFile,
		Host: s.Hosting.WorkerHost, OnLog: s.Hosting.OnWorkerLog, HelloTimeout: helloTime,
	}
	if copied.Mirror != "" { // whose other files are those that were allowed
		spec.Files = []string{copied.Path}
		spec.Trusted = func(_, digest string) bool { return s.AllowFile(f.Path, digest) }
	}
	if f.Type == "extension" {
		spec.Dir, spec.HelloTimeout = filepath.Dir(f.Path), extensionHelloTime
	}
	ctx, cancel := context.WithTimeout(ctx, spec.HelloTimeout)
	defer cancel()
	if s.OwnCode(f.Level, f.Name) {
		spec.Env = s.OwnCodeEnv(f, s.Env, copied.Of(f.Python))
		if err := dialect.Unshadowed(ctx, f.Modules, spec.Dir, spec.Env); err != nil {
			f.Shut = true
			return nil, err
		}
	}
	if f.Type == "extension" {
		f.Data = filepath.Join(s.Dirs.State, "extensions", strings.ReplaceAll(f.Name, "/", "@")) // other plugins have others
	}
	confined, err := s.Confine(f)
	if err != nil {
		return nil, err
	}
	spec.Wall, spec.Env = confined.Wall, slices.Concat(spec.Env, confined.Env)
	return s.greet(ctx, f, spec)
}

// greet has a worker say what it wants. One that said so before, with the same content, is
// not started for it.
func (s *finder) greet(ctx context.Context, f *dialect.Found, spec worker.Spec) (*worker.Worker, error) {
	known := helloFile(s.Kit, f.Type, f.Path, f.Digest)
	spec.OnHello = func(worker.Hello) { _ = os.Remove(known) } // it is asked anew at the next load
	start, expect := Start, expect
	if f.Type == "extension" {
		o := extensionOptions{
			ID: filepath.Base(f.Name), Cwd: s.Dirs.Project, UI: s.Hosting.WorkerHost != nil, DataDir: f.Data,
		}
		if err := os.MkdirAll(o.DataDir, 0o700); err != nil {
			return nil, fmt.Errorf("make the extension's directory for data: %w", err)
		}
		spec.Env = append(slices.Clip(spec.Env), "KODELET_EXTENSION_WORKSPACE_CWD="+s.Dirs.Project)
		start = func(ctx context.Context, spec worker.Spec) (*worker.Worker, error) {
			return startExtension(ctx, spec, o)
		}
		expect = func(spec worker.Spec, h worker.Hello) (*worker.Worker, error) {
			return expectExtension(spec, o, h)
		}
	}
	if h, ok := readHello(known); ok {
		if w, err := expect(spec, h); err == nil {
			return w, nil
		}
	}
	w, err := start(ctx, spec)
	if err == nil {
		writeHello(known, w.Hello())
	}
	return w, err
}

// resolve makes the registrations of one worker.
func (s *finder) resolve(f dialect.Found, r *started, err error) ([]dialect.Found, []diag.Diagnostic) {
	if old := s.InForce(&f); old != nil {
		return old, nil
	}
	if f.Status == dialect.Active && err != nil {
		f.Status, f.Why = dialect.Broken, "the worker could not be started: "+err.Error()
		return unregistered(f), []diag.Diagnostic{dialect.Note(diag.Error, f.Path, "the worker cannot be used: %v", err)}
	}
	if f.Status != dialect.Active {
		return unregistered(f), nil
	}
	regs, remarks := Registrations(r.w)
	var diags []diag.Diagnostic
	for _, text := range remarks {
		diags = append(diags, dialect.Note(diag.Warning, f.Path, "%s", text))
	}
	var out []dialect.Found
	for i := range regs {
		one := f
		one.Event, one.Registration = regs[i].Event, &regs[i]
		if len(regs) > 1 {
			_, one.Part, _ = strings.Cut(regs[i].Name, "#")
		}
		if m := regs[i].Matcher; m != nil {
			one.Matcher = m.String()
		}
		if regs[i].Inactive != "" {
			one.Status, one.Why = dialect.Disabled, regs[i].Inactive
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		f.Status, f.Why = dialect.Disabled, "it asks for no event"
		out = append(out, f)
	}
	return out, diags
}

// unregistered reports a worker that does not run. It may have been a guard: tools are not
// called without it.
func unregistered(f dialect.Found) []dialect.Found {
	if f.Status == dialect.Broken || f.Status == dialect.Untrusted {
		f.Registration = &hook.Registration{Event: hook.EventPreToolUse}
		if f.Type != "extension" { // whose failures mean no opinion
			f.Registration.OnFailure = hook.FailClosed
		}
	}
	return []dialect.Found{f}
}

// prune ends the workers whose files are gone or switched off. One that is held, as
// its changed file is not approved, goes on.
func (s *finder) prune(all []dialect.Found) []diag.Diagnostic {
	keep := map[string]bool{}
	for i := range all {
		keep[all[i].Path] = all[i].Status == dialect.Active || all[i].AllowedBefore()
	}
	var diags []diag.Diagnostic
	for path, r := range s.running {
		if keep[path] {
			continue
		}
		delete(s.running, path)
		if err := r.w.Close(); err != nil {
			diags = append(diags, dialect.Note(diag.Warning, path, "the worker did not end well: %v", err))
		}
	}
	return diags
}
