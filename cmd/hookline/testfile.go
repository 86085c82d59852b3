package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/cmd/hookline/internal/report"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/trust"
)

// hookTest is one case of a hook test file.
type hookTest struct {
	Name     string            `yaml:"name,omitempty" doc:"what the case is called"`
	Event    string            `yaml:"event" doc:"event that is fired, by its name or that of a dialect"`
	Only     []string          `yaml:"only,omitempty" doc:"hooks that are asked; without it all are"`
	Tool     string            `yaml:"tool,omitempty" doc:"tool of the call"`
	Input    map[string]any    `yaml:"input,omitempty" doc:"the tool's input"`
	Prompt   string            `yaml:"prompt,omitempty" doc:"text of the prompt"`
	Response any               `yaml:"response,omitempty" doc:"the tool's response: a text or a structure"`
	Set      map[string]any    `yaml:"set,omitempty" doc:"further members of the payload"`
	Answers  []string          `yaml:"answers,omitempty" doc:"answers to the dialogs of modules, as fire --answer gives them"`
	Files    map[string]string `yaml:"files,omitempty" doc:"files of a directory that the case has to itself, by name"`
	Setup    []string          `yaml:"setup,omitempty" doc:"lines of shell that are run in that directory first"`
	Cwd      string            `yaml:"cwd,omitempty" doc:"working directory, in that directory or else in the project"`
	Env      map[string]string `yaml:"env,omitempty" doc:"variables that hooks get"`
	Expect   expectation       `yaml:"expect" doc:"what has to come of it"`

	line int
}

// testOptions are the arguments and the flags of test.
type testOptions struct {
	paths                    []string // of files and directories; none is those of the project
	asJSON, asTAP, asJUnit   bool
	setup, coverage, watches bool
	// unapproved are names of hooks that run although nobody approved them.
	unapproved []string
	// about, when it is not "", leaves out cases that are about other hooks only.
	about string
	// watch is told of the files of the cases and of the hooks, unless it is nil.
	watch *fileWatch
}

func newTestCmd(a *app) *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:   "test [DIR|FILE...]",
		Short: "Run hook test files",
		Long: `Run hook test files: YAML files named *.hooktest.yaml, each a list of events and
of what the hooks must come to. Without arguments they are looked for below
.hookline and .claude of the project. Exits with 1 when a case fails. Hooks that are not
approved do not run, and a case that names one under only fails: use --unapproved for a hook that you
are writing, --require-trusted, or --trust-project on a machine that is thrown away.

  tests:
    - name: the guard blocks rm -rf
      event: PreToolUse
      tool: Bash
      input: {command: rm -rf /}
      expect: {decision: deny, reason: not allowed}`,
		Example: "  hookline test\n  hookline test .hookline/guard.hooktest.yaml\n  hookline test --coverage\n  hookline test --junit > report.xml",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			if o.watches {
				return a.watchTests(cmd.Context(), o)
			}
			return runTest(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.asTAP, "tap", false, "print the Test Anything Protocol")
	cmd.Flags().BoolVar(&o.asJUnit, "junit", false, "print JUnit's XML")
	cmd.Flags().BoolVar(&o.coverage, "coverage", false, "say of each hook which answers the cases saw, and which kinds no case has")
	cmd.Flags().BoolVar(&o.watches, "watch", false, "run again whenever test files or files of hooks change or are new")
	cmd.MarkFlagsMutuallyExclusive("json", "tap", "junit", "coverage")
	cmd.Flags().BoolVar(&o.setup, "setup", false, "run the setup lines of the cases, which are commands that nobody approved")
	cmd.Flags().StringArrayVar(&o.unapproved, "unapproved", nil, "run this hook of yours as it is now, and approve nothing (repeatable)")
	return cmd
}

// watchTests runs the cases, and again after each change, until the context ends.
func (a *app) watchTests(ctx context.Context, o testOptions) error {
	var err error
	if o.watch, err = newFileWatch(); err != nil {
		return err
	}
	defer o.watch.close()
	return a.again(ctx, o.watch, func() error { return runTest(ctx, a, o) })
}

