package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
)

func find(t *testing.T, m *mcp.Manager, name string) tool.Tool {
	t.Helper()
	tools := m.Tools()
	i := slices.IndexFunc(tools, func(tl tool.Tool) bool { return tl.Name() == name })
	if i < 0 {
		t.Fatalf("no tool %s among %+v", name, m.Status())
	}
	return tools[i]
}

func run(t *testing.T, tl tool.Tool, input string) (tool.Result, error) {
	t.Helper()
	return tl.Run(t.Context(), tool.Input{JSON: []byte(input)})
}

func wait(t *testing.T, m *mcp.Manager) {
	t.Helper()
	if err := m.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}

func TestStdio(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "canary")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := start(t, mcp.Options{Servers: []mcp.Server{childServer(t, "srv", "serve")}, Dir: dir, OutputDir: t.TempDir()})
	wait(t, m)

	echo := find(t, m, "mcp__srv__echo")
	if echo.Description() != "says it again" || echo.ReadOnly() || !strings.Contains(string(echo.Schema()), `"text"`) {
		t.Errorf("got %s, read-only %v, %s", echo.Description(), echo.ReadOnly(), echo.Schema())
	}
	r, err := run(t, echo, `{"text":"hi","n":7}`)
	if err != nil || r.Text() != "hi 7" {
		t.Errorf("got %q, %v", r.Text(), err)
	}
	if string(r.Response) != `{"content":[{"type":"text","text":"hi 7"}]}` {
		t.Errorf("got %s", r.Response)
	}
	if _, err := run(t, echo, `{"txt":"hi"}`); err == nil || !strings.Contains(err.Error(), `invalid input for mcp__srv__echo: "text" is missing`) {
		t.Errorf("got %v", err)
	}

	const raw = `{"z":9007199254740993,"a":"<&>","m":1.50}`
	if r, err := run(t, find(t, m, "mcp__srv__raw"), raw); err != nil || strings.NewReplacer(`\u003c`, "<", `\u0026`, "&", `\u003e`, ">").Replace(r.Text()) != raw {
		t.Errorf("got %q, %v", r.Text(), err)
	}

	_, err = run(t, find(t, m, "mcp__srv__fail"), `{}`)
	if toolErr, ok := errors.AsType[*mcp.ToolError](err); !ok || toolErr.Error() != "it did not work" {
		t.Errorf("got %v", err)
	}
	r, err = run(t, find(t, m, "mcp__srv__mixed"), `{}`)
	if err != nil || len(r.Content) != 3 || r.Content[1].Text != "(resource x: file:///x)" || r.Content[2].Type != model.ImageBlock || r.Content[2].Source.Data != "aGk=" {
		t.Errorf("got %+v, %v", r.Content, err)
	}
	r, err = run(t, find(t, m, "mcp__srv__long"), `{}`)
	if err != nil || len(r.Text()) > 31_000 || !strings.Contains(r.Text(), "bytes left out; all 100000 bytes are in ") {
		t.Errorf("%d bytes, %v", len(r.Text()), err)
	}
	r, err = run(t, find(t, m, "mcp__srv__env"), `{}`)
	if err != nil || strings.Contains(r.Text(), "canary") || !strings.Contains(r.Text(), "GIVEN=value") ||
		!strings.Contains(r.Text(), "cwd="+dir) || !strings.Contains(r.Text(), "args=one two") {
		t.Errorf("got %s, %v", r.Text(), err)
	}
}

func TestCall(t *testing.T) {
	m := start(t, mcp.Options{Servers: []mcp.Server{childServer(t, "srv", "serve")}})
	wait(t, m)
	ctx := t.Context()
	if text, isError, err := m.Call(ctx, "srv", "echo", []byte(`{"text":"x"}`)); text != "x 0" || isError || err != nil {
		t.Errorf("got %q, %v, %v", text, isError, err)
	}
	if text, isError, err := m.Call(ctx, "srv", "fail", []byte(`{}`)); text != "it did not work" || !isError || err != nil {
		t.Errorf("got %q, %v, %v", text, isError, err)
	}
	if _, _, err := m.Call(ctx, "srv", "none", []byte(`{}`)); err == nil {
		t.Error("a tool that is not there was called")
	}
	if _, _, err := m.Call(ctx, "other", "echo", []byte(`{}`)); err == nil || !strings.Contains(err.Error(), `no MCP server "other"`) {
		t.Errorf("got %v", err)
	}
}

