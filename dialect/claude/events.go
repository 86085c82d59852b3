package claude

import (
	"slices"

	"github.com/hookline-dev/hookline/hook"
)

// exitTwo says what exit code 2 does on an event.
type exitTwo uint8

const (
	exitTwoDenies  exitTwo = iota // it refuses, with stderr as the reason
	exitTwoShows                  // stderr is shown to the person, nothing else
	exitTwoIgnored                // nobody sees it
)

// eventRow is what the dialect knows of an event beyond the engine's table.
type eventRow struct {
	event hook.Event
	two   exitTwo
	// text says that plain text on stdout is context for the model.
	text bool
	// block says that a top-level decision block is part of the format.
	block bool
	// specific are the members that hookSpecificOutput may have; nil means that
	// the event has no such object.
	specific []string
	// subjects are the values that the matcher's subject can have; nil when the
	// set is open.
	subjects []string
	// modelHooks says that prompt and agent hooks may be registered.
	modelHooks bool
}

const addContext = "additionalContext"

// contextFiles is an addition of ours, wherever there is additionalContext: paths
// that the model is offered instead of their contents.
const contextFiles = "contextFiles"

// eventTable has a row for each event of the dialect, in the order of the
// engine's table. It is written once, here, and never changed.
var eventTable = []eventRow{
	{
		event: hook.EventSessionStart, two: exitTwoShows, text: true, subjects: list("startup", "resume", "clear", "compact", "fork", "new"),
		specific: list(addContext, "initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"),
	},
	{event: hook.EventSessionEnd, two: exitTwoShows, subjects: list("clear", "resume", "logout", "prompt_input_exit", "other")},
	{event: hook.EventSetup, two: exitTwoShows, subjects: list("init", "maintenance"), specific: list(addContext)},
	{
		event: hook.EventUserPromptSubmit, text: true, block: true, modelHooks: true,
		specific: list(addContext, "sessionTitle", "suppressOriginalPrompt", "updatedPrompt"),
	},
	{event: hook.EventUserPromptExpansion, text: true, block: true, modelHooks: true, specific: list(addContext)},
	{event: hook.EventMessageDisplay, two: exitTwoIgnored, specific: list("displayContent")},
	{
		event: hook.EventPreToolUse, block: true, modelHooks: true,
		specific: list("permissionDecision", "permissionDecisionReason", "updatedInput", addContext),
	},
	{event: hook.EventPermissionRequest, two: exitTwoIgnored, modelHooks: true, specific: list("decision")},
	{event: hook.EventPermissionDenied, two: exitTwoShows, modelHooks: true, specific: list("retry")},
	{
		event: hook.EventPostToolUse, block: true, modelHooks: true,
		specific: list(addContext, "updatedToolOutput", "updatedMCPToolOutput", "classifierContext"),
	},
	{event: hook.EventPostToolUseFailure, block: true, modelHooks: true, specific: list(addContext)},
	{event: hook.EventPostToolBatch, block: true, modelHooks: true, specific: list(addContext)},
	{event: hook.EventNotification, two: exitTwoShows, specific: list(addContext)},
	{event: hook.EventStop, block: true, modelHooks: true, specific: list(addContext)},
	{event: hook.EventStopFailure, two: exitTwoIgnored, subjects: list("rate_limit", "overloaded", "authentication_failed",
		"oauth_org_not_allowed", "account_on_hold", "billing_error", "invalid_request", "model_not_found", "server_error",
		"max_output_tokens", "cloud_credential_error", "unknown")},
	{event: hook.EventSubagentStart, two: exitTwoShows, specific: list(addContext)},
	{event: hook.EventSubagentStop, block: true, modelHooks: true, specific: list(addContext)},
	{event: hook.EventTeammateIdle, modelHooks: true},
	{event: hook.EventTaskCreated, block: true, modelHooks: true},
	{event: hook.EventTaskCompleted, block: true, modelHooks: true},
	{event: hook.EventPreCompact, block: true, subjects: list("manual", "auto")},
	{event: hook.EventPostCompact, two: exitTwoShows, subjects: list("manual", "auto")},
	{event: hook.EventPreModelSwitch, block: true, specific: list("permissionDecision", "permissionDecisionReason")},
	{event: hook.EventPostModelSwitch, two: exitTwoShows, text: true, specific: list(addContext)},
	{
		event: hook.EventInstructionsLoaded, two: exitTwoIgnored,
		subjects: list("session_start", "nested_traversal", "path_glob_match", "include", "compact"),
	},
	{
		event: hook.EventConfigChange, block: true,
		subjects: list("user_settings", "project_settings", "local_settings", "policy_settings", "skills"),
	},
	{event: hook.EventCwdChanged, two: exitTwoShows, specific: list("watchPaths")},
	{event: hook.EventDirectoryAdded, two: exitTwoShows, subjects: list("slash_command", "register_repo_root")},
	{event: hook.EventFileChanged, two: exitTwoShows, specific: list("watchPaths")},
	{event: hook.EventWorktreeCreate, specific: list("worktreePath")},
	{event: hook.EventWorktreeRemove, two: exitTwoShows},
	{event: hook.EventElicitation, specific: list("action", "content")},
	{event: hook.EventElicitationResult, specific: list("action", "content")},
}

func list(s ...string) []string { return s }

// row returns what the dialect knows of an event. An event that only the engine
// knows behaves as the engine's table suggests and may use every member.
func row(ev hook.Event) eventRow {
	for _, r := range eventTable {
		if r.event == ev {
			if slices.Contains(r.specific, addContext) {
				r.specific = append(slices.Clone(r.specific), contextFiles)
			}
			return r
		}
	}
	r := eventRow{event: ev, two: exitTwoShows, specific: specificKeys(), modelHooks: true}
	if ev.Spec().CanBlock() {
		r.two, r.block = exitTwoDenies, true
	}
	return r
}

// Events returns the events of the dialect in the order of the engine's table.
// Files may name the engine's other events too.
func Events() []hook.Event {
	out := make([]hook.Event, len(eventTable))
	for i, r := range eventTable {
		out[i] = r.event
	}
	return out
}

// native reports whether the event is one of the dialect's own.
func native(ev hook.Event) bool { return slices.Contains(Events(), ev) }

// guards reports whether a hook of the event can stop something, so that its loss
// must not pass in silence.
func guards(ev hook.Event) bool { return ev.Spec().CanBlock() }

// hasTool reports whether the event is about one tool call, so that a filter can
// look at the call.
func hasTool(ev hook.Event) bool {
	switch ev {
	case hook.EventPreToolUse, hook.EventPermissionRequest, hook.EventPermissionDenied,
		hook.EventPostToolUse, hook.EventPostToolUseFailure:
		return true
	}
	return false
}
