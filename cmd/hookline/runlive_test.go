//go:build linux || darwin

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

const changeMessage = `export default (pi) => pi.on("message_end", ({ message }) =>
	message.role === "assistant" ? { message: { ...message, content: [{ type: "text", text: "another" }] } } : undefined);`

// On a terminal an answer is there while it arrives, and once.
func TestRunPrintsAnAnswerAsItArrives(t *testing.T) {
	half := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		event := func(kind, rest string) {
			fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest)
			w.(http.Flusher).Flush()
		}
		event("message_start", `,"message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}`)
		event("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
		event("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"one \u001b[31mred "}`)
		<-half
		event("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"and two"}`)
		event("content_block_stop", `,"index":0`)
		event("message_delta", `,"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}`)
		event("message_stop", "")
	}))
	defer server.Close()
	for name, c := range map[string]struct{ settings, want string }{
		"plain":           {`{}`, "one red and two\r\n"},
		"as hooks like":   {`{"hooks":{"MessageDisplay":[{"hooks":[{"type":"command","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"MessageDisplay\",\"displayContent\":\"nicer \"}}'"}]}]}}`, "nicer nicer \r\n"},
		"hooks change it": {`{}`, "one red and two\r\nanother\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			half = make(chan struct{})
			home, dir := t.TempDir(), t.TempDir()
			if err := os.MkdirAll(filepath.Join(home, ".claude"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, ".claude", "settings.json"), []byte(c.settings), 0o600); err != nil {
				t.Fatal(err)
			}
			master, tty, err := pty.Open()
			if err != nil {
				t.Skipf("no terminal to be had: %v", err)
			}
			defer func() { _ = master.Close() }()
			cmd := exec.CommandContext(t.Context(), "hookline", "run", "hello", "--model", "anthropic/claude-sonnet-4-5")
			if name == "hooks change it" {
				module := filepath.Join(home, "change.ts")
				if err := os.WriteFile(module, []byte(changeMessage), 0o600); err != nil {
					t.Fatal(err)
				}
				cmd.Args = append(cmd.Args, "--hook", module)
			}
			cmd.Dir, cmd.Stdout = dir, tty
			cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL="+server.URL, "HOOKLINE_MANAGED_DIR="+filepath.Join(home, "managed"))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = tty.Close()
			var got strings.Builder
			buf := make([]byte, 1000)
			for opened := name == "as hooks like"; ; { // hooks see a piece when the next is there
				if opened {
					select {
					case <-half:
					default:
						close(half)
					}
				}
				n, err := master.Read(buf)
				got.Write(buf[:n])
				opened = opened || strings.Contains(got.String(), "red")
				if err != nil {
					break
				}
			}
			if err := cmd.Wait(); err != nil || got.String() != c.want {
				t.Errorf("it ended with %v, and printed %q", err, got.String())
			}
		})
	}
}
