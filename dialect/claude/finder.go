package claude

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/worker"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/sandbox"
	"github.com/hookline-dev/hookline/trust"
)

// finder reads settings files.
type finder struct {
	*dialect.Kit
	// good holds, by path, what was read last from a file that could be used.
	good map[string]*Settings
	// scripts are the files that commands name, as of the last load.
	scripts []string
	// read are the settings of the last load.
	read []*Settings
	// skills are the SKILL.md files of all skills, as of the last load.
	skills []string
	// workers run entries of type worker; entries are those of the last load.
	workers *worker.Pool
	entries map[string]*worker.Entry
}

// Finder reads settings files of all levels and those in which plugins declare hooks.
func (Dialect) Finder(k *dialect.Kit) dialect.Finder {
	return &finder{Kit: k, good: map[string]*Settings{}, workers: worker.NewPool(k)}
}

var _ dialect.LateFinder = (*finder)(nil)

func (s *finder) Close() error { return s.workers.Close() }

// Late reports whether a worker that could not be asked when hooks were loaded has said
// which it has.
func (s *finder) Late() bool { return s.workers.Late() }

// settingsFile is a settings file that may be there.
type settingsFile struct {
	path  string
	text  string // what it holds, when it is not a file
	opts  Options
	level string
	// inline says that the hooks are a member of a plugin's manifest.
	inline bool
	// must says that somebody named the file, so that its absence is an error.
	must bool
}

// files lists the settings files in declared order.
func (s *finder) files() ([]settingsFile, []diag.Diagnostic) {
	var out []settingsFile
	for _, f := range SettingsFiles(s.Dirs) {
		if (!s.NoHooks || f.Scope == ScopeManaged) && !s.RunByHost(f.Path) {
			out = append(out, settingsFile{path: f.Path, text: f.text, level: f.Level(), opts: Options{Scope: f.Scope}, must: f.Scope == ScopeFlag})
		}
	}
	if s.NoHooks {
		return out, nil
	}
	plugins, diags := s.plugins(s.pluginDirs())
	return append(out, plugins...), diags
}

// plugins lists the files in which installed plugins declare hooks.
func (s *finder) plugins(dirs []plugin.Level) ([]settingsFile, []diag.Diagnostic) {
	var out []settingsFile
	var diags []diag.Diagnostic
	for _, dir := range dirs {
		content, pd, err := plugin.Scan(dir.Dir)
		if err != nil {
			diags = append(diags, dialect.Note(diag.Error, dir.Dir, "%v", err))
			continue
		}
		diags = append(diags, pd...)
		if content.Claude == nil {
			continue
		}
		opts := Options{Scope: ScopePlugin, Plugin: s.pluginOf(dir)}
		for _, f := range content.Claude.HookFiles {
			out = append(out, settingsFile{path: f, opts: opts, level: dialect.LevelName(dir)})
		}
		if content.Claude.InlineHooks != nil {
			out = append(out, settingsFile{path: content.Claude.Manifest, opts: opts, level: dialect.LevelName(dir), inline: true})
		}
	}
	return out, diags
}

func (s *finder) pluginOf(dir plugin.Level) *Plugin {
	return &Plugin{Name: dir.Plugin, Root: dir.Dir, Data: filepath.Join(s.Dirs.State, "plugins", filepath.Base(dir.Dir))}
}

// pluginDirs lists the installed plugins. What is wrong with their places is reported
// along with their executables.
func (s *finder) pluginDirs() []plugin.Level { return s.Look().PluginDirs() }

func (s *finder) Stamp(st *dialect.Stamper) {
	files, _ := s.files()
	for _, f := range files {
		st.File(f.path)
	}
	for _, p := range s.pluginDirs() {
		st.File(p.Dir)
	}
	for _, p := range s.scripts {
		st.File(p)
	}
	s.stampSkills(st)
}

