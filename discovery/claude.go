package discovery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/trust"
)

// claudeName is the dialect's and the group's name.
const claudeName = "claude"

// claudeSource reads settings files.
type claudeSource struct {
	l *Loader
	// good holds, by path, what was read last from a file that could be used.
	good map[string]*claude.Settings
	// scripts are the files that commands name, as of the last load.
	scripts []string
}

func newClaudeSource(l *Loader) *claudeSource {
	return &claudeSource{l: l, good: map[string]*claude.Settings{}}
}

func (s *claudeSource) groups() []groupSpec {
	return []groupSpec{{claudeName, hook.Parallel, hook.RankClaude}}
}

func (s *claudeSource) close() error { return s.l.workers.close() }

// claudeFile is a settings file that may be there.
type claudeFile struct {
	path  string
	opts  claude.Options
	level string
	// inline says that the hooks are a member of a plugin's manifest.
	inline bool
	// must says that somebody named the file, so that its absence is an error.
	must bool
}

// files lists the settings files in declared order.
func (s *claudeSource) files() ([]claudeFile, []diag.Diagnostic) {
	var out []claudeFile
	add := func(f SettingsFile, must bool) {
		out = append(out, claudeFile{path: f.Path, level: f.Level(), opts: claude.Options{Scope: f.Scope}, must: must})
	}
	for _, f := range s.l.opts.Dirs.SettingsFiles() {
		if !s.l.opts.NoHooks || f.Scope == claude.ScopeManaged {
			add(f, false)
		}
	}
	if s.l.opts.NoHooks {
		return out, nil
	}
	if p := s.l.opts.Settings; p != "" {
		if !filepath.IsAbs(p) {
			p = filepath.Join(s.l.opts.StartDir, p)
		}
		add(SettingsFile{p, claude.ScopeFlag}, true)
	}
	plugins, diags := s.plugins()
	return append(out, plugins...), diags
}

// plugins lists the files in which installed plugins declare hooks.
func (s *claudeSource) plugins() ([]claudeFile, []diag.Diagnostic) {
	var out []claudeFile
	var diags []diag.Diagnostic
	for _, dir := range s.pluginDirs() {
		content, pd, err := plugin.Scan(dir.Dir)
		if err != nil {
			diags = append(diags, s.l.note(diag.Error, dir.Dir, "%v", err))
			continue
		}
		diags = append(diags, fromPlugin(pd)...)
		if content.Claude == nil {
			continue
		}
		p := &claude.Plugin{Name: dir.Plugin, Root: dir.Dir, Data: filepath.Join(s.l.opts.Dirs.State, "plugins", filepath.Base(dir.Dir))}
		opts := claude.Options{Scope: claude.ScopePlugin, Plugin: p}
		for _, f := range content.Claude.HookFiles {
			out = append(out, claudeFile{path: f, opts: opts, level: levelName(dir)})
		}
		if content.Claude.InlineHooks != nil {
			out = append(out, claudeFile{path: content.Claude.Manifest, opts: opts, level: levelName(dir), inline: true})
		}
	}
	return out, diags
}

// pluginDirs lists the installed plugins. What is wrong with their places is reported
// along with their executables.
func (s *claudeSource) pluginDirs() []plugin.Level {
	dirs, _ := plugin.PluginDirs(s.l.opts.Dirs.Project, s.l.opts.Dirs.Home)
	return dirs
}

func sameFile(a, b string) bool {
	ia, err1 := os.Stat(a)
	ib, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(ia, ib)
}

func (s *claudeSource) stamp(st *stamper) {
	files, _ := s.files()
	for _, f := range files {
		st.file(f.path)
	}
	for _, p := range s.pluginDirs() {
		st.file(p.Dir)
	}
	for _, p := range s.scripts {
		st.file(p)
	}
}

func (s *claudeSource) find(ctx context.Context) ([]Found, []diag.Diagnostic) {
	files, diags := s.files()
	var read []*claude.Settings
	level := map[string]string{}
	var guards []Found
	for _, f := range files {
		settings, unread, d := s.read(f)
		diags = append(diags, d...)
		if unread && f.opts.Scope == claude.ScopeManaged {
			guards = append(guards, unreadPolicy(f.path))
		}
		if settings != nil {
			read = append(read, settings)
			level[f.path] = f.level
		}
	}
	set := claude.NewSet(read...)
	s.l.made = map[*claude.Entry]hook.Handler{}
	b := s.builder()
	regs, d := set.Registrations(b)
	diags = append(diags, d...)
	out := guards
	s.scripts = nil
	i := 0
	for _, f := range set.Files() {
		nth := map[string]int{}
		for k := range f.Entries {
			one := s.found(f, &f.Entries[k], regs[i], level[f.Path])
			key := one.Event.String() + one.Name
			one.nth, nth[key] = nth[key], nth[key]+1
			s.scripts = append(s.scripts, one.Artifact.Files...)
			i++
			if old := s.l.heldHooks(&one); old != nil {
				out = append(out, old...)
				continue
			}
			parts, d := s.parts(ctx, one)
			out, diags = append(out, parts...), append(diags, d...)
		}
	}
	if err := s.l.workers.prune(out); err != nil {
		diags = append(diags, s.l.note(diag.Warning, "", "a worker that no hook names any more did not end well: %v", err))
	}
	return out, diags
}

