package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAnInstallationThatIsKilledIsWhole ends install and remove with SIGKILL before they change
// the agent's file, and before they change the record of what it was. What the agent reads then
// is as before or as it was to be; the next install or remove does the rest.
func TestAnInstallationThatIsKilledIsWhole(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not here")
	}
	for _, tt := range []struct{ host, path, text string }{
		{"claude", ".claude/settings.json", "{\n  // mine\n  \"model\": \"x\",\n}\n"},
		{"copilot", ".copilot/hooks/hookline.json", ""},
		{"opencode", ".config/opencode/plugin/hookline.js", ""},
	} {
		t.Run(tt.host, func(t *testing.T) {
			r := &killRoom{t: t, home: filepath.Join(t.TempDir(), "home"), text: tt.text}
			r.path = filepath.Join(r.home, tt.path)
			r.fresh()
			was := r.file()
			r.run("bridge", "install", tt.host)
			installed := r.file()
			records, err := filepath.Glob(filepath.Join(r.home, ".local/state/hookline/bridge/installed/*.json"))
			if err != nil || len(records) != 1 || bytes.Equal(installed, was) {
				t.Fatalf("the records are %v, %v, and the agent reads %q", records, err, installed)
			}
			for _, at := range []struct {
				verb, before string
				reads, next  []byte // by the agent, then and after the same again
			}{
				{"install", records[0], was, installed},
				{"install", r.path, was, installed},
				{"remove", r.path, installed, was},
				{"remove", records[0], was, was},
			} {
				r.fresh()
				if at.verb == "remove" {
					r.run("bridge", "install", tt.host)
				}
				const names = "inject=rename,renameat,renameat2,unlink,unlinkat:signal=KILL"
				err := r.command(strace, "-f", "-qq", "-o", os.DevNull, "-P", at.before, "-e", names, "hookline", "bridge", at.verb, tt.host).Run()
				if exit, ok := err.(*exec.ExitError); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
					t.Fatalf("%s was not killed before it changed %s: %v", at.verb, at.before, err)
				}
				if now := r.file(); !bytes.Equal(now, at.reads) {
					t.Errorf("%s, killed before it changed %s: the agent reads %q", at.verb, at.before, now)
				}
				r.run("bridge", at.verb, tt.host)
				if now := r.file(); !bytes.Equal(now, at.next) {
					t.Errorf("%s, killed before it changed %s and run again: the agent reads %q", at.verb, at.before, now)
				}
				r.run("bridge", "install", tt.host)
				r.run("bridge", "remove", "--all")
				if now := r.file(); !bytes.Equal(now, was) {
					t.Errorf("%s, killed before it changed %s: left is %q", at.verb, at.before, now)
				}
			}
		})
	}
}

// killRoom is a home directory in which one file of an agent's lies, with a text, "" for no file.
type killRoom struct {
	t                *testing.T
	home, path, text string
}

// fresh makes the home directory anew.
func (r *killRoom) fresh() {
	err := os.RemoveAll(r.home)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(r.path), 0o755)
	}
	if err == nil && r.text != "" {
		err = os.WriteFile(r.path, []byte(r.text), 0o644)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// file is what the agent reads, nil for no file.
func (r *killRoom) file() []byte {
	data, err := os.ReadFile(r.path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return data
}

func (r *killRoom) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = r.home, []string{"HOME=" + r.home, "PATH=" + os.Getenv("PATH")}
	return cmd
}

func (r *killRoom) run(args ...string) {
	r.t.Helper()
	if out, err := r.command("hookline", args...).CombinedOutput(); err != nil {
		r.t.Fatalf("hookline %v: %v\n%s", args, err, out)
	}
}
