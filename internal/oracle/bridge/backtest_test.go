//go:build oracle

package bridge

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// Five guards of a project, in four ways of writing them. Claude Code runs those of .claude itself.
var guards = map[string]string{
	".hookline/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
	{"name": "no-rm", "type": "command", "command": "case \"$(cat)\" in *'rm -rf'*) echo nothing is removed >&2; exit 2 ;; esac"},
	{"name": "ask-commit", "type": "command", "command": "case \"$(cat)\" in *'git commit'*) echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"ask\",\"permissionDecisionReason\":\"who signs it?\"}}' ;; esac"}
]}]}}`,
	".hookline/hooks/no-push": `#!/bin/sh
[ "$1" = hook ] && { echo before_tool_call; exit 0; }
case "$(cat)" in *'git push'*) echo '{"blocked": true, "reason": "nothing is pushed"}' ;; *) echo '{}' ;; esac
`,
	".hookline/modules/no-sudo.ts": `export default (pi) => {
	pi.on("tool_call", (event) => event.input.command?.startsWith("sudo") ? { block: true, reason: "no other rights" } : undefined);
};
`,
	".hookline/workers/no-curl": `#!/usr/bin/env python3
import json, sys
def say(message):
    print(json.dumps(message), flush=True)
say({"type": "hello", "protocol": 1, "name": "no-curl", "hooks": [{"event": "PreToolUse", "matcher": "Bash", "guard": True}]})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "call":
        result = {"type": "result", "id": message["id"]}
        if message["input"]["tool_input"].get("command", "").startswith("curl"):
            result.update(decision="deny", reason="no network")
        say(result)
`,
}

// commands are what the model wants to run: each guard refuses another number of them.
var commands = []string{
	"rm -rf victim", "echo one", "git push origin main", "sudo ls", "curl http://127.0.0.1:9/", "touch made.txt",
	"git commit -m x", "rm -rf victim/keep", "sudo rm -rf victim", "git push", "curl -s http://127.0.0.1:9/", "git push --force", "curl localhost:9", "sudo id", "sudo -n true", "echo two",
}

// deeds are how often a hook ran, and what it decided how often.
type deeds map[string]map[string]int

func (d deeds) add(hook, what string, n int) {
	if d[hook] == nil {
		d[hook] = map[string]int{}
	}
	d[hook][what] += n
}

// TestBacktestTellsWhatHappened: fired on the session that the real program kept, five guards do
// what they did while it went on.
func TestBacktestTellsWhatHappened(t *testing.T) {
	cache, err := oracle.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	bin := build(t)
	for _, a := range agents {
		if !slices.Contains([]string{"claude", "codex", "pi"}, a.host) {
			continue
		}
		t.Run(a.host, func(t *testing.T) {
			c := &oracle.Case{Name: "backtest", Prompt: prompt, Script: oracle.Script{After: prompt}, Files: map[string]string{"victim/keep": "x"}}
			for _, command := range commands {
				c.Script.Turns = append(c.Script.Turns, a.call(command))
			}
			c.Script.Turns = append(c.Script.Turns, oracle.Say(last))
			maps.Copy(c.Files, guards)
			room := filepath.Join(t.TempDir(), "room")
			play := a.run(t, cache, bin, c, room)
			live := liveDeeds(t, bin, room)
			fired := firedDeeds(t, bin, room, a.host)
			t.Logf("live:     %v\nbacktest: %v", live, fired)
			if !maps.EqualFunc(live, fired, maps.Equal) {
				t.Errorf("backtest tells something else than what happened\nstdout: %s\nstderr: %s", play.Stdout, play.Stderr)
			}
			want := deeds{"no-rm": {"deny": 3}, "ask-commit": {"ask": 1}, "no-push": {"deny": 3}, "no-curl": {"deny": 3}, "no-sudo": {"deny": 4}}
			for hook, decided := range want {
				for what, n := range decided {
					if live[hook][what] != n {
						t.Errorf("%s said %s %d times while the session went on, and was to say it %d times", hook, what, live[hook][what], n)
					}
				}
			}
		})
	}
}

// liveDeeds are what hooks did according to the audit log.
func liveDeeds(t *testing.T, bin, room string) deeds {
	t.Helper()
	out, err := ours(bin, room, os.Getenv("PATH"), "log", "--json", "--event", "PreToolUse")
	if err != nil {
		t.Fatal(err)
	}
	d := deeds{}
	for line := range bytes.Lines(out) {
		var r struct {
			Hook, Status, Decision string
			Again                  bool
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if r.Hook == "" || r.Status != "ran" || r.Again {
			continue
		}
		d.add(r.Hook, "runs", 1)
		if r.Decision != "" && r.Decision != "none" {
			d.add(r.Hook, r.Decision, 1)
		}
	}
	return d
}

// firedDeeds are what backtest says that hooks would do.
func firedDeeds(t *testing.T, bin, room, agent string) deeds {
	t.Helper()
	out, err := ours(bin, room, os.Getenv("PATH"), "backtest", ".", "--agent", agent, "--event", "PreToolUse", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var rep struct {
		Groups []struct {
			Hook, Answer string
			Count        int
		}
		Hooks []struct {
			Hook string
			Runs int
		}
	}
	if err := json.Unmarshal(out, &rep); err != nil {
		t.Fatal(err)
	}
	d := deeds{}
	for _, h := range rep.Hooks {
		d.add(h.Hook, "runs", h.Runs)
	}
	for _, g := range rep.Groups {
		d.add(g.Hook, g.Answer, g.Count)
	}
	return d
}
