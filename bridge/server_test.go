//go:build unix

package bridge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/internal/hookclient"
)

// serve starts a server of a room, whose clients find it by the environment, and returns
// what ends it.
func (r *room) serve(t testing.TB, rooms *bridge.Rooms) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	r.Open = rooms.Open
	s := &bridge.Server{Bridge: r.Bridge, Remember: time.Hour}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, os.Getenv) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, rooms.Close()); err != nil {
			t.Error(err)
		}
	})
	for {
		if conn, err := net.Dial("unix", hookclient.Socket(place(t))); err == nil {
			conn.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("it did not start: %v", err)
		default:
		}
	}
}

// place is where the server of the environment is.
func place(t testing.TB) string {
	t.Helper()
	dir, err := hookclient.Place(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// roomsOf keep the hooks that a registry has, and count how often they are loaded.
func roomsOf(r *room, loads *atomic.Int32, add func(*hook.Registry)) *bridge.Rooms {
	env := func(name string) string { return map[string]string{"HOME": r.home}[name] }
	return &bridge.Rooms{
		Project: func(*bridge.Call) string { return r.dir },
		Load: func(ctx context.Context, c *bridge.Call) (*host.Host, error) {
			loads.Add(1)
			reg := hook.NewRegistry()
			add(reg)
			return host.Open(ctx, host.Options{Dir: c.Dir, Getenv: env, Registry: reg, Environ: []string{"HOME=" + r.home}})
		},
	}
}

// client is what a host starts.
func client(payload string) (code int, out string) {
	var stdout, stderr bytes.Buffer
	code = hookclient.Main([]string{"claude", "PreToolUse"}, strings.NewReader(payload), &stdout, &stderr)
	return code, stdout.String() + stderr.String()
}

func TestServerKeepsHooksAndAnswersACallOnce(t *testing.T) {
	var loads, runs atomic.Int32
	count := func(reg *hook.Registry) {
		guard(reg)
		hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) {
			runs.Add(1)
			return hook.None(), nil
		})
	}
	r := newRoom(t, count)
	r.serve(t, roomsOf(r, &loads, count))
	const clients = 16
	var all sync.WaitGroup
	for i := range clients {
		payload := strings.ReplaceAll(r.bash("rm -rf build"), "toolu_1", fmt.Sprint("toolu_", i))
		for range 2 { // by two of the host's files
			all.Go(func() {
				if code, out := client(payload); code != 0 || !strings.Contains(out, denied) {
					t.Errorf("exit code %d: %s", code, out)
				}
			})
		}
	}
	all.Wait()
	if loads.Load() != 1 {
		t.Errorf("hooks of a session were loaded %d times", loads.Load())
	}
	if n := runs.Load(); n != clients {
		t.Errorf("%d calls ran hooks %d times", clients, n)
	}
}

// TestAllHostsAtOnceLoseNothing has every host ask one server about more sessions than it
// keeps, each event twice: all are answered, and hooks run once for each.
func TestAllHostsAtOnceLoseNothing(t *testing.T) {
	var loads, runs atomic.Int32
	count := func(reg *hook.Registry) {
		guard(reg)
		hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) {
			runs.Add(1)
			return hook.None(), nil
		})
	}
	r := newRoom(t, count)
	rooms := roomsOf(r, &loads, count)
	r.serve(t, rooms)
	const sessions = 10
	hosts := dialect.Hosts(r.Dialects)
	var all sync.WaitGroup
	for _, h := range hosts {
		_, d := dialect.HostByName(r.Dialects, h.Name)
		all.Go(func() {
			for i := range sessions {
				e, payload := removal(t, d, h, r.dir, fmt.Sprint("s", i))
				for range 2 {
					var stdout, stderr bytes.Buffer
					code := hookclient.Main([]string{h.Name, e.Name}, bytes.NewReader(payload), &stdout, &stderr)
					if a := (handler.Answer{ExitCode: code, Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}); !refuses(t, d, e, a) {
						t.Errorf("%s was told %+v", h.Name, a)
					}
				}
			}
		})
	}
	all.Wait()
	if want := int32(len(hosts) * sessions); runs.Load() != want || loads.Load() != want {
		t.Errorf("%d calls ran hooks %d times, in %d sessions", want, runs.Load(), loads.Load())
	}
}

// TestServerAnswersSoManyAtOnce has hooks that wait in as many calls as it takes: it hears
// nobody else until one of them is done, and then it does.
func TestServerAnswersSoManyAtOnce(t *testing.T) {
	const most = 64
	var loads atomic.Int32
	entered, goOn := make(chan struct{}, most+1), make(chan struct{})
	waits := func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) {
			entered <- struct{}{}
			<-goOn
			return hook.Deny("in turn"), nil
		})
	}
	r := newRoom(t, waits)
	r.serve(t, roomsOf(r, &loads, waits))
	ask := func(id int) {
		payload := strings.ReplaceAll(r.bash("ls"), "toolu_1", fmt.Sprint("toolu_", id))
		if code, out := client(payload); code != 0 || !strings.Contains(out, "in turn") {
			t.Errorf("exit code %d: %s", code, out)
		}
	}
	var all sync.WaitGroup
	for i := range most {
		all.Go(func() { ask(i) })
	}
	for range most {
		<-entered
	}
	all.Go(func() { ask(most) })
	select {
	case <-entered:
		t.Error("another one was heard")
	case <-time.After(hookclient.Beat):
	}
	close(goOn)
	all.Wait()
}

