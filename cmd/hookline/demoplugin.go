package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/hookline-dev/hookline/internal/gitcmd"
	"github.com/hookline-dev/hookline/plugin"
)

// installPlugin makes a git repository with a plugin of three hooks and installs it
// into the demo's project, as 'hookline plugin add' does. What the machine lacks is
// left out and said.
func (d *demo) installPlugin(ctx context.Context) error {
	if _, err := exec.LookPath("git"); err != nil {
		d.notes = append(d.notes, "There is no git here; the demo goes without a plugin.")
		return nil
	}
	repo := filepath.Join(d.root, "demo", "house-hooks")
	if err := d.writePlugin(ctx, repo); err != nil {
		return err
	}
	git := (&gitcmd.Client{}).In(repo)
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A", "-f"},
		{"-c", "user.name=demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "Hooks of the house"},
	} {
		if _, err := git.Git(ctx, "making the demo's repository "+repo, args...); err != nil {
			return err
		}
	}
	src, err := plugin.ParseSource("file://"+filepath.ToSlash(repo), plugin.SourceOptions{})
	if err != nil {
		return err
	}
	store := &plugin.Store{Places: plugin.Places{ProjectDir: d.project(), HomeDir: filepath.Join(d.root, "home")}}
	results, err := store.Install(ctx, []plugin.Source{src}, plugin.InstallOptions{})
	if err != nil {
		return err
	}
	d.printf("%s\n", d.style("36;1", "A plugin from a git repository"))
	for _, r := range results {
		if err := plugin.RenderInstalled(d.out, r); err != nil {
			return err
		}
	}
	d.printf("\n")
	return nil
}

func (d *demo) writePlugin(ctx context.Context, repo string) error {
	hooks := filepath.Join(repo, "hooks")
	errs := []error{
		place("plugin/README.md", filepath.Join(repo, "README.md"), 0o644),
		place("plugin/hooks/no-secrets", filepath.Join(hooks, "no-secrets"), 0o755),
	}
	if d.python {
		errs = append(errs, place("plugin/hooks/shorten-output", filepath.Join(hooks, "shorten-output"), 0o755))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if _, err := exec.LookPath("go"); err != nil {
		d.notes = append(d.notes, "There is no Go toolchain here; the plugin's Go hook is left out.")
		return nil
	}
	src := filepath.Join(d.root, "ask-for-tests", "main.go")
	if err := place("plugin/ask-for-tests.go.txt", src, 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(hooks, "ask-for-tests"), src)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GO111MODULE=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the plugin's Go hook: %w: %s", err, out)
	}
	return nil
}
