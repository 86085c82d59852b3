package hook

import (
	"slices"
	"strings"
	"sync"
)

// answerTable has one row for each part of an answer, at the place of its bit. It is
// made when it is first needed, and never changed.
var answerTable = sync.OnceValue(answerRows)

func answerRows() []AnswerPart {
	return slices.Concat(
		[]AnswerPart{
			decisionPart(FieldAllow, DecisionAllow, `{"decision":"allow","reason":"it reads only"}`),
			decisionPart(FieldAsk, DecisionAsk, `{"decision":"ask","reason":"it writes outside of the project"}`),
			decisionPart(FieldDefer, DecisionDefer, `{"decision":"defer","reason":"for the person who is on call"}`),
			decisionPart(FieldDeny, DecisionDeny, `{"decision":"deny","reason":"rm is not allowed"}`),
			{
				Field: FieldContinue, Name: "continue", Folds: "one is enough, unless another ends the run", Example: `{"continue":true}`,
				Members: []AnswerMember{continueMember},
				has:     func(r *Result) bool { return r.Continue == Yes },
				drop:    func(r *Result) { r.Continue = Unset },
				fold:    func(f *fire, _ *run) { f.out.KeepGoing = true },
				unfold: func(o *Outcome, r *Result) {
					if o.KeepGoing {
						r.Continue = Yes
					}
				},
				clear: func(o *Outcome) { o.KeepGoing = false },
			},
			{
				Field: FieldHalt, Name: "halt", Folds: "one is enough; the first says why", Example: `{"continue":false,"stop_reason":"the budget is spent"}`,
				Members: []AnswerMember{
					continueMember,
					memberAt("stop_reason", "tells the person why continue is false", stopReason),
				},
				has:  func(r *Result) bool { return r.Continue == No },
				drop: func(r *Result) { r.Continue, r.StopReason = Unset, "" },
				fold: func(f *fire, r *run) {
					if o := &f.out; !o.Halt {
						o.Halt, o.StopReason = true, r.res.StopReason
					}
				},
				unfold: func(o *Outcome, r *Result) {
					if o.Halt {
						r.Continue, r.StopReason = No, o.StopReason
					}
				},
				clear: func(o *Outcome) { o.Halt, o.StopReason = false, "" },
			},
			linePart(AnswerPart{Field: FieldSystemMessage, Name: "systemMessage", Example: `{"system_message":"the index is stale"}`},
				"system_message", "shown to the person and added to the next model call",
				func(r *Result) *string { return &r.SystemMessage }, func(o *Outcome) *[]string { return &o.SystemMessages }),
			linePart(AnswerPart{Field: FieldNotice, Name: "notice", Example: `{"notice":"formatted 3 files"}`},
				"notice", "shown to the person",
				func(r *Result) *string { return &r.Notice }, func(o *Outcome) *[]string { return &o.Notices }),
			single("suppress_output", "keeps the hook's own output out of the transcript",
				AnswerPart{Field: FieldSuppressOutput, Name: "suppressOutput", Example: `{"suppress_output":true}`},
				at(func(r *Result) *bool { return &r.SuppressOutput }, func(o *Outcome) *bool { return &o.SuppressOutput })),
			contextPart(),
			inputPart(),
			outputPart(),
			single("is_error", "overrides whether the tool's result counts as an error",
				AnswerPart{Field: FieldIsError, Name: "isError", Example: `{"is_error":false}`},
				at(func(r *Result) *Tri { return &r.IsError }, func(o *Outcome) *Tri { return &o.IsError })),
			promptPart(),
			messagesPart(),
			injectPart(),
			list("follow_ups", "messages with which the agent goes on",
				AnswerPart{Field: FieldFollowUps, Name: "followUpMessages", Example: `{"follow_ups":["run the tests"]}`},
				listAt(func(r *Result) *[]string { return &r.FollowUps }, func(o *Outcome) *[]string { return &o.FollowUps })),
			single("cancel", "stops a session operation before it happens",
				AnswerPart{Field: FieldCancel, Name: "cancel", Folds: "one is enough; it is a deny", Example: `{"cancel":true}`},
				at(func(r *Result) *bool { return &r.Cancel }, func(o *Outcome) *bool { return &o.Cancel })),
			single("skip_conversation_restore", "branches without rewinding the messages",
				AnswerPart{Field: FieldSkipRestore, Name: "skipConversationRestore", Example: `{"skip_conversation_restore":true}`},
				at(func(r *Result) *bool { return &r.SkipConversationRestore }, func(o *Outcome) *bool { return &o.SkipConversationRestore })),
		},
		compactionParts(),
		[]AnswerPart{
			list("permission_updates", "changes of permission rules, in the shape that the Claude Agent SDK has",
				AnswerPart{
					Field: FieldPermissionUpdates, Name: "permissionUpdates",
					Example: `{"permission_updates":[{"type":"setMode","mode":"plan","destination":"session"}]}`,
				},
				listAt(func(r *Result) *[]PermissionUpdate { return &r.PermissionUpdates }, func(o *Outcome) *[]PermissionUpdate { return &o.PermissionUpdates })),
			single("interrupt", "ends the turn along with a denied permission",
				AnswerPart{Field: FieldInterrupt, Name: "interrupt", Example: `{"interrupt":true}`},
				at(func(r *Result) *bool { return &r.Interrupt }, func(o *Outcome) *bool { return &o.Interrupt })),
		},
		effectParts(),
	)
}

