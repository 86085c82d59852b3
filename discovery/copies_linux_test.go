package discovery_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hookline-dev/hookline/discovery"
)

// fill makes the disk of a directory full, or puts a file in its place where no disk can be
// mounted.
func (p *place) fill(dir string) {
	p.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.Fatal(err)
	}
	if syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=0700") == nil {
		p.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
		f, err := os.Create(filepath.Join(dir, "full"))
		if err != nil {
			p.Fatal(err)
		}
		defer f.Close()
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		return
	}
	p.write(dir, "trusted", "no directory")
}

// TestFullDisk has no room for private copies: what the project brings and would start from
// where it lies does not start, and as a guard has failed; commands are looked at before and
// after, and what is the person's own runs.
func TestFullDisk(t *testing.T) {
	const guard = "#!/bin/sh\ncat >/dev/null\necho by command >&2\nexit 2\n"
	executable, worker := twoVerbs("before_tool_call", `{"blocked":true,"reason":"by executable"}`), "#!/bin/sh\n"+denyWorker("by worker")
	for name, c := range map[string]struct {
		write func(p *place)
		want  string
	}{
		"executable": {func(p *place) { p.write(p.dirs.Project, ".hookline/hooks/guard", executable) }, "no private copy of it can be kept"},
		"worker":     {func(p *place) { p.write(p.dirs.Project, ".hookline/workers/guard", worker) }, "no private copy of it can be kept"},
		"command": {func(p *place) {
			p.write(p.dirs.Project, "guard.sh", guard)
			p.projectGuard("PreToolUse", "Bash", "continue")
		}, "by command"},
		"executable of the person": {func(p *place) { p.write(p.dirs.Home, ".hookline/hooks/guard", executable) }, "by executable"},
		"worker of the person":     {func(p *place) { p.write(p.dirs.Home, ".hookline/workers/guard", worker) }, "by worker"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			c.write(p)
			p.approve()
			if err := os.RemoveAll(p.dirs.Cache); err != nil {
				t.Fatal(err)
			}
			p.fill(p.dirs.Cache)
			e, set := p.register(p.loader(func(o *discovery.Options) { o.Gate = nil }))
			if out, ran := p.call(e); ran || !strings.Contains(out.Reason, c.want) {
				t.Errorf("ran %v, %q: %+v", ran, out.Reason, set.Hooks)
			}
		})
	}
}

// TestDeadWorkerHasFailed ends a worker that guards, in ways after which it cannot be started
// again: calls are denied from then on.
func TestDeadWorkerHasFailed(t *testing.T) {
	for name, worker := range map[string]string{
		"of a directory":       ".hookline/workers/guard",
		"of the settings file": "w.sh",
	} {
		for spoiled, spoil := range map[string]func(p *place, interpreter string){
			"its interpreter is gone": func(*place, string) {},
			"its interpreter breaks": func(p *place, interpreter string) {
				p.write(filepath.Dir(interpreter), filepath.Base(interpreter), "#!/bin/false\n")
			},
		} {
			t.Run(name+", "+spoiled, func(t *testing.T) {
				p := newPlace(t)
				interpreter := filepath.Join(p.dirs.Home, "interpreter")
				if err := os.Symlink("/bin/sh", interpreter); err != nil {
					t.Fatal(err)
				}
				p.write(p.dirs.Project, worker, "#!"+interpreter+"\n"+strings.Replace(pidWorker, `"PreToolUse"`, `"PreToolUse","guard":true`, 1))
				if worker == "w.sh" {
					p.write(p.dirs.Project, ".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"name":"guard","type":"worker","command":"\"$CLAUDE_PROJECT_DIR\"/w.sh","guard":true}]}]}}`)
				}
				p.approve()
				e, set := p.register(p.loader(func(o *discovery.Options) { o.Gate = nil }))
				out := p.fire(e, bash("ls"))
				if len(out.Context) != 1 {
					t.Fatalf("it does not run: %+v, %+v", out.Runs, set.Hooks)
				}
				_, pid, _ := strings.Cut(out.Context[0], " ")
				if err := os.Remove(interpreter); err != nil {
					t.Fatal(err)
				}
				spoil(p, interpreter)
				if err := exec.Command("kill", "-9", pid).Run(); err != nil {
					t.Fatal(err)
				}
				for range 4 {
					if out, ran := p.call(e); ran {
						t.Fatalf("the call ran: %+v", out.Runs)
					}
				}
			})
		}
	}
}