func runTest(ctx context.Context, a *app, o testOptions) error {
	if v := trust.InsideAgent(a.getenv); v != "" && (o.setup || len(o.unapproved) > 0) {
		return usagef("--setup and --unapproved are for people; %s says that an agent started this", v)
	}
	w, err := a.openHost(ctx, nil, func(h *host.Options) {
		noAudit(h)
		h.TrustNames = o.unapproved
		h.Hosting.Host = caseHost{h.UI.(*flagUI)}
	})
	if err != nil {
		return err
	}
	defer w.Close()
	a.printDiagnostics(slices.Concat(w.Set().Diagnostics, dialect.StalePrograms(w.Set().Hooks)))
	for _, name := range o.unapproved {
		hooks, err := w.named(name)
		if err != nil {
			return usagef("--unapproved: %w", err)
		}
		for i := range hooks {
			if h := &hooks[i]; h.Status == discovery.Active {
				a.warnf("--unapproved: %s (%s) runs as it is now", escaped(name), escaped(w.relative(h.Artifact.Source)))
			}
		}
	}
	if err := a.checkTrusted(w); err != nil {
		return err
	}
	a.untrustedLine(w.Set())
	files, err := a.findTests(w, o.paths)
	if err != nil {
		return err
	}
	if o.watch != nil {
		if err := o.watch.set(append(w.hookFiles(), files...), w.newFileDirs(files)); err != nil {
			return err
		}
	}
	return a.runTests(ctx, w, files, o)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// testResult is one case as test --json prints it.
type testResult struct {
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Name   string   `json:"name"`
	Passed bool     `json:"passed"`
	Faults []string `json:"faults"`
}

func (a *app) runTests(ctx context.Context, w *workspace, files []string, o testOptions) error {
	results := []testResult{}
	seen := coverage{}
	for _, file := range files {
		tests, err := a.readTests(file)
		if err != nil {
			return err
		}
		for i := range tests {
			if only := tests[i].Only; o.about != "" && len(only) > 0 && !slices.Contains(only, o.about) {
				continue
			}
			r, err := a.runCase(ctx, w, file, &tests[i], o, seen)
			if err != nil {
				return err
			}
			results = append(results, r)
			if !o.asJSON && !o.asTAP && !o.asJUnit {
				a.testLine(w, r)
			}
		}
	}
	if err := a.printTests(w, results, o); err != nil {
		return err
	}
	if o.coverage {
		a.printCoverage(w, seen)
	}
	if slices.ContainsFunc(results, func(r testResult) bool { return !r.Passed }) {
		return errSilent
	}
	return nil
}

func (a *app) testLine(w *workspace, r testResult) {
	mark := a.style("32", "pass")
	if !r.Passed {
		mark = a.style("31;1", "FAIL")
	}
	a.printf("%s  %s  %s\n", mark, escaped(r.Name), a.style("2", fmt.Sprintf("(%s:%d)", escaped(w.relative(r.File)), r.Line)))
	for _, f := range r.Faults {
		a.printf("      %s\n", line(f))
	}
}

func (a *app) runCase(ctx context.Context, w *workspace, file string, t *hookTest, o testOptions, seen coverage) (r testResult, err error) {
	r = testResult{File: file, Line: t.line, Name: t.Name, Faults: []string{}}
	if r.Name == "" {
		r.Name = t.Event
	}
	at := func(err error) error { // a mistake in the file, not in how the command was called
		return fmt.Errorf("%s:%d: %s", file, t.line, strings.TrimPrefix(err.Error(), "--"))
	}
	dir, remove, err := t.place(ctx, w.Dirs.Project, o.setup || a.trustProject)
	defer func() { err = errors.Join(err, remove()) }()
	if err != nil {
		r.Faults = append(r.Faults, err.Error())
		return r, nil
	}
	flags := eventFlags{args: []string{t.Event}, tool: t.Tool, prompt: t.Prompt, values: t.Set}
	if dir != "" {
		flags.values = maps.Clone(t.Set)
		if flags.values == nil {
			flags.values = map[string]any{}
		}
		flags.values["cwd"] = dir
	}
	if t.Input != nil {
		flags.input = hook.MustJSON(t.Input).Raw()
	}
	if t.Response != nil {
		flags.response = hook.MustJSON(t.Response).Raw()
	}
	if err := w.person.set(t.Answers); err != nil {
		return r, at(err)
	}
	in, err := a.buildInput(ctx, w.Dir, w.Dirs.State, &flags)
	if err != nil {
		return r, at(err)
	}
	if err := errors.Join(t.setEnv(w, in), w.only(t.Only)); err != nil {
		return r, at(err)
	}
	if r.Faults = w.standIdle(t.Only, in.Event()); len(r.Faults) > 0 {
		return r, nil
	}
	eng := w.NewEngine()
	out, err := eng.Fire(ctx, in)
	if err = errors.Join(err, eng.Close()); err != nil {
		return r, at(err)
	}
	seen.add(&out)
	rep := report.New(&out, nil)
	r.Faults = t.Expect.faults(&out, &rep, w.person.deeds())
	r.Passed = len(r.Faults) == 0
	return r, nil
}

// standIdle says which of the hooks that a case is about cannot run at all. Such a
// case would pass whenever it expects that nothing happens.
func (w *workspace) standIdle(names []string, ev hook.Event) []string {
	out := []string{}
	for _, n := range names {
		var idle *discovery.Found
		active := false
		hooks := w.Set().ByName(n)
		for i := range hooks {
			switch h := &hooks[i]; {
			case h.Event != ev && h.Event != 0:
			case h.Status == discovery.Active:
				active = true
			case idle == nil || h.Status == discovery.Untrusted:
				idle = h
			}
		}
		if idle != nil && (!active || idle.Status == discovery.Untrusted) {
			out = append(out, n+" "+whyIdle(idle))
		}
	}
	return out
}

func whyIdle(h *discovery.Found) string {
	why := ""
	if h.Why != "" && h.Why != string(h.Status) {
		why = " (" + h.Why + ")"
	}
	if h.Status == discovery.Untrusted {
		return fmt.Sprintf("is not approved%s; 'hookline trust' shows and approves, 'hookline test --unapproved %s' tries it as it is", why, escaped(h.Name))
	}
	return "is " + string(h.Status) + why
}
