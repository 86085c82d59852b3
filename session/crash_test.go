package session_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/session"
)

// The test binary runs itself as a process that writes to a session, or that
// holds one, until it is killed.
const (
	helperEnv = "SESSION_TEST_HELPER"
	dirEnv    = "SESSION_TEST_DIR"
)

func TestMain(m *testing.M) {
	switch os.Getenv(helperEnv) {
	case "":
		os.Exit(m.Run())
	case "write":
		writer(os.Getenv(dirEnv))
	case "hold":
		holder(os.Getenv(dirEnv))
	}
}

// writer appends numbered messages for ever. Every few it delivers pending
// context, syncs, and says on stdout what is safe.
func writer(path string) {
	s, err := session.Open(path, session.Options{})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	start := s.Len()
	for n := start; ; n++ {
		e := user(strconv.Itoa(n) + strings.Repeat("x", rand.IntN(3000)))
		if p := s.Pending(); len(p) > 0 && n%3 == 0 {
			e.Consumed = []string{p[0].ID}
		}
		if _, err := s.Append(e); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		if n%5 == 0 {
			if _, err := s.AddPending("context "+strconv.Itoa(n), "test"); err != nil {
				fmt.Println("error", err)
				os.Exit(1)
			}
		}
		if n%4 == 0 {
			if err := s.Sync(); err != nil {
				fmt.Println("error", err)
				os.Exit(1)
			}
			fmt.Println("safe", s.Len(), s.Leaf())
		}
	}
}

func holder(path string) {
	if _, err := session.Open(path, session.Options{}); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the other end goes
}

func helper(t testing.TB, mode, path string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), helperEnv+"="+mode, dirEnv+"="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestKilledWriterLosesNothing(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	s := create(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(20 * time.Second)
	torn := 0
	for round := range rounds {
		if time.Now().After(deadline) {
			t.Logf("stopped after %d rounds: the machine is slow", round)
			break
		}
		cmd := helper(t, "write", s.Path())
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		if !lines.Scan() {
			t.Fatalf("round %d: the writer said nothing: %v", round, lines.Err())
		}
		last := lines.Text()
		// Some time later, anywhere in its work.
		kill := time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		for lines.Scan() {
			last = lines.Text()
		}
		kill.Stop()
		_ = cmd.Wait()

		var count int
		var leaf string
		if _, err := fmt.Sscanf(last, "safe %d %s", &count, &leaf); err != nil {
			t.Fatalf("round %d: %q", round, last)
		}
		r, err := session.Open(s.Path(), session.Options{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		torn += len(r.Warnings())
		if r.Len() < count {
			t.Fatalf("round %d: %d entries, %d were safe", round, r.Len(), count)
		}
		if _, err := r.Entry(leaf); err != nil {
			t.Fatalf("round %d: the leaf that was safe: %v", round, err)
		}
		if round%20 == 0 || round == rounds-1 {
			checkWhole(t, r)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		truncateIfLong(t, s.Path(), round)
	}
	t.Logf("%d lines were cut off", torn)
}

// checkWhole reads everything in a session: every entry decodes, and pending
// context was delivered at most once.
func checkWhole(t *testing.T, s *session.Session) {
	t.Helper()
	delivered := map[string]bool{}
	added := map[string]bool{}
	for e, err := range s.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == session.PendingContext {
			added[e.ID] = true
		}
		for _, id := range e.Consumed {
			if delivered[id] || !added[id] {
				t.Fatalf("context %s: delivered before %v, added %v", id, delivered[id], added[id])
			}
			delivered[id] = true
		}
	}
	for _, p := range s.Pending() {
		if delivered[p.ID] {
			t.Fatalf("context %s is pending and delivered", p.ID)
		}
	}
	if len(s.Pending())+len(delivered) != len(added) {
		t.Fatalf("%d added, %d delivered, %d pending", len(added), len(delivered), len(s.Pending()))
	}
}

// truncateIfLong starts over with an empty session when the file has grown, so
// that the rounds stay short.
func truncateIfLong(t *testing.T, path string, round int) {
	t.Helper()
	if round%40 != 39 {
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(b), "\n")
	if err := os.WriteFile(path, []byte(head+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A write that is cut off at any byte costs at most its own line.
func TestCutOffAnywhere(t *testing.T) {
	s := create(t)
	ids := add(t, s, user("1"), user("2"))
	before, err := os.Stat(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	add(t, s, user("three \u20ac"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cut.session.jsonl")
	for n := int(before.Size()); n <= len(whole); n++ {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := session.Open(path, session.Options{})
		if err != nil {
			t.Fatalf("cut at %d of %d: %v", n, len(whole), err)
		}
		wholeLine := n >= len(whole)-1
		if want := map[bool]int{true: 3, false: 2}[wholeLine]; r.Len() != want {
			t.Fatalf("cut at %d of %d: %d entries, want %d", n, len(whole), r.Len(), want)
		}
		if !wholeLine && r.Leaf() != ids[1] {
			t.Fatalf("cut at %d: leaf %s", n, r.Leaf())
		}
		add(t, r, user("4"))
		if r = reopen(t, r); len(r.Warnings()) != 0 {
			t.Fatalf("cut at %d: %v after an append", n, r.Warnings())
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSecondProcessIsToldWhoHoldsIt(t *testing.T) {
	s := create(t)
	add(t, s, user("1"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := helper(t, "hold", s.Path())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "held\n" {
		t.Fatalf("%q, %v", line, err)
	}
	_, err = session.Open(s.Path(), session.Options{})
	l, ok := errors.AsType[*session.LockedError](err)
	if !ok {
		t.Fatalf("a second writer: %v", err)
	}
	host, _ := os.Hostname()
	if l.PID != cmd.Process.Pid || l.Host != host || time.Since(l.Since) > time.Minute || !strings.Contains(err.Error(), strconv.Itoa(l.PID)) {
		t.Errorf("holder %+v, want process %d on %s", l, cmd.Process.Pid, host)
	}
	r, err := session.Open(s.Path(), session.Options{ReadOnly: true})
	if err != nil || r.Len() != 1 {
		t.Fatalf("reading meanwhile: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	// Killed, it holds nothing any more, whatever note it left.
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	_ = in.Close()
	again, err := session.Open(s.Path(), session.Options{})
	if err != nil {
		t.Fatalf("after the holder was killed: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestSecondOpenInOneProcess(t *testing.T) {
	s := create(t)
	_, err := session.Open(s.Path(), session.Options{})
	if l, ok := errors.AsType[*session.LockedError](err); !ok || l.PID != os.Getpid() {
		t.Errorf("got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if matches, _ := filepath.Glob(s.Path() + ".owner"); len(matches) != 0 {
		t.Errorf("left behind: %v", matches)
	}
}
