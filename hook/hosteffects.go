package hook

// merge folds later effects over earlier ones: single values are replaced, watch
// paths add up.
func (h *HostEffects) merge(b *HostEffects) {
	paths := append(h.WatchPaths[:len(h.WatchPaths):len(h.WatchPaths)], b.WatchPaths...)
	h.set(b, b.fields())
	h.WatchPaths = paths
	if b.TerminalSequence != "" {
		h.TerminalSequence = b.TerminalSequence
	}
}

// only returns the effects that are in the set.
func (h *HostEffects) only(f Fields) HostEffects {
	out := HostEffects{TerminalSequence: h.TerminalSequence}
	out.set(h, f)
	return out
}

// set copies the effects that are in the set.
func (h *HostEffects) set(b *HostEffects, f Fields) {
	if f&FieldSessionTitle != 0 {
		h.SessionTitle = b.SessionTitle
	}
	if f&FieldInitialUserMessage != 0 {
		h.InitialUserMessage = b.InitialUserMessage
	}
	if f&FieldWatchPaths != 0 {
		h.WatchPaths = b.WatchPaths
	}
	if f&FieldReloadSkills != 0 {
		h.ReloadSkills = b.ReloadSkills
	}
	if f&FieldSuppressOriginalPrompt != 0 {
		h.SuppressOriginalPrompt = b.SuppressOriginalPrompt
	}
	if f&FieldSystemPrompt != 0 {
		h.SystemPrompt = b.SystemPrompt
	}
	if f&FieldHandled != 0 {
		h.Handled = b.Handled
	}
	if f&FieldRetry != 0 {
		h.Retry = b.Retry
	}
	if f&FieldDisplayContent != 0 {
		h.DisplayContent = b.DisplayContent
	}
	if f&FieldWorktreePath != 0 {
		h.WorktreePath = b.WorktreePath
	}
	if f&FieldElicitation != 0 {
		h.ElicitationAction, h.ElicitationContent = b.ElicitationAction, b.ElicitationContent
	}
	if f&FieldClassifierContext != 0 {
		h.ClassifierContext = b.ClassifierContext
	}
	if f&FieldResourcePaths != 0 {
		h.ResourcePaths = b.ResourcePaths
	}
}
