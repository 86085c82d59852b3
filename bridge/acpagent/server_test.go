package acpagent_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/acp-go-sdk"

	"github.com/hookline-dev/hookline/bridge/acpagent"
	"github.com/hookline-dev/hookline/bridge/internal/acpschema"
	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// editor is a client of the protocol's Go SDK.
type editor struct {
	acp.Client
	answer func(acp.RequestPermissionRequest) string // the id of the option taken
	files  map[string]string                         // what is open, nil when it does not offer files

	mu      sync.Mutex
	updates []acp.SessionUpdate
	asked   []acp.RequestPermissionRequest
}

func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, n.Update)
	return nil
}

func (e *editor) RequestPermission(_ context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	e.mu.Lock()
	e.asked = append(e.asked, r)
	e.mu.Unlock()
	id := e.answer(r)
	if id == "" {
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(acp.PermissionOptionId(id))}, nil
}

func (e *editor) ReadTextFile(_ context.Context, r acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	text, ok := e.files[r.Path]
	if !ok {
		return acp.ReadTextFileResponse{}, errors.New("it is not open")
	}
	return acp.ReadTextFileResponse{Content: text}, nil
}

func (e *editor) WriteTextFile(_ context.Context, r acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	e.files[r.Path] = r.Content
	return acp.WriteTextFileResponse{}, nil
}

// text is what was said, by the agent or by hooks.
func (e *editor) text() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	for _, u := range e.updates {
		if c := u.AgentMessageChunk; c != nil && c.Content.Text != nil {
			b.WriteString(c.Content.Text.Text)
		}
	}
	return b.String()
}

// world is a directory with an agent that is served to an editor.
type world struct {
	*acp.ClientSideConnection
	t      *testing.T
	dir    string
	home   string
	ed     *editor
	person ui.UI // of the session that was opened last
}

// checked holds what an editor is sent to the schema.
type checked struct {
	jsonrpc.Conn
	t      *testing.T
	schema acpschema.Checker
}

func (c *checked) Read() ([]byte, error) {
	line, err := c.Conn.Read()
	c.schema.Asks(line)
	return line, err
}

func (c *checked) Write(line []byte) error {
	if err := c.schema.Gets(line); err != nil {
		c.t.Error(err)
	}
	return c.Conn.Write(line)
}

func serve(t *testing.T, turns string, answer string, register func(*hook.Registry)) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), ed: &editor{answer: func(acp.RequestPermissionRequest) string { return answer }}}
	home := t.TempDir()
	w.home = home
	if err := os.WriteFile(filepath.Join(w.dir, "turns.yaml"), []byte(turns), 0o600); err != nil {
		t.Fatal(err)
	}
	fromClient, clientOut := io.Pipe()
	clientIn, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- acpagent.Serve(context.Background(), acpagent.Options{
			Version: "1",
			Open: func(ctx context.Context, o acpagent.Opening) (*acpagent.Agent, error) {
				reg := hook.NewRegistry()
				register(reg)
				w.person = o.Person
				h, err := host.OpenAgent(ctx, host.Options{
					Dir: o.Dir, Registry: reg, UI: o.Person, Engine: []hook.EngineOption{hook.WithRecorder(o.Recorder)},
					Getenv: func(name string) string { return map[string]string{"HOME": home, "PATH": os.Getenv("PATH")}[name] },
				}, host.AgentOptions{Model: "script:turns.yaml", Resume: o.Resume, OnEvent: o.OnEvent, OnSetting: o.OnSetting, Servers: o.Servers, Editor: o.Editor})
				if err != nil {
					return nil, err
				}
				if err = h.Prepare(ctx); err == nil {
					err = h.Loop.Start(ctx)
				}
				return &acpagent.Agent{Agent: h, End: func(context.Context) error { return h.Close() }}, err
			},
			Sessions: func(dir string) ([]session.Info, error) {
				return session.List(filepath.Join(host.FindDirs(w.dir, func(name string) string { return map[string]string{"HOME": home}[name] }).State, "sessions"), dir)
			},
		}, &checked{Conn: jsonrpc.Lines(fromClient, toClient), t: t})
	}()
	w.ClientSideConnection = acp.NewClientSideConnection(w.ed, clientOut, clientIn)
	t.Cleanup(func() {
		_ = clientOut.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	r, err := w.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: 99})
	if err != nil || r.ProtocolVersion != 1 {
		t.Fatalf("initialize: %+v, %v", r, err)
	}
	return w
}

