package claude

import (
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// Version is the version of Claude Code that the declared differences are about.
const Version = "2.1.332"

// asked is the model that both are told to ask: one that has no level of effort, since
// ours asks with none unless it is told to.
const asked = "claude-haiku-4-5"

// Package returns where Claude Code comes from.
func Package(version string) oracle.Package {
	return oracle.Package{Name: "@anthropic-ai/claude-code-" + runtime.GOOS + "-" + oracle.NodeArch(), Version: version, Program: "claude"}
}

// Theirs is the real program.
func Theirs(path string) oracle.Program {
	return oracle.Program{Name: "theirs", Refusal: regexp.MustCompile(`(needs|requires?) approval|requested permissions|has been denied\.$|^The user doesn.t want to|^<tool_use_error>|^The canUseTool callback returned|^Cannot write to .* while in plan mode|^Permission to use \w+ has been denied because|^PreToolUse hook did not respond|^PreToolUse hook for \w+ returned updatedInput that failed`), Command: func(r *oracle.Room, c *oracle.Case, prompt string, again bool) (args, env []string, err error) {
		if err := settings(r, c, c.Settings); err != nil {
			return nil, nil, err
		}
		args = []string{path, "-p", prompt, "--output-format", "stream-json", "--verbose", "--model", asked}
		switch c.Front {
		case streaming:
			args = append([]string{path, "-p", "--verbose", "--model", asked}, streamArgs...)
		case terminal:
			args = []string{path, "--model", asked}
			if err := oracle.WriteJSON(filepath.Join(r.Home, ".claude.json"), atTerminal(r)); err != nil {
				return nil, nil, err
			}
		}
		if len(c.Allowed) > 0 {
			args = append(args, "--allowedTools", strings.Join(c.Allowed, ","))
		}
		if again {
			args = append(args, "--continue")
		}
		env = append(model(r), "ENABLE_TOOL_SEARCH=false", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1")
		return append(args, c.Args...), env, nil
	}}
}

// Ours is the command of this project.
func Ours(path string) oracle.Program {
	return oracle.Program{Name: "ours", Refusal: regexp.MustCompile(`^Permission to use|^The command was interrupted|^Not run: the person interrupted|^hook \S+ could not answer|^There is no tool|^invalid input for`), Command: func(r *oracle.Room, c *oracle.Case, prompt string, again bool) (args, env []string, err error) {
		user := map[string]any{}
		maps.Copy(user, c.Settings)
		if len(c.Allowed) > 0 {
			rules := map[string]any{}
			brought, _ := user["permissions"].(map[string]any)
			maps.Copy(rules, brought)
			rules["allow"] = c.Allowed
			user["permissions"] = rules
		}
		if err := settings(r, c, user); err != nil {
			return nil, nil, err
		}
		args = []string{path, "run", prompt, "-o", "stream-json", "--model", "anthropic/" + asked, "--trust-project"}
		switch c.Front {
		case streaming:
			args = append([]string{path, "run", "--model", "anthropic/" + asked, "--trust-project"}, streamArgs...)
		case terminal:
			args = []string{path, "chat", "--model", "anthropic/" + asked, "--trust-project"}
		}
		if again {
			args = append(args, "--continue")
		}
		if slices.Contains(c.Allowed, "TaskCreate") {
			args = append(args, "--team")
		}
		return append(args, c.Args...), model(r), nil
	}}
}

// ofFront is the program as the front end of a case has it.
func ofFront(p oracle.Program, c *oracle.Case) oracle.Program {
	switch c.Front {
	case streaming:
		p.Talk = callIn
	case terminal:
		p.Talk, p.Terminal = sitAt, true
	}
	return p
}

func model(r *oracle.Room) []string {
	return []string{"ANTHROPIC_BASE_URL=" + r.Model.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
}

// settings writes the settings files of a case.
func settings(r *oracle.Room, c *oracle.Case, user map[string]any) error {
	if err := oracle.WriteJSON(filepath.Join(r.Home, ".claude", "settings.json"), user); err != nil {
		return err
	}
	if c.Project == nil {
		return nil
	}
	return oracle.WriteJSON(filepath.Join(r.Project, ".claude", "settings.json"), c.Project)
}
