package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/recipe"
	"github.com/hookline-dev/hookline/ui"
)

// useRecipe renders the recipe and takes over what it asks for.
func (h *Agent) useRecipe(ctx context.Context) error {
	if h.opts.Recipe == "" {
		return nil
	}
	set, err := h.library.recipes(ctx)
	if err != nil {
		return err
	}
	r, err := set.Lookup(h.opts.Recipe)
	if err != nil {
		return err
	}
	h.granted = h.grantRecipe(r)
	if h.rendered, err = r.Render(ctx, recipe.RenderOptions{Args: h.opts.RecipeArgs, Exec: h.execForRecipe, Shell: h.shellForRecipe(h.granted)}); err != nil {
		return err
	}
	if r.AllowedTools != nil && r.Format == recipe.Template {
		h.Loop.SetActiveTools(allowedNames(r.AllowedTools))
	}
	if err := h.limitCommands(r); err != nil {
		return err
	}
	return h.recipeHooks(r)
}

// TakeRecipe hands out, once, what the recipe begins with and the allow rules that it
// brings for that. Work takes it; an own way to the agent does it before its first prompt.
func (h *Agent) TakeRecipe() (text string, granted []permission.Rule) {
	text, granted = h.rendered, h.granted
	h.rendered, h.granted = "", nil
	return text, granted
}

// allowedNames takes the names out of entries such as Bash(git:*).
func allowedNames(entries []string) []string {
	out := []string{}
	for _, e := range entries {
		name, _, _ := strings.Cut(e, "(")
		out = append(out, strings.TrimSpace(name))
	}
	return out
}

// limitCommands keeps the model to the shell commands that a recipe allows, and to
// those that only read. What the person's rules forbid stays forbidden.
func (h *Agent) limitCommands(r *recipe.Recipe) error {
	if r.AllowedCommands == nil {
		return nil
	}
	cfg := permission.Config{Mode: permission.ModeDontAsk, ProjectDir: h.Dir, Home: h.Dirs.Home}
	for _, pattern := range r.AllowedCommands {
		content := pattern
		if prefix, ok := strings.CutSuffix(pattern, " *"); ok {
			content = prefix + ":*"
		}
		allowed, err := permission.NewRule("Bash", content)
		if err != nil {
			return fmt.Errorf("%s: allowed_commands: %q: %w", r.Path, pattern, err)
		}
		cfg.Rules = append(cfg.Rules, permission.Entry{Rule: allowed, Behavior: permission.Allow, Scope: permission.ScopeCLI})
	}
	limit, err := permission.New(cfg)
	if err != nil {
		return err
	}
	hook.On(h.Registry, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		d := limit.Decide(permission.Request{Tool: "Bash", Input: in.ToolInput, Cwd: in.CWD, Root: h.Loop.Root()})
		if len(r.AllowedCommands) > 0 && d.Decision == hook.DecisionAllow {
			return hook.None(), nil
		}
		return hook.Deny(fmt.Sprintf("the recipe %s allows these commands only: %s", r.Name, strings.Join(r.AllowedCommands, ", "))), nil
	}, hook.Match("Bash"), hook.Name(r.Name+":allowed_commands"), hook.Guard(), hook.OnFailure(hook.FailClosed))
	return nil
}

// recipeHooks registers the built-in handlers that a recipe names.
func (h *Agent) recipeHooks(r *recipe.Recipe) error {
	for _, named := range r.Hooks {
		regs, err := kodelet.DefaultBuiltins().Registrations(kodelet.RecipeHook{
			Recipe: r.Name, Type: named.Event, Handler: named.Handler, Once: named.Once, Source: r.Position(named),
		})
		if err != nil {
			return fmt.Errorf("%s: %w", r.Position(named), err)
		}
		if _, err := h.Registry.AddAll(regs); err != nil {
			return fmt.Errorf("%s: %w", r.Position(named), err)
		}
	}
	return nil
}

// execForRecipe runs a command that a recipe asks for, as far as permissions allow
// it and the person agrees.
func (h *Agent) execForRecipe(ctx context.Context, argv []string) (string, error) {
	words := make([]string, len(argv))
	for i, arg := range argv {
		q, err := syntax.Quote(arg, syntax.LangPOSIX)
		if err != nil {
			return "", fmt.Errorf("quote %q: %w", arg, err)
		}
		words[i] = q
	}
	return h.shellForRecipe(nil)(ctx, strings.Join(words, " "))
}

// shellForRecipe runs lines that a recipe asks for, as far as permissions, with the rules
// that it brings, allow it and the person agrees.
func (h *Agent) shellForRecipe(granted []permission.Rule) func(ctx context.Context, line string) (string, error) {
	return func(ctx context.Context, line string) (string, error) {
		input := hook.MustJSON(map[string]string{"command": line})
		d := h.Permission.Decide(permission.Request{Tool: "Bash", Input: input, Cwd: h.tools.Cwd(), Root: h.Loop.Root(), Granted: granted})
		if d.Decision == hook.DecisionAsk {
			yes, err := h.Host.opts.UI.Confirm(ctx, "The recipe wants to run a command", line, ui.Dialog{Source: "recipe"})
			if err != nil || !yes {
				return "", fmt.Errorf("not allowed: %s; %s", d.Reason, d.Hint())
			}
		} else if d.Decision != hook.DecisionAllow {
			return "", errors.New(d.Reason)
		}
		return h.shell(ctx, line)
	}
}
