package plugin_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
	"github.com/hookline-dev/hookline/plugin"
)

// version writes a plugin whose every file says which version it is of.
func version(t testing.TB, dir, v string) {
	t.Helper()
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n# "+v+"\n")
	writeFile(t, filepath.Join(dir, "hooks", "lib", "helper.py"), "# "+v+"\n")
	writeFile(t, filepath.Join(dir, "recipes", "review.md"), "# "+v+"\n")
	if v == "v2" {
		writeFile(t, filepath.Join(dir, "skills", "new", "SKILL.md"), "# "+v+"\n")
	}
}

// state gives "none", or the version of a plugin that is whole and recorded.
// Anything else fails the test.
func state(t *testing.T, s *plugin.Store) string {
	t.Helper()
	list, diags, err := s.List(t.Context())
	if err != nil || len(diags) > 0 {
		t.Errorf("List: %v, %v", diags, err)
		return "broken"
	}
	if len(list) == 0 {
		return "none"
	}
	wantClean(t, s)
	seen := ""
	for _, f := range files(t, list[0].Path) {
		v := "v1"
		if strings.Contains(readFile(t, filepath.Join(list[0].Path, filepath.FromSlash(f))), "# v2") {
			v = "v2"
		}
		if seen != "" && v != seen {
			t.Errorf("mixed: %s is %s, others are %s", f, v, seen)
		}
		seen = v
	}
	return seen
}

// litter lists what an operation left behind in the store.
func litter(t *testing.T, s *plugin.Store) []string {
	t.Helper()
	var list []string
	for _, f := range files(t, s.ProjectDir) {
		if strings.Contains(f, "/.staging-") || strings.Contains(f, "/.lock") || strings.Contains(f, ".tmp") {
			list = append(list, f)
		}
	}
	return list
}

// TestDyingAtEveryStep kills a process before each of its operations on files.
// Whatever the step, the next look sees the old state or the new one, and the
// next operation works and tidies up.
func TestDyingAtEveryStep(t *testing.T) {
	root := t.TempDir()
	v1, v2 := filepath.Join(root, "v1", "acme@tools"), filepath.Join(root, "v2", "acme@tools")
	version(t, v1, "v1")
	version(t, v2, "v2")
	tests := []struct {
		name, op, old, new string
		env                string
	}{
		{"first install", "install", "none", "v2", ""},
		{"replace", "install", "v1", "v2", ""},
		{"replace without exchange", "install", "v1", "v2", "PLUGIN_TEST_NO_EXCHANGE=1"},
		{"remove", "remove", "v1", "none", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			seen := map[string]int{}
			for k := 0; ; k++ {
				s := newStore(t)
				if tt.old == "v1" {
					install(t, s, v1, plugin.InstallOptions{})
				}
				cmd := command(t, s, tt.op, v2, fmt.Sprintf("PLUGIN_TEST_DIE_AT=%d", k), tt.env)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				err := cmd.Run()
				died := cmd.ProcessState.ExitCode() == crashed
				if err != nil && !died {
					t.Fatalf("step %d: %v: %s", k, err, stderr.String())
				}
				got := state(t, s)
				seen[got]++
				if got != tt.old && got != tt.new {
					t.Fatalf("step %d: %s", k, got)
				}
				if k%5 == 0 || !died {
					install(t, s, v2, plugin.InstallOptions{Force: true})
					if got := state(t, s); got != "v2" {
						t.Errorf("step %d: afterwards %s", k, got)
					}
					if left := litter(t, s); len(left) > 0 {
						t.Errorf("step %d: left behind: %q", k, left)
					}
				}
				if !died {
					if got != tt.new {
						t.Errorf("finished with %s", got)
					}
					break
				}
			}
			if seen[tt.old] == 0 || seen[tt.new] < 2 {
				t.Errorf("the steps do not span the change: %v", seen)
			}
		})
	}
}

