package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/dialect/pi"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/atomicfile"
)

//go:embed newfiles
var newFiles embed.FS

// newOptions say what hook to write.
type newOptions struct {
	name, event, lang, dialect string
	global                     bool
}

func newNew(a *app) *cobra.Command {
	var o newOptions
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a working hook with a test",
		Long: `Write a working hook, with the executable bit set, and a test for it. The
dialect decides where it goes: kodelet hooks are files in .hookline/hooks, claude
hooks are scripts in .claude/hooks with an entry in .claude/settings.json, and pi
hooks are modules in .hookline/modules.`,
		Example: "  hookline new guard --event PreToolUse --lang bash\n  hookline new redact --event PostToolUse --lang python --dialect claude\n  hookline new gate --event PreToolUse --lang ts",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return a.writeHook(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.event, "event", "PreToolUse", "event that the hook is for")
	f.StringVar(&o.lang, "lang", "bash", "bash, python, js, ts or go")
	f.StringVar(&o.dialect, "dialect", "", "kodelet, claude or pi (default: kodelet where it has the event, else claude; pi for ts)")
	f.BoolVarP(&o.global, "global", "g", false, "write it for the person instead of the project")
	_ = cmd.RegisterFlagCompletionFunc("event", completeEvents)
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(languages, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("dialect", cobra.FixedCompletions([]string{"kodelet", "claude", "pi"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// languages are those that hooks are written in.
var languages = []string{"bash", "python", "js", "ts", "go"}

var hookName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

func (a *app) writeHook(ctx context.Context, o newOptions) error {
	if !hookName.MatchString(o.name) {
		return usagef("%q is no name for a hook: use letters, digits, dots, dashes and underscores", o.name)
	}
	ev, err := parseEvent(o.event)
	if err != nil {
		return err
	}
	if !slices.Contains(languages, o.lang) {
		return usagef("--lang %s: there are %s", o.lang, strings.Join(languages, ", "))
	}
	if o.dialect == "" {
		o.dialect = chooseDialect(o.lang, ev)
	}
	dir, err := a.workDir()
	if err != nil {
		return err
	}
	base := a.dirs(dir).Project
	if o.global {
		base = a.dirs(dir).Home
	}
	if test := filepath.Join(base, ".hookline", o.name+testSuffix); exists(test) {
		return fmt.Errorf("write the hook: %s is there already; take another name", test)
	}
	if !o.global {
		if err := keepsInside(base, o.places()); err != nil {
			return err
		}
	}
	switch o.dialect {
	case "kodelet":
		return a.newExecutable(ctx, o, ev, base)
	case "claude":
		return a.newScript(ctx, o, ev, base)
	case "pi":
		return a.newModule(ctx, o, ev, base)
	}
	return usagef("unknown dialect %q: kodelet, claude or pi", o.dialect)
}

// places are the files and directories below the base that are written to.
func (o *newOptions) places() []string {
	return append([]string{".hookline"}, map[string][]string{
		"kodelet": {".hookline/hooks", ".hookline/hooks/src"},
		"claude":  {".claude", ".claude/hooks", ".claude/settings.json"},
		"pi":      {".hookline/modules", ".hookline/modules/hookline.d.ts"},
	}[o.dialect]...)
}

// keepsInside refuses places that links lead out of the project.
func keepsInside(base string, places []string) error {
	root, err := filepath.EvalSymlinks(base)
	if err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	for _, p := range places {
		path := filepath.Join(base, filepath.FromSlash(p))
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
	return nil
}

func chooseDialect(lang string, ev hook.Event) string {
	switch {
	case lang == "ts":
		return "pi"
	case kodelet.TypeOf(ev) != "":
		return "kodelet"
	case !slices.Contains(claude.Events(), ev) && pi.NameOf(ev) != "":
		return "pi"
	}
	return "claude"
}

// templateData is what the templates of hooks use.
type templateData struct {
	Name, Event, Type, PiName string
	Blocks                    bool
}

func render(file string, o newOptions, ev hook.Event) ([]byte, error) {
	text, err := newFiles.ReadFile("newfiles/" + file)
	if err != nil {
		if o.lang == "go" && o.dialect == "claude" {
			return nil, usagef("a hook in go is an executable of the kodelet dialect, which has %s", strings.Join(kodelet.Types(), ", "))
		}
		return nil, usagef("there is no %s hook in %s; it is the pi dialect that has modules in ts", o.dialect, o.lang)
	}
	t, err := template.New(file).Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", file, err)
	}
	var b bytes.Buffer
	data := templateData{Name: o.name, Event: ev.String(), Type: kodelet.TypeOf(ev), PiName: pi.NameOf(ev), Blocks: blocksByInput(ev)}
	if o.dialect == "pi" {
		data.Blocks = ev == hook.EventPreToolUse
	}
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("template %s: %w", file, err)
	}
	return b.Bytes(), nil
}

// blocksByInput reports whether the example guards: it blocks what holds "rm -rf".
func blocksByInput(ev hook.Event) bool {
	return ev == hook.EventPreToolUse || ev == hook.EventUserPromptSubmit || ev == hook.EventPermissionRequest
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// create writes a file that must not be there yet.
func create(path string, data []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // half a hook is none
		return fmt.Errorf("write the hook: %w", err)
	}
	return nil
}

// replace writes a file of ours anew.
func replace(path string, data []byte, mode os.FileMode) error {
	if err := atomicfile.WriteFile(path, data, mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func (a *app) newExecutable(ctx context.Context, o newOptions, ev hook.Event, base string) error {
	if kodelet.TypeOf(ev) == "" {
		return usagef("the kodelet dialect has no %v; it has %s. Use --dialect claude", ev, strings.Join(kodelet.Types(), ", "))
	}
	path := filepath.Join(base, ".hookline", "hooks", o.name)
	if o.lang == "go" {
		return a.newGo(ctx, o, ev, path)
	}
	text, err := render("kodelet."+o.lang, o, ev)
	if err != nil {
		return err
	}
	if err := create(path, text, 0o755); err != nil {
		return err
	}
	return a.wrote(ctx, o, ev, base, path)
}

// newGo writes the source beside the hooks directory and builds it into it.
func (a *app) newGo(ctx context.Context, o newOptions, ev hook.Event, path string) error {
	text, err := render("go.go.txt", o, ev)
	if err != nil {
		return err
	}
	src := filepath.Join(filepath.Dir(path), "src", o.name+".go")
	if err := create(src, text, 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, src)
	cmd.Stdout, cmd.Stderr = a.err, a.err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build %s: %w", src, err)
	}
	return a.wrote(ctx, o, ev, filepath.Dir(filepath.Dir(filepath.Dir(path))), path, src)
}

func (a *app) newScript(ctx context.Context, o newOptions, ev hook.Event, base string) error {
	if !slices.Contains(claude.Events(), ev) {
		return usagef("the claude dialect has no %v", ev)
	}
	ext := map[string]string{"bash": ".sh", "python": ".py", "js": ".js"}[o.lang]
	text, err := render("claude."+o.lang, o, ev)
	if err != nil {
		return err
	}
	path := filepath.Join(base, ".claude", "hooks", o.name+ext)
	settings := filepath.Join(base, ".claude", "settings.json")
	command := `"$CLAUDE_PROJECT_DIR"/.claude/hooks/` + o.name + ext
	if o.global {
		command = `"$HOME"/.claude/hooks/` + o.name + ext
	}
	data, err := os.ReadFile(settings)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("add the hook to %s: %w", settings, err)
	}
	out, err := claude.AddHook(data, ev, o.name, command)
	if err != nil {
		return fmt.Errorf("add the hook to %s: %w", settings, err)
	}
	if err := create(path, text, 0o755); err != nil {
		return err
	}
	if err := atomicfile.WriteFile(settings, out, 0o644); err != nil {
		return fmt.Errorf("add the hook to %s: %w", settings, err)
	}
	return a.wrote(ctx, o, ev, base, path, settings)
}

// wrote writes the test that goes with a hook and says what is there now.
func (a *app) wrote(ctx context.Context, o newOptions, ev hook.Event, base string, paths ...string) error {
	test := filepath.Join(base, ".hookline", o.name+testSuffix)
	if err := create(test, []byte(hookTestFor(o, ev)), 0o644); err != nil {
		return err
	}
	for _, p := range append(paths, test) {
		a.printf("%s\n", escaped(p))
	}
	word, err := syntax.Quote(test, syntax.LangPOSIX)
	if err != nil {
		word = test // a name that no shell takes
	}
	a.warnf("Try it: hookline test %s", word)
	if o.global {
		return nil
	}
	return a.approveNew(ctx, o.name)
}

func hookTestFor(o newOptions, ev hook.Event) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "# Run with: hookline test\ntests:\n")
	if blocksByInput(ev) && (o.dialect != "pi" || ev == hook.EventPreToolUse) {
		field := `input: {command: "rm -rf /"}`
		harmless := `input: {command: "ls"}`
		if ev == hook.EventUserPromptSubmit {
			field, harmless = `prompt: please rm -rf everything`, `prompt: hello`
		}
		fmt.Fprintf(b, "  - name: %s blocks\n    event: %s\n    only: [%s]\n    %s\n    expect: {decision: deny, reason: not allowed}\n", o.name, ev, o.name, field)
		fmt.Fprintf(b, "  - name: %s lets the rest through\n    event: %s\n    only: [%s]\n    %s\n    expect: {decision: none, ran: [%s]}\n", o.name, ev, o.name, harmless, o.name)
		return b.String()
	}
	fmt.Fprintf(b, "  - name: %s has no objection\n    event: %s\n    only: [%s]\n    expect: {decision: none, ran: [%s]}\n", o.name, ev, o.name, o.name)
	return b.String()
}