// effectParts are the rows of the effects that only single events know.
func effectParts() []AnswerPart {
	return []AnswerPart{
		single("session_title", "title of the session",
			AnswerPart{Field: FieldSessionTitle, Name: "sessionTitle", Example: `{"session_title":"Mend the parser"}`},
			effect(func(h *HostEffects) *string { return &h.SessionTitle })),
		single("initial_user_message", "first message of the person",
			AnswerPart{Field: FieldInitialUserMessage, Name: "initialUserMessage", Example: `{"initial_user_message":"Read TODO.md and go on"}`},
			effect(func(h *HostEffects) *string { return &h.InitialUserMessage })),
		list("watch_paths", "paths to watch for changes",
			AnswerPart{Field: FieldWatchPaths, Name: "watchPaths", Example: `{"watch_paths":["/home/me/project/.env"]}`},
			anyEffect(func(h *HostEffects) *[]string { return &h.WatchPaths }, func(v *[]string) bool { return len(*v) > 0 })),
		single("reload_skills", "read the skills anew",
			AnswerPart{Field: FieldReloadSkills, Name: "reloadSkills", Example: `{"reload_skills":true}`},
			effect(func(h *HostEffects) *bool { return &h.ReloadSkills })),
		single("suppress_original_prompt", "do not show the prompt as it was",
			AnswerPart{Field: FieldSuppressOriginalPrompt, Name: "suppressOriginalPrompt", Example: `{"suppress_original_prompt":true}`},
			effect(func(h *HostEffects) *bool { return &h.SuppressOriginalPrompt })),
		single("system_prompt", "replaces the system prompt",
			AnswerPart{Field: FieldSystemPrompt, Name: "systemPrompt", Example: `{"system_prompt":"You review code."}`},
			effect(func(h *HostEffects) **string { return &h.SystemPrompt })),
		single("handled", "the hook dealt with it",
			AnswerPart{Field: FieldHandled, Name: "handled", Example: `{"handled":true}`},
			effect(func(h *HostEffects) *bool { return &h.Handled })),
		single("retry", "let the model try again",
			AnswerPart{Field: FieldRetry, Name: "retry", Example: `{"retry":true}`},
			effect(func(h *HostEffects) *bool { return &h.Retry })),
		single("display_content", "text that is shown instead",
			AnswerPart{Field: FieldDisplayContent, Name: "displayContent", Example: `{"display_content":"[a secret]"}`},
			effect(func(h *HostEffects) **string { return &h.DisplayContent })),
		single("worktree_path", "the worktree that was made",
			AnswerPart{Field: FieldWorktreePath, Name: "worktreePath", Example: `{"worktree_path":"/home/me/worktrees/feature"}`},
			effect(func(h *HostEffects) *string { return &h.WorktreePath })),
		elicitationPart(),
		single("classifier_context", "context for the classifier",
			AnswerPart{Field: FieldClassifierContext, Name: "classifierContext", Example: `{"classifier_context":"the file is generated"}`},
			effect(func(h *HostEffects) *string { return &h.ClassifierContext })),
		single("terminal_sequence", "sequence for the terminal",
			AnswerPart{Field: FieldTerminalSequence, Name: "terminalSequence", Example: `{"terminal_sequence":"\u0007"}`},
			effect(func(h *HostEffects) *string { return &h.TerminalSequence })),
		single("resource_paths", "paths of resources by kind",
			AnswerPart{Field: FieldResourcePaths, Name: "resourcePaths", Example: `{"resource_paths":{"skillPaths":["skills"]}}`},
			effect(func(h *HostEffects) *JSON { return &h.ResourcePaths })),
		single("message", "stands in the place of the message, and has its role",
			AnswerPart{Field: FieldMessage, Name: "message", Example: `{"message":{"role":"assistant","content":"It is done."}}`},
			effect(func(h *HostEffects) **Message { return &h.Message })),
	}
}

