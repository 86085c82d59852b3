package worker

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

// Protocol is the version of the protocol that Lines speaks.
const Protocol = 1

// The messages of the protocol. Each is one JSON object on one line with its type
// in "type".
type (
	// HelloMessage is the first message of a worker.
	HelloMessage struct {
		Type        string      `json:"type" doc:"hello"`
		Protocol    int         `json:"protocol" doc:"version of the protocol: 1"`
		Name        string      `json:"name,omitzero" doc:"name of the worker; that of its file by default"`
		Version     string      `json:"version,omitzero" doc:"its own version, for people to read"`
		Concurrency int         `json:"concurrency,omitzero" doc:"how many calls it takes at once; 1 by default"`
		Hooks       []HelloHook `json:"hooks" doc:"the hooks that it wants to be called as"`
	}

	// HelloHook is a hook in a hello.
	HelloHook struct {
		Event     string `json:"event" doc:"canonical name of the event, such as PreToolUse"`
		Name      string `json:"name,omitzero" doc:"name of the hook, for records"`
		Matcher   string `json:"matcher,omitzero" doc:"pattern for the event's subject: names separated by |, a glob, or a regular expression; all by default"`
		TimeoutMS *int64 `json:"timeout_ms,omitzero" doc:"deadline of a call in milliseconds; 0 is none, 30000 is the default"`
		Priority  int    `json:"priority,omitzero" doc:"hooks with a higher one run earlier; 0 by default"`
		Observe   bool   `json:"observe,omitzero" doc:"it only watches: its decisions and changes do not count, and it runs after a deny too"`
		Guard     bool   `json:"guard,omitzero" doc:"it must have seen the final input, and fails closed unless on_failure says otherwise"`
		Once      bool   `json:"once,omitzero" doc:"only until its first success in a session"`
		OnFailure string `json:"on_failure,omitzero" doc:"what a failure counts as: open (no opinion), closed (a deny), ask (a question); by default what the event says"`
	}

	// CallMessage asks a hook.
	CallMessage struct {
		Type      string         `json:"type" doc:"call"`
		ID        uint64         `json:"id" doc:"id of the call, to be repeated in the answer"`
		Hook      int            `json:"hook" doc:"index of the hook in the hello's hooks"`
		Event     string         `json:"event" doc:"canonical name of the event"`
		TimeoutMS int64          `json:"timeout_ms,omitzero" doc:"how long the host will wait, in milliseconds; for ever by default"`
		Input     jsontext.Value `json:"input" doc:"input of the event in canonical form"`
	}

	// CancelMessage takes a call back. It is still to be answered, with anything.
	CancelMessage struct {
		Type   string `json:"type" doc:"cancel"`
		ID     uint64 `json:"id" doc:"id of the call"`
		Reason string `json:"reason,omitzero" doc:"why"`
	}

	// ReplyMessage answers a request of the worker.
	ReplyMessage struct {
		Type  string         `json:"type" doc:"reply"`
		ID    jsontext.Value `json:"id" doc:"id of the request"`
		Value jsontext.Value `json:"value,omitzero" doc:"the answer, as the method has it"`
		Error string         `json:"error,omitzero" doc:"why there is none"`
	}

	// ShutdownMessage is the last message of a host.
	ShutdownMessage struct {
		Type string `json:"type" doc:"shutdown"`
	}

	// ResultMessage is the answer to a call. The members after the first four are the
	// hook's answer; all may be missing, which is no opinion.
	ResultMessage struct {
		Type           string `json:"type" doc:"result"`
		ID             uint64 `json:"id" doc:"id of the call"`
		Async          bool   `json:"async,omitzero" doc:"the hook goes on in the background; a second result of the same id follows"`
		AsyncTimeoutMS int64  `json:"async_timeout_ms,omitzero" doc:"how long that may take, in milliseconds"`
		Result
	}

	// ErrorMessage says that a hook could not answer. It is never an opinion.
	ErrorMessage struct {
		Type    string `json:"type" doc:"error"`
		ID      uint64 `json:"id" doc:"id of the call"`
		Message string `json:"message" doc:"what went wrong"`
	}

	// ProgressMessage shows what a hook is doing to who watches.
	ProgressMessage struct {
		Type string `json:"type" doc:"progress"`
		ID   uint64 `json:"id" doc:"id of the call"`
		Text string `json:"text" doc:"output"`
	}

	// LogMessage is a line for the host's log.
	LogMessage struct {
		Type    string `json:"type" doc:"log"`
		Level   string `json:"level,omitzero" doc:"debug, info, warning or error; info by default"`
		Message string `json:"message" doc:"the line"`
	}

	// RequestMessage asks the host for something.
	RequestMessage struct {
		Type   string         `json:"type" doc:"request"`
		ID     jsontext.Value `json:"id" doc:"id of the request, a number or a string of the worker's own"`
		Call   uint64         `json:"call,omitzero" doc:"id of the call on whose behalf it asks; the only one there is by default"`
		Method string         `json:"method" doc:"ui.confirm, ui.select, ui.input, ui.notify, exec, session.messages or session.metadata"`
		Params jsontext.Value `json:"params,omitzero" doc:"parameters, as the method has them"`
	}
)

