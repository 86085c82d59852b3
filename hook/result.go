package hook

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Decision is what a hook says about the thing it was asked about. Larger
// decisions win over smaller ones when answers are merged. The zero value means no
// opinion, never consent.
type Decision uint8

// The decisions, weakest first.
const (
	DecisionNone  Decision = iota // no opinion: the host's normal rules apply
	DecisionAllow                 // go on without asking
	DecisionAsk                   // ask a person
	DecisionDefer                 // leave it undecided and end the run here
	DecisionDeny                  // do not do it
)

var decisionNames = [...]string{"none", "allow", "ask", "defer", "deny"}

// String returns none, allow, ask, defer or deny.
func (d Decision) String() string {
	if int(d) < len(decisionNames) {
		return decisionNames[d]
	}
	return "invalid"
}

// MarshalText returns the decision's word.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a decision's word; "" is none.
func (d *Decision) UnmarshalText(b []byte) error {
	i := slices.Index(decisionNames[:], string(b))
	if len(b) > 0 && i < 0 {
		return fmt.Errorf("unknown decision %q (known: allow, ask, defer, deny, none)", b)
	}
	*d = Decision(max(i, 0))
	return nil
}

// Tri is a boolean that may be left unset.
type Tri uint8

// The values of a Tri.
const (
	Unset Tri = iota
	Yes
	No
)

// Result is one hook's answer. The zero value means no opinion. A field that the
// event does not honour has no effect, and the run's record says so.
type Result struct {
	Decision Decision
	// Reason explains the decision: to the model for a deny, to the person for
	// allow and ask.
	Reason string
	// Continue No ends the whole run after what is going on has been recorded;
	// on Stop, Yes from an in-process hook keeps the agent going.
	Continue Tri
	// StopReason tells the person why Continue is No.
	StopReason string
	// SystemMessage is shown to the person and added to the next model call.
	SystemMessage string
	// Notice is shown to the person only.
	Notice string
	// SuppressOutput keeps the hook's own output out of the transcript.
	SuppressOutput bool
	// Context is added to the next model call, once.
	Context []string
	// ContextFiles are paths that the model is offered instead of their contents: it
	// reads what it needs.
	ContextFiles []string

	// UpdatedInput replaces the tool input, or patches it when InputPatch is set:
	// a shallow merge in which null removes a key.
	UpdatedInput JSON
	InputPatch   bool
	// UpdatedOutput replaces the tool's output.
	UpdatedOutput JSON
	// IsError overrides whether the tool's result counts as an error.
	IsError Tri
	// UpdatedPrompt replaces the prompt.
	UpdatedPrompt *string
	// Messages replaces the messages of this model call; nil leaves them.
	Messages []Message
	// Inject adds a message to the session before the model is called.
	Inject *CustomMessage
	// FollowUps are messages with which the agent goes on.
	FollowUps []string

	// Cancel stops a session operation before it happens.
	Cancel bool
	// SkipConversationRestore branches without rewinding the messages.
	SkipConversationRestore bool
	// Compaction replaces the compaction that the host would make.
	Compaction *Compaction
	// Summary replaces the summary of a branch that is left.
	Summary *BranchSummary
	// Compacting steers the compaction that the host makes.
	Compacting *CompactingAnswer
	// PermissionUpdates change permission rules.
	PermissionUpdates []PermissionUpdate
	// Interrupt ends the turn along with a denied permission.
	Interrupt bool
	// Host holds effects that only single events know.
	Host *HostEffects

	// Async says that the hook goes on in the background; see Async.
	Async *Async
}

// Async is the rest of a hook that goes on in the background. The engine calls
// Wait once, from a goroutine of its own, with a context that ends after
// Timeout or when the engine closes; the result is delivered late. Wait must
// not start anything anew and must not touch the event's input, which is the
// caller's again.
type Async struct {
	// Timeout bounds the rest; 0 means DefaultAsyncTimeout.
	Timeout time.Duration
	Wait    func(ctx context.Context) (Result, error)
}