// TestKilledAtAnyTime kills processes that install from git at random times.
func TestKilledAtAnyTime(t *testing.T) {
	gittest.Isolate(t)
	root := t.TempDir()
	repos := make([]*gittest.Repo, 2)
	for i, v := range []string{"v1", "v2"} {
		repos[i] = gittest.New(t, filepath.Join(root, v, "acme", "tools"))
		version(t, repos[i].Dir, v)
		repos[i].Commit()
	}
	s := newStore(t)
	start := time.Now()
	if err := operate(s, "install", repos[0].URL()); err != nil {
		t.Fatal(err)
	}
	usual := time.Since(start)
	killed := 0
	for i := range 20 {
		cmd := command(t, s, "install", repos[i%2].URL())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(usual + usual/2))))
		_ = cmd.Process.Kill()
		if err := cmd.Wait(); err != nil {
			killed++
		}
		if got := state(t, s); got != "v1" && got != "v2" {
			t.Fatalf("round %d: %s", i, got)
		}
	}
	t.Logf("%d of 20 were killed before they were done", killed)
	if err := operate(s, "install", repos[1].URL()); err != nil {
		t.Fatal(err)
	}
	if got := state(t, s); got != "v2" {
		t.Errorf("at last %s", got)
	}
	if left := litter(t, s); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestManyAtOnce has processes install, replace and remove the same plugins.
func TestManyAtOnce(t *testing.T) {
	root := t.TempDir()
	v1, v2 := filepath.Join(root, "v1", "acme@tools"), filepath.Join(root, "v2", "acme@tools")
	version(t, v1, "v1")
	version(t, v2, "v2")
	s := newStore(t)
	var running []*exec.Cmd
	for i := range 8 {
		spec := []string{v1, v2}[i%2]
		if i == 7 {
			spec = filepath.Join(root, "other")
			writeFile(t, filepath.Join(spec, "hooks", "run"), "#!/bin/sh\n# v1\n")
		}
		cmd := command(t, s, "install", spec)
		cmd.Stderr = new(bytes.Buffer)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, cmd.Stderr)
		}
	}
	list, diags, err := s.List(t.Context())
	if err != nil || len(list) != 2 || len(diags) != 0 {
		t.Errorf("%+v, %v, %v", list, diags, err)
	}
	wantClean(t, s)
	if left := litter(t, s); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestSecondWaitsAndSaysForWhom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tools")
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n")
	s := newStore(t)
	release, err := plugin.Acquire(t.Context(), filepath.Join(s.ProjectDir, ".hookline", "plugins"), "plugin add other/one", nil)
	if err != nil {
		t.Fatal(err)
	}
	var waited []string
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	progress := func(p plugin.Progress) {
		if p.Stage == plugin.StageWait {
			waited = append(waited, p.Detail)
			cancel() // it need not wait longer
		}
	}
	_, err = s.Install(ctx, []plugin.Source{source(t, dir)}, plugin.InstallOptions{Progress: progress})
	busy, ok := errors.AsType[*plugin.BusyError](err)
	if !ok || !strings.Contains(busy.Holder, "plugin add other/one") || !strings.Contains(busy.Holder, fmt.Sprint(os.Getpid())) {
		t.Errorf("got %v", err)
	}
	if len(waited) != 1 || !strings.Contains(waited[0], "other/one") {
		t.Errorf("told %q", waited)
	}
	done := make(chan error, 1)
	go func() { done <- operate(s, "install", dir) }()
	time.Sleep(100 * time.Millisecond)
	select {
	case err := <-done:
		t.Errorf("did not wait: %v", err)
	default:
	}
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if left := litter(t, s); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestLockSurvivesItsOwnRemoval has many holders, each of which removes the
// files of the lock: at no time may there be two.
func TestLockSurvivesItsOwnRemoval(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugins")
	inside := make(chan struct{}, 1)
	errs := make(chan error, 8)
	for range 8 {
		go func() {
			for range 10 {
				release, err := plugin.Acquire(t.Context(), dir, "test", nil)
				if err != nil {
					errs <- err
					return
				}
				select {
				case inside <- struct{}{}:
				default:
					errs <- errors.New("two holders at once")
					return
				}
				time.Sleep(time.Millisecond)
				<-inside
				release()
			}
			errs <- nil
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestLeftoversOfAStrangerDoNoHarm(t *testing.T) {
	s := newStore(t)
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "precious"), "x")
	staging := filepath.Join(s.ProjectDir, ".hookline", "plugins", ".staging-evil")
	writeFile(t, filepath.Join(staging, "old", "x"), "x")
	writeFile(t, filepath.Join(staging, "journal.json"), `{"version":1,"op":"install","name":"../../../x","entry":{"name":"../../../x"}}`)
	if err := os.Symlink(outside, filepath.Join(s.ProjectDir, ".hookline", "plugins", ".staging-link")); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	if _, _, err := s.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, outside, "precious")
	wantFiles(t, s.ProjectDir)
}