// RequestParams are the parameters of a request, each method taking its own.
type RequestParams struct {
	Title       string   `json:"title,omitzero" doc:"ui.confirm, ui.select, ui.input: what is asked"`
	Message     string   `json:"message,omitzero" doc:"ui.confirm: more about it; ui.notify: the notice"`
	Placeholder string   `json:"placeholder,omitzero" doc:"ui.input: an example of an answer"`
	Options     []string `json:"options,omitempty" doc:"ui.select: the choices"`
	Level       string   `json:"level,omitzero" doc:"ui.notify: info, warning or error; info by default"`
	Key         string   `json:"key,omitzero" doc:"session.metadata: the key"`
	Exec
}

// Result is a hook's answer on the wire. What an event does not take has no effect,
// and the run's record says so; a member that does not exist is a failure, since it
// may be a deny that was misspelt.
type Result struct {
	Decision       string   `json:"decision,omitzero" doc:"allow, ask, defer or deny; none by default"`
	Reason         string   `json:"reason,omitzero" doc:"why: told to the model for a deny, to the person for allow and ask"`
	Continue       *bool    `json:"continue,omitzero" doc:"false ends the whole run; true keeps a stopping agent going"`
	StopReason     string   `json:"stop_reason,omitzero" doc:"tells the person why continue is false"`
	SystemMessage  string   `json:"system_message,omitzero" doc:"shown to the person and added to the next model call"`
	Notice         string   `json:"notice,omitzero" doc:"shown to the person"`
	SuppressOutput bool     `json:"suppress_output,omitzero" doc:"keeps the hook's own output out of the transcript"`
	Context        []string `json:"context,omitempty" doc:"added to the next model call, once"`

	UpdatedInput  hook.JSON       `json:"updated_input,omitzero" doc:"replaces the tool input"`
	InputPatch    bool            `json:"input_patch,omitzero" doc:"updated_input is a patch: its members are set, and null removes one"`
	UpdatedOutput hook.JSON       `json:"updated_output,omitzero" doc:"replaces the tool's output"`
	IsError       *bool           `json:"is_error,omitzero" doc:"overrides whether the tool's result counts as an error"`
	UpdatedPrompt *string         `json:"updated_prompt,omitzero" doc:"replaces the prompt"`
	Messages      *[]hook.Message `json:"messages,omitzero" doc:"replaces the messages of this model call"`
	Inject        *InjectMessage  `json:"inject,omitzero" doc:"adds a message to the session before the model is called"`
	FollowUps     []string        `json:"follow_ups,omitempty" doc:"messages with which the agent goes on"`

	Cancel            bool                    `json:"cancel,omitzero" doc:"stops a session operation before it happens"`
	SkipRestore       bool                    `json:"skip_conversation_restore,omitzero" doc:"branches without rewinding the messages"`
	Compaction        *Compaction             `json:"compaction,omitzero" doc:"replaces the compaction that the host would make"`
	Summary           *Summary                `json:"summary,omitzero" doc:"replaces the summary of a branch that is left"`
	Compacting        *Compacting             `json:"compacting,omitzero" doc:"steers the compaction that the host makes"`
	PermissionUpdates []hook.PermissionUpdate `json:"permission_updates,omitempty" doc:"changes of permission rules, in the shape that the Claude Agent SDK has"`
	Interrupt         bool                    `json:"interrupt,omitzero" doc:"ends the turn along with a denied permission"`

	Effects
}

