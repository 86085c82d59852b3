package claude

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// streaming is the front end of a program that writes prompts and requests, a line each, and
// is asked in the same way about tools, by hooks of its own and by MCP servers. What it is
// asked is kept under asked's name or that of its hook, and answered as that hook's answers
// say; a request that ends in an error is one with text on stderr.
const streaming = "stream"

// caller is a program that works with an agent.
type caller struct {
	room *oracle.Room
	// beside says that a hook is told of each question, which has to have begun before it is answered.
	beside bool

	mu       sync.Mutex
	in       io.Writer
	results  int
	answered map[string]bool
	ended    bool
	fault    error
}

// heardLine is what is read of a line of the agent.
type heardLine struct {
	Type     string
	ID       string `json:"request_id"`
	Request  json.RawMessage
	Response struct {
		ID      string `json:"request_id"`
		Subtype string
	}
}

// callIn plays the steps of a case: say sends a prompt and waits for its result, request a
// control request, of which the text is the JSON, and waits for its answer, unless Until says otherwise.
func callIn(r *oracle.Room, c *oracle.Case, in io.WriteCloser, out io.Reader) error {
	p := &caller{room: r, beside: toldOf(c, permissionRequest), in: in, answered: map[string]bool{}}
	go p.read(out)
	for i, s := range c.Steps {
		p.do(i+1, s)
	}
	in.Close()
	r.Await(len(c.Steps)+1, oracle.Step{Do: "end"}, p.when(func() bool { return false }))
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault
}

// when is a condition that also holds once the agent has ended.
func (p *caller) when(holds func() bool) func() bool {
	return func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.ended || holds()
	}
}

func (p *caller) do(number int, s oracle.Step) {
	results, id := p.results, fmt.Sprint("request-", number)
	done := func() bool { return p.results > results }
	line := object{"type": "user", "session_id": "", "parent_tool_use_id": nil, "message": object{"role": "user", "content": s.Text}}
	if s.Do == "request" {
		line = object{"type": "control_request", "request_id": id, "request": json.RawMessage(s.Text)}
		done = func() bool { return p.answered[id] }
	}
	switch s.Until {
	case "":
	case result:
		done = func() bool { return p.results > results }
	default:
		done = p.room.RunsAgain(s.Until)
	}
	p.send(line)
	p.room.Await(number, s, p.when(done))
}

// send writes a line. What has ended says so by its output.
func (p *caller) send(line object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	enc := json.NewEncoder(p.in)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(line)
}

// read takes the agent's lines, and answers what it asks.
func (p *caller) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		raw, err := lines.ReadBytes('\n')
		var l heardLine
		if json.Unmarshal(raw, &l) == nil {
			p.take(l)
		}
		if err != nil {
			p.mu.Lock()
			p.ended = true
			p.mu.Unlock()
			return
		}
	}
}

func (p *caller) take(l heardLine) {
	switch l.Type {
	case "control_request":
		answer, err := p.answer(l.Request)
		if err != nil {
			p.mu.Lock()
			p.fault = errors.Join(p.fault, err)
			p.mu.Unlock()
		}
		if answer != nil {
			answer["request_id"] = l.ID
			p.send(object{"type": "control_response", "response": answer})
		}
		return
	case "control_response":
		var err error
		if l.Response.Subtype != "success" {
			_, err = p.room.Keep("(refused)", json.RawMessage("{}"))
		}
		p.mu.Lock()
		p.answered[l.Response.ID], p.fault = true, errors.Join(p.fault, err)
		p.mu.Unlock()
	case "result":
		p.mu.Lock()
		p.results++
		p.mu.Unlock()
	}
}

// answer answers what the agent asks, nil for not at all.
func (p *caller) answer(request json.RawMessage) (object, error) {
	var asks struct {
		Subtype  string
		Callback string `json:"callback_id"`
		Input    json.RawMessage
	}
	if err := json.Unmarshal(request, &asks); err != nil {
		return nil, err
	}
	name := asks.Subtype
	if asks.Callback != "" {
		name, request = asks.Callback, asks.Input
	}
	if p.beside && name == "can_use_tool" {
		begun := func() bool { return p.room.Ran(permissionRequest) > p.room.Ran(name) }
		p.room.Await(0, oracle.Step{Do: "question", Until: permissionRequest}, p.when(begun))
	}
	a, err := p.room.Keep(name, request)
	switch {
	case err != nil:
		return nil, err
	case a.Out == silent:
		return nil, nil
	case a.Err != "":
		return object{"subtype": "error", "error": a.Err}, nil
	case a.JSON == nil:
		a.JSON = object{}
	}
	return object{"subtype": "success", "response": a.JSON}, nil
}

const permissionRequest = "PermissionRequest"

// toldOf reports whether a case has the recording hook of an event, which has its name.
func toldOf(c *oracle.Case, event string) bool {
	hooks, _ := c.Settings["hooks"].(object)
	groups, _ := hooks[event].([]object)
	return slices.ContainsFunc(groups, func(group object) bool {
		list, _ := group["hooks"].([]object)
		return slices.ContainsFunc(list, func(h object) bool { return h["command"] == hook(event)["command"] })
	})
}

// result is what a request waits for that ends a prompt.
const result = "(result)"

// silent is the answer that never comes.
const silent = "(no answer)"

// streamArgs are the flags of both programs for it.
var streamArgs = strings.Fields("--input-format stream-json --output-format stream-json --permission-prompt-tool stdio")
