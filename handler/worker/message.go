package worker

import "github.com/go-json-experiment/json/jsontext"

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

	// ResultMessage is the answer to a call. Beside these it has the members of a
	// hook.Result, of which all may be missing: that means no opinion.
	ResultMessage struct {
		Type           string `json:"type" doc:"result"`
		ID             uint64 `json:"id" doc:"id of the call"`
		Async          bool   `json:"async,omitzero" doc:"the hook goes on in the background; a second result of the same id follows"`
		AsyncTimeoutMS int64  `json:"async_timeout_ms,omitzero" doc:"how long that may take, in milliseconds"`
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