// InjectMessage is a message of a hook's own kind.
type InjectMessage struct {
	CustomType string    `json:"custom_type" doc:"kind of the message"`
	Content    hook.JSON `json:"content,omitzero" doc:"a string or an array of content blocks"`
	Display    bool      `json:"display,omitzero" doc:"whether the person sees it"`
	Details    hook.JSON `json:"details,omitzero" doc:"data that goes with it"`
}

// Compaction is a ready compaction of the conversation.
type Compaction struct {
	Summary          string    `json:"summary" doc:"the summary"`
	FirstKeptEntryID string    `json:"first_kept_entry_id" doc:"id of the first entry that stays"`
	TokensBefore     int       `json:"tokens_before,omitzero" doc:"size of the context before"`
	Details          hook.JSON `json:"details,omitzero" doc:"data that goes with it"`
}

// Summary summarises a branch.
type Summary struct {
	Summary string    `json:"summary" doc:"the summary"`
	Details hook.JSON `json:"details,omitzero" doc:"data that goes with it"`
}

// Compacting steers a compaction.
type Compacting struct {
	Context      []string  `json:"context,omitempty" doc:"lines of context for the summary"`
	Prompt       string    `json:"prompt,omitzero" doc:"the prompt that asks for it"`
	PreserveData hook.JSON `json:"preserve_data,omitzero" doc:"data that is kept beside it"`
}

// Effects are effects that only single events know.
type Effects struct {
	SessionTitle           string    `json:"session_title,omitzero" doc:"title of the session"`
	InitialUserMessage     string    `json:"initial_user_message,omitzero" doc:"first message of the person"`
	WatchPaths             []string  `json:"watch_paths,omitempty" doc:"paths to watch for changes"`
	ReloadSkills           bool      `json:"reload_skills,omitzero" doc:"read the skills anew"`
	SuppressOriginalPrompt bool      `json:"suppress_original_prompt,omitzero" doc:"do not show the prompt as it was"`
	SystemPrompt           *string   `json:"system_prompt,omitzero" doc:"replaces the system prompt"`
	Handled                bool      `json:"handled,omitzero" doc:"the hook dealt with it"`
	Retry                  bool      `json:"retry,omitzero" doc:"let the model try again"`
	DisplayContent         *string   `json:"display_content,omitzero" doc:"text that is shown instead"`
	WorktreePath           string    `json:"worktree_path,omitzero" doc:"the worktree that was made"`
	ElicitationAction      string    `json:"elicitation_action,omitzero" doc:"accept, decline or cancel"`
	ElicitationContent     hook.JSON `json:"elicitation_content,omitzero" doc:"content of the answer"`
	ClassifierContext      string    `json:"classifier_context,omitzero" doc:"context for the classifier"`
	TerminalSequence       string    `json:"terminal_sequence,omitzero" doc:"sequence for the terminal"`
	ResourcePaths          hook.JSON `json:"resource_paths,omitzero" doc:"paths of resources by kind"`
}