func TestElicitation(t *testing.T) {
	var asked mcp.Elicitation
	answers := []mcp.ElicitationAnswer{{Action: "accept", Content: []byte(`{"name":"Ada"}`)}, {Action: "decline"}}
	m := start(t, mcp.Options{
		Servers: []mcp.Server{childServer(t, "srv", "serve")},
		Elicit: func(_ context.Context, e mcp.Elicitation) (mcp.ElicitationAnswer, error) {
			asked = e
			a := answers[0]
			answers = answers[1:]
			return a, nil
		},
	})
	wait(t, m)
	for _, want := range []string{"accept Ada", "decline <nil>"} {
		if r, err := run(t, find(t, m, "mcp__srv__ask"), `{}`); err != nil || r.Text() != want {
			t.Errorf("got %q, %v", r.Text(), err)
		}
	}
	if asked.Server != "srv" || asked.Message != "Which?" || asked.Mode != "form" || !strings.Contains(string(asked.Schema), `"name"`) {
		t.Errorf("asked %+v", asked)
	}
	m = start(t, mcp.Options{Servers: []mcp.Server{childServer(t, "srv", "serve")}})
	wait(t, m)
	if r, err := run(t, find(t, m, "mcp__srv__ask"), `{}`); err == nil {
		t.Errorf("a question was answered: %q", r.Text())
	}
}

func TestUntrustedServersAreNotStarted(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "started")
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer srv.Close()
	servers := []mcp.Server{
		{Name: "cmd", Type: "stdio", Command: "sh", Args: []string{"-c", "touch '" + marker + "'"}},
		{Name: "web", Type: "http", URL: srv.URL},
	}
	for _, trusted := range []func(mcp.Server) bool{nil, func(mcp.Server) bool { return false }} {
		m := mcp.New(mcp.Options{Servers: servers, Trusted: trusted})
		if err := m.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if _, _, err := m.Call(t.Context(), "cmd", "x", []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "has not been approved") {
			t.Errorf("got %v", err)
		}
		for _, st := range m.Status() {
			if st.State != mcp.Untrusted {
				t.Errorf("got %+v", st)
			}
		}
		m.Close()
	}
	if _, err := os.Stat(marker); err == nil || asked != 0 {
		t.Errorf("a server was used: %v, %d requests", err, asked)
	}
}

func TestServersThatDoNotWork(t *testing.T) {
	tests := []struct {
		server mcp.Server
		want   string
	}{
		{childServer(t, "s", "silent"), "did not answer within 500ms"},
		{childServer(t, "s", "dies"), "it wrote: can not open the database"},
		{childServer(t, "s", "noise"), ""},
		{mcp.Server{Name: "s", Type: "stdio", Command: "hookline-no-such-program"}, "starting it"},
		{mcp.Server{Name: "s", Type: "stdio", Command: "x", Args: []string{"${HOOKLINE_NOT_SET}"}}, "not set: HOOKLINE_NOT_SET"},
		{mcp.Server{Name: "s", Type: "http", URL: "http://127.0.0.1:1/"}, ""},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			m := start(t, mcp.Options{Servers: []mcp.Server{tt.server}, StartTimeout: 500 * time.Millisecond})
			if tt.server.Env["MCPTEST"] == "dies" {
				m.Close()
				m = start(t, mcp.Options{Servers: []mcp.Server{tt.server}, StartTimeout: 10 * time.Second})
			}
			err := m.Wait(t.Context())
			if err == nil || !strings.Contains(err.Error(), `server "s": `) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if len(m.Tools()) != 0 {
				t.Errorf("it has tools: %v", m.Status())
			}
		})
	}
}

func TestHangingCall(t *testing.T) {
	m := start(t, mcp.Options{Servers: []mcp.Server{childServer(t, "srv", "serve")}, CallTimeout: 200 * time.Millisecond})
	wait(t, m)
	hang := find(t, m, "mcp__srv__hang")
	if _, err := run(t, hang, `{}`); err == nil || !strings.Contains(err.Error(), "did not answer within 200ms") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := hang.Run(ctx, tool.Input{JSON: []byte(`{}`)}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if r, err := run(t, find(t, m, "mcp__srv__echo"), `{"text":"alive"}`); err != nil || r.Text() != "alive 0" {
		t.Errorf("got %q, %v", r.Text(), err)
	}
}

func TestReconnect(t *testing.T) {
	states := make(chan mcp.State, 100)
	m := start(t, mcp.Options{
		Servers: []mcp.Server{childServer(t, "srv", "serve")}, Backoff: 10 * time.Millisecond,
		OnChange: func(st mcp.Status) { states <- st.State },
	})
	wait(t, m)
	echo := find(t, m, "mcp__srv__echo")
	if _, err := run(t, find(t, m, "mcp__srv__exit"), `{}`); err == nil {
		t.Error("a call survived its server")
	}
	eventually(t, "the server is called again", func() bool {
		r, err := run(t, echo, `{"text":"back"}`)
		return err == nil && r.Text() == "back 0"
	})
	// The change is told after it has taken effect, so the call above may be
	// there before the news of it.
	seen := []mcp.State{<-states}
	for deadline := time.After(5 * time.Minute); len(seen) < 3 || seen[len(seen)-1] != mcp.Connected; {
		select {
		case st := <-states:
			seen = append(seen, st)
		case <-deadline:
			t.Fatalf("it never came back to connected: %v", seen)
		}
	}
	if seen[0] != mcp.Connected || !slices.Contains(seen, mcp.Connecting) {
		t.Errorf("states %v", seen)
	}
}

func TestGivesUpAndTriesAgainWhenCalled(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell here")
	}
	file := filepath.Join(t.TempDir(), "mode")
	if err := os.WriteFile(file, []byte("exit 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := childServer(t, "srv", "serve")
	s.Args = []string{"-c", `. "` + filepath.ToSlash(file) + `"; exec "` + filepath.ToSlash(s.Command) + `"`}
	s.Command = "sh"
	m := start(t, mcp.Options{Servers: []mcp.Server{s}, Backoff: time.Millisecond})
	eventually(t, "it gives up", func() bool { return m.Status()[0].State == mcp.Failed })
	if err := os.WriteFile(file, []byte(":"), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a call brings it back", func() bool {
		text, _, err := m.Call(t.Context(), "srv", "echo", []byte(`{"text":"x"}`))
		return err == nil && text == "x 0"
	})
}

func TestToolListChanges(t *testing.T) {
	m := start(t, mcp.Options{Servers: []mcp.Server{childServer(t, "srv", "serve")}, TrustHints: true})
	wait(t, m)
	if !find(t, m, "mcp__srv__echo").ReadOnly() {
		t.Error("the hint was not believed")
	}
	if _, err := run(t, find(t, m, "mcp__srv__grow"), `{}`); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the new tool is there", func() bool { return slices.Contains(m.Status()[0].Tools, "mcp__srv__grown") })
}

func TestStubbornServerIsEnded(t *testing.T) {
	m := mcp.New(mcp.Options{Servers: []mcp.Server{childServer(t, "srv", "stubborn")}, Trusted: trustAll})
	wait(t, m)
	began := time.Now()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("closing took %s", took)
	}
	if st := m.Status()[0]; st.State != mcp.Closed {
		t.Errorf("got %+v", st)
	}
	if _, _, err := m.Call(t.Context(), "srv", "echo", []byte(`{}`)); err == nil {
		t.Error("a closed manager called a server")
	}
}

