package agentsdk_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agentsdk"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
)

// program is one that is written for the SDK: what it writes and reads, line by line.
type program struct {
	t       *testing.T
	project string
	log     string
	in      *io.PipeWriter
	lines   chan hook.JSON
	ended   chan struct{}
	err     error
}

// start starts the agent for a program whose first lines are given.
func start(t *testing.T, turns string, first ...string) *program {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are shell lines")
	}
	dir := t.TempDir()
	p := &program{t: t, project: t.TempDir(), log: filepath.Join(dir, "log"), lines: make(chan hook.JSON, 1000), ended: make(chan struct{})}
	script := filepath.Join(dir, "turns.yaml")
	if err := os.WriteFile(script, []byte(turns), 0o644); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	in, w := io.Pipe()
	p.in = w
	out, toUs := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(p.ended)
		defer toUs.Close()
		p.err = serve(ctx, in, toUs, host.Options{Dir: p.project, Getenv: func(k string) string {
			return map[string]string{"HOME": dir, "HOOKLINE_MANAGED_DIR": filepath.Join(dir, "managed")}[k]
		}}, host.AgentOptions{Model: "script:" + script, ScriptLog: log})
		in.Close()
	}()
	go func() {
		defer close(p.lines)
		b, rest := make([]byte, 1<<16), ""
		for {
			n, err := out.Read(b)
			rest += string(b[:n])
			for line, after, ok := strings.Cut(rest, "\n"); ok; line, after, ok = strings.Cut(rest, "\n") {
				p.lines <- hook.RawJSON(line)
				rest = after
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		w.Close()
		cancel()
		<-p.ended
		log.Close()
	})
	for _, line := range first {
		p.say(line)
	}
	return p
}

func serve(ctx context.Context, in io.Reader, out io.Writer, o host.Options, ao host.AgentOptions) error {
	s := agentsdk.NewServer(ctx, agentsdk.Config{In: in, Out: out, Ask: true, Version: "1"})
	if err := s.Begin(ctx); err != nil {
		return err
	}
	err := s.Shape(&o, &ao)
	var a *host.Agent
	if err == nil {
		a, err = host.OpenAgent(ctx, o, ao)
	}
	if err != nil {
		s.Refuse(err)
		return err
	}
	s.Bind(a)
	return errors.Join(s.Serve(ctx), a.Close())
}

func (p *program) say(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatalf("%s: %v", line, err)
	}
}

func (p *program) prompt(text string) {
	p.say(`{"type":"user","session_id":"","message":{"role":"user","content":"` + text + `"},"parent_tool_use_id":null}`)
}

// until reads lines up to the first that has a text in it. A question about a call on the
// way is a fault.
func (p *program) until(text string) hook.JSON {
	p.t.Helper()
	var seen []string
	for line := range p.lines {
		if strings.Contains(line.Raw(), text) {
			return line
		}
		if seen = append(seen, line.Raw()); strings.Contains(line.Raw(), permission) {
			break
		}
	}
	p.t.Fatalf("no %s in\n%s", text, strings.Join(seen, "\n"))
	return hook.JSON{}
}

// answer answers the request that a line asks.
func (p *program) answer(line hook.JSON, response string) {
	p.respond(line, `"subtype":"success","response":`+response)
}

// respond is answer with all members that an answer has.
func (p *program) respond(line hook.JSON, members string) {
	p.say(`{"type":"control_response","response":{"request_id":"` + line.String("request_id") + `",` + members + `}}`)
}

// end closes the program's side and waits for the other one.
func (p *program) end() error {
	p.in.Close()
	for range p.lines {
	}
	<-p.ended
	return p.err
}

func (p *program) exists(name string) bool {
	_, err := os.Stat(filepath.Join(p.project, name))
	return err == nil
}

