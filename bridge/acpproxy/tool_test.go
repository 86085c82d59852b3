package acpproxy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/bridge/acpproxy"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

const options = `[{"optionId":"A","name":"Always","kind":"allow_always"},{"optionId":"a","name":"Allow","kind":"allow_once"},{"optionId":"r","name":"Reject","kind":"reject_once"},{"optionId":"R","name":"Never","kind":"reject_always"}]`

func permission(call, options string) string {
	return `{"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"sessionId":"s","toolCall":` + call + `,"options":` + options + `}}`
}

const selected = `{"jsonrpc":"2.0","id":5,"result":{"outcome":{"optionId":"%s","outcome":"selected"}}}`

func TestPermissionIsAnsweredByHooks(t *testing.T) {
	const bash = `{"toolCallId":"t%d","title":"%s","kind":"execute","rawInput":{"command":"%s"}}`
	person := func(s *stage, line string) { s.client.want(line) }
	for command, want := range map[string]struct {
		options string
		says    string
		answer  string
		asks    bool
	}{
		"deny":             {options, "not that", fmt.Sprintf(selected, "r"), false},
		"allow":            {options, "", fmt.Sprintf(selected, "a"), false},
		"ask":              {options, "", "", true},
		"nothing":          {options, "", "", true},
		"request-deny":     {options, "not asked", fmt.Sprintf(selected, "r"), false},
		"request-allow":    {options, "", fmt.Sprintf(selected, "a"), false},
		"rewrite":          {options, "call it again with this input", fmt.Sprintf(selected, "r"), false},
		"fail":             {options, "broken", fmt.Sprintf(selected, "r"), false},
		"deny ":            {`[{"optionId":"R","name":"Never","kind":"reject_always"}]`, "not that", `{"jsonrpc":"2.0","id":5,"result":{"outcome":{"outcome":"cancelled"}}}`, false},
		"allow ":           {`[{"optionId":"A","name":"Always","kind":"allow_always"}]`, "", "", true},
		"request-rewrite ": {options, "call it again with this input", fmt.Sprintf(selected, "r"), false},
	} {
		t.Run(command, func(t *testing.T) {
			s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
				hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
					switch strings.TrimSpace(in.ToolInput.String("command")) {
					case "deny":
						return hook.Deny("not that"), nil
					case "allow":
						return hook.Allow(), nil
					case "ask":
						return hook.Ask("sure?"), nil
					case "rewrite":
						return hook.Result{Decision: hook.DecisionAllow, UpdatedInput: hook.RawJSON(`{"command":"other"}`)}, nil
					case "fail":
						return hook.None(), errors.New("broken")
					}
					return hook.None(), nil
				}, hook.OnFailure(hook.FailClosed))
				hook.On(reg, func(_ context.Context, in *hook.PermissionRequest) (hook.Result, error) {
					switch in.ToolInput.String("command") {
					case "request-deny":
						return hook.Deny("not asked"), nil
					case "request-allow":
						return hook.Allow(), nil
					case "request-rewrite ":
						return hook.Result{Decision: hook.DecisionAllow, UpdatedInput: hook.RawJSON(`{"command":"other"}`)}, nil
					}
					return hook.None(), nil
				})
			})
			s.guarded()
			line := permission(fmt.Sprintf(bash, 1, "a title", command), want.options)
			go s.agent.send("%s", line)
			if want.says != "" {
				s.client.says(want.says)
			}
			if !want.asks {
				s.agent.want(want.answer)
				return
			}
			person(s, line)
			answer := fmt.Sprintf(selected, "A")
			go s.client.send("%s", answer)
			s.agent.want(answer)
		})
	}
}

func TestTheAgentLearnsTheReasonWithItsNextPrompt(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		onTool(reg, func(in *hook.PreToolUse) hook.Result {
			return hook.Result{Decision: hook.DecisionDeny, Reason: "not " + in.ToolName, Context: []string{"use make"}}
		})
	})
	s.guarded()
	go s.agent.send("%s", permission(`{"toolCallId":"t"}`, options))
	s.client.says("not other")
	s.agent.read()
	go s.client.send("%s", prompt("1", "x"))
	s.agent.gets("not other", "use make")
}