func (w *world) begin() acp.SessionId {
	w.t.Helper()
	s, err := w.NewSession(w.t.Context(), acp.NewSessionRequest{Cwd: w.dir, McpServers: []acp.McpServer{}})
	if err != nil {
		w.t.Fatal(err)
	}
	return s.SessionId
}

func (w *world) prompt(s acp.SessionId, want acp.StopReason, blocks ...acp.ContentBlock) {
	w.t.Helper()
	r, err := w.Prompt(w.t.Context(), acp.PromptRequest{SessionId: s, Prompt: blocks})
	if err != nil || r.StopReason != want {
		w.t.Errorf("the prompt ends with %q, %v", r.StopReason, err)
	}
}

// calls are the updates of a call, as "status: text".
func (w *world) calls(id string) (out []string) {
	w.ed.mu.Lock()
	defer w.ed.mu.Unlock()
	for _, u := range w.ed.updates {
		var status acp.ToolCallStatus
		var parts []acp.ToolCallContent
		switch {
		case u.ToolCall != nil && string(u.ToolCall.ToolCallId) == id:
			status, parts = u.ToolCall.Status, u.ToolCall.Content
		case u.ToolCallUpdate != nil && string(u.ToolCallUpdate.ToolCallId) == id:
			if u.ToolCallUpdate.Status != nil {
				status = *u.ToolCallUpdate.Status
			}
			parts = u.ToolCallUpdate.Content
		default:
			continue
		}
		text := string(status) + ":"
		for _, p := range parts {
			if p.Content != nil && p.Content.Content.Text != nil {
				text += " " + p.Content.Content.Text.Text
			}
			if p.Diff != nil {
				text += " diff " + p.Diff.NewText
			}
		}
		out = append(out, text)
	}
	return out
}

const touch = `
turns:
  - tool_calls: [{name: Bash, id: c1, input: {command: "touch made"}}]
  - text: "All done."
    thinking: "Hm."
`

func (w *world) made() bool {
	_, err := os.Stat(filepath.Join(w.dir, "made"))
	return err == nil
}

func nothing(*hook.Registry) {}

func TestThePersonIsAsked(t *testing.T) {
	for option, want := range map[string]struct {
		made bool
		end  acp.StopReason
	}{"allow": {true, acp.StopReasonEndTurn}, "reject": {false, acp.StopReasonEndTurn}, "": {false, acp.StopReasonCancelled}} {
		w := serve(t, touch, option, nothing)
		s := w.begin()
		w.prompt(s, want.end, acp.TextBlock("make it"))
		if w.made() != want.made {
			t.Errorf("%q: made: %v", option, w.made())
		}
		if len(w.ed.asked) != 1 || *w.ed.asked[0].ToolCall.Title != "Bash: touch made" || *w.ed.asked[0].ToolCall.Kind != acp.ToolKindExecute {
			t.Errorf("%q: the person was asked %+v", option, w.ed.asked)
		}
		if want.end == acp.StopReasonEndTurn && !strings.Contains(w.ed.text(), "All done.") {
			t.Errorf("it said %q", w.ed.text())
		}
	}
}

