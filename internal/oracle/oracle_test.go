package oracle

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if IsHook(os.Args) {
		os.Exit(RunHook(os.Args))
	}
	os.Exit(m.Run())
}

// toy is a program that runs one hook and asks the model once: a shell script.
func toy(script string) Program {
	return Program{Name: "toy", Command: func(r *Room, c *Case, prompt string, again bool) (args, env []string, err error) {
		hook := c.Settings["hook"].(string)
		return []string{"/bin/sh", "-c", script}, []string{"CLAUDE_X=1", "HOOK=" + hook}, nil
	}}
}

func TestAPlayKeepsWhatHooksReceivedAndWhatTheCallerGot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the toy is a shell script")
	}
	c := &Case{
		Name: "toy", Settings: map[string]any{"hook": "$HOOK pre"},
		Files:   map[string]string{"a.txt": "x", "~/b.txt": "y"},
		Answers: map[string][]Answer{"pre": {{Out: "first", Exit: 2}, {Out: "then", Err: "e"}}},
		Script:  Script{Turns: []Turn{Say("hello")}},
	}
	p := toy(`cat ~/b.txt; for i in 1 2 3; do
printf '{"hook_event_name":"E","session_id":"s%s","tool":"%s/f"}' $i "$PWD" | eval "$HOOK"; echo " $?"; done
echo '{"type":"result","subtype":"success","num_turns":1}'; exit 3`)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	play, err := Run(context.Background(), p, c, filepath.Join(t.TempDir(), "room"), self)
	if err != nil {
		t.Fatal(err)
	}
	if want := "yfirst 2\nthen 0\nthen 0\n"; !strings.HasPrefix(play.Stdout, want) {
		t.Errorf("printed %q, want %q first; errors %q", play.Stdout, want, play.Stderr)
	}
	f, err := play.Facts(true)
	if err != nil {
		t.Fatal(err)
	}
	for fact, want := range map[string]string{
		"exit": "3", "files": "a.txt", "hooks": "pre pre pre", "hook pre#1 .tool": `"<ROOM>/project/f"`, "hook pre#1 .session_id": "<text>",
		"hook pre#0 members": "hook_event_name session_id tool", "environment CLAUDE_X": "set", "result .num_turns": "1", "stream resultsuccess": "sent",
	} {
		if f[fact] != want {
			t.Errorf("%s: %q, want %q", fact, f[fact], want)
		}
	}
}

func TestEveryDifferenceIsFoundAndOnlyDeclaredOnesAreCovered(t *testing.T) {
	declared := []Declared{{Cases: "pre-*", Fact: "hook * .effort", Reason: "r"}, {Fact: "never", Reason: "r"}}
	theirs := Facts{"exit": "0", "hook a#0 .effort": "x", "only theirs": "1"}
	ours := Facts{"exit": "0", "only ours": "2"}
	var n Counts
	diffs := Compare("pre-deny", theirs, ours, declared)
	n.Add(diffs)
	n.Add(Compare("same", ours, ours, declared))
	n.Add(Compare("pre-x", Facts{"hook a#0 .effort": "x"}, nil, declared))
	n.Add(Compare("post-x", Facts{"hook a#0 .effort": "x"}, nil, declared))
	if len(diffs) != 3 || diffs[0].Declared == nil || diffs[1].Declared != nil || diffs[2].Theirs != "1" {
		t.Errorf("differences: %v", diffs)
	}
	if n.Same != 1 || n.Declared != 1 || n.Undeclared != 2 || n.Cells() != 4 {
		t.Errorf("counts: %v", &n)
	}
	if u := n.Unused(declared); len(u) != 1 || u[0].Fact != "never" {
		t.Errorf("unused: %v", u)
	}
}

func TestWhatTheModelWasSentNamesRoleAndRequest(t *testing.T) {
	p := &Play{Dir: "/room", Requests: []Request{
		{System: []byte(`"s"`), Messages: []Message{{"user", []byte(`"hi"`)}}},
		{System: []byte(`[{"type":"text","text":"a MARK b"}]`), Messages: []Message{
			{"user", []byte(`[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":[{"type":"text","text":"in /room"}]},{"type":"text","text":"x\n\nMARK-1 said"}]`)},
		}},
	}}
	f, err := p.Facts(false)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f["model: context"], "request 1, system: MARK\nrequest 1, user: MARK-1 said"; got != want {
		t.Errorf("context %q, want %q", got, want)
	}
	if got, want := f["model: result t"], "error=true in <ROOM>"; got != want {
		t.Errorf("result %q, want %q", got, want)
	}
}

func TestTheModelAnswersInTheFormatOfEachMaker(t *testing.T) {
	m, err := StartModel(Script{After: "tidy", Turns: []Turn{Say("never"), Call("sh", map[string]any{"cmd": "<ls>"})}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	// each conversation begins with a greeting of the program's own, which is not counted
	for path, body := range map[string]string{
		"/v1/messages": `{"stream":true,"tools":[{}],"messages":[{"role":"assistant","content":"hi"},{"role":"user","content":"tidy"},{"role":"assistant","content":"a"},
			{"role":"user","content":[{"type":"tool_result","content":"found"}]}]}`,
		"/v1/chat/completions": `{"tools":[{}],"messages":[{"role":"assistant","content":"hi"},{"role":"user","content":"tidy"},{"role":"assistant","tool_calls":[]},{"role":"tool","content":"found"}]}`,
		"/v1/responses": `{"tools":[{}],"input":[{"role":"assistant","content":"hi"},{"role":"user","content":"tidy"},{"type":"reasoning"},{"type":"function_call"},
			{"type":"function_call_output","output":"found"}]}`,
		"/v1beta/models/m:streamGenerateContent": `{"tools":[{}],"contents":[{"role":"model","parts":[{"text":"hi"}]},{"role":"user","parts":[{"text":"tidy"}]},{"role":"model","parts":[{"text":"a"},{"functionCall":{}}]},
			{"role":"user","parts":[{"functionResponse":{"response":"found"}}]}]}`,
	} {
		resp, err := http.Post(m.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.ReplaceAll(string(answer), `\`, ""); !strings.Contains(text, `{"cmd":"<ls>"}`) || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
			t.Errorf("%s: answered %s", path, answer)
		}
		sent := m.Requests()[len(m.Requests())-1].Messages
		if last := string(sent[len(sent)-1].Content); len(sent) != 4 || !strings.Contains(last, `"tool_result"`) || !strings.Contains(last, `"found"`) {
			t.Errorf("%s: kept %v", path, sent)
		}
	}
}

// A subagent beside the conversation may ask sooner or later: its requests count by themselves.
func TestRequestsOfSubagentsCountByThemselves(t *testing.T) {
	request := func(texts ...string) Request {
		var r Request
		for _, text := range texts {
			content, _ := plainJSON(text)
			r.Messages = append(r.Messages, Message{"user", content})
		}
		return r
	}
	first, second, sub := request("go"), request("go", "MARK-LATE"), request("SUB MARK-SUB")
	for _, requests := range [][]Request{{first, sub, second}, {first, second, sub}} {
		f := Facts{}
		if err := (&Play{Dir: "/room", Requests: requests, script: Script{Sub: map[string][]Turn{"SUB": nil}}}).modelFacts(f); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"request 1, user: MARK-LATE", "request 0, user: SUB MARK-SUB"} {
			if !strings.Contains(f["model: context"], want) {
				t.Errorf("no %q in %q", want, f["model: context"])
			}
		}
	}
}
