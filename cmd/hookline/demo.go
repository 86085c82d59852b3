package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/agent/modulehost"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/trust"
)

//go:embed demofiles
var demoFiles embed.FS

// demoOptions are the flags of demo.
type demoOptions struct{ keep bool }

func newDemoCmd(a *app) *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show real hooks at work in a session of the agent",
		Long: `Make a project in a temporary directory, with hooks of every kind that this
machine can run, and let the agent work in it. The model is a script, so that no
key and no network are needed; the loop, the tools and the hooks are real. What each
hook saw, answered and changed is printed.`,
		Example: "  hookline demo\n  hookline demo --keep",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), a, o) },
	}
	cmd.Flags().BoolVar(&o.keep, "keep", false, "keep the project, to look at and play with")
	return cmd
}

func runDemo(ctx context.Context, a *app, o demoOptions) error {
	root, err := os.MkdirTemp("", "hookline-demo-*")
	if err != nil {
		return fmt.Errorf("make a directory for the demo: %w", err)
	}
	if o.keep {
		defer func() { a.printf("\nThe project is kept in %s\n", escaped(root)) }()
	} else {
		defer os.RemoveAll(root)
	}
	d := &demo{app: a, root: root}
	if err := d.prepare(); err != nil {
		return fmt.Errorf("prepare the demo: %w", err)
	}
	return d.play(ctx)
}

// demo is a project with hooks in a temporary directory, and a home directory of
// its own, so that the person's hooks have no part in it.
type demo struct {
	*app
	root  string
	w     *workspace
	notes []string
	// python says that Python is there.
	python bool
}

func (d *demo) project() string { return filepath.Join(d.root, "project") }

func (d *demo) prepare() error {
	hooks := filepath.Join(d.project(), ".claude", "hooks")
	redactor := "redact.py"
	if d.python = exec.Command("python3", "-c", "").Run() == nil; !d.python {
		redactor = "redact.awk"
		d.notes = append(d.notes, "There is no python3 here; the redactor is written in awk.")
	}
	for _, f := range []struct {
		from, to string
		mode     fs.FileMode
	}{
		{"settings.json", filepath.Join(d.project(), ".claude", "settings.json"), 0o644},
		{"hooks/guard.sh", filepath.Join(hooks, "guard.sh"), 0o755},
		{"hooks/" + redactor, filepath.Join(hooks, "redact"), 0o755},
		{"hooks/format.sh", filepath.Join(hooks, "format.sh"), 0o755},
		{"hooks/tests-first.sh", filepath.Join(hooks, "tests-first.sh"), 0o755},
		{"modules/release-gate.ts", filepath.Join(d.project(), ".hookline", "modules", "release-gate.ts"), 0o644},
		{"modules/trim-context.ts", filepath.Join(d.project(), ".hookline", "modules", "trim-context.ts"), 0o644},
		{"hooks/protect-paths", filepath.Join(d.project(), ".hookline", "hooks", "protect-paths"), 0o755},
	} {
		if err := place(f.from, f.to, f.mode); err != nil {
			return err
		}
	}
	return nil
}

// place writes one of the embedded files.
func place(from, to string, mode fs.FileMode) error {
	b, err := demoFiles.ReadFile(path.Join("demofiles", from))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, b, mode)
}

// load finds the demo's hooks and adds two Go functions, as an embedding program
// would.
func (d *demo) load(ctx context.Context, modules *modulehost.Host) error {
	home := filepath.Join(d.root, "home")
	dirs := discovery.Dirs{
		Project: d.project(), Home: home, Config: filepath.Join(home, "config"), State: filepath.Join(home, "state"), Cache: filepath.Join(home, "cache"),
	}
	h, err := host.Open(ctx, host.Options{
		Dir: d.project(), Dirs: dirs, Gate: trust.Anything{}, Audit: "off", Getenv: func(string) string { return "" }, Diagnose: d.printDiagnostics,
		Hosting: discovery.Hosting{Host: modules},
	})
	if err != nil {
		return err
	}
	d.w = &workspace{Host: h}
	hook.On(d.w.Registry, maskKey, hook.Name("mask-key"))
	hook.On(d.w.Registry, absolutePath(d.project()), hook.Name("absolute-path"), hook.Match("Read|Write|Edit"))
	return nil
}

// maskKey changes a prompt in place: the input is the mutable context.
func maskKey(_ context.Context, in *hook.UserPromptSubmit) (hook.Result, error) {
	if i := strings.Index(in.Prompt, "sk-"); i >= 0 {
		end := strings.IndexByte(in.Prompt[i:], ' ')
		if end < 0 {
			end = len(in.Prompt) - i
		}
		in.Prompt = in.Prompt[:i] + "[key]" + in.Prompt[i+end:]
	}
	return hook.None(), nil
}

// absolutePath rewrites relative paths, so that hooks after it see where a file
// really is.
func absolutePath(project string) func(context.Context, *hook.PreToolUse) (hook.Result, error) {
	return func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		if p := in.ToolInput.String("file_path"); p != "" && !filepath.IsAbs(p) {
			return hook.None(), in.ToolInput.Set("file_path", filepath.Join(project, p))
		}
		return hook.None(), nil
	}
}

func (d *demo) play(ctx context.Context) (err error) {
	if err := d.installPlugin(ctx); err != nil {
		return fmt.Errorf("install the demo's plugin: %w", err)
	}
	modules := modulehost.New(modulehost.Options{Dir: d.project()})
	if err := d.load(ctx, modules); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.w.Close()) }()
	if runtime.GOOS == "windows" {
		d.notes = append(d.notes, "Shell hooks need a POSIX shell; where there is none they are shown as failed.")
	}
	for _, n := range d.notes {
		d.warnf("%s", n)
	}
	return d.session(ctx, modules)
}

func countDialects(reg *hook.Registry) int {
	seen := map[string]bool{}
	for _, i := range reg.Infos() {
		seen[i.Dialect] = true
	}
	return len(seen)
}
