package process

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	killBound   = 2 * time.Second       // how long a kill goes on against new forks
	killQuiet   = 4                     // rounds without a find that end it
	killPause   = time.Millisecond      // between its rounds, doubled up to
	killPauseTo = 20 * time.Millisecond // this
	chasePause  = 50 * time.Microsecond // between looks at what is new, meanwhile
	chaseLooks  = 8                     // at least, on a machine that hardly lets us look
	chaseReach  = 512                   // of the newest ids, how many are looked at
	settlePause = 10 * time.Millisecond // between looks at an ending group
	beginLooks  = 500                   // at most, at a process that begins a program
	childLooks  = 20                    // at most, at our children
)

// tree is a process and all that came from it.
type tree struct {
	mark  mark
	pid   int
	pipes []*os.File // our ends of its output pipes
}

func newTree(m mark) (*tree, error) { return &tree{mark: m}, nil }

func (t *tree) adopt(cmd *os.Process, pipes ...*os.File) { t.pid, t.pipes = cmd.Pid, pipes }

func (t *tree) release() {}

// terminate asks the group to end. It and kill may be called only while the
// leader is unreaped.
func (t *tree) terminate() bool { return syscall.Kill(-t.pid, syscall.SIGTERM) == nil }

// settle waits, after the leader's end, until the rest of the tree has ended
// too or the time is up: a shell dies of SIGTERM at once while the program it
// ran still cleans up.
func (t *tree) settle(timeout <-chan time.Time) {
	tick := time.NewTicker(settlePause)
	defer tick.Stop()
	for len(t.look()) > 0 {
		select {
		case <-timeout:
			return
		case <-tick.C:
		}
	}
}

// kill ends the tree. It goes on until nothing has been left for several rounds,
// since a process may fork while one round looks elsewhere, and returns what is
// left after its bound.
func (t *tree) kill() []int {
	pause := killPause
	end := time.Now().Add(killBound)
	before := newest()
	for quiet, struck := 0, false; ; pause = min(2*pause, killPauseTo) {
		syscall.Kill(-t.pid, syscall.SIGKILL)
		found := t.strike()
		if quiet++; struck || len(found) > 0 {
			quiet, pause = 0, killPause
		}
		if quiet == killQuiet || time.Now().After(end) {
			return pids(found)
		}
		struck = t.chase(before, pause)
	}
}

// chase passes a pause between two rounds with a look, over and over, at what was
// started since the kill began, and kills what carries the run's mark. A round takes
// its time with all of /proc, in which a chain of processes that each start the next
// and end may slip through every one. It reports whether it found something.
func (t *tree) chase(before int, pause time.Duration) (struck bool) {
	end := time.Now().Add(pause)
	for looks := 0; looks < chaseLooks || time.Now().Before(end); looks++ {
		time.Sleep(chasePause)
		last := newest()
		for pid := last; pid > max(before, last-chaseReach); pid-- {
			if m, ok := stat(pid); ok && m.alive() && marked(pid, t.mine) {
				m.kill()
				struck = true
			}
		}
	}
	return struck
}

// newest returns the id that was given out last, 0 when it is not told. Threads have
// ids too. See loadavg in proc(5).
func newest() int {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b[bytes.LastIndexByte(bytes.TrimSpace(b), ' ')+1:])))
	return pid
}

// clear ends what the leader, which has ended and is reaped, left behind, and returns
// what that was. Most runs leave nothing: the whole of /proc is looked at only when the
// group is still there, a pipe is held, or a process came to us that carries the mark.
// Nothing is sent to the group, whose id is no longer held by its leader.
func (t *tree) clear(held bool) (left []int) {
	if !t.adopted() && !held && syscall.Kill(-t.pid, 0) != nil {
		return nil
	}
	untilQuiet(func() bool {
		found := pids(t.strike())
		left = append(left, found...)
		for _, pid := range left {
			reap(pid)
		}
		return len(found) > 0
	})
	slices.Sort(left)
	return slices.Compact(left)
}

// untilQuiet calls strike until it found nothing for several rounds, since a process may
// fork while one round looks elsewhere, or until its bound.
func untilQuiet(strike func() (found bool)) {
	end := time.Now().Add(killBound)
	for quiet := 0; quiet < killQuiet && time.Now().Before(end); time.Sleep(killPause) {
		if quiet++; strike() {
			quiet = 0
		}
	}
}

// adopted reports whether processes of the run have become children of ours, see [Adopt], and
// takes those that have ended off the list of processes.
func (t *tree) adopted() (found bool) {
	for _, pid := range children() {
		m, ok := stat(pid)
		if ok && pid != t.pid && (m.group == t.pid || marked(pid, t.mine)) {
			reap(pid)
			found = true
		}
	}
	return found
}

// members lists what is alive of the tree.
func (t *tree) members() []int { return pids(t.look()) }

