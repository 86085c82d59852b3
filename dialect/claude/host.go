package claude

import (
	"slices"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

var _ dialect.Hosted = Dialect{}

// Hosts returns Claude Code, from which the dialect is.
func (Dialect) Hosts() []*dialect.Host { return []*dialect.Host{claudeCode()} }

// honoured are the parts of an answer that Claude Code acts on: of what the format has,
// those that the event takes.
func (r eventRow) honoured() hook.Fields {
	var f hook.Fields
	switch r.event {
	case hook.EventStopFailure:
		return 0 // what is printed there goes nowhere
	case hook.EventWorktreeCreate:
		return hook.FieldDeny | hook.FieldWorktreePath // the path is all that is read
	}
	for _, m := range specificMembers() {
		if !m.ours && slices.Contains(r.specific, m.key) {
			f |= m.says
		}
	}
	if r.block || r.two == exitTwoDenies {
		f |= hook.FieldDeny
	}
	spec := r.event.Spec()
	if spec.KeepsGoing() {
		f |= hook.FieldContinue | hook.FieldFollowUps
	}
	if spec.Honours&hook.FieldCancel != 0 {
		f |= hook.FieldCancel
	}
	return f&spec.Honours | hook.FieldHalt | hook.FieldSystemMessage | hook.FieldNotice | hook.FieldSuppressOutput | hook.FieldTerminalSequence
}

// onRequest are the events that the bridge is not installed for by itself, and why.
var onRequest = map[hook.Event]string{
	hook.EventWorktreeCreate: "a hook of this event takes the place of git worktree add",
	hook.EventWorktreeRemove: "it removes what a hook of WorktreeCreate made",
	hook.EventMessageDisplay: "it happens for every piece of text that is shown",
	hook.EventFileChanged:    "its matcher is the list of files that are watched",
}

// shortTimes are the events on which a hook has less time than elsewhere.
var shortTimes = map[hook.Event]time.Duration{
	hook.EventUserPromptSubmit: 30 * time.Second,
	hook.EventPreModelSwitch:   30 * time.Second,
	hook.EventPostModelSwitch:  30 * time.Second,
	hook.EventMessageDisplay:   10 * time.Second,
	hook.EventSessionEnd:       1500 * time.Millisecond,
}

func claudeCode() *dialect.Host {
	h := &dialect.Host{
		Name: Name, Title: "Claude Code", Program: "claude",
		Files: []dialect.HostFile{
			{Level: "user", Base: dialect.HomeBase, Dir: ".claude", Name: "settings.json", Env: "CLAUDE_CONFIG_DIR", Write: true},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".claude", Name: "settings.json", Write: true},
			{Level: "local", Base: dialect.ProjectBase, Dir: ".claude", Name: "settings.local.json", Write: true},
			{Level: "managed", Base: dialect.SystemBase, Dir: "etc/claude-code", Name: "managed-settings.json"},
		},
		Unit: time.Second, Default: 600 * time.Second,
		Exits: []dialect.HostExit{
			{Code: "0", Means: "the JSON on stdout counts; plain text is context on SessionStart, UserPromptSubmit, UserPromptExpansion and PostModelSwitch"},
			{Code: "2", Means: "a deny with stderr as the reason, where the event can be denied"},
			{Code: "other", Means: "JSON on stdout counts all the same; without it an error is shown and the call goes on"},
		},
		Late:    "the hook is killed and the call goes on, save on PreModelSwitch",
		Unknown: dialect.UnknownIgnored,
		Matcher: "a name, a list with |, or an unanchored regular expression; empty for all",
		Twice: []string{
			"entries of several levels run all; two with the same command run once",
			"Copilot, VS Code, Cursor and others may read these files too",
		},
		Needs: []string{"a project's settings count once the person trusts the folder"},
		Traps: []string{
			"a hook's allow does not outrank rules that deny or ask",
			"updatedToolOutput has to keep the shape of the tool's result",
			"after eight blocks in a row, Stop is not asked any more",
		},
		ACP: &dialect.HostACP{
			Agent: "claude-agent-acp", Asks: "commands and changes of files, in its modes default and plan",
			Seen: "what reads and searches, and all that its own settings allow", AsksIn: []string{"default", "plan"},
		},
		Facts: dialect.HostFacts{Version: "2.1.332", Date: "2026-11-29", Source: "https://code.claude.com/docs/en/hooks", Proof: "run"},
	}
	for _, r := range eventTable {
		h.Events = append(h.Events, dialect.HostEvent{
			Name: r.event.String(), Event: r.event, Honours: r.honoured(), Default: shortTimes[r.event], OnRequest: onRequest[r.event],
		})
	}
	return h
}
