package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/hookline-dev/hookline/internal/fsx"
)

func need(t testing.TB) {
	t.Helper()
	if _, err := offered(); err != nil {
		t.Skip(err)
	}
}

// world is a home with a project in it, outside of what /tmp would grant.
type world struct{ home, project, state string }

func newWorld(t testing.TB) world {
	t.Helper()
	need(t)
	home := fsx.Resolve(t.TempDir())
	w := world{home, filepath.Join(home, "project"), filepath.Join(home, "state")}
	for _, d := range []string{w.project, w.state, filepath.Join(home, "cache", "own"), filepath.Join(home, "cache", "go")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(w.state, "key"), "secret")
	write(t, filepath.Join(w.state, "public"), "open")
	if err := os.Mkdir(filepath.Join(w.state, "sessions"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(w.state, "sessions", "one"), "talk")
	write(t, filepath.Join(home, ".bashrc"), "rc")
	return w
}

func (w world) policy() Policy {
	return Policy{
		Write:   []string{w.project, filepath.Join(w.home, "cache"), filepath.Join(w.home, "gone")},
		NoWrite: []string{filepath.Join(w.home, "cache", "own")}, NoRead: []string{w.state}, Read: []string{filepath.Join(w.state, "sessions")},
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

func mustWall(t testing.TB, p Policy) *Wall {
	t.Helper()
	w, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// run runs a shell text in the project, within the wall.
func (w world) run(wall *Wall, text string) (string, error) {
	cmd := exec.Command("/bin/sh", "-c", text)
	cmd.Dir = w.project
	cmd.Env = append(os.Environ(), "HOME="+w.home)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = &out, &out, &syscall.SysProcAttr{}
	cmd.Path, cmd.Args = wall.Command(cmd.Path, cmd.Args, cmd.SysProcAttr)
	release, err := wall.Start(cmd.Start)
	if err != nil {
		return "", err
	}
	defer release()
	err = cmd.Wait()
	return out.String(), err
}

func TestWallHoldsWhatIsWrittenAndRead(t *testing.T) {
	w := newWorld(t)
	wall := mustWall(t, w.policy())
	for _, ok := range []string{
		"echo x >new && mkdir d && mv new d/ && ln d/new e && rm e && ln -s d l && cat d/new",
		"echo x >../cache/go/f", "echo x >/dev/null", "cat ../state/sessions/one ../.bashrc", "ls ../state", "/bin/true",
		"echo x >/dev/stderr",
	} {
		if out, err := w.run(wall, ok); err != nil {
			t.Errorf("%s: %v: %s", ok, err, out)
		}
	}
	for _, no := range []string{
		"echo x >../new", "echo x >>../.bashrc", "rm ../.bashrc", "mv ../.bashrc here", "ln ../.bashrc here", "ln -s a ../l",
		"mkdir ../d", "rmdir ../cache/own", "echo x >../cache/own/f", "mv ../cache/own ../cache/other", "echo x >../cache/new",
		": >../state/key", "cat ../state/public", "echo x >../state/sessions/two", "truncate -s 0 ../.bashrc", "cat ../state/key", "cp ../state/key k", "ln ../state/key k",
		"cd ../state && cat key", "cat /proc/self/cwd/../state/key", "ln -s ../state/key kk && cat kk", "mkfifo ../p",
		"cat /proc/$PPID/root" + w.state + "/key", "unshare -Ur cat ../state/key", "mount -t tmpfs none ..", "mknod memory c 1 1", "mknod disk b 1 0",
	} {
		if out, err := w.run(wall, no); err == nil {
			t.Errorf("%s succeeded: %s", no, out)
		}
	}
	if got := read(t, filepath.Join(w.home, ".bashrc")); got != "rc" {
		t.Errorf(".bashrc is %q", got)
	}
	if got := read(t, filepath.Join(w.state, "key")); got != "secret" {
		t.Errorf("the key is %q", got)
	}
	for _, gone := range []string{"new", "l", "d", "p", "cache/other", "cache/new", "cache/own/f"} {
		if _, err := os.Lstat(filepath.Join(w.home, gone)); err == nil {
			t.Errorf("%s was made", gone)
		}
	}
}

// TestNewNeighboursCanBeRead makes a file beside a directory on the way to what cannot
// be read, and one that cannot be read is made after the wall.
func TestNewNeighboursCanBeRead(t *testing.T) {
	w := newWorld(t)
	p := w.policy()
	p.NoRead = append(p.NoRead, filepath.Join(w.state, "later"))
	wall := mustWall(t, p)
	write(t, filepath.Join(w.home, "fresh"), "fresh")
	write(t, filepath.Join(w.state, "later"), "later")
	if out, err := w.run(wall, "cat ../fresh"); err != nil || out != "fresh" {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := w.run(wall, "cat ../state/later"); err == nil {
		t.Errorf("read %q", out)
	}
}

// TestOlderKernels takes the rules of each version that this kernel can stand in for.
func TestOlderKernels(t *testing.T) {
	w := newWorld(t)
	write(t, filepath.Join(w.home, "loose"), "x")
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip(err)
	}
	newest, _ := offered()
	for abi := 1; abi <= newest; abi++ {
		wall, err := newWall(w.policy(), abi)
		if err != nil {
			t.Fatalf("version %d: %v", abi, err)
		}
		if out, err := w.run(wall, "echo x >f && rm f && cat ../state/sessions/one"); err != nil {
			t.Errorf("version %d: %v %s", abi, err, out)
		}
		for _, no := range []string{"echo x >>../.bashrc", "rm ../.bashrc", "cat ../state/key"} {
			if out, err := w.run(wall, no); err == nil {
				t.Errorf("version %d: %s succeeded: %s", abi, no, out)
			}
		}
		out, err := w.run(wall, "mkdir -p a b && echo x >a/f && ln a/f b/f; rm -r a b; perl -e 'truncate(\"../loose\", 0) or die'")
		if (err == nil) != (abi < 3) { // truncate decides
			t.Errorf("version %d: truncating: %v %s", abi, err, out)
		}
		if moved := !strings.Contains(out, "b/f"); moved != (abi >= 2) {
			t.Errorf("version %d: linking: %s", abi, out)
		}
		if _, err := newWall(Policy{NoTCP: true}, abi); (err == nil) != (abi >= 4) {
			t.Errorf("version %d: TCP: %v", abi, err)
		}
		wall.Close()
		if lost := landlock(abi).Lost; len(lost) < len(landlock(abi+1).Lost) || len(lost) < 3 {
			t.Errorf("version %d loses %q", abi, lost)
		}
	}
}

// TestWhatIsNotHeldIsSaid does what the list says that a process within the wall can do, and
// looks for the list in the documentation.
func TestWhatIsNotHeldIsSaid(t *testing.T) {
	w := newWorld(t)
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip(err)
	}
	must := func(c io.Closer, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
	}
	abstract := fmt.Sprint("hookline-test-", os.Getpid())
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(udp, err)
	socket, err := net.Listen("unix", filepath.Join(w.home, "s"))
	must(socket, err)
	hidden, err := net.Listen("unix", "@"+abstract)
	must(hidden, err)
	terminal, screen, err := pty.Open()
	must(terminal, err)
	must(screen, err)
	queue, err := exec.Command("perl", "-e", "print msgget(0, 0600)").Output()
	if err != nil {
		t.Fatal(err)
	}
	perl := func(format string, args ...any) string {
		return "perl -MSocket -e '" + fmt.Sprintf(format, args...) + "'"
	}
	connect := "socket(S, PF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un(%s)) or die $!"
	shown := map[string][]string{
		"Unix sockets outside": {perl(connect, `"../s"`)},
		"owners, modes":        {fmt.Sprintf("chmod 600 ../.bashrc && touch -d @1 ../.bashrc && chown %d ../.bashrc", os.Geteuid())},
		"abstract Unix": {
			perl(connect, fmt.Sprintf(`"\0%s"`, abstract)),
			perl("socket(S, PF_INET, SOCK_DGRAM, 0); connect(S, pack_sockaddr_in(%d, INADDR_LOOPBACK)) and send(S, q(x), 0) or die $!", udp.LocalAddr().(*net.UDPAddr).Port),
		},
		"processes outside": {fmt.Sprint("kill -CONT ", os.Getpid())},
		"terminals":         {"echo x >" + screen.Name() + " && stty -F " + screen.Name() + " rows 7"},
		"memory, queues":    {perl("msgctl(%s, 0, 0) or die $!", queue)},
	}
	docs := read(t, "../docs/sandbox.md")
	abi, _ := offered()
	wall := mustWall(t, w.policy())
	for _, l := range losses {
		before := "never"
		if l.before > 0 {
			before = fmt.Sprint(l.before)
		}
		if !strings.Contains(docs, "\n| "+before+" | "+l.what) {
			t.Errorf("the documentation has no %q before version %s", l.what, before)
		}
		if l.before > 0 && (l.before <= abi || l.before < 9) {
			continue // see TestOlderKernels
		}
		tried := 0
		for what, texts := range shown {
			if !strings.HasPrefix(l.what, what) {
				continue
			}
			for _, text := range texts {
				tried++
				if out, err := w.run(wall, text); err != nil {
					t.Errorf("%s is held: %v: %s", text, err, out)
				}
			}
		}
		if tried == 0 {
			t.Errorf("nothing shows that %s", l.what)
		}
	}
}

func TestNoTCP(t *testing.T) {
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	connect := fmt.Sprintf("%s -c '</dev/tcp/127.0.0.1/%d'", bash, l.Addr().(*net.TCPAddr).Port)
	if out, err := w.run(mustWall(t, w.policy()), connect); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := w.policy()
	p.NoTCP = true
	if _, err := w.run(mustWall(t, p), connect); err == nil {
		t.Error("it connected")
	}
}

// TestTheRestStaysFree starts many processes within walls at once, while all others
// write outside; then every goroutine still does.
func TestTheRestStaysFree(t *testing.T) {
	w := newWorld(t)
	n := 10_000
	if testing.Short() {
		n = 500
	}
	outside := func(i int) {
		if err := os.WriteFile(filepath.Join(w.state, fmt.Sprint("f", i%64)), nil, 0o644); err != nil {
			t.Errorf("writing outside: %v", err)
		}
	}
	wall, slots := mustWall(t, w.policy()), make(chan struct{}, 64)
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			cmd := exec.Command("/bin/true")
			release, err := wall.Start(cmd.Start)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			outside(i)
		})
	}
	all.Wait()
	// Threads that wait hold all that there are, so that new ones are started too.
	hold := make(chan struct{})
	var held sync.WaitGroup
	held.Add(200)
	for i := range 200 {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			outside(i)
			if no, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); no != 0 || err != nil {
				t.Errorf("a thread of ours has no_new_privs: %d, %v", no, err)
			}
			held.Done()
			<-hold
		})
	}
	held.Wait()
	close(hold)
	all.Wait()
}