// TestReadersSeeOneWholePlugin lists and reads a plugin while it is replaced.
func TestReadersSeeOneWholePlugin(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("directories cannot be exchanged in one step on this system")
	}
	root := t.TempDir()
	v1, v2 := filepath.Join(root, "v1", "acme@tools"), filepath.Join(root, "v2", "acme@tools")
	version(t, v1, "v1")
	version(t, v2, "v2")
	s := newStore(t)
	install(t, s, v1, plugin.InstallOptions{})
	done := make(chan error, 1)
	go func() {
		for i := range 20 {
			if err := operate(s, "install", []string{v2, v1}[i%2]); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for reads := 0; ; reads++ {
		list, _, err := s.List(t.Context())
		if err != nil || len(list) != 1 || len(list[0].Hooks) != 1 {
			t.Errorf("read %d: %+v, %v", reads, list, err)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			t.Logf("%d reads", reads)
			return
		default:
		}
	}
}

// TestCancelledAtEveryStep ends the context at each step, as Ctrl-C does.
func TestCancelledAtEveryStep(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "acme", "tools"))
	version(t, repo.Dir, "v2")
	repo.Commit()
	old := filepath.Join(t.TempDir(), "acme@tools")
	version(t, old, "v1")
	stopped := errors.New("stopped by the user")
	for k := 0; ; k += 3 {
		s := newStore(t)
		install(t, s, old, plugin.InstallOptions{})
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		s.SetStep(func(string) {
			if n == k {
				cancel(stopped)
			}
			n++
		})
		_, err := s.Install(ctx, []plugin.Source{source(t, repo.URL())}, plugin.InstallOptions{Force: true})
		cancelled := n > k
		cancel(nil)
		s.SetStep(nil)
		if err != nil && !errors.Is(err, stopped) {
			t.Fatalf("step %d: %v", k, err)
		}
		if got := state(t, s); (err != nil && got != "v1") || (err == nil && got != "v2") {
			t.Fatalf("step %d: %v and %s", k, err, got)
		}
		if left := litter(t, s); len(left) > 0 {
			t.Errorf("step %d: left behind: %q", k, left)
		}
		if !cancelled {
			break
		}
	}
}

// TestDirectoryThatOthersRemove: a directory that vanishes while it is made, as the
// last holder removes it, is made anew.
func TestDirectoryThatOthersRemove(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a directory that is in use is not removed here")
	}
	above := filepath.Join(t.TempDir(), "above")
	dir := filepath.Join(above, "plugins")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.Remove(dir)
				_ = os.Remove(above)
			}
		}
	})
	for range 300 {
		release, err := plugin.Acquire(t.Context(), dir, "test", nil)
		if err != nil {
			t.Error(err)
			break
		}
		release()
	}
	close(stop)
	wg.Wait()

	nowhere := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(t.TempDir(), "gone", "further"), nowhere); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	if _, err := plugin.Acquire(t.Context(), filepath.Join(nowhere, "plugins"), "test", nil); err == nil {
		t.Error("a directory behind a link to nothing was made")
	}
}