func TestHTTP(t *testing.T) {
	release := make(chan struct{})
	server := newServer(func() { <-release })
	defer func() {
		close(release)
		for session := range server.Sessions() {
			session.Close()
		}
	}()
	var other string
	mux := http.NewServeMux()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer canary" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { other = r.Header.Get("Authorization") }))
	defer elsewhere.Close()
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	server2 := func(name, path, key string) mcp.Server {
		return mcp.Server{Name: name, Type: "http", URL: srv.URL + path, Headers: map[string]string{"Authorization": "Bearer ${" + key + "}"}}
	}
	m := start(t, mcp.Options{
		Servers: []mcp.Server{server2("good", "/mcp", "KEY"), server2("nokey", "/mcp", "WRONG"), server2("away", "/away", "KEY")},
		Env:     []string{"KEY=canary", "WRONG=x"}, CallTimeout: 300 * time.Millisecond,
	})
	err := m.Wait(t.Context())
	if err == nil || !strings.Contains(err.Error(), `server "nokey"`) || !strings.Contains(err.Error(), `server "away"`) || strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v", err)
	}
	if other != "" {
		t.Error("the key went to another host")
	}
	if r, err := run(t, find(t, m, "mcp__good__echo"), `{"text":"hi"}`); err != nil || r.Text() != "hi 0" {
		t.Errorf("got %q, %v", r.Text(), err)
	}
	if _, err := run(t, find(t, m, "mcp__good__hang"), `{}`); err == nil || !strings.Contains(err.Error(), "did not answer within 300ms") {
		t.Errorf("got %v", err)
	}
}

func TestHangingHTTPServer(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	defer srv.Close()
	defer close(release)
	m := start(t, mcp.Options{Servers: []mcp.Server{{Name: "s", Type: "http", URL: srv.URL}}, StartTimeout: 100 * time.Millisecond})
	if err := m.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "did not answer within 100ms") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := m.Call(ctx, "s", "x", []byte(`{}`)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestCallsAreLookedAfter has what was put back after a call told to the model, and no
// call where nothing can be put back.
func TestCallsAreLookedAfter(t *testing.T) {
	var began, over int
	var fail error
	m := start(t, mcp.Options{Servers: []mcp.Server{childServer(t, "srv", "serve")}, Around: func() (func() string, error) {
		began++
		return func() string { over++; return "put back" }, fail
	}})
	wait(t, m)
	r, err := run(t, find(t, m, "mcp__srv__echo"), `{"text":"hi"}`)
	if err != nil || !strings.HasSuffix(r.Text(), "put back") {
		t.Errorf("got %q, %v", r.Text(), err)
	}
	if _, err := run(t, find(t, m, "mcp__srv__fail"), `{}`); err == nil || !strings.HasSuffix(err.Error(), "put back") || began != 2 || over != 2 {
		t.Errorf("got %v; %d calls begun, %d over", err, began, over)
	}
	fail = errors.New("too large")
	if _, err := run(t, find(t, m, "mcp__srv__echo"), `{"text":"hi"}`); !errors.Is(err, fail) {
		t.Errorf("it was called: %v", err)
	}
}
