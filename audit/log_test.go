package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/hook"
)

func TestOneRecordForEachRun(t *testing.T) {
	l, path := newLog(t, func(o *Options) {
		o.Digest = func(i *hook.Info) string { return "sha256:of " + i.Name }
	})
	out := fire(t, engine(t, l), "s1", "rm -rf /")
	if !out.Blocked() {
		t.Fatal("not blocked")
	}
	got := map[string]Record{}
	for _, r := range collect(t, path, Filter{}) {
		got[r.Hook] = r
		if r.Session != "s1" || r.Event != "PreToolUse" || r.Tool != "Bash" || r.ToolUseID != "tu1" || r.Kind != KindHook || r.PID != os.Getpid() ||
			r.Time.IsZero() || r.MonoNS <= 0 || r.Outcome != "deny" || r.DecidedBy != "denies" || r.Source != "/p/settings.json:3" || r.Dialect != "claude" ||
			r.Digest != "sha256:of "+r.Hook || r.Input == nil || r.Input.Bytes == 0 || len(r.Input.SHA256) != 64 || r.Input.Text != "" {
			t.Errorf("%+v", r)
		}
	}
	if len(got) != 5 {
		t.Fatalf("%d records", len(got))
	}
	r := got["denies"]
	if r.Decision != "deny" || r.Reason != "no rm" || *r.ExitCode != 2 || r.Stderr != "no rm" || r.StdoutBytes != 7 || r.Phases.RunMS != 2 || r.Status != "ran" {
		t.Errorf("%+v", r)
	}
	if r := got["fails"]; r.Status != "failed" || r.Error != "broken" || r.ErrorKind != "error" || !r.FailedOpen || r.FailedClosed {
		t.Errorf("%+v", r)
	}
	if r := got["fails closed"]; !r.FailedClosed || r.FailedOpen || r.ErrorKind != "answer" {
		t.Errorf("%+v", r)
	}
	if r := got["slow"]; r.Status != "timed_out" || !r.FailedOpen {
		t.Errorf("%+v", r)
	}
	if r := got["not approved"]; r.Status != "skipped" || r.Why != "untrusted" {
		t.Errorf("%+v", r)
	}
	intact(t, path)
	if runtime.GOOS != "windows" {
		for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v", name, info.Mode())
			}
		}
	}
}

