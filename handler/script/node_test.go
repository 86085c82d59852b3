package script

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// inNode returns options for modules in a Node of the test's own.
func inNode(t *testing.T, o Options) Options {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node on this machine")
	}
	n := NewNode(NodeOptions{OnPrint: func(s string) { t.Log(s) }})
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	o.Node = n
	o.Grants.Exec = true
	return o
}

const nodeHead = "// hookline: runtime=node\n"

func TestNodeRunsAModule(t *testing.T) {
	o := inNode(t, withUI(func(context.Context, string, string) (bool, error) { return true, nil }))
	m := loadSource(t, nodeHead+`import { existsSync } from "node:fs";
		import { setTimeout as sleep } from "node:timers/promises";
		import { Text } from "@mariozechner/pi-tui";
		const late = await Promise.resolve(7);
		console.log("does not disturb");
		export default (pi) => {
			pi.registerCommand("c", { handler: async (args, ctx) => { await ctx.waitForIdle(); pi.appendEntry("c", { args }) } });
			pi.on("tool_call", async (e, ctx) => {
				await sleep(2);
				process.stdout.write("nor does this\n");
				return { late, here: existsSync(e.path), ok: await ctx.ui.confirm("a", "b"), cwd: ctx.cwd, entries: ctx.sessionManager.getEntries().length, lines: new Text("x", 0, 0).render(4) };
			});
		}`, o)
	want := `{"late":7,"here":true,"ok":true,"cwd":"/work","entries":1,"lines":["x   "]}`
	if got := fire(t, m, "tool_call", `{"path":"/"}`); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := m.RunCommand(context.Background(), "c", "args"); err != nil {
		t.Fatal(err)
	}
	if got := o.Host.(*testHost).all(); got != "idle\nentry c {\"args\":\"args\"}" {
		t.Errorf("the host got %s", got)
	}
}

func TestNodeErrorsAreLocatedAndLostOnesReported(t *testing.T) {
	seen := newReports()
	o := inNode(t, Options{OnReport: seen.add})
	m := loadSource(t, nodeHead+"export default (pi) => {\n\tpi.on('a', () => {\n\t\tthrow new TypeError('here');\n\t});\n\tpi.on('b', () => { Promise.reject(new Error('lost')) });\n}", o)
	_, err := m.Dispatch(context.Background(), Call{Event: "a", Payload: []byte("{}")})
	if js, ok := errors.AsType[*Error](err); !ok || js.Name != "TypeError" || js.Position.Line != 4 {
		t.Errorf("got %v", err)
	}
	fire(t, m, "b", "{}")
	if r := seen.wait(t, ReportRejection); !strings.Contains(r.Err.Error(), "lost") {
		t.Errorf("reported %v", r.Err)
	}
	_, err = Load(context.Background(), write(t, "hook.ts", nodeHead+"throw new Error('at load');\nexport default () => {}"), o)
	if e, ok := errors.AsType[*LoadError](err); !ok || e.Problems[0].Line != 2 {
		t.Errorf("load error %v", err)
	}
}

func TestNodeIsKilledOnAHangAndStartedAgain(t *testing.T) {
	o := inNode(t, Options{Grants: Grants{CPUSlice: 300 * time.Millisecond}})
	bad := loadSource(t, nodeHead+hostile("while (true) {}"), o)
	good := loadSource(t, nodeHead+`export default (pi) => { pi.on("e", () => ({ ok: true })) }`, o)
	if got := fire(t, good, "e", "{}"); got != `{"ok":true}` {
		t.Errorf("before: %s", got)
	}
	_, err := bad.Dispatch(context.Background(), Call{Event: "tool_call", Payload: []byte(bashCall)})
	if e, ok := errors.AsType[*condemnedError](err); !ok || e.Reason != overBudget {
		t.Errorf("got %v", err)
	}
	stillAlive(t, bad)
	for limit := time.Now().Add(5 * time.Minute); ; {
		// The neighbour went down with the process, and is loaded again too.
		r, err := good.Dispatch(context.Background(), Call{Event: "e", Payload: []byte("{}")})
		if err == nil && string(r.Result) == `{"ok":true}` {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("after: %s, %v", r.Result, err)
		}
	}
}

func TestNodeThatHangsByItselfIsNoticed(t *testing.T) {
	m := loadSource(t, nodeHead+hostile("setTimeout(() => { while (true) {} }, 10); await new Promise(() => {})"), inNode(t, Options{Grants: Grants{CPUSlice: 300 * time.Millisecond}}))
	_, err := m.Dispatch(context.Background(), Call{Event: "tool_call", Payload: []byte(bashCall)})
	if e, ok := errors.AsType[*condemnedError](err); !ok || e.Reason != overBudget {
		t.Errorf("got %v", err)
	}
	stillAlive(t, m)
}

func TestNodeModulesTakeTurns(t *testing.T) {
	o := inNode(t, Options{})
	m := loadSource(t, nodeHead+`let n = 0; export default (pi) => { pi.on("e", async () => { await null; return { n: ++n } }) }`, o)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				if _, err := m.Dispatch(context.Background(), Call{Event: "e", Payload: []byte("{}")}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := fire(t, m, "e", "{}"); got != `{"n":101}` {
		t.Errorf("got %s", got)
	}
}

func TestNodeIsOptIn(t *testing.T) {
	path := write(t, "hook.ts", nodeHead+"export default () => {}")
	if _, err := Load(context.Background(), path, Options{Grants: GrantAll()}); err == nil || !strings.Contains(err.Error(), "not turned on") {
		t.Errorf("without Node: %v", err)
	}
	n := NewNode(NodeOptions{})
	if _, err := Load(context.Background(), path, Options{Node: n}); err == nil || !strings.Contains(err.Error(), "was not granted exec") {
		t.Errorf("without the grant: %v", err)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	n = NewNode(NodeOptions{Path: "no-such-node-here"})
	if _, err := Load(context.Background(), path, Options{Node: n, Grants: GrantAll()}); err == nil || !strings.Contains(err.Error(), "no-such-node-here") {
		t.Errorf("without a program: %v", err)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
}