// told is what the model was told in all.
func (p *program) told() string {
	b, err := os.ReadFile(p.log)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

const (
	touch      = "turns:\n  - tool_calls: [{name: Bash, input: {command: touch original}}]\n  - text: done\n"
	beginning  = `{"type":"control_request","request_id":"i","request":{"subtype":"initialize"}}`
	permission = `"subtype":"can_use_tool"`
	callback   = `"subtype":"hook_callback"`
	result     = `"type":"result"`
)

// guarding is the first line of a program in Python that has a callback for every tool.
func guarding(more string) string {
	return `{"type":"control_request","request_id":"i","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"matcher":null,"hookCallbackIds":["hook_0"]` + more + `}]}}}`
}

func TestTheProgramDecidesAboutCalls(t *testing.T) {
	for name, c := range map[string]struct {
		answer, told, file, end string
	}{
		"allowed":     {answer: `{"behavior":"allow"}`, file: "original", end: "done"},
		"changed":     {answer: `{"behavior":"allow","updatedInput":{"command":"touch changed"}}`, file: "changed", end: "done"},
		"refused":     {answer: `{"behavior":"deny","message":"not that file"}`, told: "not that file", end: "done"},
		"interrupted": {answer: `{"behavior":"deny","message":"stop it","interrupt":true}`, end: "interrupted"},
		"no answer":   {answer: `{}`, told: "behavior is allow or deny", end: "done"},
		"two answers": {answer: `{"behavior":"deny","behavior":"allow"}`, told: "can't be read", end: "done"},
		"wrong input": {answer: `{"behavior":"allow","updatedInput":{"commands":"touch changed"}}`, told: "command", end: "done"},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, touch, beginning)
			p.prompt("go")
			ask := p.until(permission)
			request, _ := ask.Get("request")
			if request.String("tool_name") != "Bash" || request.String("tool_use_id") == "" || !request.Has("permission_suggestions") || !request.Has("decision_reason") {
				t.Errorf("it asks %s", ask.Raw())
			}
			if name == "two answers" { // what can't be read as a line ends it
				p.answer(ask, c.answer)
				if err := p.end(); err == nil || p.exists("original") {
					t.Errorf("it ends with %v", err)
				}
				return
			}
			p.answer(ask, c.answer)
			got := p.until(result)
			turns, _ := got.Int("num_turns")
			if interrupted := c.end == "interrupted"; got.String("end") != c.end || got.Has("result") == interrupted || turns != map[bool]int64{false: 2, true: 3}[interrupted] {
				t.Errorf("it ends with %s", got.Raw())
			}
			if !strings.Contains(p.told(), c.told) {
				t.Errorf("the model was told %s", p.told())
			}
			for _, f := range []string{"original", "changed"} {
				if p.exists(f) != (f == c.file) {
					t.Errorf("%s exists: %v", f, p.exists(f))
				}
			}
			if err := p.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a callback of the program says counts as what any hook says. One that does not answer
// guards nevertheless; one whose answer is none does so when the program wants it, otherwise
// the person decides.
func TestCallbacks(t *testing.T) {
	const block = `,"onFailure":"block"`
	refusal := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no touching"}`
	for name, c := range map[string]struct{ matcher, answer, told string }{
		"refuses":             {answer: `"subtype":"success","response":` + refusal + `}`, told: "no touching"},
		"refuses and goes on": {answer: `"subtype":"success","response":` + refusal + `,"async":true}`, told: "no touching"},
		"goes on":             {block, `"subtype":"success","response":{"async":true,"asyncTimeout":1000}`, ""},
		"is silent":           {`,"timeout":0.05`, "", "did not answer within"},
		"fails":               {"", `"subtype":"error","error":"it broke"`, ""},
		"fails and blocks":    {block, `"subtype":"error","error":"it broke"`, "the program answers: it broke"},
		"nonsense":            {"", `"subtype":"success","response":{"hookSpecificOutput":{"permissionDecision":7}}`, ""},
		"nonsense and blocks": {block, `"subtype":"success","response":{"hookSpecificOutput":{"permissionDecision":7}}`, "hook_0 could not answer"},
		"a text and blocks":   {block, `"subtype":"success","response":"no"`, `its answer is not an object: \"no`},
		"no answer":           {block, `"subtype":"maybe","response":{}`, `subtype \"maybe`},
		"nothing":             {block, `"subtype":"success","response":null`, ""},
		"is interrupted":      {block, "", "turn"}, // and nothing more
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, touch, guarding(c.matcher))
			p.prompt("go")
			ask := p.until(callback)
			request, _ := ask.Get("request")
			input, _ := request.Get("input")
			if request.String("callback_id") != "hook_0" || request.String("tool_use_id") == "" || input.String("tool_name") != "Bash" || input.String("hook_event_name") != "PreToolUse" {
				t.Errorf("it asks %s", ask.Raw())
			}
			takenBack := `"type":"control_cancel_request","request_id":"` + ask.String("request_id")
			switch name {
			case "is silent":
				p.until(takenBack)
			case "is interrupted":
				p.say(`{"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}}`)
				p.until(takenBack)
			default:
				p.respond(ask, c.answer)
			}
			if c.told == "" {
				p.answer(p.until(permission), `{"behavior":"deny","message":"asked"}`)
				c.told = "asked"
			}
			end := p.until(result)
			if name == "is interrupted" && end.String("end") != "interrupted" {
				t.Error(end.Raw())
			}
			if !strings.Contains(p.told(), c.told) || p.exists("original") {
				t.Errorf("the model was told %s", p.told())
			}
			if name == "is silent" || name == "is interrupted" {
				p.answer(ask, `{}`) // too late, which is not a fault
			}
			if err := p.end(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A program that is gone allows nothing, whatever would be allowed without its callbacks.
func TestTheProgramIsGone(t *testing.T) {
	for name, c := range map[string]struct{ first, mode, told string }{
		"callbacks": {guarding(""), "bypassPermissions", "the program has closed its side"},
		"questions": {beginning, "default", ""},
	} {
		p := start(t, touch, c.first)
		p.request(`{"subtype":"set_permission_mode","mode":"` + c.mode + `"}`)
		p.prompt("go")
		if err := p.end(); err != nil || p.exists("original") {
			t.Errorf("%s: %v, %v", name, err, p.exists("original"))
		}
		if told := p.told(); !strings.Contains(told, c.told) || c.told == "" && !strings.Contains(told, "nobody is there to ask") && !strings.Contains(told, "the program has closed its side") {
			t.Errorf("%s: the model was told %s", name, told)
		}
	}
}

func TestRequests(t *testing.T) {
	p := start(t, "turns: [{text: one}, {text: two}]", beginning)
	first := p.until(`"request_id":"i"`)
	if r, _ := first.Get("response"); r.String("subtype") != "success" {
		t.Error(first.Raw())
	}
	for request, want := range map[string]string{
		`{"subtype":"set_permission_mode","mode":"plan"}`:                  `{"mode":"plan"}`,
		`{"subtype":"set_permission_mode","mode":"careless"}`:              `"subtype":"error"`,
		`{"subtype":"set_model","model":"nothing/at-all"}`:                 `"error":"set_model: `,
		`{"subtype":"set_model"}`:                                          `"response":{}`,
		`{"subtype":"set_max_thinking_tokens","max_thinking_tokens":null}`: `"response":{}`,
		`{"subtype":"set_max_thinking_tokens","max_thinking_tokens":-1}`:   `-1 is not a number of tokens`,
		`{"subtype":"mcp_status"}`:                                         `{"mcpServers":[]}`,
		`{"subtype":"stop_task","task_id":"x"}`:                            `there is no task \"x\"`,
		`{"subtype":"mcp_message","server_name":"x","message":{}}`:         `no connection to an MCP server \"x\"`,
		`{"subtype":"get_context_usage"}`:                                  `"totalTokens":0`,
		`{"subtype":"get_hooks_listing"}`:                                  `"name":"PreToolUse"`,
		`{"subtype":"initialize"}`:                                         `initialize has to be the first line`,
		`{"subtype":"set_color","color":"red"}`:                            `there is no control request \"set_color\"`,
		`{"subtype":"interrupt"}`:                                          `{"still_queued":[]}`,
	} {
		p.say(`{"type":"control_request","request_id":"r","request":` + request + `}`)
		if got := p.until(`"request_id":"r"`).Raw(); !strings.Contains(got, want) || strings.Contains(got, `"policy"`) {
			t.Errorf("%s is answered by %s", request, got)
		}
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// Prompts are worked on one after the other, those of a higher priority first; one that
// comes twice counts once.
func TestPromptsWait(t *testing.T) {
	p := start(t, "turns:\n  - tool_calls: [{name: Bash, input: {command: touch original}}]\n  - {text: a, repeat: -1}\n", beginning)
	say := func(id, more string) {
		p.say(`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"prompt ` + id + `"}]},"uuid":"` + id + `"` + more + `}`)
	}
	say("1", "")
	ask := p.until(permission)
	say("2", `,"priority":"later"`)
	say("3", "")
	say("3", "")
	p.until("counts once")
	say("4", `,"priority":"soon"`)
	say("5", `,"shouldQuery":false`)
	p.say(`{"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}}`)
	if got := p.until(`"request_id":"r"`).Raw(); !strings.Contains(got, `"still_queued":["4","3","5","2"]`) && !strings.Contains(got, `"still_queued":["3","4","5","2"]`) {
		t.Error(got)
	}
	p.answer(ask, `{"behavior":"allow"}`) // too late
	var ends []string
	for range 4 {
		ends = append(ends, p.until(result).String("end"))
	}
	if got := strings.Join(ends, " "); got != "interrupted done done done" || p.exists("original") {
		t.Error(got)
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
	told := p.told()
	if i, j := strings.Index(told, "prompt 3"), strings.Index(told, "prompt 2"); i < 0 || j < i || strings.Contains(told, "prompt 4") || !strings.Contains(told, "prompt 5") {
		t.Errorf("the model was told %s", told)
	}
}

// What can't be understood ends the session, with the place.
func TestLinesThatAreNone(t *testing.T) {
	for _, line := range []string{`{"type":"user"`, `nonsense`, `{"type":"control_request","request":{"subtype":"interrupt"}}`, `{"type":7}`, `{"type":"user","type":"user"}`} {
		p := start(t, "turns: [{text: a}]", beginning)
		p.until(`"request_id":"i"`)
		p.say(line)
		if err := p.end(); err == nil || !strings.Contains(err.Error(), "line 2 of the program") {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, request := range []string{`"hooks":{"Before":[]}`, `"hooks":{"Stop":[{"hookCallbackIds":["x"],"onFailure":"ask"}]}`, `"hooks":7`, `"agents":{"a":{"description":"d","prompt":"p","colour":"red"}}`} {
		p := start(t, "turns: [{text: a}]", `{"type":"control_request","request_id":"i","request":{"subtype":"initialize",`+request+`}}`)
		if got := p.until(`"request_id":"i"`).Raw(); !strings.Contains(got, `"subtype":"error"`) {
			t.Errorf("%s is answered by %s", request, got)
		}
		if p.end() == nil {
			t.Errorf("%s is taken", request)
		}
	}
}

// The answer is what the model gives to the tool: it has to fit the schema, and the model is
// told so when it stops without it.
func TestStructuredOutput(t *testing.T) {
	asked := `{"type":"control_request","request_id":"i","request":{"subtype":"initialize","jsonSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}`
	p := start(t, "turns:\n  - text: hm\n  - tool_calls: [{name: StructuredOutput, input: {n: many}}]\n  - tool_calls: [{name: StructuredOutput, input: {n: 7}}]\n  - {text: hm, repeat: 6}\n", asked)
	p.prompt("go")
	got := p.until(result)
	if answer, _ := got.Get("structured_output"); answer.Raw() != `{"n":7}` || got.String("subtype") != "success" {
		t.Error(got.Raw())
	}
	if told := p.told(); !strings.Contains(told, "Give your answer by calling StructuredOutput") {
		t.Errorf("the model was told %s", told)
	}
	p.prompt("again")
	if got := p.until(result); got.String("subtype") != agentsdk.NoAnswer || !got.Bool("is_error") {
		t.Error(got.Raw())
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// The session begins before the program's requests are worked on, and without a prompt: its
// callbacks hear of it only when one begins later.
func TestTheSessionBeginsFirst(t *testing.T) {
	p := start(t, "turns: [{text: a}]",
		`{"type":"control_request","request_id":"i","request":{"subtype":"initialize","hooks":{"SessionStart":[{"hookCallbackIds":["begun"]}]}}}`,
		`{"type":"control_request","request_id":"r","request":{"subtype":"set_color"}}`)
	first := p.until(`"request_id"`)
	for strings.Contains(first.Raw(), `"request_id":"i"`) {
		first = p.until(`"request_id"`)
	}
	if !strings.Contains(first.Raw(), `"request_id":"r"`) {
		t.Fatalf("first is %s", first.Raw())
	}
	p.prompt("/clear")
	begun := p.until(`"callback_id"`)
	if !strings.Contains(begun.Raw(), `"callback_id":"begun"`) || !strings.Contains(begun.Raw(), `"source":"clear"`) {
		t.Errorf("the first that it is told of is %s", begun.Raw())
	}
	p.answer(begun, `{}`)
	p.until(result)
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// A question that a hook wants says in its words why, and offers no rule: none would end it.
func TestTheQuestionOfAHook(t *testing.T) {
	p := start(t, touch, guarding(""))
	p.prompt("go")
	p.answer(p.until(callback), `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"look twice"}}`)
	ask := p.until(permission)
	for _, member := range []string{`"decision_reason":"look twice"`, `"decision_reason_type":"hook"`, `"decision_reason_hook_event":"PreToolUse"`, `"decision_reason_hook_source":"program"`} {
		if !strings.Contains(ask.Raw(), member) || strings.Contains(ask.Raw(), "permission_suggestions") {
			t.Errorf("%s: it asks %s", member, ask.Raw())
		}
	}
	p.answer(ask, `{"behavior":"deny","message":"no"}`)
	p.until(result)
	if err := p.end(); err != nil {
		t.Error(err)
	}
}
