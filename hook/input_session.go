package hook

// SessionStart is the input of the event: a session begins, is resumed, cleared, compacted or forked.
type SessionStart struct {
	Common
	Source                   string  `json:"source" doc:"startup, resume, clear, compact, fork or new"`
	Model                    string  `json:"model,omitzero" doc:"model of the session"`
	SessionTitle             string  `json:"session_title,omitzero" doc:"title of the session"`
	PreviousSession          string  `json:"previous_session,omitzero" doc:"the session that was left for this one: its file, or its id"`
	SecondsSinceLastResponse float64 `json:"seconds_since_last_response,omitzero" doc:"on resume: how old the last response is"`
	ContextTokens            int64   `json:"context_tokens,omitzero" doc:"on resume: size of the context"`
	PromptCacheLikelyExpired bool    `json:"prompt_cache_likely_expired,omitzero" doc:"on resume: whether the provider's prompt cache is likely gone"`
	EstimatedCacheWriteUSD   float64 `json:"estimated_cache_write_usd,omitzero" doc:"on resume: what writing the cache anew would cost, in US dollars"`
}

// Event returns EventSessionStart.
func (in *SessionStart) Event() Event { return EventSessionStart }

// Subject returns the Source.
func (in *SessionStart) Subject() string { return in.Source }

// SessionEnd is the input of the event: a session ends.
type SessionEnd struct {
	Common
	Reason        string `json:"reason" doc:"clear, new, resume, logout, prompt_input_exit or other"`
	TargetSession string `json:"target_session,omitzero" doc:"the session that it is left for: its file, or its id"`
}

// Event returns EventSessionEnd.
func (in *SessionEnd) Event() Event { return EventSessionEnd }

// Subject returns the Reason.
func (in *SessionEnd) Subject() string { return in.Reason }

// Setup is the input of the event: the project is set up or maintained.
type Setup struct {
	Common
	Trigger string `json:"trigger" doc:"init or maintenance"`
}

// Event returns EventSetup.
func (in *Setup) Event() Event { return EventSetup }

// Subject returns the Trigger.
func (in *Setup) Subject() string { return in.Trigger }

// SessionBeforeSwitch is the input of the event: another session is about to be opened.
type SessionBeforeSwitch struct {
	Common
	Reason        string `json:"reason" doc:"new or resume"`
	TargetSession string `json:"target_session,omitzero" doc:"file of the session to open"`
}

// Event returns EventSessionBeforeSwitch.
func (in *SessionBeforeSwitch) Event() Event { return EventSessionBeforeSwitch }

// Subject returns the Reason.
func (in *SessionBeforeSwitch) Subject() string { return in.Reason }

// SessionSwitch is the input of the event: another session was opened.
type SessionSwitch struct {
	Common
	Reason          string `json:"reason" doc:"new or resume"`
	PreviousSession string `json:"previous_session,omitzero" doc:"file of the session before"`
}

// Event returns EventSessionSwitch.
func (in *SessionSwitch) Event() Event { return EventSessionSwitch }

// Subject returns the Reason.
func (in *SessionSwitch) Subject() string { return in.Reason }

// SessionBeforeBranch is the input of the event: a branch is about to be made.
type SessionBeforeBranch struct {
	Common
	EntryID string `json:"entry_id" doc:"entry to branch from"`
}

// Event returns EventSessionBeforeBranch.
func (in *SessionBeforeBranch) Event() Event { return EventSessionBeforeBranch }

// SessionBranch is the input of the event: a branch was made.
type SessionBranch struct {
	Common
	PreviousSession string `json:"previous_session,omitzero" doc:"file of the session before"`
}

// Event returns EventSessionBranch.
func (in *SessionBranch) Event() Event { return EventSessionBranch }

// SessionBeforeTree is the input of the event: the leaf of the session is about to move.
type SessionBeforeTree struct {
	Common
	Preparation TreePreparation `json:"preparation" doc:"what the move would do"`
}

// Event returns EventSessionBeforeTree.
func (in *SessionBeforeTree) Event() Event { return EventSessionBeforeTree }