// unreadPolicy guards in the place of an administrator's file of which nothing could be
// read: nobody knows what it would have denied.
func unreadPolicy(path string) Found {
	why := "nothing of the administrator's settings file " + path + " can be read; whoever looks after this machine has to mend it"
	return Found{
		Name: filepath.Base(path), Dialect: claudeName, Level: claude.ScopeManaged.String(), Event: hook.EventPreToolUse, Type: "settings",
		Path: path, Source: path, Status: Broken, Why: why, Registration: closedGuard(hook.EventPreToolUse, why), group: claudeName,
	}
}

// read reads one file. One that is broken as a whole keeps what it said before; unread
// says that it had said nothing.
func (s *claudeSource) read(f claudeFile) (settings *claude.Settings, unread bool, diags []diag.Diagnostic) {
	if s.l.held[f.path] {
		return s.good[f.path], false, nil
	}
	settings, diags, err := s.parse(f)
	if errors.Is(err, fs.ErrNotExist) && !f.must {
		delete(s.good, f.path)
		return nil, false, nil
	}
	if err != nil {
		diags = append(diags, diag.Diagnostic{Path: f.path, Message: err.Error(), Remedy: "mend or remove the file"})
	}
	unread = err != nil || settings.Unread
	broken := unread || len(settings.Entries) == 0 && diag.HasErrors(diags)
	if last := s.good[f.path]; broken && last != nil {
		return last, false, append(diags, s.l.note(diag.Warning, f.path, "the hooks that were read from it before stay in force"))
	}
	if !broken {
		s.good[f.path] = settings
	}
	return settings, unread, diags
}

func (s *claudeSource) parse(f claudeFile) (*claude.Settings, []diag.Diagnostic, error) {
	if !f.inline {
		return claude.ReadSettings(f.path, f.opts)
	}
	data, err := os.ReadFile(f.path)
	if err != nil {
		return nil, nil, fmt.Errorf("reading hooks: %w", err)
	}
	settings, diags := claude.ParseInlineHooks(f.path, data, f.opts)
	return settings, diags, nil
}

func (s *claudeSource) found(f *claude.Settings, e *claude.Entry, r hook.Registration, level string) Found {
	out := Found{
		Name: r.Name, Dialect: claudeName, Level: level, Event: e.Event, Type: string(e.Type), Matcher: e.Matcher,
		Command: commandLine(e), Path: f.Path, Source: r.Source, Status: Active, Registration: &r, group: claudeName,
	}
	if level == "" {
		out.Level = f.Scope.String()
	}
	if f.Plugin != nil {
		out.Plugin = f.Plugin.Name
	}
	out.Artifact = trust.Artifact{
		Name: out.Name, Dialect: claudeName, Level: out.Level, Root: s.l.opts.Dirs.Project, Source: f.Path, Definition: definition(e),
		Event: e.Event.String(), Matcher: e.Matcher, Command: out.Command,
	}
	switch h := s.l.made[e].(type) {
	case *command.Hook:
		out.Prewarm = h.Prewarm
	case *workerHook:
		out.worker = h
	}
	out.Artifact.Files, out.Artifact.Unseen = s.l.scriptFiles(e, f)
	switch {
	case e.Broken != "":
		out.Status, out.Why = Broken, e.Broken
	case r.Inactive != "":
		out.Status, out.Why = Disabled, r.Inactive
	case s.l.allow(&out):
		s.l.verify(&out, e)
	}
	return out
}

// commandLine says for people what an entry runs.
func commandLine(e *claude.Entry) string {
	switch e.Type {
	case claude.TypeCommand, claude.TypeWorker:
		return strings.Join(append([]string{e.Command}, e.Args...), " ")
	case claude.TypeHTTP:
		return "POST " + e.URL
	case claude.TypeMCPTool:
		return e.Server + "/" + e.Tool
	}
	return e.Prompt
}

// definition is the text of an entry that approval covers: everything that changes
// what it does, and not its place among others.
func definition(e *claude.Entry) string {
	return string(hook.MustJSON(map[string]any{
		"event": e.Event.String(), "matcher": e.Matcher, "type": e.Type, "if": e.If, "timeout": e.Timeout.String(), "onFailure": e.OnFailure.String(),
		"subagents": e.IncludeSubagents, "guard": e.Guard, "once": e.Once, "env": e.Env, "command": e.Command, "args": e.Args, "shell": e.Shell,
		"prewarm": e.Prewarm, "async": e.Async, "asyncRewake": e.AsyncRewake, "url": e.URL, "headers": e.Headers, "allowedEnvVars": e.AllowedEnvVars,
		"server": e.Server, "tool": e.Tool, "input": e.Input, "prompt": e.Prompt, "model": e.Model, "continueOnBlock": e.ContinueOnBlock,
	}).Raw())
}