// TestSecretsAreNotStored plants secrets in every field that hooks and models fill.
func TestSecretsAreNotStored(t *testing.T) {
	canary, token := "c4n4ry-of-the-environment", "gh"+"p_"+strings.Repeat("aB3d", 9)
	for _, level := range []Level{Records, Full} {
		l, path := newLog(t, func(o *Options) { o.Level, o.Environ = level, []string{"DEPLOY_TOKEN=" + canary} })
		evil := canary + " " + token + " password=hunter22 https://u:hunter22@h/"
		reg := hook.NewRegistry()
		code := 0
		for _, err := range []error{nil, errors.New(evil)} {
			if _, err := reg.Add(hook.Registration{
				Event: hook.EventPostToolUse, Name: "h " + evil, Source: evil,
				Handler: hook.HandlerFunc(func(_ context.Context, c *hook.Call) (hook.Result, error) {
					c.Report = &hook.Report{ExitCode: &code, Stderr: evil, Stdout: evil, Notes: []string{evil}}
					return hook.Deny(evil), err
				}),
			}); err != nil {
				t.Fatal(err)
			}
		}
		e := hook.New(reg, hook.WithRecorder(l))
		defer e.Close()
		if _, err := e.Fire(t.Context(), &hook.PostToolUse{
			Common: hook.Common{SessionID: evil}, ToolName: evil, ToolInput: hook.MustJSON(map[string]string{"x": evil}), ToolResponse: hook.MustJSON(evil), ToolUseID: evil,
		}); err != nil {
			t.Fatal(err)
		}
		if err := l.Note(Record{Hook: evil, Reason: evil, Notes: []string{evil}, Why: evil, Error: evil}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []string{canary, token, "hunter22"} {
			if bytes.Contains(data, []byte(c)) {
				t.Errorf("level %d: %q is in the log", level, c)
			}
		}
		if has := strings.Contains(string(data), `"text":`); has != (level == Full) {
			t.Errorf("level %d: text %t", level, has)
		}
		intact(t, path)
	}
}

// TestLogInjection has hooks whose texts imitate records and steer terminals.
func TestLogInjection(t *testing.T) {
	l, path := newLog(t, func(o *Options) { o.Level = Full })
	evil := "x\"}\n{\"seq\":1,\"kind\":\"hook\",\"hook\":\"forged\"}\r\x1b[2J\u009b2J\u202e\u200b\u2028\x00\xff" + `\u001b`
	if err := l.Note(Record{Hook: evil, Reason: evil}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte("\n")); n != 1 {
		t.Errorf("%d lines", n)
	}
	for _, c := range string(data) {
		if c != '\n' && (c < ' ' || hidden(c)) {
			t.Errorf("%U is in the log", c)
		}
	}
	r := collect(t, path, Filter{})
	if want := strings.ReplaceAll(evil, "\xff", "\uFFFD"); len(r) != 1 || r[0].Hook != want {
		t.Errorf("read %q", r[0].Hook)
	}
	intact(t, path)
}

func TestLongTextIsCut(t *testing.T) {
	l, path := newLog(t, func(o *Options) { o.Level = Full })
	long := strings.Repeat("é", 1<<20)
	e := engine(t, l)
	fire(t, e, long, long)
	for _, r := range collect(t, path, Filter{}) {
		if len(r.Session) > maxName+4 || !r.Input.Cut || len(r.Input.Text) > maxText || r.Input.Bytes < 1<<21 {
			t.Errorf("session %d, input %d", len(r.Session), len(r.Input.Text))
		}
	}
}

func TestRotation(t *testing.T) {
	l, path := newLog(t, func(o *Options) { o.MaxBytes, o.Keep = 4096, 3 })
	for i := range 100 {
		if err := l.Note(Record{Reason: fmt.Sprintf("%04d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	names, _ := filepath.Glob(path + "*")
	if len(names) != 7 { // the log, three files put aside, head, key and lock
		t.Errorf("files: %v", names)
	}
	for _, n := range names {
		if info, err := os.Stat(n); err != nil || info.Size() > 4096 {
			t.Errorf("%s has %d bytes", n, info.Size())
		}
	}
	r := collect(t, path, Filter{})
	if r[len(r)-1].Reason != "0099" || r[0].Seq == 1 {
		t.Errorf("first %d, last %s", r[0].Seq, r[len(r)-1].Reason)
	}
	for i := 1; i < len(r); i++ {
		if r[i].Seq != r[i-1].Seq+1 {
			t.Fatalf("%d after %d", r[i].Seq, r[i-1].Seq)
		}
	}
	report := intact(t, path)
	if report.Records != len(r) || report.First != r[0].Seq || report.Last != 100 || len(report.Files) != 4 {
		t.Errorf("%+v", report)
	}
}

// TestRotationThatWasInterrupted leaves the files as a process does that ends
// between the renames.
func TestRotationThatWasInterrupted(t *testing.T) {
	l, path := newLog(t, func(o *Options) { o.MaxBytes, o.Keep = 2048, 20 })
	write := func(n int) {
		for range n {
			must(t, l.Note(Record{Reason: "some text"}))
		}
	}
	write(30)
	must(t, os.Rename(path, path+".0"))
	if r := collect(t, path, Filter{}); len(r) != 30 {
		t.Errorf("%d records", len(r))
	}
	write(1)
	if r := intact(t, path); r.Records != 31 {
		t.Errorf("%+v", r)
	}
	write(30)
	if r := intact(t, path); r.Records != 61 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Lstat(path + ".0"); err == nil {
		t.Error("the file is still on its way")
	}
}

func TestChainGoesOnAfterARestart(t *testing.T) {
	_, path := newLog(t)
	for i := range 5 {
		l := New(Options{Path: path, Environ: []string{}})
		if err := l.Note(Record{Reason: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := l.Note(Record{}); err == nil || l.Dropped() != 1 {
			t.Error("a closed log writes")
		}
	}
	if r := intact(t, path); r.Records != 5 || r.Last != 5 {
		t.Errorf("%+v", r)
	}
}

func TestWritersInOneProcess(t *testing.T) {
	l, path := newLog(t)
	other := New(Options{Path: path, Environ: []string{}})
	defer other.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			log := l
			if i%2 == 1 {
				log = other
			}
			for range 25 {
				if err := log.Note(Record{Hook: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if r := intact(t, path); r.Records != 200 {
		t.Errorf("%+v", r)
	}
}

// TestWritersInManyProcesses has processes write to one log that is rotated
// meanwhile.
func TestWritersInManyProcesses(t *testing.T) {
	_, path := newLog(t)
	const processes, each = 10, 60
	var cmds []*exec.Cmd
	for i := range processes {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|writer-%d|%d", childVar, path, i, each))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, c := range cmds {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	report := intact(t, path)
	if report.Records != processes*each || len(report.Files) < 2 {
		t.Errorf("%d records in %d files", report.Records, len(report.Files))
	}
	count := map[string]int{}
	for _, r := range collect(t, path, Filter{Hook: "writer-*"}) {
		if r.Reason != fmt.Sprint(count[r.Hook]) {
			t.Fatalf("%s: %s after %d", r.Hook, r.Reason, count[r.Hook])
		}
		count[r.Hook]++
	}
}

// TestKilledWriters kills processes in the midst of writing.
func TestKilledWriters(t *testing.T) {
	_, path := newLog(t)
	for i := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|w%d|0", childVar, path, i))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(30+i*5) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	l := New(Options{Path: path, Environ: []string{}})
	defer l.Close()
	if err := l.Note(Record{Reason: "after"}); err != nil {
		t.Fatal(err)
	}
	if r := intact(t, path); r.Records == 0 {
		t.Error("nothing was written")
	}
}

// TestTornLine leaves half a line, as a process does that is killed in the midst of it.
func TestTornLine(t *testing.T) {
	l, path := newLog(t)
	if err := l.Note(Record{Reason: "one"}); err != nil {
		t.Fatal(err)
	}
	announce(t, path, 1)
	add(t, path, `{"seq":2,"time":"2026`)
	report, err := Verify(Options{Path: path})
	if err != nil || !report.Intact() || len(report.Notes) == 0 {
		t.Errorf("%v %+v", err, report)
	}
	for _, reason := range []string{"two", "three"} {
		if err := l.Note(Record{Reason: reason}); err != nil {
			t.Fatal(err)
		}
	}
	report = intact(t, path)
	if report.Records != 4 || len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "ended while it wrote") {
		t.Errorf("%+v", report)
	}
	// The same torn line without the record that explains it is a fault.
	data, _ := os.ReadFile(path)
	lines := strings.SplitAfter(string(data), "\n")
	if err := os.WriteFile(path, []byte(lines[0]+lines[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	if report, _ := Verify(Options{Path: path}); report.Intact() {
		t.Error("a foreign line is taken for a torn one")
	}
}
