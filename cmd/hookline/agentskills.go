package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/command"
	"github.com/hookline-dev/hookline/agent/skilltool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/skill"
)

// moreCommands are the slash commands besides the built-in ones and recipes.
func (w *wiring) moreCommands() []command.Command {
	out := w.moduleCommands()
	skills := w.skills.Load()
	if skills == nil {
		return out
	}
	taken := map[string]bool{}
	for _, c := range out {
		taken[c.Name] = true
	}
	if set, err := w.recipes(context.Background()); err == nil {
		for _, r := range set.Active() {
			taken[r.Name] = true
		}
	}
	for _, s := range skills.Active() {
		if !taken[s.Name] {
			out = append(out, command.Command{Name: s.Name, Description: s.Description, Source: "skill", Run: w.skillCommand(s)})
		}
	}
	return out
}

// skillCommand works on a prompt that begins with the text of a skill, which the person
// asked for by its name; what they wrote behind the name follows.
func (w *wiring) skillCommand(s *skill.Skill) func(context.Context, string) (command.Reply, error) {
	return func(ctx context.Context, args string) (command.Reply, error) {
		text, _, err := skilltool.Text(ctx, s)
		if err != nil {
			return command.Reply{}, err
		}
		text = strings.TrimSpace(text + "\n\n" + args)
		out, err := w.agent.Fire(ctx, &hook.UserPromptExpansion{
			ExpansionType: "slash_command", CommandName: s.Name, CommandArgs: args, CommandSource: s.Path, Prompt: text,
		})
		if err != nil {
			return command.Reply{}, err
		}
		if out.Blocked() {
			return command.Reply{Blocked: true, Output: fmt.Sprintf("A hook refused /%s: %s", s.Name, out.Reason)}, nil
		}
		res, err := w.agent.Run(ctx, agent.Prompt{Text: text, Granted: w.grantSkill(s)})
		return command.Reply{Result: &res, Blocked: res.End == agent.EndBlocked}, err
	}
}
