package worker

import (
	"bufio"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
)

// Wire is a protocol between a host and its workers: how messages are told apart on
// the pipes, and what they say. Implementations are safe for concurrent use.
//
// The ids of calls are the host's; the first is FirstCall. The ids of requests are
// the worker's own.
type Wire interface {
	// Greeting returns the message with which the host begins, nil when it is the
	// worker that does.
	Greeting() ([]byte, error)
	// Read returns the next message, without its frame. It is an error when the
	// message is larger than limit, and io.EOF when there is no more. The slice is
	// valid until the next call.
	Read(r *bufio.Reader, limit int) ([]byte, error)
	// Parse reads a message. Slices of the result may share memory with raw. An error
	// means that the worker does not speak the protocol.
	Parse(raw []byte) (Message, error)

	// Call returns the message that hands an event to a hook. The timeout is 0 when
	// the call has none.
	Call(id uint64, index int, spec HookSpec, call *hook.Call, timeout time.Duration) ([]byte, error)
	// Cancel returns the message that takes a call back.
	Cancel(id uint64, why string) []byte
	// Reply returns the answer to a request; err, when not nil, is the answer.
	Reply(req *Request, res Response, err error) []byte
	// Shutdown returns the message before the end of the worker's input, nil for none.
	Shutdown() []byte

	// Result reads the body of an answer. Notes are remarks for the record. An error
	// is a *hook.Failure.
	Result(call *hook.Call, spec HookSpec, body []byte) (res hook.Result, notes []string, err error)
}

// FirstCall is the id of the first call; 1 is free for a greeting.
const FirstCall = 2

// Kind says what a message is.
type Kind uint8

// The kinds of messages that workers send.
const (
	KindIgnored  Kind = iota // means nothing here
	KindHello                // Hello
	KindResult               // ID, Body, and Async when the hook goes on in the background
	KindError                // ID, Text: the hook reports an error
	KindProgress             // ID, Text: output while it works
	KindLog                  // Level, Text
	KindRequest              // Request
)

// Message is a message from a worker.
type Message struct {
	Kind  Kind
	ID    uint64
	Hello *Hello
	Body  []byte
	Level string
	Text  string
	// Async says that a second result of the same id follows, within AsyncTimeout if
	// that is not 0.
	Async        bool
	AsyncTimeout time.Duration
	Request      *Request
}

// Method is what a worker asks its host for.
type Method string

// The methods.
const (
	MethodConfirm  Method = "ui.confirm"
	MethodSelect   Method = "ui.select"
	MethodInput    Method = "ui.input"
	MethodNotify   Method = "ui.notify"
	MethodExec     Method = "exec"
	MethodMessages Method = "session.messages"
	MethodMetadata Method = "session.metadata"
)

// Request is a call of the host by a worker.
type Request struct {
	// ID is the request's id, as it stands in the message.
	ID jsontext.Value
	// Call is the call on whose behalf the worker asks, 0 when it does not say.
	Call   uint64
	Method Method
	// Err says that the parameters could not be read; it is the answer.
	Err error

	Title, Message string
	Placeholder    string
	Options        []string
	Level          string // of a notice: info, warning or error
	Key            string // of metadata
	Exec           Exec
}

// Response is the answer to a request.
type Response struct {
	// Answered says that a person answered, or that there is a value under the key.
	Answered bool
	// NoUI says that there is nobody to ask.
	NoUI      bool
	Confirmed bool
	Text      string
	Index     int
	Exec      ExecResult
	Messages  []hook.Message
	Value     hook.JSON
}