// SessionTree is the input of the event: the leaf of the session moved.
type SessionTree struct {
	Common
	NewLeafID    string `json:"new_leaf_id" doc:"leaf now"`
	OldLeafID    string `json:"old_leaf_id,omitzero" doc:"leaf before"`
	SummaryEntry JSON   `json:"summary_entry,omitzero" doc:"entry that summarises what was left"`
	FromHook     bool   `json:"from_hook,omitzero" doc:"whether a hook supplied the summary"`
}

// Event returns EventSessionTree.
func (in *SessionTree) Event() Event { return EventSessionTree }

// PreCompact is the input of the event: the conversation is about to be compacted.
type PreCompact struct {
	Common
	Trigger            string `json:"trigger" doc:"manual or auto"`
	CustomInstructions string `json:"custom_instructions" doc:"instructions for the summary"`
	Preparation        JSON   `json:"preparation,omitzero" doc:"what would be summarised and kept"`
	BranchEntries      []JSON `json:"branch_entries,omitempty" doc:"entries of the branch"`
}

// Event returns EventPreCompact.
func (in *PreCompact) Event() Event { return EventPreCompact }

// Subject returns the Trigger.
func (in *PreCompact) Subject() string { return in.Trigger }

// Compacting is the input of the event: the summary is about to be asked for.
type Compacting struct {
	Common
	Preparation JSON `json:"preparation,omitzero" doc:"what is summarised and kept"`
}

// Event returns EventCompacting.
func (in *Compacting) Event() Event { return EventCompacting }

// PostCompact is the input of the event: the conversation was compacted.
type PostCompact struct {
	Common
	Trigger         string `json:"trigger" doc:"manual or auto"`
	CompactSummary  string `json:"compact_summary,omitzero" doc:"the summary"`
	CompactionEntry JSON   `json:"compaction_entry,omitzero" doc:"the session's entry"`
	FromHook        bool   `json:"from_hook,omitzero" doc:"whether a hook supplied it"`
}

// Event returns EventPostCompact.
func (in *PostCompact) Event() Event { return EventPostCompact }

// Subject returns the Trigger.
func (in *PostCompact) Subject() string { return in.Trigger }

// CompactFailed is the input of the event: a compaction came to nothing.
type CompactFailed struct {
	Common
	Trigger      string `json:"trigger" doc:"manual or auto"`
	Aborted      bool   `json:"aborted" doc:"whether a hook or the person did not want it"`
	ErrorMessage string `json:"error_message,omitzero" doc:"what went wrong"`
}

// Event returns EventCompactFailed.
func (in *CompactFailed) Event() Event { return EventCompactFailed }

// Subject returns the Trigger.
func (in *CompactFailed) Subject() string { return in.Trigger }

// SessionRenamed is the input of the event: the session has another title.
type SessionRenamed struct {
	Common
	Title string `json:"title" doc:"the title"`
}

// Event returns EventSessionRenamed.
func (in *SessionRenamed) Event() Event { return EventSessionRenamed }

// AutoCompactionStart is the input of the event: the host starts a compaction by itself.
type AutoCompactionStart struct {
	Common
	Reason string `json:"reason" doc:"threshold or overflow"`
}

// Event returns EventAutoCompactionStart.
func (in *AutoCompactionStart) Event() Event { return EventAutoCompactionStart }

// AutoCompactionEnd is the input of the event: that compaction is over.
type AutoCompactionEnd struct {
	Common
	Result       JSON   `json:"result,omitzero" doc:"the compaction"`
	Aborted      bool   `json:"aborted,omitzero" doc:"whether it was given up"`
	WillRetry    bool   `json:"will_retry,omitzero" doc:"whether the model call is tried again"`
	ErrorMessage string `json:"error_message,omitzero" doc:"why it failed"`
}

// Event returns EventAutoCompactionEnd.
func (in *AutoCompactionEnd) Event() Event { return EventAutoCompactionEnd }

// TreePreparation says what moving the leaf would do.
type TreePreparation struct {
	TargetID           string `json:"targetId"`
	OldLeafID          string `json:"oldLeafId,omitzero"`
	CommonAncestorID   string `json:"commonAncestorId,omitzero"`
	EntriesToSummarize []JSON `json:"entriesToSummarize,omitempty"`
	UserWantsSummary   bool   `json:"userWantsSummary"`
}