// TestAModuleKeepsItsStateForTheSession counts the events of one, in a module of pi.
func TestAModuleKeepsItsStateForTheSession(t *testing.T) {
	const events = 1000
	none := func(*hook.Registry) {}
	var loads atomic.Int32
	r := newRoom(t, none)
	write(t, filepath.Join(r.home, ".pi", "agent", "extensions", "count.ts"), `let n = 0
export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: "call " + ++n + "." })) }`)
	r.serve(t, roomsOf(r, &loads, none))
	for i := range events {
		payload := strings.ReplaceAll(r.bash("ls"), "toolu_1", fmt.Sprint("toolu_", i))
		if code, out := client(payload); code != 0 || !strings.Contains(out, fmt.Sprintf("call %d.", i+1)) {
			t.Fatalf("event %d: exit code %d: %s", i, code, out)
		}
	}
	other := strings.ReplaceAll(r.bash("ls"), `"s1"`, `"s2"`)
	if _, out := client(other); !strings.Contains(out, "call 1.") || loads.Load() != 2 {
		t.Errorf("another session was told %s; hooks were loaded %d times", out, loads.Load())
	}
}

func TestTheSecondOfTwoEqualCallsWaitsForTheFirst(t *testing.T) {
	var loads, runs atomic.Int32
	entered, goOn := make(chan struct{}, 2), make(chan struct{})
	slow := func(reg *hook.Registry) {
		hook.On(reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) {
			runs.Add(1)
			entered <- struct{}{}
			<-goOn
			return hook.Deny("once"), nil
		})
	}
	r := newRoom(t, slow)
	r.serve(t, roomsOf(r, &loads, slow))
	answers := make(chan string, 2)
	ask := func() {
		_, out := client(r.bash("ls"))
		answers <- out
	}
	go ask()
	<-entered
	go ask()
	close(goOn)
	for range 2 {
		if out := <-answers; !strings.Contains(out, "once") {
			t.Errorf("told %s", out)
		}
	}
	if runs.Load() != 1 {
		t.Errorf("hooks ran %d times", runs.Load())
	}
}

func TestThereIsOneServerOfAPerson(t *testing.T) {
	var loads atomic.Int32
	r := newRoom(t, guard)
	r.serve(t, roomsOf(r, &loads, guard))
	if err := (&bridge.Server{Bridge: r.Bridge}).Serve(t.Context(), os.Getenv); !errors.Is(err, bridge.ErrServed) {
		t.Errorf("a second one: %v", err)
	}
	if info, err := os.Stat(place(t)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its directory is %v, %v", info.Mode(), err)
	}
}

// TestServerAnswersNobodyWithoutItsKey: what it would run for one within a sandbox, runs outside.
func TestServerAnswersNobodyWithoutItsKey(t *testing.T) {
	var loads atomic.Int32
	r := newRoom(t, guard)
	r.serve(t, roomsOf(r, &loads, guard))
	if err := os.WriteFile(hookclient.Key(place(t)), []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := client(r.bash("ls")); code != 2 || !strings.Contains(out, "could not ask the hooks") || loads.Load() != 0 {
		t.Errorf("exit code %d: %s; hooks were loaded %d times", code, out, loads.Load())
	}
}

func TestServerInADirectoryOfOthersIsRefused(t *testing.T) {
	base := t.TempDir()
	if err := os.MkdirAll(filepath.Join(base, "hookline", "serve"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := (&bridge.Server{Bridge: &bridge.Bridge{}}).Serve(t.Context(), func(string) string { return base })
	if err == nil || !strings.Contains(err.Error(), "this person alone") {
		t.Errorf("it served: %v", err)
	}
}

// TestClientAsksWithoutAServerThatFails stands in the server's place and fails in each way,
// and in the place of the engine beside the client is nothing.
func TestClientAsksWithoutAServerThatFails(t *testing.T) {
	for name, with := range map[string]func(net.Conn){
		"killed at once":        func(net.Conn) {},
		"killed in the middle":  func(c net.Conn) { _, _ = c.Write([]byte("a")) },
		"killed in its answer":  func(c net.Conn) { _, _ = c.Write([]byte("A\x00\x05{}")) },
		"of another version":    func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 200 OK\r\n\r\n")) },
		"that is being renewed": func(c net.Conn) { _ = (&hookclient.Answer{Again: true}).Write(c) },
		"with a length that it has not": func(c net.Conn) {
			_, _ = c.Write([]byte("A\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			if err := os.MkdirAll(place(t), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(hookclient.Key(place(t)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			l, err := net.Listen("unix", hookclient.Socket(place(t)))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				if conn, err := l.Accept(); err == nil {
					with(conn)
					conn.Close()
				}
			}()
			if code, out := client("{}"); code != 2 || !strings.Contains(out, "could not ask the hooks") {
				t.Errorf("exit code %d: %s", code, out)
			}
		})
	}
}
