package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/report"
	"github.com/hookline-dev/hookline/trust"
)

//go:embed demofiles
var demoFiles embed.FS

func newDemo(a *app) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show real hooks at work on a little day of events",
		Long: `Make a project in a temporary directory, with hooks of every kind that this
machine can run, fire a scripted day of events through them, and print what each
hook saw, answered and changed. Needs no key and no network.`,
		Example: "  hookline demo\n  hookline demo --keep",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.demo(cmd.Context(), keep)
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the project, to look at and play with")
	return cmd
}

func (a *app) demo(ctx context.Context, keep bool) (err error) {
	root, err := os.MkdirTemp("", "hookline-demo-*")
	if err != nil {
		return fmt.Errorf("make a directory for the demo: %w", err)
	}
	if keep {
		defer func() { a.printf("\nThe project is kept in %s\n", line(root)) }()
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
func (d *demo) load(ctx context.Context) error {
	home := filepath.Join(d.root, "home")
	dirs := discovery.Dirs{
		Project: d.project(), Home: home, Config: filepath.Join(home, "config"), State: filepath.Join(home, "state"), Cache: filepath.Join(home, "cache"),
	}
	d.w = &workspace{dir: d.project(), dirs: dirs, config: &config.Config{}, reg: hook.NewRegistry()}
	d.w.loader = discovery.New(discovery.Options{Dirs: dirs, Config: d.w.config, Gate: trust.Anything{}})
	var err error
	if d.w.set, err = d.w.loader.Register(ctx, d.w.reg); err != nil {
		return err
	}
	d.printDiagnostics(d.w.set.Diagnostics)
	hook.On(d.w.reg, maskKey, hook.Name("mask-key"))
	hook.On(d.w.reg, absolutePath(d.project()), hook.Name("absolute-path"), hook.Match("Read|Write|Edit"))
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

// scene is one event of the demo's day.
type scene struct {
	says string
	in   hook.Input
}

func (d *demo) scenes() []scene {
	c := hook.Common{SessionID: "demo", CWD: d.project(), PermissionMode: "default", TranscriptPath: filepath.Join(d.root, "transcript.jsonl")}
	call := func(tool, input string) hook.Input {
		return &hook.PreToolUse{Common: c, ToolName: tool, ToolInput: hook.RawJSON(input), ToolUseID: "call"}
	}
	done := func(tool, input, output string) hook.Input {
		return &hook.PostToolUse{Common: c, ToolName: tool, ToolInput: hook.RawJSON(input), ToolResponse: hook.RawJSON(output), ToolUseID: "call"}
	}
	return []scene{
		{"A session starts. A shell hook tells the model a rule of the house.", &hook.SessionStart{Common: c, Source: "startup"}},
		{"The person pastes a key along with a prompt. A Go function masks it in place.", &hook.UserPromptSubmit{Common: c, Prompt: "deploy with sk-4f9a21 today"}},
		{"The model wants to delete everything. A bash guard says no.", call("Bash", `{"command":"rm -rf / --no-preserve-root"}`)},
		{"The model wants to push. A hook with a condition leaves it to the person.", call("Bash", `{"command":"npm test && git push origin main"}`)},
		{"The model wants to publish a package. A gate in TypeScript asks for a person, and there is none.", call("Bash", `{"command":"npm publish"}`)},
		{"The model is about to be called. A TypeScript module leaves a debug message out of this one call.", &hook.Context{Common: c, Messages: []hook.Message{
			hook.UserMessage("add a test"), {Role: "custom", Content: hook.MustJSON("trace"), Extra: jsontext.Value(`{"customType":"debug-only"}`)},
		}}},
		{"The model writes .env by a relative path. A Go function makes the path absolute; the executable hook after it sees that, and refuses.", call("Write", `{"file_path":".env","content":"X=1"}`)},
		{"The model reads a file with a key in it. A redactor changes what the model sees.", done("Read", `{"file_path":"config.ini"}`, `{"type":"text","file":{"filePath":"config.ini","content":"API_KEY=4f9a21c7\nPORT=80\n"}}`)},
		{"The model writes a key into a file. A hook from the plugin refuses.", call("Write", `{"file_path":"id","content":"-----BEGIN PRIVATE KEY-----"}`)},
		{"A command printed a lot. A hook from the plugin shortens it for the model.", done("Bash", `{"command":"seq 50"}`, longOutput())},
		{"The model wrote a file. A formatter leaves a note for the next call.", done("Write", `{"file_path":"main.go","content":"package main"}`, `{"type":"create","filePath":"main.go"}`)},
		{"The model wants to stop. A stop hook keeps it going.", &hook.Stop{Common: c, LastAssistantMessage: "All done."}},
		{"It wants to stop again, and now it may.", &hook.Stop{Common: c, StopHookActive: true, LastAssistantMessage: "The tests pass."}},
	}
}

// longOutput is a tool's response of fifty lines.
func longOutput() string {
	var lines strings.Builder
	for i := range 50 {
		fmt.Fprintln(&lines, "line", i+1)
	}
	return hook.MustJSON(map[string]any{"stdout": lines.String(), "stderr": "", "interrupted": false, "isImage": false}).Raw()
}

func (d *demo) play(ctx context.Context) error {
	if err := d.installPlugin(ctx); err != nil {
		return fmt.Errorf("install the demo's plugin: %w", err)
	}
	if err := d.load(ctx); err != nil {
		return err
	}
	defer d.w.close()
	if runtime.GOOS == "windows" {
		d.notes = append(d.notes, "Shell hooks need a POSIX shell; where there is none they are shown as failed.")
	}
	for _, n := range d.notes {
		d.warnf("%s", n)
	}
	eng := hook.New(d.w.reg)
	defer eng.Close()
	scenes := d.scenes()
	for i, s := range scenes {
		d.printf("%s %s\n", d.style("36;1", fmt.Sprintf("%d/%d", i+1, len(scenes))), s.says)
		out, err := eng.Fire(ctx, s.in)
		if err != nil {
			return fmt.Errorf("fire %v: %w", s.in.Event(), err)
		}
		rep := report.New(&out, nil)
		d.outcomeText(d.w, s.in, &out, &rep)
		d.printf("\n")
	}
	d.printf("%d events, %d hooks of %d dialects. 'hookline list' shows the hooks of your own project.\n", len(scenes), d.w.reg.Len(), countDialects(d.w.reg))
	return nil
}

func countDialects(reg *hook.Registry) int {
	seen := map[string]bool{}
	for _, i := range reg.Infos() {
		seen[i.Dialect] = true
	}
	return len(seen)
}