// TestChildOutlivesItsStart has the wall closed, and made anew, while a child lives that
// dies with its thread.
func TestChildOutlivesItsStart(t *testing.T) {
	w := newWorld(t)
	wall, err := New(w.policy())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", "read x; echo done")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, _ := cmd.StdinPipe()
	var out bytes.Buffer
	cmd.Stdout = &out
	release, err := wall.Start(cmd.Start)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(w.home, "makes the rules stale"), "")
	if out, err := w.run(wall, "true"); err != nil {
		t.Fatal(out, err)
	}
	wall.Close()
	runtime.GC()
	time.Sleep(2 * time.Second) // not a limit: a child that was killed stays dead
	in.Close()
	cmd.Wait()
	release()
	if out.String() != "done\n" {
		t.Errorf("the child was killed: %v, %q", cmd.ProcessState, out.String())
	}
	if _, err := wall.Start(cmd.Start); err == nil {
		t.Error("a closed wall starts processes")
	}
}

// BenchmarkStart compares starts in turn: the median of those within the wall with that of
// plain ones, and, as what no wall can do without, with those by a thread that does nothing
// else, restricted and not.
func BenchmarkStart(b *testing.B) {
	w := newWorld(b)
	wall := mustWall(b, w.policy())
	start := func() {
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Error(err)
		}
	}
	within := func(wall *Wall) func() {
		return func() {
			cmd := exec.Command("/bin/true")
			cmd.SysProcAttr = &syscall.SysProcAttr{}
			cmd.Path, cmd.Args = wall.Command(cmd.Path, cmd.Args, cmd.SysProcAttr)
			release, err := wall.Start(cmd.Start)
			if err != nil {
				b.Fatal(err)
			}
			defer release()
			if err := cmd.Wait(); err != nil {
				b.Error(err)
			}
		}
	}
	alone := func(held bool) func() {
		jobs, done := make(chan bool), make(chan error)
		go func() {
			runtime.LockOSThread()
			fd, err := wall.ruleset(&room{})
			if held && err == nil {
				err = restrict(fd)
			}
			done <- errors.Join(err, unix.Close(fd))
			for range jobs {
				start()
				done <- nil
			}
		}()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { close(jobs) })
		return func() { jobs <- true; <-done }
	}
	ways := []struct {
		name string
		f    func()
	}{{"plain", start}, {"within", within(wall)}, {"namespaces", within(w.held(b))}, {"restricted-alone", alone(true)}, {"free-alone", alone(false)}}
	times := make([][]time.Duration, len(ways))
	for b.Loop() {
		for i, way := range ways {
			began := time.Now()
			way.f()
			times[i] = append(times[i], time.Since(began))
		}
	}
	for i, way := range ways {
		slices.Sort(times[i])
		median := times[i][len(times[i])/2]
		b.ReportMetric(float64(median)/float64(times[0][len(times[0])/2]), way.name+"/plain")
		b.ReportMetric(float64(times[i][0])/float64(times[0][0]), way.name+"/plain-min")
	}
}