// single completes a row that is one member, of which the last one counts.
func single[T any](name, doc string, row AnswerPart, p place[T]) AnswerPart {
	row.Members = []AnswerMember{memberAt(name, doc, p)}
	return p.last(row)
}

// list completes a row that is one member, of which all hooks' values count.
func list[T any](name, doc string, row AnswerPart, p place[[]T]) AnswerPart {
	row.Members = []AnswerMember{memberAt(name, doc, p)}
	return all(p, row)
}

// linePart completes a row that is a text of a hook and, of all hooks, a list.
func linePart(row AnswerPart, name, doc string, in func(r *Result) *string, out func(o *Outcome) *[]string) AnswerPart {
	p := at(in, nil)
	row.Folds, row.Members = "all, in order", []AnswerMember{memberAt(name, doc, p)}
	row.has, row.drop = p.has, p.drop
	row.fold = func(f *fire, r *run) { *out(&f.out) = append(*out(&f.out), *in(&r.res)) }
	row.unfold = func(o *Outcome, r *Result) { *in(r) = strings.Join(*out(o), "\n") }
	row.clear = func(o *Outcome) { *out(o) = nil }
	return row
}

var (
	// reading is for the members of parts that have folds of their own.
	stopReason     = at(func(r *Result) *string { return &r.StopReason }, nil)
	continueMember = memberAt("continue", "false ends the whole run; true keeps a stopping agent going",
		at(func(r *Result) *Tri { return &r.Continue }, nil))
)

// decisionPart is the row of one decision.
func decisionPart(field Field, d Decision, example string) AnswerPart {
	return AnswerPart{
		Field: field, Name: d.String(), Folds: "the strictest counts; the first of its kind gives the reason", Example: example,
		Members: []AnswerMember{
			memberAt("decision", "allow, ask, defer or deny; none by default", at(func(r *Result) *Decision { return &r.Decision }, nil)),
			memberAt("reason", "why: told to the model for a deny, to the person for allow and ask", at(func(r *Result) *string { return &r.Reason }, nil)),
		},
		has:  func(r *Result) bool { return r.Decision == d },
		drop: func(r *Result) { r.Decision, r.Reason = DecisionNone, "" },
		fold: (*fire).decide,
		unfold: func(o *Outcome, r *Result) {
			if o.Decision == d {
				r.Decision, r.Reason = d, o.Reason
			}
		},
		clear: func(o *Outcome) {
			if o.Decision == d {
				o.Decision, o.Reason, o.DecidedBy = DecisionNone, "", ""
			}
		},
	}
}