// TestACallIsAskedAboutOnce has an agent ask twice: hooks decided about that call.
func TestACallIsAskedAboutOnce(t *testing.T) {
	asked := make(chan string, 10)
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		onTool(reg, func(in *hook.PreToolUse) hook.Result {
			asked <- in.ToolInput.String("command")
			return hook.Allow()
		})
	})
	s.guarded()
	for _, command := range []string{"a", "a", "b"} {
		go s.agent.send("%s", permission(`{"toolCallId":"t","kind":"execute","rawInput":{"command":"`+command+`"}}`, options))
		s.agent.want(fmt.Sprintf(selected, "a"))
	}
	if len(asked) != 2 {
		t.Errorf("hooks were asked %d times", len(asked))
	}
}

func TestToolsAreKnownByWhatAgentsTellOfThem(t *testing.T) {
	for call, want := range map[string]string{
		`{"toolCallId":"t","kind":"execute","title":"touch x"}`:                                                                                           `Bash {"command":"touch x"}`,
		`{"toolCallId":"t","kind":"execute","title":"make it","rawInput":{"command":["bash","-lc","touch x"]}}`:                                           `Bash {"command":"touch x"}`,
		`{"toolCallId":"t","kind":"execute","rawInput":{"command":["touch","a b"]}}`:                                                                      `Bash {"command":"touch 'a b'"}`,
		`{"toolCallId":"t","kind":"edit","rawInput":{"fileName":"/w"},"content":[{"type":"diff","path":"/w","oldText":"","newText":"x"}]}`:                `Write {"content":"x","file_path":"/w"}`,
		`{"toolCallId":"t","kind":"edit","content":[{"type":"diff","path":"/w","oldText":"a","newText":"b"}]}`:                                            `Edit {"file_path":"/w","new_string":"b","old_string":"a"}`,
		`{"toolCallId":"t","kind":"delete","locations":[{"path":"/w"}]}`:                                                                                  `Write {"content":"","delete":true,"file_path":"/w"}`,
		`{"toolCallId":"t","kind":"read","locations":[{"path":"/w"}]}`:                                                                                    `Read {"file_path":"/w"}`,
		`{"toolCallId":"t","kind":"fetch","rawInput":{"url":"https://x"}}`:                                                                                `WebFetch {"url":"https://x"}`,
		`{"toolCallId":"t","_meta":{"claudeCode":{"toolName":"mcp__a__b"}},"rawInput":{"n":1.50}}`:                                                        `mcp__a__b {"n":1.50}`,
		`{"toolCallId":"t","title":"ask_oracle","rawInput":{"q":1}}`:                                                                                      `ask_oracle {"q":1}`,
		`{"toolCallId":"t","kind":"edit","content":[{"type":"diff","path":"/a","oldText":null,"newText":"x"},{"type":"diff","path":"/b","newText":"y"}]}`: `Write {"content":"x","file_path":"/a"}Write {"content":"y","file_path":"/b"}`,
	} {
		got := make(chan string, 10)
		s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
			onTool(reg, func(in *hook.PreToolUse) hook.Result {
				var v map[string]any
				text := in.ToolInput.Raw()
				if !strings.Contains(text, "1.50") && in.ToolInput.Decode(&v) == nil {
					delete(v, "fileName")
					text = hook.MustJSON(v).Raw()
				}
				got <- in.ToolName + " " + text
				return hook.Deny("no")
			})
		})
		s.guarded()
		go s.agent.send("%s", permission(call, options))
		s.client.says("no")
		s.agent.read()
		close(got)
		all := ""
		for one := range got {
			all += one
		}
		if all != want {
			t.Errorf("%s is\n%s and not\n%s", call, all, want)
		}
	}
}

// TestAnAllowOfATitleGoesToThePerson: what an agent shows is not what it runs.
func TestAnAllowOfATitleGoesToThePerson(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) { onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.Allow() }) })
	s.guarded()
	line := permission(`{"toolCallId":"t","kind":"execute","title":"ls"}`, options)
	go s.agent.send("%s", line)
	s.client.want(line)
}

const (
	writeFile = `{"jsonrpc":"2.0","id":6,"method":"fs/write_text_file","params":{"sessionId":"s","path":"%s","content":"token"}}`
	readFile  = `{"jsonrpc":"2.0","id":6,"method":"fs/read_text_file","params":{"sessionId":"s","path":"%s","line":3}}`
)

