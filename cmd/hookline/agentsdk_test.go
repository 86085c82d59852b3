package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAgentSDK drives the command by the real TypeScript package of the Claude Agent SDK,
// offline, and holds each message that came against the package's types. HOOKLINE_AGENT_SDK
// is the node_modules with @anthropic-ai/claude-agent-sdk and zod, HOOKLINE_TSC the compiler.
func TestAgentSDK(t *testing.T) {
	modules := os.Getenv("HOOKLINE_AGENT_SDK")
	if modules == "" {
		t.Skip("HOOKLINE_AGENT_SDK names no directory of packages")
	}
	dir := t.TempDir()
	command := filepath.Join(dir, "hookline")
	for _, args := range [][]string{{"go", "build", "-o", command, "."}, {"node", filepath.Join("testdata", "agentsdk", "drive.mjs"), modules, command, dir}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	lines, err := os.ReadFile(filepath.Join(dir, "messages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	tsc := os.Getenv("HOOKLINE_TSC")
	if tsc == "" {
		t.Skip("HOOKLINE_TSC names no compiler")
	}
	var check bytes.Buffer
	check.WriteString("import type { SDKMessage } from \"@anthropic-ai/claude-agent-sdk\";\nfunction check<T extends SDKMessage>(m: T) { return m; }\n")
	for line := range bytes.Lines(lines) {
		check.WriteString("check(" + string(bytes.TrimSpace(line)) + ");\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "check.mts"), check.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tsc, "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "check.mts")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the messages are not those of the package's types: %v\n%s", err, out)
	}
}
