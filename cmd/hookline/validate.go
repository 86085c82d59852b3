package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/cmd/hookline/internal/report"
	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
)

// validateOptions are the arguments and the flags of validate.
type validateOptions struct {
	files  []string // none is all that the directory would load
	asJSON bool
}

func newValidateCmd(a *app) *cobra.Command {
	var o validateOptions
	cmd := &cobra.Command{
		Use:   "validate [FILE...]",
		Short: "Check settings files, configuration, hooks and what else an agent reads",
		Long: `Check the given files of settings, configuration, skills, agents and tests, or without
a file everything that the working directory would load: unknown events and fields, bad
matchers and timeouts, scripts that are not there, and permissions, recipes, skills,
subagents, rules, instructions, MCP servers, models and test files that cannot be used.
Exits with 1 when there are errors.`,
		Example: "  hookline validate\n  hookline validate .claude/settings.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.files = args
			return runValidate(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

func runValidate(ctx context.Context, a *app, o validateOptions) error {
	var diags []diag.Diagnostic
	var err, untrusted error
	where := looked
	if len(o.files) > 0 {
		where = ""
		diags, err = a.validateFiles(o.files)
	} else {
		diags, untrusted, err = a.validateAll(ctx)
	}
	if err != nil {
		return err
	}
	diag.Sort(diags)
	diags = slices.Compact(diags)
	if err := a.verdict(diags, o.asJSON, where); untrusted == nil {
		return err
	}
	return untrusted
}

// looked is what is looked at when no file is named.
const looked = " in configuration, settings, hooks, recipes, skills, subagents, rules, instructions, MCP servers, models and tests"

func (a *app) verdict(diags []diag.Diagnostic, asJSON bool, where string) error {
	failed := diag.HasErrors(diags)
	if asJSON {
		if err := a.printJSON(struct {
			Valid       bool                `json:"valid"`
			Diagnostics []report.Diagnostic `json:"diagnostics"`
		}{!failed, report.Diagnostics(diags)}); err != nil {
			return err
		}
	} else {
		a.printDiagnostics(diags)
		if len(diags) == 0 {
			a.printf("no faults found%s\n", where)
		}
	}
	if failed {
		return errSilent
	}
	return nil
}

func (a *app) validateFiles(paths []string) ([]diag.Diagnostic, error) {
	var all []diag.Diagnostic
	for _, p := range paths {
		p = a.inDir(p)
		if _, err := os.Stat(p); err != nil {
			return nil, usagef("%w", err)
		}
		d, err := a.validateFile(p)
		if err != nil {
			return nil, err
		}
		all = append(all, d...)
	}
	return all, nil
}

func (a *app) validateFile(path string) ([]diag.Diagnostic, error) {
	if filepath.Base(path) == config.FileName {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		_, d := config.Parse(path, data)
		return d, nil
	}
	if strings.HasSuffix(path, testSuffix) {
		_, err := a.readTests(path)
		return diag.In(err), nil
	}
	for _, d := range a.dialects {
		if f, ok := d.(dialect.Files); ok {
			if list, ok, err := f.CheckFile(path); ok {
				return list, err
			}
		}
	}
	return nil, usagef("%s: settings files end in .json, skills and agents in .md, tests in "+testSuffix+"; leave the file out to check all hooks of the directory", path)
}

// validateAll checks what the working directory would load. Untrusted is set with
// --require-trusted, when something is not approved.
func (a *app) validateAll(ctx context.Context) (found []diag.Diagnostic, untrusted, err error) {
	w, err := a.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	faults, err := w.Faults(ctx)
	if err != nil {
		return nil, nil, err
	}
	out := slices.Concat(w.Set().Diagnostics, brokenHooks(w.Set().Hooks), a.checks(w), faults, a.testFaults(w))
	for _, m := range w.Loader.Modules() {
		for _, what := range m.Unsupported() {
			out = append(out, diag.Diagnostic{
				Severity: diag.Warning, Path: m.Path(), Message: "it seems to use " + what + ", which this host does not support",
				Remedy: "the call throws; 'hookline run' supports more",
			})
		}
	}
	return out, a.checkTrusted(w), nil
}

// brokenHooks reports hooks that cannot be used and about which no diagnostic of a
// file says so.
func brokenHooks(hooks []discovery.Found) []diag.Diagnostic {
	var out []diag.Diagnostic
	for i := range hooks {
		if h := &hooks[i]; h.Status == discovery.Broken && !h.Reported {
			out = append(out, diag.Diagnostic{Path: h.Path, Message: h.Why})
		}
	}
	return out
}

// findings is what was found wrong while hooks were loaded, and what dialects find then.
func (a *app) findings(w *workspace) []diag.Diagnostic {
	return slices.Concat(w.Set().Diagnostics, a.checks(w))
}

// checks is what dialects find wrong with their hooks. Nothing is run to find out.
func (a *app) checks(w *workspace) []diag.Diagnostic {
	env := dialect.CheckEnv{Dirs: w.Dirs, Path: filepath.SplitList(a.getenv("PATH"))}
	var out []diag.Diagnostic
	for _, d := range a.dialects {
		var own []discovery.Found
		for _, h := range w.Set().Hooks {
			if h.Dialect == d.Name() {
				own = append(own, h)
			}
		}
		out = append(out, d.Check(own, env)...)
	}
	return out
}