func TestWhatHooksDoIsSeen(t *testing.T) {
	w := serve(t, `
turns:
  - tool_calls: [{name: Bash, id: c1, input: {command: "touch made"}}]
  - tool_calls: [{name: Bash, id: c2, input: {command: "echo one"}}]
  - tool_calls: [{name: Write, id: c3, input: {file_path: "new.txt", content: "text"}}]
  - tool_calls: [{name: TodoWrite, id: c4, input: {todos: [{content: "x", status: "completed", activeForm: "x-ing"}]}}]
  - text: "All done."
`, "", func(reg *hook.Registry) {
		hook.On(reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
			switch in.ToolInput.String("command") {
			case "touch made":
				return hook.Result{Decision: hook.DecisionDeny, Reason: "not that", Notice: "careful"}, nil
			case "echo one":
				return hook.Result{Decision: hook.DecisionAllow, UpdatedInput: hook.RawJSON(`{"command":"echo two"}`)}, nil
			}
			return hook.Allow(), nil
		}, hook.Name("guard"))
	})
	s := w.begin()
	w.prompt(s, acp.StopReasonEndTurn, acp.TextBlock("make it"))
	if w.made() {
		t.Error("the denied call ran")
	}
	for id, want := range map[string][]string{
		"c1": {"pending:", "failed: ", "not that"}, "c2": {"in_progress: ", "Changed by guard", "echo one", "completed: two"},
		"c3": {"in_progress: diff text", "completed:"},
	} {
		got := strings.Join(w.calls(id), "\n")
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s is shown as\n%s\nwithout %q", id, got, part)
			}
		}
	}
	if !strings.Contains(w.ed.text(), "careful") {
		t.Errorf("the notice is not shown: %q", w.ed.text())
	}
	if !slices.ContainsFunc(w.ed.updates, func(u acp.SessionUpdate) bool {
		return u.Plan != nil && len(u.Plan.Entries) == 1 && u.Plan.Entries[0].Status == acp.PlanEntryStatusCompleted
	}) {
		t.Error("there is no plan")
	}
}

func TestAPromptHasFilesAndImages(t *testing.T) {
	seen := make(chan hook.UserPromptSubmit, 1)
	w := serve(t, touch, "reject", func(reg *hook.Registry) {
		hook.On(reg, func(_ context.Context, in *hook.UserPromptSubmit) (hook.Result, error) {
			seen <- *in
			return hook.Deny("not today"), nil
		})
	})
	s := w.begin()
	w.prompt(s, acp.StopReasonRefusal, acp.TextBlock("look"), acp.ImageBlock("AAAA", "image/png"),
		acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: "file:///a", Text: "inside"}}))
	if in := <-seen; len(in.Images) != 1 || !strings.Contains(in.Prompt, "look") || !strings.Contains(in.Prompt, "inside") {
		t.Errorf("hooks saw %+v", in)
	}
	if !strings.Contains(w.ed.text(), "not today") {
		t.Errorf("the reason is not shown: %q", w.ed.text())
	}
	if _, err := w.Prompt(t.Context(), acp.PromptRequest{SessionId: "none", Prompt: []acp.ContentBlock{acp.TextBlock("x")}}); err == nil {
		t.Error("there is no such session")
	}
}

func TestFilesAreThoseOfTheEditor(t *testing.T) {
	w := serve(t, `
turns:
  - tool_calls: [{name: Read, id: r, input: {file_path: a}}]
  - tool_calls: [{name: Edit, id: e, input: {file_path: a, old_string: "not saved", new_string: edited}}]
  - text: done
`, "allow", nothing)
	a := filepath.Join(w.dir, "a")
	if err := os.WriteFile(a, []byte("saved"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, files := range []map[string]string{nil, {a: "not saved"}} {
		w.ed.files = files
		able := files != nil
		if _, err := w.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: acp.ClientCapabilities{
			Fs: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: able},
		}}); err != nil {
			t.Fatal(err)
		}
		w.prompt(w.begin(), acp.StopReasonEndTurn, acp.TextBlock("edit it"))
		said := strings.Join(w.calls("e"), "\n")
		if strings.Contains(said, "old_string was not found") == able || able && (files[a] != "edited" || !strings.Contains(said, "diff edited")) {
			t.Errorf("with files %v: %q", files, said)
		}
		w.ed.mu.Lock()
		w.ed.updates = nil
		w.ed.mu.Unlock()
	}
}

