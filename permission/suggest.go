package permission

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/shell"
	"github.com/hookline-dev/hookline/internal/toolrule"
)

// withSubcommands are the programs whose first argument says what they do, so
// that a rule for "always" names both.
var withSubcommands = []string{
	"git", "go", "npm", "pnpm", "yarn", "bun", "deno", "cargo", "docker", "podman", "kubectl", "helm", "terraform", "gh", "glab",
	"make", "just", "task", "uv", "pip", "pip3", "poetry", "rustup", "brew", "apt", "systemctl", "dotnet", "mvn", "gradle", "bazel", "nx",
}

// never are the programs that run anything they are given: no prefix of theirs
// is suggested, only the exact command.
var never = []string{
	"bash", "sh", "dash", "zsh", "ksh", "fish", "python", "python3", "node", "ruby", "perl", "php", "lua", "awk", "gawk",
	"eval", "sudo", "doas", "su", "env", "xargs", "find", "ssh", "npx", "bunx", "osascript", "exec", "rm", "dd", "curl", "wget",
}

// suggestions returns the updates that would allow the call from now on.
func (e *evaluation) suggestions(d Decision) []hook.PermissionUpdate {
	switch {
	case d.Basis == ByProtected, d.Entry != nil, e.mode == ModePlan:
		return nil // an allow rule would not help
	case toolrule.IsShell(e.req.Tool):
		return e.suggestCommands()
	case toolrule.Edits(e.req.Tool):
		p, ok := e.call.Path()
		if !ok {
			return nil
		}
		if e.inside(p) {
			return []hook.PermissionUpdate{{Type: SetMode, Mode: string(ModeAcceptEdits), Destination: Session}}
		}
		return e.suggestDirectory(p)
	case toolrule.Reads(e.req.Tool):
		if p, ok := e.call.Path(); ok {
			return readRule(e.suggestDirectory(p))
		}
		return nil
	case e.req.Tool == "WebFetch":
		u, err := url.Parse(e.req.Input.String("url"))
		if err != nil || u.Hostname() == "" {
			return nil
		}
		return addRule("WebFetch", "domain:"+strings.ToLower(u.Hostname()))
	}
	return addRule(e.req.Tool, "")
}

// suggestDirectory offers the directory of a file outside the working ones.
func (e *evaluation) suggestDirectory(p string) []hook.PermissionUpdate {
	real, err := e.call.Resolve(p)
	if err != nil {
		return nil
	}
	dir := real
	if e.req.Tool != "LS" && e.req.Tool != "Glob" && e.req.Tool != "Grep" {
		dir = path.Dir(real)
	}
	if dir == "/" || dir == path.Clean(strings.ReplaceAll(e.c.cfg.Home, `\`, "/")) {
		return nil
	}
	return []hook.PermissionUpdate{{Type: AddDirectories, Directories: []string{dir}, Destination: Session}}
}

// readRule offers to read in the directory of an update, and nothing else.
func readRule(updates []hook.PermissionUpdate) []hook.PermissionUpdate {
	var out []hook.PermissionUpdate
	for _, u := range updates {
		read := addRule("Read", "/"+u.Directories[0]+"/**")
		for i := range read {
			read[i].Destination = Session
		}
		out = append(out, read...)
	}
	return out
}

// addRule is the update for one allow rule; nil when the rule can't be written.
func addRule(tool, content string) []hook.PermissionUpdate {
	if _, err := NewRule(tool, content); err != nil {
		return nil
	}
	return []hook.PermissionUpdate{{
		Type: AddRules, Behavior: string(Allow), Destination: LocalSettings,
		Rules: []hook.PermissionRule{{ToolName: tool, RuleContent: content}},
	}}
}

// suggestCommands offers a rule for each command that nothing allows yet.
func (e *evaluation) suggestCommands() []hook.PermissionUpdate {
	text, ok := e.call.Command()
	if !ok {
		return nil
	}
	var contents []string
	_, exact := e.elsewhere() // no rule for git would help
	gaps := toolrule.Uncovered(e.call, func(p toolrule.Part) toolrule.Cover {
		if p.Whole {
			return toolrule.NotCovered
		}
		for i := range e.entries {
			if entry := &e.entries[i]; entry.Behavior == Allow {
				if got := entry.Rule.rule.Cover(p, e.call); got != toolrule.NotCovered {
					return got
				}
			}
		}
		return e.readOnlyPart(p)
	})
	for _, g := range gaps {
		content := ""
		if g.Command != nil && !g.Doubt && toolrule.RiskyEnv(g.Command) == "" {
			content = prefixOf(g.Command)
		}
		if content == "" {
			exact = true
			break
		}
		if !slices.Contains(contents, content) {
			contents = append(contents, content)
		}
	}
	if exact || len(contents) == 0 || len(contents) > 5 {
		return exactRule(text)
	}
	var updates []hook.PermissionUpdate
	for _, c := range contents {
		updates = append(updates, addRule(e.req.Tool, c)...)
	}
	return updates
}

// exactRule offers the command as it is, unless its characters would mean
// something else in a rule.
func exactRule(text string) []hook.PermissionUpdate {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "*") {
		return nil
	}
	return addRule("Bash", text)
}

// prefixOf is the rule content for a command and its like, "" when only the
// exact command will do.
func prefixOf(c *shell.Command) string {
	name := c.Name()
	if name == "" || c.Wrap != shell.NoWrap || slices.Contains(never, name) || !plainText(c.Args[0].Text) {
		return ""
	}
	written := c.Args[0].Text
	if len(c.Args) == 1 {
		return written
	}
	if second := c.Args[1]; written != name { // a script: one rule for each thing that it does
		if !second.Literal || !plainText(second.Text) || strings.ContainsAny(second.Text, "-./:@") {
			return ""
		}
		return written + " " + second.Text + " *"
	}
	if !slices.Contains(withSubcommands, name) {
		return name + " *"
	}
	second := c.Args[1]
	if !second.Literal || !plainText(second.Text) || second.Text[0] == '-' {
		return ""
	}
	content := name + " " + second.Text
	if (second.Text == "run" || second.Text == "exec") && len(c.Args) > 2 {
		third := c.Args[2]
		if !third.Literal || !plainText(third.Text) || third.Text[0] == '-' {
			return ""
		}
		content += " " + third.Text
	}
	return content + " *"
}

// plainText reports words that mean themselves in a rule.
func plainText(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/+@") == ""
}