// BenchmarkWallMadeAnew is what a wall costs that is made and closed.
func BenchmarkWallMadeAnew(b *testing.B) {
	w := newWorld(b)
	for b.Loop() {
		mustWall(b, w.policy()).Close()
	}
}

// TestProgramsWithASandboxOfTheirOwn makes namespaces, as browsers do, and looks what they
// are good for.
func TestProgramsWithASandboxOfTheirOwn(t *testing.T) {
	if out, err := exec.Command("unshare", "-Ur", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespaces here: %v: %s", err, out)
	}
	w := newWorld(t)
	for uid, can := range map[int]bool{0: false, 1000: true} {
		p := w.policy()
		p.Write = append(p.Write, devicesOf(uid)...)
		wall := mustWall(t, p)
		if out, err := w.run(wall, "unshare -Ur true"); (err == nil) != can && os.Geteuid() == 0 {
			t.Errorf("namespaces for user %d: %v: %s", uid, err, out)
		}
		for _, text := range []string{
			"unshare -Urm mount -t tmpfs x ..", "unshare -Urm mount --bind . ..", "unshare -Ur sh -c 'echo x >../.bashrc'",
			"unshare -Ur sh -c 'cd /proc/$PPID/root && echo x >." + w.home + "/.bashrc'",
			fmt.Sprintf("dd if=/dev/zero of=/proc/%d/mem bs=1 count=1", os.Getpid()), "sh -c 'echo x >/proc/self/cwd/../.bashrc'",
		} {
			if out, err := w.run(wall, text); err == nil {
				t.Errorf("user %d: %q worked: %s", uid, text, out)
			}
		}
	}
	if got := read(t, filepath.Join(w.home, ".bashrc")); got != "rc" {
		t.Errorf("outside there is %q", got)
	}
}

// TestManyWallsKeepFewThreads has more walls start something than keep threads, which a
// process has only so many of.
func TestManyWallsKeepFewThreads(t *testing.T) {
	w := newWorld(t)
	for i := range maxRooms + 40 {
		wall := mustWall(t, w.policy())
		for range 2 { // with a thread of its own, and with a new one
			if out, err := w.run(wall, "echo x >new && ! echo x >../new"); err != nil {
				t.Fatalf("wall %d: %v: %s", i, err, out)
			}
		}
	}
	if n := rooms.Load(); n > maxRooms {
		t.Errorf("%d threads wait", n)
	}
}