func TestCancelEndsThePrompt(t *testing.T) {
	begun := make(chan struct{}, 1)
	w := serve(t, touch, "allow", func(reg *hook.Registry) {
		hook.On(reg, func(ctx context.Context, _ *hook.PreToolUse) (hook.Result, error) {
			begun <- struct{}{}
			<-ctx.Done()
			return hook.None(), ctx.Err()
		})
	})
	s := w.begin()
	go func() {
		<-begun
		if err := w.Cancel(context.Background(), acp.CancelNotification{SessionId: s}); err != nil {
			t.Error(err)
		}
	}()
	w.prompt(s, acp.StopReasonCancelled, acp.TextBlock("make it"))
	if w.made() {
		t.Error("the call ran")
	}
}

func TestSessionsAreListedLoadedAndClosed(t *testing.T) {
	w := serve(t, touch, "allow", nothing)
	s := w.begin()
	w.prompt(s, acp.StopReasonEndTurn, acp.TextBlock("make it"))
	if _, err := w.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: s}); err != nil {
		t.Fatal(err)
	}
	list, err := w.ListSessions(t.Context(), acp.ListSessionsRequest{Cwd: &w.dir})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].SessionId != s {
		t.Fatalf("the list is %+v, %v", list, err)
	}
	w.ed.mu.Lock()
	w.ed.updates = nil
	w.ed.mu.Unlock()
	if _, err := w.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: s, Cwd: w.dir, McpServers: []acp.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.ed.text(), "All done.") || len(w.calls("c1")) < 2 {
		t.Errorf("the session is shown as %q", w.ed.text())
	}
	if _, err := w.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: s, Cwd: w.dir, McpServers: []acp.McpServer{}}); err == nil {
		t.Error("it is open already")
	}
}

func TestModesAreThePermissionModes(t *testing.T) {
	w := serve(t, touch, "", nothing)
	r, err := w.NewSession(t.Context(), acp.NewSessionRequest{Cwd: w.dir, McpServers: []acp.McpServer{}})
	if err != nil || r.Modes == nil || r.Modes.CurrentModeId != "default" || len(r.Modes.AvailableModes) != 5 {
		t.Fatalf("%+v, %v", r.Modes, err)
	}
	if _, err := w.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: r.SessionId, ModeId: "bypassPermissions"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: r.SessionId, ModeId: "none"}); err == nil {
		t.Error("there is no such mode")
	}
	w.prompt(r.SessionId, acp.StopReasonEndTurn, acp.TextBlock("make it"))
	if !w.made() || len(w.ed.asked) > 0 {
		t.Error("the mode has no effect")
	}
}

func TestSlashCommandsRun(t *testing.T) {
	w := serve(t, touch, "", nothing)
	s := w.begin()
	w.prompt(s, acp.StopReasonEndTurn, acp.TextBlock("/help"))
	if !strings.Contains(w.ed.text(), "/compact") {
		t.Errorf("the command says %q", w.ed.text())
	}
	if !slices.ContainsFunc(w.ed.updates, func(u acp.SessionUpdate) bool { return u.AvailableCommandsUpdate != nil }) {
		t.Error("the editor does not know the commands")
	}
}

func TestQuestionsOfHooksAreOptions(t *testing.T) {
	w := serve(t, touch, "1", nothing)
	w.prompt(w.begin(), acp.StopReasonEndTurn, acp.TextBlock("/help")) // from then on the session is known
	i, ok, err := w.person.Select(t.Context(), "Which?", []string{"one", "two"}, ui.Dialog{})
	if i != 1 || !ok || err != nil {
		t.Errorf("Select: %d, %v, %v", i, ok, err)
	}
	w.ed.answer = func(acp.RequestPermissionRequest) string { return "allow" }
	if yes, err := w.person.Confirm(t.Context(), "Sure?", "It is for ever.", ui.Dialog{}); !yes || err != nil {
		t.Errorf("Confirm: %v, %v", yes, err)
	}
	if _, _, err := w.person.Input(t.Context(), "Name?", "", ui.Dialog{}); !errors.Is(err, ui.ErrNoUI) {
		t.Errorf("an editor without forms answers %v", err)
	}
}