func (s *finder) Find(ctx context.Context) ([]dialect.Found, []diag.Diagnostic) {
	files, diags := s.files()
	files = append(files, s.skillFiles(ctx)...)
	s.read = nil
	level := map[string]string{}
	var out []dialect.Found
	for _, f := range files {
		settings, d := s.readFile(f)
		diags = append(diags, d...)
		if settings != nil {
			s.read = append(s.read, settings)
			level[f.path] = f.level
		}
	}
	set := newFileSet(s.read...)
	regs, d := set.Registrations(s.builder())
	diags = append(diags, d...)
	s.scripts = nil
	before := s.entries
	s.entries = map[string]*worker.Entry{}
	for _, f := range set.files {
		_, by := set.disabled(f)
		nth := map[string]int{}
		for i := range f.Entries {
			r := regs[0]
			regs = regs[1:]
			if s.skip(f, &f.Entries[i], &r) {
				nth[r.Event.String()+r.Name]++
				out = append(out, unseen(f, &f.Entries[i], r, level[f.Path]))
				continue
			}
			one := s.found(ctx, f, &f.Entries[i], r, level[f.Path], by)
			key := one.Event.String() + one.Name
			one.Nth, nth[key] = nth[key], nth[key]+1
			s.scripts = append(s.scripts, one.Artifact.Files...)
			found, d := s.inForce(ctx, one, before)
			out, diags = append(out, found...), append(diags, d...)
		}
	}
	return out, append(diags, s.prune()...)
}

// unseen makes a hook of an entry of which nothing more is looked at: it is there to say that
// its matcher leaves the input out.
func unseen(f *Settings, e *Entry, r hook.Registration, level string) dialect.Found {
	r.Handler = dialect.Unusable(errors.New("it was not looked at, since it is not for this event"))
	return dialect.Found{
		Name: r.Name, Earlier: f.earlier(e), Dialect: Name, Level: cmp.Or(level, f.Scope.String()), Event: e.Event, Type: string(e.Type), Matcher: e.Matcher,
		Path: f.Path, Source: r.Source, Status: dialect.Active, Registration: &r, Group: Name, Reported: true,
	}
}

// skip reports whether nothing more need be looked at of an entry, since it is not for the
// one input that hooks are found for.
func (s *finder) skip(f *Settings, e *Entry, r *hook.Registration) bool {
	a := trust.Artifact{Name: r.Name, Earlier: f.earlier(e), Dialect: Name, Root: s.Dirs.Project, Source: f.Path}
	return e.Broken == "" && f.whole == nil && s.Skip(r, a, func() string {
		var own dialect.Found
		own.Ask(e.Sandbox, f.pluginRoot())
		return definition(e, own.Needs)
	})
}

// inForce is what counts of a hook that was found: what it was when it was allowed, the
// hooks of its worker, or itself. before are the workers of the load before.
func (s *finder) inForce(ctx context.Context, one dialect.Found, before map[string]*worker.Entry) ([]dialect.Found, []diag.Diagnostic) {
	key := fmt.Sprint(one.Path, "\x00", one.Event, "\x00", one.Name, "\x00", one.Nth)
	if old := s.InForce(&one); old != nil {
		if w := before[key]; w != nil {
			s.entries[key] = w
		}
		return old, nil
	}
	if w, ok := dialect.Innermost(one.Registration.Handler).(*worker.Entry); ok {
		s.entries[key] = w
		return w.Parts(ctx, one)
	}
	return []dialect.Found{one}, nil
}

// prune ends the workers that no hook names any more.
func (s *finder) prune() []diag.Diagnostic {
	if err := s.workers.Prune(slices.Collect(maps.Values(s.entries))); err != nil {
		return []diag.Diagnostic{dialect.Note(diag.Warning, "", "a worker that no hook names any more did not end well: %v", err)}
	}
	return nil
}

// readFile reads one file. One that is broken as a whole keeps what it said before.
func (s *finder) readFile(f settingsFile) (*Settings, []diag.Diagnostic) {
	if s.HeldFile(f.path) {
		return s.good[f.path], nil
	}
	settings, diags, err := s.parse(f)
	if errors.Is(err, fs.ErrNotExist) && !f.must {
		delete(s.good, f.path)
		return nil, nil
	}
	if err != nil {
		settings, diags = lost(f.opts, diag.Diagnostic{Path: f.path, Message: err.Error(), Remedy: "mend or remove the file"})
	}
	broken := settings.Unread || len(settings.Entries) == 0 && diag.HasErrors(diags)
	if last := s.good[f.path]; broken && last != nil {
		return last, append(diags, dialect.Note(diag.Warning, f.path, "the hooks that were read from it before stay in force"))
	}
	if !broken {
		s.good[f.path] = settings
	}
	return settings, diags
}

func (s *finder) parse(f settingsFile) (*Settings, []diag.Diagnostic, error) {
	parse := parseInlineHooks
	switch {
	case f.opts.Scope == ScopeSkill:
		parse = parseFrontmatter
	case f.text != "":
		parse = ParseSettings
	case !f.inline:
		return ReadSettings(f.path, f.opts)
	}
	data := []byte(f.text)
	if f.text == "" {
		var err error
		if data, err = frontmatter.ReadRegular(f.path, defaultMaxSize); err != nil {
			return nil, nil, fmt.Errorf("reading hooks: %w", err)
		}
	}
	settings, diags := parse(f.path, data, f.opts)
	return settings, diags, nil
}