func TestFilesOfTheEditor(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		onTool(reg, func(in *hook.PreToolUse) hook.Result {
			switch in.ToolInput.String("file_path") {
			case "/no":
				return hook.Deny("not that one")
			case "/ask":
				return hook.Ask("sure?")
			case "/other":
				return hook.Result{UpdatedInput: hook.RawJSON(`{"file_path":"/instead","content":"***","offset":3}`)}
			}
			return hook.None()
		})
		hook.On(reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
			file, _ := in.ToolResponse.Get("file")
			if in.ToolName == "Read" && strings.Contains(file.String("content"), "token") {
				return hook.Result{UpdatedOutput: hook.MustJSON("***"), Context: []string{"it had a token"}}, nil
			}
			return hook.None(), nil
		})
	})
	s.guarded()
	for _, line := range []string{writeFile, readFile} {
		go s.agent.send(line, "/no")
		s.agent.gets(`"id":6,"error"`, "not that one")
		go s.agent.send(line, "/other")
		s.client.gets(`"path":"/instead"`)
		go s.client.send(`{"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"no such file"}}`)
		s.agent.want(`{"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"no such file"}}`)
	}
	go s.agent.send(readFile, "/a")
	s.client.want(fmt.Sprintf(readFile, "/a"))
	go s.client.send(`{"jsonrpc":"2.0","id":6,"result":{"content":"a token","_meta":{"n":1e3}}}`)
	s.agent.want(`{"jsonrpc":"2.0","id":6,"result":{"content":"***","_meta":{"n":1e3}}}`)
	for option, answer := range map[string]string{"allow": `"path":"/ask"`, "reject": ""} {
		go s.agent.send(writeFile, "/ask")
		asked := hook.RawJSON(s.client.gets(`"session/request_permission"`, "sure?", "/ask"))
		id, _ := asked.Get("id")
		go s.client.send(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"%s"}}}`, id.Raw(), option)
		if answer == "" {
			s.agent.gets(`"id":6,"error"`, "the person refused it")
			continue
		}
		s.client.gets(`"fs/write_text_file"`, answer)
		go s.client.send(`{"jsonrpc":"2.0","id":6,"result":{}}`)
		s.agent.want(`{"jsonrpc":"2.0","id":6,"result":{}}`)
	}
	go s.client.send("%s", prompt("1", "x"))
	s.agent.gets("it had a token")
}

func TestTerminalsOfTheEditor(t *testing.T) {
	s := newStage(t, acpproxy.Options{}, func(reg *hook.Registry) {
		onTool(reg, func(in *hook.PreToolUse) hook.Result {
			switch command := in.ToolInput.String("command"); {
			case strings.HasPrefix(command, "rm "):
				return hook.Deny("no rm")
			case strings.HasPrefix(command, "npm"):
				return hook.Result{UpdatedInput: hook.MustJSON(map[string]string{"command": "p" + command})}
			}
			return hook.None()
		})
		hook.On(reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
			out := strings.ReplaceAll(in.ToolResponse.String("stdout"), "token", "")
			return hook.Result{UpdatedOutput: hook.MustJSON(map[string]string{"stdout": out})}, nil
		})
	})
	s.guarded()
	const create = `{"jsonrpc":"2.0","id":6,"method":"terminal/create","params":{"sessionId":"s",%s}}`
	go s.agent.send(create, `"command":"rm","args":["-rf","a b"]`)
	s.agent.gets(`"id":6,"error"`, "no rm")
	go s.agent.send(create, `"command":"bash","args":["-c","rm x"]`)
	s.agent.gets(`"id":6,"error"`, "no rm")
	for sent, want := range map[string]string{
		`"command":"npm test"`:                    `"command":"pnpm test"`,
		`"command":"npm","args":["test"]`:         `"command":"sh","args":["-c","pnpm test"]`,
		`"command":"sh","args":["-lc","npm ci"]`:  `"command":"sh","args":["-lc","pnpm ci"]`,
		`"command":"ls","args":["-l"],"cwd":"/x"`: `"command":"ls","args":["-l"],"cwd":"/x"`,
	} {
		go s.agent.send(create, sent)
		s.client.want(fmt.Sprintf(create, want))
		go s.client.send(`{"jsonrpc":"2.0","id":6,"result":{"terminalId":"T"}}`)
		s.agent.want(`{"jsonrpc":"2.0","id":6,"result":{"terminalId":"T"}}`)
	}
	for _, said := range []string{"a token", "token"} {
		go s.agent.send(`{"jsonrpc":"2.0","id":7,"method":"terminal/output","params":{"sessionId":"s","terminalId":"T"}}`)
		s.client.read()
		go s.client.send(`{"jsonrpc":"2.0","id":7,"result":{"output":"%s","truncated":false}}`, said)
		s.agent.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"result":{"output":"%s","truncated":false}}`, strings.ReplaceAll(said, "token", "")))
	}
}

