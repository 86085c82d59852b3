package claude

import (
	"slices"
	"sync"

	"github.com/hookline-dev/hookline/hook"
)

// specificMember is a member that hookSpecificOutput has on one event or another. Which
// events have it, the event table says.
type specificMember struct {
	key string
	// says are the parts of an answer that it says.
	says hook.Fields
	// ours means that Claude Code does not know it.
	ours bool
	// read takes what a hook said.
	read func(a *answer, v hook.JSON)
	// write returns what an answer to a host has, if the outcome has it; nil is for a
	// member that is written together with others.
	write func(e *encoder) (any, bool)
}

// specificMembers returns the table of the members, in the order in which they are
// written. It is made when first asked for, since what reads a member looks up others.
func specificMembers() []specificMember {
	specific.once.Do(func() { specific.members = specificTable() })
	return specific.members
}

var specific struct {
	once    sync.Once
	members []specificMember
}

func specificTable() []specificMember {
	return []specificMember{
		{
			key: "permissionDecision", read: (*answer).permissionDecision,
			says: hook.FieldAllow | hook.FieldAsk | hook.FieldDefer | hook.FieldDeny,
		},
		{key: "permissionDecisionReason", read: func(a *answer, v hook.JSON) { a.text("permissionDecisionReason", v, &a.specificReason) }},
		{
			key: "decision", read: (*answer).specificDecision,
			says: hook.FieldAllow | hook.FieldDeny | hook.FieldUpdatedInput | hook.FieldPermissionUpdates | hook.FieldInterrupt,
		},
		{key: "updatedInput", says: hook.FieldUpdatedInput, read: (*answer).inputOfCall},
		{key: addContext, says: hook.FieldContext, read: (*answer).additionalContext},
		{key: contextFiles, says: hook.FieldContext, ours: true, read: (*answer).contextFiles},
		{key: "action", says: hook.FieldElicitation, read: (*answer).action},
		{key: "content", says: hook.FieldElicitation, read: func(a *answer, v hook.JSON) { a.host().ElicitationContent = v }},
		{key: "worktreePath", says: hook.FieldWorktreePath, read: func(a *answer, v hook.JSON) { a.text("worktreePath", v, &a.host().WorktreePath) }},

		{
			key: "updatedToolOutput", says: hook.FieldUpdatedOutput, write: (*encoder).changedOutput,
			read: func(a *answer, v hook.JSON) { a.updatedOutput("updatedToolOutput", v) },
		},
		{
			key: "updatedMCPToolOutput", says: hook.FieldUpdatedOutput,
			read: func(a *answer, v hook.JSON) { a.updatedOutput("updatedMCPToolOutput", v) },
		},
		{
			key: "updatedPrompt", says: hook.FieldUpdatedPrompt, ours: true, read: (*answer).updatedPrompt,
			write: func(e *encoder) (any, bool) { return e.out.UpdatedPrompt, e.out.UpdatedPrompt != nil },
		},
		{
			key: "classifierContext", says: hook.FieldClassifierContext, read: (*answer).classifierContext,
			write: func(e *encoder) (any, bool) { return e.host.ClassifierContext, e.host.ClassifierContext != "" },
		},
		textMember("sessionTitle", hook.FieldSessionTitle, func(h *hook.HostEffects) *string { return &h.SessionTitle }),
		flagMember("suppressOriginalPrompt", hook.FieldSuppressOriginalPrompt, func(h *hook.HostEffects) *bool { return &h.SuppressOriginalPrompt }),
		textMember("initialUserMessage", hook.FieldInitialUserMessage, func(h *hook.HostEffects) *string { return &h.InitialUserMessage }),
		{
			key: "watchPaths", says: hook.FieldWatchPaths, read: (*answer).watchPaths,
			write: func(e *encoder) (any, bool) { return e.host.WatchPaths, len(e.host.WatchPaths) > 0 },
		},
		flagMember("reloadSkills", hook.FieldReloadSkills, func(h *hook.HostEffects) *bool { return &h.ReloadSkills }),
		flagMember("retry", hook.FieldRetry, func(h *hook.HostEffects) *bool { return &h.Retry }),
		{
			key: "displayContent", says: hook.FieldDisplayContent,
			read: func(a *answer, v hook.JSON) {
				var s string
				a.text("displayContent", v, &s)
				a.host().DisplayContent = &s
			},
			write: func(e *encoder) (any, bool) { return e.host.DisplayContent, e.host.DisplayContent != nil },
		},
	}
}

// textMember is a member that is one text of the host's effects.
func textMember(key string, says hook.Fields, at func(*hook.HostEffects) *string) specificMember {
	return specificMember{
		key: key, says: says,
		read:  func(a *answer, v hook.JSON) { a.text(key, v, at(a.host())) },
		write: func(e *encoder) (any, bool) { return *at(e.host), *at(e.host) != "" },
	}
}

// flagMember is a member that is true or not there.
func flagMember(key string, says hook.Fields, at func(*hook.HostEffects) *bool) specificMember {
	return specificMember{
		key: key, says: says,
		read:  func(a *answer, v hook.JSON) { a.bool(key, v, at(a.host())) },
		write: func(e *encoder) (any, bool) { return true, *at(e.host) },
	}
}

// specificRow returns what there is to know of a member, nil when there is none of that name.
func specificRow(key string) *specificMember {
	members := specificMembers()
	i := slices.IndexFunc(members, func(m specificMember) bool { return m.key == key })
	if i < 0 {
		return nil
	}
	return &members[i]
}

// specificMember reads a member of hookSpecificOutput, and reports whether there is one of
// that name.
func (a *answer) specificMember(m member) bool {
	row := specificRow(m.key)
	if row != nil {
		row.read(a, m.value)
	}
	return row != nil
}

func specificKeys() []string {
	var keys []string
	for _, m := range specificMembers() {
		keys = append(keys, m.key)
	}
	return keys
}
