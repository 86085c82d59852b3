package script

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/ui"
)

// nodeOps is how the names of the Node built-ins' operations begin.
const nodeOps = "node."

// mayWait reports whether a synchronous operation may take time that is not
// the module's: reading a file, or running a program to its end.
func mayWait(op string) bool { return strings.HasPrefix(op, nodeOps) }

// opArgs are the arguments of an operation, a JSON array.
type opArgs []jsontext.Value

func readArgs(text []byte) (opArgs, error) {
	var a opArgs
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("reading the arguments: %w", err)
	}
	return a, nil
}

// raw returns an argument as JSON, nil when it is missing or null.
func (a opArgs) raw(n int) []byte {
	if n >= len(a) || a[n].Kind() == 'n' {
		return nil
	}
	return a[n]
}

// text returns a string argument, "" when it is not a string.
func (a opArgs) text(n int) string {
	var s string
	if raw := a.raw(n); raw == nil || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// list returns an argument that is an array, "[]" when it is missing.
func (a opArgs) list(n int) []byte {
	if raw := a.raw(n); raw != nil {
		return raw
	}
	return []byte("[]")
}

func value(v any) ([]byte, error) {
	// Text of the host may hold what is not UTF-8; JavaScript gets U+FFFD for it.
	return json.Marshal(v, jsontext.AllowInvalidUTF8(true))
}

// syncOp answers from memory.
func (i *instance) syncOp(op string, text []byte) ([]byte, error) {
	if strings.HasPrefix(op, nodeOps) {
		return i.m.prims.Sync(op, text)
	}
	a, err := readArgs(text)
	if err != nil {
		return nil, err
	}
	family, name, _ := strings.Cut(op, ".")
	switch family {
	case "ui":
		return i.uiSync(name, a)
	case "session":
		return i.sessionSync(name, a)
	case "agent":
		return i.agentSync(name, a)
	case "message":
		return nil, i.message(name, a)
	case "model":
		return i.modelSync(a)
	case "bus":
		i.m.opts.Bus.emit(i.m, a.text(0), a[1])
		return nil, nil
	case "log":
		i.m.print(a.text(0), logLine(a.text(1), a.raw(2)), i.report)
		return nil, nil
	case "package":
		src, err := i.m.opts.Cache.hostPackage(a.text(0))
		if err != nil {
			return nil, err
		}
		return value(src)
	}
	return nil, fmt.Errorf("unknown operation %q", op)
}

func logLine(message string, data []byte) string {
	if data == nil {
		return message
	}
	return message + " " + string(data)
}

// asyncOp does what may wait; ctx ends when the module gives up on it.
func (i *instance) asyncOp(ctx context.Context, op string, text []byte, callID int64, emit func([]byte)) ([]byte, error) {
	if strings.HasPrefix(op, nodeOps) {
		return i.m.prims.Async(ctx, op, text, emit)
	}
	family, name, _ := strings.Cut(op, ".")
	switch family {
	case "exec":
		return i.exec(ctx, text)
	case "ui":
		return i.dialog(ctx, name, text, callID)
	}
	a, err := readArgs(text)
	if err != nil {
		return nil, err
	}
	switch family {
	case "session":
		return i.sessionDo(ctx, name, a)
	case "agent":
		agent, ok := i.m.opts.Host.(AgentControl)
		if !ok {
			return nil, &UnsupportedError{What: "pi." + a.text(0)}
		}
		return agent.AgentDo(ctx, a.text(0), a.list(1))
	case "model":
		models, ok := i.m.opts.Host.(Models)
		if !ok {
			return nil, &UnsupportedError{What: "calling a model (" + a.text(0) + ")"}
		}
		return models.ModelDo(ctx, a.text(0), a.list(1))
	}
	return nil, fmt.Errorf("unknown operation %q", op)
}

func (i *instance) sessionSync(name string, a opArgs) ([]byte, error) {
	reader, ok := i.m.opts.Host.(SessionReader)
	if name == "cwd" {
		if ok {
			return value(reader.Cwd())
		}
		return value(i.m.opts.Cwd)
	}
	if ok {
		say, what := i.m.opts.speech(), a.text(0)
		answer, err := reader.SessionQuery(what, say.Question(what, a.list(1)))
		return say.Answer(what, answer), err
	}
	switch a.text(0) {
	case "getSessionId", "getSessionDir":
		return []byte(`""`), nil
	}
	return nil, nil
}

func (i *instance) sessionDo(ctx context.Context, name string, a opArgs) ([]byte, error) {
	sessions, ok := i.m.opts.Host.(Sessions)
	if name == "idle" {
		if !ok {
			return nil, nil // without an agent there is nothing to wait for
		}
		return nil, sessions.WaitForIdle(ctx)
	}
	if !ok {
		return nil, &UnsupportedError{What: "ctx." + a.text(0)}
	}
	if a.text(0) == "reload" {
		i.m.reloads.Store(true)
		return value(false)
	}
	cancelled, err := sessions.SessionDo(ctx, a.text(0), i.m.opts.speech().Question(a.text(0), a.list(1)))
	if err != nil {
		return nil, err
	}
	return value(cancelled)
}

func (i *instance) agentSync(name string, a opArgs) ([]byte, error) {
	agent, ok := i.m.opts.Host.(AgentControl)
	if !ok {
		switch name {
		case "idle", "pending", "abort", "shutdown":
			return nil, nil
		case "get":
			return nil, nil
		}
		return nil, &UnsupportedError{What: "changing " + a.text(0)}
	}
	switch name {
	case "idle":
		return value(agent.IsIdle())
	case "pending":
		return value(agent.HasPendingMessages())
	case "abort":
		agent.Abort()
	case "shutdown":
		agent.Shutdown()
	case "get":
		answer, err := agent.AgentQuery(a.text(0))
		return i.m.opts.speech().Answer(a.text(0), answer), err
	case "set":
		return nil, agent.AgentSet(a.text(0), i.m.opts.speech().Question(a.text(0), a.raw(1)))
	}
	return nil, nil
}

func (i *instance) modelSync(a opArgs) ([]byte, error) {
	models, ok := i.m.opts.Host.(Models)
	if !ok {
		return nil, nil
	}
	return models.ModelQuery(a.text(0), a.list(1))
}

func (i *instance) message(name string, a opArgs) error {
	host, ok := i.m.opts.Host.(Messenger)
	if !ok {
		what := map[string]string{"send": "sendMessage", "user": "sendUserMessage", "entry": "appendEntry"}[name]
		return &UnsupportedError{What: "pi." + what}
	}
	var d struct {
		TriggerTurn bool   `json:"triggerTurn"`
		As          string `json:"as"`
	}
	if name != "entry" {
		if err := json.Unmarshal(a.list(1), &d); err != nil {
			return fmt.Errorf("reading the delivery: %w", err)
		}
	}
	switch name {
	case "send":
		return host.SendMessage(a.raw(0), Delivery{d.TriggerTurn, d.As})
	case "user":
		return host.SendUserMessage(a.raw(0), Delivery{d.TriggerTurn, d.As})
	default:
		if err := host.AppendEntry(a.text(0), a.raw(1)); err != nil {
			return err
		}
		if look, ok := i.m.opts.Host.(Appearance); ok && slices.Contains(i.m.Info().EntryRenderers, a.text(0)) {
			look.EntryAdded()
		}
		return nil
	}
}

// screen returns the UI the module may use, nil when there is none for it.
func (i *instance) screen() ui.UI {
	if !i.m.opts.Grants.UI && !i.m.opts.Grants.All {
		return nil
	}
	u := i.m.opts.Host.UI()
	if u == nil {
		return nil
	}
	return u
}