func pids(ms []member) []int {
	var out []int
	for _, m := range ms {
		out = append(out, m.pid)
	}
	slices.Sort(out)
	return out
}

// member is one process as /proc shows it.
type member struct {
	pid, parent, group, session int
	state                       byte
	begins                      bool   // a program, whose environment is not there yet
	born                        string // start time, tells a reused id apart
}

func (m member) alive() bool { return m.state != 'Z' && m.state != 'X' }

// strike kills the process if it is alive.
func (m member) strike() {
	if m.alive() {
		m.kill()
	}
}

// kill kills exactly the process that was seen.
func (m member) kill() {
	fd, err := unix.PidfdOpen(m.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if now, ok := stat(m.pid); !ok || now.born != m.born {
		return
	}
	if err != nil || unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == unix.ENOSYS {
		syscall.Kill(m.pid, syscall.SIGKILL)
	}
}

// look finds the living processes of the tree.
func (t *tree) look() []member { return find(t.belonging(), func(member) {}) }

// strike kills the living processes of the tree as it finds them.
func (t *tree) strike() []member { return find(t.belonging(), member.strike) }

// belonging returns what tells the processes of the tree: those of the leader's group or
// session, those that carry the run's mark, those that hold an output pipe open
// for writing, and the descendants of all these. The leader itself counts while
// it runs.
func (t *tree) belonging() func(member) bool {
	inodes := t.inodes()
	self := os.Getpid()
	return func(m member) bool {
		// A child of ours that is not the leader and runs our program is another
		// run's: between fork and exec it has all our descriptors, so these prove
		// nothing.
		ours := m.parent == self && m.pid != t.pid && program(m.pid) == program(self)
		return m.group == t.pid || m.session == t.pid || marked(m.pid, t.mine) || !ours && holds(m.pid, inodes)
	}
}

// mine reports whether a mark is the run's.
func (t *tree) mine(m mark) bool { return m == t.mark }

// find returns the living processes for which belongs is true and the descendants of all
// these, but not this one. Each is handed to found at once: of a chain of processes that
// each start the next and end, all would be gone by the end of the search.
func find(belongs func(member) bool, found func(member)) []member {
	self := os.Getpid()
	in := make(map[int]bool)
	var all []member
	add := func(m member) {
		in[m.pid] = true
		found(m)
	}
	for _, pid := range processes() {
		m, ok := stat(pid)
		if !ok || pid == self {
			continue
		}
		all = append(all, m)
		if belongs(m) {
			add(m)
		}
	}
	for grew := true; grew; {
		grew = false
		for _, m := range all {
			if in[m.parent] && !in[m.pid] {
				add(m)
				grew = true
			}
		}
	}
	return slices.DeleteFunc(all, func(m member) bool { return !in[m.pid] || !m.alive() })
}

// inodes identifies the output pipes. A pipe that ended is held by nobody.
func (t *tree) inodes() []string {
	var out []string
	for _, f := range t.pipes {
		raw, err := f.SyscallConn()
		if err != nil {
			continue
		}
		raw.Control(func(fd uintptr) {
			var st unix.Stat_t
			if unix.Fstat(int(fd), &st) == nil {
				out = append(out, "pipe:["+strconv.FormatUint(st.Ino, 10)+"]")
			}
		})
	}
	return out
}

// processes lists /proc, by and large the youngest first: of these it is most
// likely that they are about to fork or to end.
func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	out := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			out = append(out, pid)
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

// stat reads /proc/pid/stat. The name in it may hold blanks and parentheses;
// what follows the last parenthesis is regular.
func stat(pid int) (member, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return member{}, false
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return member{}, false
	}
	m := member{pid: pid, state: fields[0][0], born: fields[19]}
	// It has memory, but no place in it for an environment.
	m.begins = len(fields) > 48 && fields[20] != "0" && fields[48] == "0"
	m.parent, _ = strconv.Atoi(fields[1])
	m.group, _ = strconv.Atoi(fields[2])
	m.session, _ = strconv.Atoi(fields[3])
	return m, true
}

// holds reports whether the process can write to one of the pipes.
func holds(pid int, inodes []string) bool {
	if len(inodes) == 0 {
		return false
	}
	proc := "/proc/" + strconv.Itoa(pid)
	dir, err := os.Open(proc + "/fd")
	if err != nil {
		return false
	}
	defer dir.Close()
	fds, _ := dir.Readdirnames(-1)
	return slices.ContainsFunc(fds, func(fd string) bool {
		target, err := os.Readlink(proc + "/fd/" + fd)
		return err == nil && slices.Contains(inodes, target) && writable(proc+"/fdinfo/"+fd)
	})
}

// writable reads the open flags of a descriptor, which are octal.
func writable(fdinfo string) bool {
	b, err := os.ReadFile(fdinfo)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseInt(strings.TrimSpace(v), 8, 64)
			return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY
		}
	}
	return false
}