// contextPart is the row of context, of which files are another form.
func contextPart() AnswerPart {
	lines := listAt(func(r *Result) *[]string { return &r.Context }, func(o *Outcome) *[]string { return &o.Context })
	files := listAt(func(r *Result) *[]string { return &r.ContextFiles }, func(o *Outcome) *[]string { return &o.ContextFiles })
	return AnswerPart{
		Field: FieldContext, Name: "context", Folds: "all, in order, and each file once", Example: `{"context":["the branch is main"],"context_files":["docs/style.md"]}`,
		Members: []AnswerMember{
			memberAt("context", "added to the next model call, once", lines),
			memberAt("context_files", "paths that the model is offered instead of their contents", files),
		},
		has:  func(r *Result) bool { return len(r.Context)+len(r.ContextFiles) > 0 },
		drop: func(r *Result) { r.Context, r.ContextFiles = nil, nil },
		fold: func(f *fire, r *run) {
			o := &f.out
			o.Context = append(o.Context, r.res.Context...)
			for _, path := range r.res.ContextFiles {
				if !slices.Contains(o.ContextFiles, path) {
					o.ContextFiles = append(o.ContextFiles, path)
				}
			}
		},
		unfold: lines.unfold, // which name the files
		clear: func(o *Outcome) {
			lines.clear(o)
			files.clear(o)
		},
	}
}

// inputPart is the row of the changed tool input, which has versions.
func inputPart() AnswerPart {
	p := at(func(r *Result) *JSON { return &r.UpdatedInput }, func(o *Outcome) *JSON { return &o.UpdatedInput })
	return AnswerPart{
		Field: FieldUpdatedInput, Name: "updatedInput", Folds: "one after another; patches add up",
		Example: `{"updated_input":{"timeout":60},"input_patch":true}`,
		Members: []AnswerMember{
			memberAt("updated_input", "replaces the tool input", p),
			memberAt("input_patch", "updated_input is a patch: its members are set, and null removes one",
				at(func(r *Result) *bool { return &r.InputPatch }, nil)),
		},
		has:    p.has,
		drop:   func(r *Result) { r.UpdatedInput, r.InputPatch = JSON{}, false },
		fold:   (*fire).foldInput,
		unfold: p.unfold,
		clear: func(o *Outcome) {
			p.clear(o)
			o.InputChanged, o.OriginalInput = false, JSON{}
		},
	}
}

// outputPart is the row of the changed output, which later hooks see.
func outputPart() AnswerPart {
	row := single("updated_output", "replaces the tool's output",
		AnswerPart{Field: FieldUpdatedOutput, Name: "updatedOutput", Example: `{"updated_output":"a secret was removed"}`},
		at(func(r *Result) *JSON { return &r.UpdatedOutput }, func(o *Outcome) *JSON { return &o.UpdatedOutput }))
	row.fold = func(f *fire, r *run) {
		if !f.out.UpdatedOutput.IsZero() {
			r.Notes = append(r.Notes, "its updated output replaces that of an earlier hook")
		}
		f.out.UpdatedOutput = r.res.UpdatedOutput
		if c := f.cells.output; c != nil {
			*c, *f.cells.content = r.res.UpdatedOutput, JSON{}
		}
	}
	return row
}

// promptPart is the row of the changed prompt, which later hooks see.
func promptPart() AnswerPart {
	row := single("updated_prompt", "replaces the prompt",
		AnswerPart{Field: FieldUpdatedPrompt, Name: "updatedPrompt", Example: `{"updated_prompt":"add a test for the parser"}`},
		at(func(r *Result) **string { return &r.UpdatedPrompt }, func(o *Outcome) **string { return &o.UpdatedPrompt }))
	row.fold = func(f *fire, r *run) {
		if f.out.UpdatedPrompt != nil {
			r.Notes = append(r.Notes, "its updated prompt replaces that of an earlier hook")
		}
		f.out.UpdatedPrompt = r.res.UpdatedPrompt
		if c := f.cells.prompt; c != nil {
			*c = *r.res.UpdatedPrompt
		}
	}
	return row
}