// DefaultAsyncTimeout bounds background runs that name no time of their own.
const DefaultAsyncTimeout = 10 * time.Minute

// CustomMessage is a message of a hook's own kind that becomes part of the
// session.
type CustomMessage struct {
	CustomType string `json:"customType"`
	Content    JSON   `json:"content,omitzero"` // a string or an array of content blocks
	Display    bool   `json:"display"`
	Details    JSON   `json:"details,omitzero"`
}

// Compaction is a ready compaction of the conversation.
type Compaction struct {
	Summary          string `json:"summary"`
	FirstKeptEntryID string `json:"firstKeptEntryId"`
	TokensBefore     int    `json:"tokensBefore"`
	Details          JSON   `json:"details,omitzero"`
}

// BranchSummary summarises a branch of the session that is left behind.
type BranchSummary struct {
	Summary string `json:"summary"`
	Details JSON   `json:"details,omitzero"`
}

// CompactingAnswer steers how the host compacts: lines of context and a prompt
// for the model that summarises, and data kept beside the summary.
type CompactingAnswer struct {
	Context      []string `json:"context,omitempty"`
	Prompt       string   `json:"prompt,omitzero"`
	PreserveData JSON     `json:"preserveData,omitzero"`
}

// PermissionUpdate is one change of permission rules, in the shape of the Claude
// Agent SDK.
type PermissionUpdate struct {
	Type        string           `json:"type"` // addRules, replaceRules, removeRules, setMode, addDirectories, removeDirectories
	Rules       []PermissionRule `json:"rules,omitempty"`
	Behavior    string           `json:"behavior,omitzero"` // allow, deny, ask
	Mode        string           `json:"mode,omitzero"`
	Directories []string         `json:"directories,omitempty"`
	Destination string           `json:"destination,omitzero"` // session, localSettings, projectSettings, userSettings
}

// PermissionRule names a tool and optionally the content that it is about.
type PermissionRule struct {
	ToolName    string `json:"toolName"`
	RuleContent string `json:"ruleContent,omitzero"`
}

// HostEffects are effects that only single events know. Each is honoured where
// the event table says so.
type HostEffects struct {
	SessionTitle           string   `json:"sessionTitle,omitzero"`
	InitialUserMessage     string   `json:"initialUserMessage,omitzero"`
	WatchPaths             []string `json:"watchPaths,omitempty"`
	ReloadSkills           bool     `json:"reloadSkills,omitzero"`
	SuppressOriginalPrompt bool     `json:"suppressOriginalPrompt,omitzero"`
	SystemPrompt           *string  `json:"systemPrompt,omitzero"`
	Handled                bool     `json:"handled,omitzero"`           // UserInput, UserBash: the hook dealt with it
	Retry                  bool     `json:"retry,omitzero"`             // PermissionDenied: let the model try again
	DisplayContent         *string  `json:"displayContent,omitzero"`    // MessageDisplay: text shown instead
	WorktreePath           string   `json:"worktreePath,omitzero"`      // WorktreeCreate
	ElicitationAction      string   `json:"action,omitzero"`            // accept, decline, cancel
	ElicitationContent     JSON     `json:"content,omitzero"`           // the answer's content
	ClassifierContext      string   `json:"classifierContext,omitzero"` // PostToolUse
	TerminalSequence       string   `json:"terminalSequence,omitzero"`
	ResourcePaths          JSON     `json:"resourcePaths,omitzero"` // ResourcesDiscover
	Message                *Message `json:"message,omitzero"`       // MessageEnd: stands in its place
}

// None returns no opinion.
func None() Result { return Result{} }

// Allow returns consent without asking.
func Allow() Result { return Result{Decision: DecisionAllow} }

// Deny refuses, with the reason that the model is told.
func Deny(reason string) Result { return Result{Decision: DecisionDeny, Reason: reason} }

// Ask leaves the decision to the person, with the reason that the person is told.
func Ask(reason string) Result { return Result{Decision: DecisionAsk, Reason: reason} }

// AddContext returns an answer that only adds context for the model.
func AddContext(lines ...string) Result { return Result{Context: lines} }
