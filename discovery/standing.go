package discovery

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/diag"
	dialect "github.com/hookline-dev/hookline/dialect/worker"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/atomicfile"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/trust"
)

// standingSource finds workers: executables in the workers directories, which say
// themselves what they want, and kodelet's extensions.
type standingSource struct {
	l       *Loader
	running map[string]*standing
}

// standing is a worker and the content that it was started from.
type standing struct {
	w      *worker.Worker
	digest string
}

// helloTime is how long a worker may take to say what it wants while hooks load.
const helloTime = 10 * time.Second

func newStandingSource(l *Loader) *standingSource {
	return &standingSource{l: l, running: map[string]*standing{}}
}

func (s *standingSource) groups() []groupSpec {
	return []groupSpec{{dialect.Dialect, hook.Sequential, hook.RankWorker}}
}

func (s *standingSource) close() error {
	var errs []error
	for _, r := range s.running {
		errs = append(errs, r.w.Close())
	}
	s.running = map[string]*standing{}
	return errors.Join(errs...)
}

func (s *standingSource) stamp(st *stamper) {
	for _, kind := range []string{"workers", "extensions"} {
		levels, _ := s.l.levels(kind)
		for _, lv := range levels {
			st.tree(lv.Dir, 2)
		}
	}
}

func (s *standingSource) find(ctx context.Context) ([]Found, []diag.Diagnostic) {
	all, diags := s.candidates()
	first := map[string]string{}
	for i := range all {
		f := &all[i]
		if by, taken := first[f.Name]; taken && f.Status == Active {
			f.Status, f.Why = Shadowed, "shadowed by "+by
		}
		if why, off := s.l.opts.Config.Disabled(f.Name, configLevel(f.Level)); off && f.Status == Active {
			f.Status, f.Why = Disabled, why // and is not started
		}
		if f.Status == Active {
			first[f.Name] = f.Path
			s.l.allow(f)
		}
	}
	out := make([][]Found, len(all))
	more := make([][]diag.Diagnostic, len(all))
	s.start(ctx, all, func(i int, r *standing, err error) {
		out[i], more[i] = s.resolve(all[i], r, err)
	})
	var hooks []Found
	for i := range all {
		hooks = append(hooks, out[i]...)
		diags = append(diags, more[i]...)
	}
	return hooks, append(diags, s.prune(all)...)
}

// candidates lists the files.
func (s *standingSource) candidates() ([]Found, []diag.Diagnostic) {
	var out []Found
	workers, diags := s.l.levels("workers")
	for _, lv := range workers {
		found, d := s.scan(lv, lv.Dir, "worker", "")
		out, diags = append(out, found...), append(diags, d...)
	}
	extensions, d := s.l.levels("extensions")
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
			found, d := s.scan(lv, dir, "extension", dialect.ExtensionPrefix)
			out, diags = append(out, found...), append(diags, d...)
		}
	}
	return out, diags
}

func (s *standingSource) scan(lv plugin.Level, dir, typ, prefix string) ([]Found, []diag.Diagnostic) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []diag.Diagnostic{s.l.note(diag.Error, dir, "its workers cannot be listed: %v", err)}
	}
	var out []Found
	for _, e := range entries {
		skip, why := inspect(dir, e)
		if skip || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		name := moduleName(strings.TrimSuffix(path, disableSuffix))
		f := Found{Name: lv.Prefix + name, Dialect: dialect.Dialect, Level: levelName(lv), Type: typ, Plugin: lv.Plugin, Path: path, Source: path, Command: path, Status: Active, group: dialect.Dialect}
		if typ == "extension" {
			f.Name = lv.Prefix + dialect.ExtensionID(lv.Dir, strings.TrimSuffix(path, disableSuffix))
		}
		f.Artifact = trust.Artifact{
			Name: f.Name, Dialect: f.Dialect, Level: f.Level, Root: s.l.root(lv), Source: path,
			Definition: typ + " " + f.Name, Command: path,
		}
		f.Artifact.Files, f.Artifact.Unseen = s.l.programFiles(path, f.Artifact.Root)
		f.judge(why)
		out = append(out, f)
	}
	return out, nil
}

// start gives each candidate to then, with its worker where it may run; new ones are
// started two at a time. then is called in any order, one call at a time.
func (s *standingSource) start(ctx context.Context, all []Found, then func(i int, r *standing, err error)) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i := range all {
		f := &all[i]
		mu.Lock()
		r := s.running[f.Path]
		settled := f.Status != Active || r != nil && r.digest == f.Digest
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
			s.running[f.Path] = &standing{w, f.Digest}
			then(i, s.running[f.Path], err)
		})
	}
	wg.Wait()
}