// found makes a hook of an entry. by, when not nil, is the file that switches its file off.
func (s *finder) found(ctx context.Context, f *Settings, e *Entry, r hook.Registration, level string, by *Settings) dialect.Found {
	out := dialect.Found{
		Name: r.Name, Earlier: f.earlier(e), Dialect: Name, Level: level, Event: e.Event, Type: string(e.Type), Matcher: e.Matcher,
		Command: e.line(), Path: f.Path, Source: r.Source, Status: dialect.Active, Registration: &r, Group: Name, Reported: true,
	}
	if level == "" {
		out.Level = f.Scope.String()
	}
	out.Artifact = trust.Artifact{
		Name: out.Name, Earlier: out.Earlier, Dialect: Name, Level: out.Level, Root: s.Dirs.Project, Source: f.Path,
		Event: e.Event.String(), Matcher: e.Matcher, Command: out.Command, Broken: e.Broken != "",
	}
	if f.Plugin != nil {
		out.Plugin, out.Data = f.Plugin.Name, f.Plugin.Data
	}
	out.Ask(e.Sandbox, f.pluginRoot())
	out.Artifact.Definition = definition(e, out.Needs)
	if h, ok := dialect.Innermost(r.Handler).(*command.Hook); ok {
		out.Prewarm = h.Prewarm
	}
	s.see(&out, f, e)
	if f.whole != nil {
		out.Artifact = *f.whole
	}
	if by != nil && by.ofProject() && s.Adopted(&out) {
		out.Why, r.Inactive = dialect.Overruled(r.Inactive), ""
	}
	why, cannot := dialect.Innermost(r.Handler).(unloaded)
	switch {
	case r.Inactive != "":
		out.Status, out.Why = dialect.Disabled, r.Inactive
	case out.Bridge(e.Command):
	case s.Allow(&out) && !cannot:
		s.run(ctx, &out, e)
	default:
		if out.AsApproved() {
			b := s.builder()
			out.Registration.Condition = b.whileUsed(f, nil)
		}
		if e.Broken != "" || out.Status == dialect.Active {
			out.Status, out.Why = dialect.Broken, cmp.Or(e.Broken, string(why))
		}
	}
	if out.Status == dialect.Active && f.Scope == ScopeSkill {
		out.Why = "while the skill " + f.Skill + " is used"
	}
	return out
}

// defined is what a definition says of an entry, by the order of the names.
type defined struct {
	AllowedEnvVars  []string          `json:"allowedEnvVars"`
	Args            []string          `json:"args"`
	Async           bool              `json:"async"`
	AsyncRewake     bool              `json:"asyncRewake"`
	Command         string            `json:"command"`
	ContinueOnBlock bool              `json:"continueOnBlock"`
	Env             map[string]string `json:"env"`
	Event           string            `json:"event"`
	Guard           bool              `json:"guard"`
	Headers         map[string]string `json:"headers"`
	If              string            `json:"if"`
	Input           hook.JSON         `json:"input"`
	Matcher         string            `json:"matcher"`
	Model           string            `json:"model"`
	OnFailure       string            `json:"onFailure"`
	Once            bool              `json:"once"`
	Prewarm         int               `json:"prewarm"`
	Prompt          string            `json:"prompt"`
	Sandbox         *sandbox.Needs    `json:"sandbox,omitzero"`
	Server          string            `json:"server"`
	Shell           string            `json:"shell"`
	Subagents       bool              `json:"subagents"`
	Timeout         string            `json:"timeout"`
	Tool            string            `json:"tool"`
	Type            string            `json:"type"`
	URL             string            `json:"url"`
}

// definition is the text of an entry that approval covers: everything that changes
// what it does, and not its place among others. Approvals keep it as it is written here.
func definition(e *Entry, n sandbox.Needs) string {
	d := defined{
		e.AllowedEnvVars, e.Args, e.Async, e.AsyncRewake, e.Command, e.ContinueOnBlock, e.Env, e.Event.String(), e.Guard, e.Headers, e.If, e.Input,
		e.Matcher, e.Model, e.OnFailure.String(), e.Once, e.Prewarm, e.Prompt, nil, e.Server, e.Shell, e.IncludeSubagents, e.Timeout.String(), e.Tool, string(e.Type), e.URL,
	}
	if !n.Zero() {
		d.Sandbox = &n
	}
	return string(hook.MustJSON(d).Raw())
}