func update(fields string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{` + fields + `}}}`
}

func TestToolsThatNobodyAskedAboutAreSeen(t *testing.T) {
	for _, strict := range []bool{false, true} {
		seen := make(chan string, 20)
		s := newStage(t, acpproxy.Options{RequireGate: strict}, func(reg *hook.Registry) {
			onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.Deny("never asked") }, hook.Match("Bash"))
			hook.On(reg, func(_ context.Context, in *hook.ToolExecutionStart) (hook.Result, error) {
				seen <- "start " + in.ToolName
				return hook.None(), nil
			})
			hook.On(reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
				seen <- "post " + in.ToolInput.String("command") + in.ToolResponse.Raw()
				return hook.Result{Decision: hook.DecisionDeny, Reason: "look again", UpdatedOutput: hook.MustJSON("x")}, nil
			})
			hook.On(reg, func(_ context.Context, in *hook.PostToolUseFailure) (hook.Result, error) {
				seen <- "failed " + in.Error
				return hook.None(), nil
			})
		})
		s.guarded()
		for _, line := range []string{
			update(`"sessionUpdate":"tool_call","toolCallId":"t","title":"t","kind":"execute","status":"pending","rawInput":{}`),
			update(`"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress","rawInput":{"command":"ls"}`),
			update(`"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","rawOutput":"a"`),
		} {
			go s.agent.send("%s", line)
			s.client.want(line)
		}
		s.client.says("lost on PostToolUse: updatedOutput")
		if strict {
			s.client.says("The turn ends")
			s.agent.want(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`)
		} else {
			s.client.says("ran Bash without asking")
		}
		line := update(`"sessionUpdate":"tool_call","toolCallId":"u","title":"t","kind":"read","status":"failed","content":[{"type":"content","content":{"type":"text","text":"gone"}}]`)
		go s.agent.send("%s", line)
		s.client.want(line)
		for _, want := range []string{"start Bash", `post ls"a"`, "start Read", "failed gone"} {
			if got := <-seen; got != want {
				t.Errorf("hooks saw %q and not %q", got, want)
			}
		}
		if len(s.lost) != 1 {
			t.Error("what was lost is not recorded")
		}
		go s.client.send("%s", prompt("1", "x"))
		s.agent.gets("look again")
	}
}

func TestWhatIsKnownOfAnAgentIsSaidAndRefusedWhereAGateIsRequired(t *testing.T) {
	eager := &dialect.Host{Title: "Eager", ACP: &dialect.HostACP{Agent: "eager", Seen: "all that it does"}}
	polite := &dialect.Host{Title: "Polite", ACP: &dialect.HostACP{Agent: "polite", Asks: "commands", Seen: "reading"}}
	hosts := []*dialect.Host{{Title: "Unknown behind editors"}, eager, polite}
	for _, c := range []struct {
		agent, says string
		strict      bool
	}{
		{agent: "The-Eager-Agent", strict: true},
		{agent: "The-Eager-Agent", says: "what Eager does through the editor's files and terminals. They only see all that it does."},
		{agent: "polite", strict: true, says: "what Polite does through the editor's files and terminals, and commands. They only see reading."},
		{agent: "other", strict: true, says: "what this agent does through"},
	} {
		s := newStage(t, acpproxy.Options{RequireGate: c.strict, Hosts: hosts}, func(reg *hook.Registry) {
			onTool(reg, func(*hook.PreToolUse) hook.Result { return hook.None() })
		})
		go s.client.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
		s.agent.read()
		go s.agent.send(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":%q,"version":"1"}}}`, c.agent)
		if c.says == "" {
			s.client.gets(`"id":0,"error"`, "Eager runs its tools without asking")
			continue
		}
		s.client.gets(`"id":0,"result"`)
		s.begin()
		s.client.says(c.says)
	}
}