// messagesPart is the row of the changed messages, which later hooks see.
func messagesPart() AnswerPart {
	row := single("messages", "replaces the messages of this model call",
		AnswerPart{Field: FieldMessages, Name: "messages", Example: `{"messages":[{"role":"user","content":"add a test"}]}`},
		anyAt(func(r *Result) *[]Message { return &r.Messages }, func(o *Outcome) *[]Message { return &o.Messages },
			func(m *[]Message) bool { return *m != nil })) // none at all is an answer too
	row.fold = func(f *fire, r *run) {
		f.out.Messages = r.res.Messages
		if c := f.cells.messages; c != nil {
			*c = r.res.Messages
		}
	}
	return row
}

// injectPart is the row of the injected message, of which an outcome has a list.
func injectPart() AnswerPart {
	one := at(func(r *Result) **CustomMessage { return &r.Inject }, nil)
	row := all(listAt(nil, func(o *Outcome) *[]CustomMessage { return &o.Inject }), AnswerPart{
		Field: FieldInject, Name: "injectedMessage", Example: `{"inject":{"custom_type":"weather","content":"rain","display":true}}`,
		Members: []AnswerMember{injectMember(one)},
	})
	row.has, row.drop = one.has, one.drop
	row.fold = func(f *fire, r *run) { f.out.Inject = append(f.out.Inject, *r.res.Inject) }
	row.unfold = func(o *Outcome, r *Result) {
		if len(o.Inject) > 0 {
			r.Inject = &o.Inject[0]
		}
	}
	return row
}

// compactionParts are the rows of what is asked before messages are left out.
func compactionParts() []AnswerPart {
	compaction := at(func(r *Result) **Compaction { return &r.Compaction }, func(o *Outcome) **Compaction { return &o.Compaction })
	summary := at(func(r *Result) **BranchSummary { return &r.Summary }, func(o *Outcome) **BranchSummary { return &o.Summary })
	compacting := at(func(r *Result) **CompactingAnswer { return &r.Compacting }, func(o *Outcome) **CompactingAnswer { return &o.Compacting })
	return []AnswerPart{
		compaction.last(AnswerPart{
			Field: FieldCompaction, Name: "compaction", Example: `{"compaction":{"summary":"we mended the parser","first_kept_entry_id":"e7"}}`,
			Members: []AnswerMember{compactionMember(compaction)},
		}),
		summary.last(AnswerPart{
			Field: FieldSummary, Name: "summary", Example: `{"summary":{"summary":"a dead end"}}`,
			Members: []AnswerMember{summaryMember(summary)},
		}),
		compacting.last(AnswerPart{
			Field: FieldCompacting, Name: "compacting", Example: `{"compacting":{"context":["keep file names"],"prompt":"Summarise in ten lines."}}`,
			Members: []AnswerMember{compactingMember(compacting)},
		}),
	}
}

// elicitationPart is the row of the answer to a question of an MCP server: what is
// done, and the content with which.
func elicitationPart() AnswerPart {
	action := effect(func(h *HostEffects) *string { return &h.ElicitationAction })
	content := effect(func(h *HostEffects) *JSON { return &h.ElicitationContent })
	return AnswerPart{
		Field: FieldElicitation, Name: "elicitationAnswer", Folds: "the last one counts",
		Example: `{"elicitation_action":"accept","elicitation_content":{"name":"me"}}`,
		Members: []AnswerMember{
			memberAt("elicitation_action", "accept, decline or cancel", action),
			memberAt("elicitation_content", "content of the answer", content),
		},
		has: func(r *Result) bool { return action.has(r) || content.has(r) },
		drop: func(r *Result) {
			action.drop(r)
			content.drop(r)
		},
		fold: func(f *fire, r *run) {
			*action.out(&f.out, true), *content.out(&f.out, true) = r.res.Host.ElicitationAction, r.res.Host.ElicitationContent
		},
		unfold: func(o *Outcome, r *Result) {
			action.unfold(o, r)
			content.unfold(o, r)
		},
		clear: func(o *Outcome) {
			action.clear(o)
			content.clear(o)
		},
	}
}
