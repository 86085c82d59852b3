package kodelet

import (
	_ "embed"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

// extensionModule is the extension by which kodelet asks us: it has executables no more, and
// the extension speaks to us as it spoke to those.
//
//go:embed extension.mjs
var extensionModule string

// Hosts returns kodelet.
func (Dialect) Hosts() []*dialect.Host { return []*dialect.Host{row} }

var _ dialect.Hosted = Dialect{}

// row is written once, here, and never changed.
var row = &dialect.Host{
	Name: Name, Title: "kodelet", Program: "kodelet",
	Files: []dialect.HostFile{
		ours("user", dialect.HomeBase), ours("project", dialect.ProjectBase),
		{Level: "user", Base: dialect.HomeBase, Dir: extensionsDir, Format: dialect.FormatModule},
		{Level: "project", Base: dialect.ProjectBase, Dir: extensionsDir, Format: dialect.FormatModule},
	},
	Events: []dialect.HostEvent{
		{Name: BeforeToolCall, Event: hook.EventPreToolUse, Honours: hook.FieldDeny | hook.FieldUpdatedInput},
		{
			Name: AfterToolCall, Event: hook.EventPostToolUse, Honours: hook.FieldUpdatedOutput,
			Also: []dialect.HostEvent{{Name: AfterToolCall, Event: hook.EventPostToolUseFailure, Honours: hook.FieldUpdatedOutput}},
		},
		{Name: UserMessageSend, Event: hook.EventUserPromptSubmit, Honours: hook.FieldDeny},
		{Name: AgentStop, Event: hook.EventStop, Honours: hook.FieldDeny | hook.FieldContinue | hook.FieldFollowUps},
	},
	Unit: time.Second, Default: 10 * time.Minute,
	Exits:   []dialect.HostExit{{Code: "any", Means: "our extension alone sees it: a code other than 0 refuses a tool call and a prompt"}},
	Late:    "the call goes on",
	Unknown: dialect.UnknownIgnored, Matcher: "none: an extension is asked about everything",
	Needs: []string{"node in PATH: it runs the extension"},
	Traps: []string{
		"an extension that cannot be started is left out, and nothing is refused: 'kodelet extension list' shows whether it is there",
		"nobody is asked in its name: a question is a deny",
		"nothing is added to the context",
	},
	Facts: dialect.HostFacts{Version: "0.5.36", Date: "2026-11-29", Source: "https://github.com/jingkaihe/kodelet/blob/main/docs/extension-design.md", Proof: "run"},
}

const extensionsDir = ".kodelet/extensions"

func ours(level string, base dialect.HostBase) dialect.HostFile {
	return dialect.HostFile{
		Level: level, Base: base, Dir: extensionsDir, Name: "kodelet-extension-hookline.mjs",
		Format: dialect.FormatModule, Module: extensionModule, Starter: "#!/usr/bin/env node", Write: true,
	}
}
