package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// newOptions say what hook to write.
type newOptions struct {
	name, event, lang, dialect, matcher string
	from                                string // a case of a test file to begin with
	global                              bool
}

func newNewCmd(a *app) *cobra.Command {
	var o newOptions
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a working hook with a test",
		Long: `Write a working hook, with the executable bit set, and a test for it. The
dialect decides where it goes:

` + dialectLines(a.dialects),
		Example: "  hookline new guard --event PreToolUse --lang bash\n  hookline new redact --event PostToolUse --lang python --dialect claude\n  hookline new gate --event PreToolUse --lang ts\n  hookline new no-env --matcher 'Write|Edit' --lang python\n  hookline new stays --dialect worker --lang js\n  hookline new again --from .hookline/recorded.hooktest.yaml:3",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			if o.from != "" && cmd.Flags().Changed("event") {
				return usagef("--from %s names the event; leave --event out", o.from)
			}
			return runNew(cmd.Context(), a, o)
		},
	}
	names := dialect.Names(a.dialects)
	f := cmd.Flags()
	f.StringVar(&o.event, "event", "PreToolUse", "event that the hook is for")
	f.StringVar(&o.lang, "lang", "", strings.Join(languages, ", ")+" (default: bash, or what the dialect has)")
	f.StringVar(&o.dialect, "dialect", "", strings.Join(names, ", ")+" (default: the one that needs the fewest files for it)")
	f.StringVar(&o.matcher, "matcher", "", "pattern for the event's subject, such as the tool's name")
	f.StringVar(&o.from, "from", "", "refuse what this case did: a test file that was saved with --save-test, or FILE:LINE of one of its cases")
	f.BoolVarP(&o.global, "global", "g", false, "write it for the person instead of the project")
	_ = cmd.RegisterFlagCompletionFunc("event", completeEvents)
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(languages, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("dialect", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// languages are those that hooks are written in.
var languages = []string{"bash", "python", "js", "ts", "go"}

var hookName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

func runNew(ctx context.Context, a *app, o newOptions) error {
	if err := a.personOnly(); err != nil {
		return err
	}
	plan, err := a.planHook(o)
	if err != nil {
		return err
	}
	test := filepath.Join(plan.Base, ".hookline", o.name+testSuffix)
	if exists(test) {
		return fmt.Errorf("write the hook: %s is there already; take another name", test)
	}
	draft, err := a.draftIn(languages, o.dialect, &plan.NewHook)
	if err != nil {
		return err
	}
	text, err := hookTestFor(plan, draft.Guards)
	if err != nil {
		return err
	}
	draft.Files = append(draft.Files, dialect.DraftFile{Path: test, Data: []byte(text), Mode: 0o644})
	if !o.global {
		if err := keepsInside(plan.Base, draft); err != nil {
			return err
		}
	}
	if err := a.write(ctx, draft); err != nil {
		return err
	}
	word, err := syntax.Quote(test, syntax.LangPOSIX)
	if err != nil {
		word = test // a name that no shell takes
	}
	a.warnf("Try it: hookline test %s", word)
	if o.global {
		return nil
	}
	a.warnf("Edit it while this asks, builds and tries it at each save: hookline dev %s", o.name)
	var written []string
	for _, f := range draft.Files {
		written = append(written, f.Path)
	}
	return a.approveNew(ctx, o.name, written)
}

// hookPlan is a hook to write, and what its test is made of.
type hookPlan struct {
	dialect.NewHook
	example example
	from    hookTest // the case to begin with; the zero one is none
}

// planHook checks the flags and makes of them what is to be written.
func (a *app) planHook(o newOptions) (plan hookPlan, err error) {
	if !hookName.Get().MatchString(o.name) {
		return plan, usagef("%q is not a name for a hook: use letters, digits, dots, dashes and underscores", o.name)
	}
	if o.from != "" {
		if plan.from, err = a.caseAt(o.from); err != nil {
			return plan, err
		}
		o.event = plan.from.Event
	}
	ev, err := a.parseEvent(o.event)
	if err != nil {
		return plan, err
	}
	plan.example = exampleOf(ev, o.matcher)
	if o.from != "" {
		plan.example = exampleFrom(ev, plan.from)
	}
	if o.matcher != "" && ev.Spec().Subject == "" {
		return plan, usagef("--matcher %s: matchers have no say on %v", o.matcher, ev)
	}
	if o.lang != "" && !slices.Contains(languages, o.lang) {
		return plan, usagef("--lang %s: there are %s", o.lang, strings.Join(languages, ", "))
	}
	dir, err := a.workDir()
	if err != nil {
		return plan, err
	}
	plan.NewHook = dialect.NewHook{
		Name: o.name, Event: ev, Lang: o.lang, Matcher: o.matcher, Refuses: plan.example.refuses, Field: plan.example.field,
		Base: a.dirs(dir).Project, Global: o.global,
	}
	if o.global {
		plan.Base = a.dirs(dir).Home
	}
	return plan, nil
}

// draftIn makes the hook in its language, or in the first of some that its dialect has it in.
func (a *app) draftIn(languages []string, name string, p *dialect.NewHook) (draft dialect.Draft, err error) {
	switch {
	case p.Lang != "":
		languages = []string{p.Lang}
	case name == "": // which leaves the dialect to the language
		languages = languages[:1]
	}
	for i, lang := range languages {
		p.Lang = lang
		draft, next := a.draft(name, *p)
		if next == nil {
			return draft, nil
		}
		if i == 0 {
			err = next // what is asked for most says most
		}
	}
	return draft, err
}

// draft makes the hook in the dialect of a name, or else in the one that needs the
// fewest files for it.
func (a *app) draft(name string, p dialect.NewHook) (dialect.Draft, error) {
	if name != "" {
		d := dialect.ByName(a.dialects, name)
		if d == nil {
			return dialect.Draft{}, usagef("unknown dialect %q: there are %s", name, strings.Join(dialect.Names(a.dialects), ", "))
		}
		draft, err := d.New(p)
		return draft, asUsage(err)
	}
	var best dialect.Draft
	var why []string
	for _, d := range a.dialects {
		draft, err := d.New(p)
		if none, ok := errors.AsType[*dialect.NoSuchHookError](err); ok {
			why = append(why, none.Message)
			continue
		}
		if err != nil {
			return dialect.Draft{}, err
		}
		if best.Files == nil || len(draft.Files) < len(best.Files) {
			best = draft
		}
	}
	if best.Files == nil {
		return best, usagef("no dialect has such a hook: %s", strings.Join(why, "; "))
	}
	return best, nil
}

func asUsage(err error) error {
	if _, ok := errors.AsType[*dialect.NoSuchHookError](err); ok {
		return &usageError{err}
	}
	return err
}

// keepsInside refuses files that links lead out of the project.
func keepsInside(base string, draft dialect.Draft) error {
	root, err := filepath.EvalSymlinks(base)
	if err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	places := []string{draft.Program}
	for _, f := range draft.Files {
		places = append(places, f.Path)
	}
	for _, path := range places {
		for ; len(path) > len(base); path = filepath.Dir(path) {
			if !exists(path) {
				continue
			}
			target, err := filepath.EvalSymlinks(path)
			if err != nil {
				return fmt.Errorf("write the hook: %w", err)
			}
			if rel, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(rel) {
				return fmt.Errorf("write the hook: %s leads out of the project, to %s", path, target)
			}
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// write writes the files of a draft, the last ones last: what names others comes behind
// them. What it builds is built in the end.
func (a *app) write(ctx context.Context, draft dialect.Draft) error {
	for i, f := range draft.Files {
		write := create
		if f.Replace {
			write = fsx.WriteFile
		}
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return fmt.Errorf("write the hook: %w", err)
		}
		if err := write(f.Path, f.Data, f.Mode); err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
		if i == len(draft.Files)-2 && draft.Program != "" { // the test comes last
			if err := a.build(ctx, draft.Program); err != nil {
				return err
			}
		}
	}
	if draft.Program != "" {
		a.printf("%s\n", escaped(draft.Program))
	}
	for _, f := range draft.Files {
		a.printf("%s\n", escaped(f.Path))
	}
	return nil
}

// build makes a program of its Go source.
func (a *app) build(ctx context.Context, program string) error {
	args := dialect.GoBuild(program)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = a.err, a.err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build %s: %w", program, err)
	}
	return nil
}

// create writes a file that must not be there yet.
func create(path string, data []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // half a hook is none
	}
	return err
}

// dialectLines says where the hooks of each dialect are written to.
func dialectLines(list []dialect.Dialect) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "  %-9s %s\n", d.Name(), d.Summary())
	}
	return strings.TrimRight(b.String(), "\n")
}
