package script

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// player plays a game that a module shows.
type player struct {
	testHost
	mu     sync.Mutex // the screen may still be drawing when the game is over
	frames []string
}

func (h *player) ShowCustom(ctx context.Context, c Component) error {
	draw := func() error {
		d, err := c.Render(ctx, 40, 20)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.frames = append(h.frames, strings.Join(d.Lines, "\n"))
		return err
	}
	if err := draw(); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil // the game is over
		case <-c.Changed():
			if err := draw(); err != nil {
				return nil // it ended while it was being drawn
			}
		case <-time.After(5 * time.Minute):
			return context.DeadlineExceeded
		}
	}
}

func TestAGameIsPlayed(t *testing.T) {
	u := &testUI{}
	host := &player{testHost: testHost{u: u}}
	m := load(t, "testdata/modules/snake.ts", Options{Host: host, Grants: Grants{UI: true}})
	if err := m.RunCommand(context.Background(), "snake", ""); err != nil {
		t.Fatal(err)
	}
	if got := host.all(); got != `entry snake {"score":1,"best":0}` {
		t.Errorf("the session got %s", got)
	}
	if got := strings.Join(u.notices, "|"); got != "info: You scored 1" {
		t.Errorf("notices %s", got)
	}
	host.mu.Lock()
	defer host.mu.Unlock()
	if first := "Score 0\n··········\n··········\n··\x1b[36m■\x1b[39m·*·····\n··········\n··········"; len(host.frames) < 2 || host.frames[0] != first {
		t.Errorf("%d frames, the first\n%s", len(host.frames), host.frames[0])
	}
}

// branchHost has a session with an earlier result of the todo tool.
type branchHost struct{ NoHost }

func (branchHost) Cwd() string { return "" }
func (branchHost) SessionQuery(method string, _ []byte) ([]byte, error) {
	if method != "getBranch" {
		return nil, nil
	}
	return []byte(`[{"type":"message","message":{"role":"toolResult","toolName":"todo","details":{"todos":[{"id":1,"text":"old","done":true}]}}}]`), nil
}

func TestAToolKeepsItsState(t *testing.T) {
	m := load(t, "testdata/modules/todo.ts", Options{Host: branchHost{}})
	fire(t, m, "session_start", "{}")
	run := func(input string) string {
		t.Helper()
		updates := 0
		got, err := m.RunTool(context.Background(), "todo", "id", []byte(input), func([]byte) { updates++ })
		if err != nil {
			return err.Error()
		}
		if updates != 1 {
			t.Errorf("%d updates", updates)
		}
		return string(got)
	}
	if got, want := run(`{"action":"add","text":"new"}`), `{"content":[{"type":"text","text":"[x] #1 old\n[ ] #2 new"}],"details":{"todos":[{"id":1,"text":"old","done":true},{"id":2,"text":"new","done":false}]}}`; got != want {
		t.Errorf("got %s", got)
	}
	if got := run(`{"action":"toggle","id":7}`); !strings.Contains(got, "no todo #7") || !strings.Contains(got, "todo.ts:38:") {
		t.Errorf("got %s", got)
	}
	if got := run(`{"action":"fly"}`); !strings.Contains(got, `action: Expected one of ["list","add","toggle"]`) {
		t.Errorf("got %s", got)
	}
	lines, err := m.RenderTool(context.Background(), "todo", ToolDrawing{CallID: "c", Part: "result", Result: jsontext.Value(`{"details":{"todos":[{"text":"a","done":true},{"text":"b","done":false}]}}`)}, 6)
	if err != nil || strings.Join(lines, "|") != "b     " {
		t.Errorf("drew %q, %v", lines, err)
	}
}

func TestACheckpointIsTakenAndRestored(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	file := filepath.Join(dir, "f")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	git("config", "user.name", "t")
	git("config", "user.email", "t@t")
	put("first")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	u := &testUI{}
	m := load(t, "testdata/modules/checkpoint.ts", Options{Host: &rootedHost{testHost{u: u}, dir}, Grants: Grants{UI: true, Exec: true}})
	put("second")
	fire(t, m, "turn_start", `{"turnIndex":0}`)
	put("third")
	if got := fire(t, m, "session_before_branch", `{"entryId":"e"}`); got != `{"skipConversationRestore":false}` {
		t.Errorf("answered %s", got)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "second" {
		t.Errorf("the file is %q, %v", got, err)
	}
	if got := strings.Join(u.notices, "|"); got != "info: Files restored" {
		t.Errorf("notices %s", got)
	}
}

// rootedHost has a session in a directory.
type rootedHost struct {
	testHost
	dir string
}

func (h *rootedHost) Cwd() string { return h.dir }

func TestMissingExportsThrowWhenTheyAreUsed(t *testing.T) {
	m := loadSource(t, `
		import { CustomEditor as Base, frobnicate } from "@earendil-works/pi-coding-agent";
		import { Nothing, Text } from "@earendil-works/pi-tui";
		class Mine extends Nothing {}
		export default (pi) => {
			pi.on("look", () => ({ found: [typeof frobnicate, typeof Mine, typeof Text] }));
			pi.on("call", () => frobnicate());
			pi.on("make", () => new Mine());
			pi.on("read", () => frobnicate.option);
		}`, Options{})
	if got := fire(t, m, "look", "{}"); got != `{"found":["function","function","function"]}` {
		t.Errorf("got %s", got)
	}
	for event, want := range map[string]string{"call": "frobnicate of the host's package", "make": "Nothing of the host's package", "read": ".option of frobnicate"} {
		if _, err := m.Dispatch(t.Context(), Call{Event: event, Payload: []byte("{}")}); err == nil || !strings.Contains(err.Error(), "not supported by this host: "+want) {
			t.Errorf("%s: %v", event, err)
		}
	}
}

func TestGuardedImportsOfWhatIsAbsent(t *testing.T) {
	m := loadSource(t, `
		let why = "";
		try { await import("node:worker_threads"); } catch (e) { why = e.message; }
		export default (pi) => pi.on("e", () => ({ why }));`, Options{})
	if got := fire(t, m, "e", "{}"); !strings.Contains(got, "node:worker_threads") || !strings.Contains(got, "not supported") {
		t.Errorf("got %s", got)
	}
}

func TestPrintingIsBounded(t *testing.T) {
	seen := newReports()
	m := loadSource(t, `export default (pi) => pi.on("e", () => {
		for (let i = 0; i < 40; i++) console.log("x".repeat(100000));
	});`, Options{OnReport: seen.add})
	for range 2 { // each call has room of its own
		fire(t, m, "e", "{}")
	}
	bytes, told := 0, 0
	for _, r := range seen.all() {
		bytes += len(r.Message)
		if strings.Contains(r.Message, "the rest is dropped") {
			told++
		}
	}
	if bytes > 2*maxPrint || told != 2 {
		t.Errorf("%d bytes were passed on, and %d times the rest was said to be dropped", bytes, told)
	}
}