func (s *standingSource) launch(ctx context.Context, f *Found) (*worker.Worker, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	l := s.l
	spec := worker.Spec{
		Name: f.Name, Path: f.Path, Dir: l.opts.Dirs.Project, Env: l.env, Files: f.Artifact.Files, Trusted: l.allowFile,
		Host: l.opts.Hosting.WorkerHost, OnLog: l.opts.Hosting.OnWorkerLog,
	}
	id := filepath.Base(f.Name)
	o := dialect.ExtensionOptions{
		ID: id, Cwd: l.opts.Dirs.Project, DataDir: filepath.Join(l.opts.Dirs.State, "extensions", id), UI: l.opts.Hosting.WorkerHost != nil,
	}
	known := s.l.helloFile(f.Type, f.Path, f.Digest)
	spec.OnHello = func(worker.Hello) { _ = os.Remove(known) } // it is asked anew at the next load
	start, expect := dialect.Start, dialect.Expect
	if f.Type == "extension" {
		start = func(ctx context.Context, spec worker.Spec) (*worker.Worker, error) {
			return dialect.StartExtension(ctx, spec, o)
		}
		expect = func(spec worker.Spec, h worker.Hello) (*worker.Worker, error) {
			return dialect.ExpectExtension(spec, o, h)
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

// helloFile is where the hello of a worker of this content is kept: with it, the
// worker is started by its first call only, and its guards are there although it
// cannot be started. It is "" when nothing is kept.
func (l *Loader) helloFile(kind, what, digest string) string {
	if l.opts.Dirs.Cache == "" || digest == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(kind + "\x00" + what + "\x00" + digest))
	return filepath.Join(l.opts.Dirs.Cache, "workers", hex.EncodeToString(sum[:]))
}

func readHello(path string) (h worker.Hello, ok bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return h, false
	}
	return h, gob.NewDecoder(bytes.NewReader(b)).Decode(&h) == nil
}

// writeHello keeps a hello. It is only a cache: what cannot be written is asked for
// again.
func writeHello(path string, h worker.Hello) {
	var b bytes.Buffer
	if path == "" || gob.NewEncoder(&b).Encode(h) != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	_ = atomicfile.WriteFile(path, b.Bytes(), 0o600)
}

// resolve makes the registrations of one worker.
func (s *standingSource) resolve(f Found, r *standing, err error) ([]Found, []diag.Diagnostic) {
	if old := s.l.heldHooks(&f); old != nil {
		return old, nil
	}
	if f.Status == Active && err != nil {
		f.Status, f.Why = Broken, err.Error()
		// It may have been a guard: tools are not called without it.
		f.Registration = &hook.Registration{Event: hook.EventPreToolUse, Handler: unusable("the worker could not be started", err), OnFailure: hook.FailClosed}
		if f.Type == "extension" {
			f.Registration.OnFailure = hook.FailDefault // whose failures are no opinion
		}
		return []Found{f}, []diag.Diagnostic{s.l.note(diag.Error, f.Path, "the worker cannot be used: %v", err)}
	}
	if f.Status != Active {
		return unregistered(f), nil
	}
	regs, remarks := dialect.Registrations(r.w)
	var diags []diag.Diagnostic
	for _, text := range remarks {
		diags = append(diags, s.l.note(diag.Warning, f.Path, "%s", text))
	}
	var out []Found
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
			one.Status, one.Why = Disabled, regs[i].Inactive
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		f.Status, f.Why = Disabled, "it asks for no event"
		out = append(out, f)
	}
	return out, diags
}

// prune ends the workers whose files are gone or switched off. One that is held, as
// its changed file is not approved, goes on.
func (s *standingSource) prune(all []Found) []diag.Diagnostic {
	keep := map[string]bool{}
	for i := range all {
		keep[all[i].Path] = all[i].Status == Active || all[i].held
	}
	var diags []diag.Diagnostic
	for path, r := range s.running {
		if keep[path] {
			continue
		}
		delete(s.running, path)
		if err := r.w.Close(); err != nil {
			diags = append(diags, s.l.note(diag.Warning, path, "the worker did not end well: %v", err))
		}
	}
	return diags
}
