//go:build unix

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hookline-dev/hookline/audit"
)

// TestFireSendsSpansToACollector runs the command against a collector on this
// machine: the spans arrive, and the hook's process can join the trace.
func TestFireSendsSpansToACollector(t *testing.T) {
	var mu sync.Mutex
	var paths []string
	var sent []byte
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, body...)
		paths = append(paths, r.URL.Path)
	}))
	defer srv.Close()
	home, project := t.TempDir(), t.TempDir()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", srv.URL)
	settings := filepath.Join(home, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte(`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"echo trace=$TRACEPARENT"}]}]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	code := run([]string{"-C", project, "fire", "SessionStart"}, &streams{in: strings.NewReader(""), out: &out, err: &errOut, getenv: func(k string) string {
		switch k {
		case "HOME":
			return home
		case "XDG_STATE_HOME":
			return filepath.Join(home, "state")
		}
		return os.Getenv(k)
	}})
	if code != exitOK || !strings.Contains(out.String(), "context: trace=00-") {
		t.Errorf("exit %d\n%s%s", code, out.String(), errOut.String())
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(paths, " "); !strings.Contains(got, "/v1/traces") || !strings.Contains(got, "/v1/metrics") {
		t.Errorf("the collector saw %q", got)
	}
	state := filepath.Join(home, "state", "hookline", "audit.jsonl")
	for r, err := range audit.Read(state, audit.Filter{}) {
		if err != nil || r.Hash == "" || !bytes.Contains(sent, []byte(r.Hash)) {
			t.Errorf("the collector does not know where the log ended: %v, record %d %q", err, r.Seq, r.Hash)
		}
	}
	if _, err := os.Stat(state); err != nil {
		t.Error(err)
	}
}
