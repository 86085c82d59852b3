package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The model is told its budget as Anthropic's API wants it.
func TestTaskBudgetIsTold(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		got = append(got, req.Header.Get("Anthropic-Beta")+" "+string(body))
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	cmd := exec.CommandContext(t.Context(), "hookline", "run", "hello", "--model", "anthropic/claude-sonnet-4-5", "--task-budget", "50000", "--betas", "one")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL="+server.URL)
	out, err := cmd.CombinedOutput()
	if err == nil || len(got) != 1 {
		t.Fatalf("%d requests, error %v: %s", len(got), err, out)
	}
	for _, part := range []string{"one,task-budgets-2026-03-13 ", `"output_config":{"task_budget":{"type":"tokens","total":50000}}`} {
		if !strings.Contains(got[0], part) {
			t.Errorf("%s is not in %s", part, got[0])
		}
	}
}
