package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// devices are written by programs of all kinds and keep nothing.
var devices = devicesOf(os.Geteuid())

// devicesOf has /proc for all but root: programs with a sandbox of their own, as browsers
// have, set up their namespaces there. Landlock keeps them from the memory of processes
// outside; what root can write there sets the kernel.
func devicesOf(uid int) []string {
	all := []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}
	if uid != 0 {
		all = append(all, "/proc")
	}
	return all
}

// rights are what Landlock can hold of files, by the version that brought it. Reading is
// held apart, and running and device controls are left free. Devices are made nowhere: root
// would reach the disk and the memory of the machine by one.
const (
	makeDevices = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	writeV1     = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	ofFiles = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
)

// writes returns the rights to write that a version of Landlock knows.
func writes(abi int) uint64 {
	access := uint64(writeV1)
	if abi >= 2 {
		access |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		access |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 9 {
		access |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	return access
}

// offered asks the kernel for its version of Landlock.
var offered = sync.OnceValues(func() (int, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("%w: Landlock: %w", ErrNone, errno)
	}
	return int(abi), nil
})

// Offered says what the system offers.
func Offered() Support {
	abi, err := offered()
	if err != nil {
		return Support{Lost: []string{err.Error()}}
	}
	return landlock(abi)
}

// Wall starts processes within a policy. It may be used concurrently. Close it.
type Wall struct {
	policy Policy
	abi    int
	spec   string // the policy for who enters namespaces, "" where nobody does

	mu     sync.Mutex
	room   *room
	closed bool
}

// New makes a wall of a policy. Where the system has none, the error wraps [ErrNone].
func New(p Policy) (*Wall, error) {
	abi, err := offered()
	if err != nil {
		return nil, err
	}
	if len(p.Hold) > 0 {
		if err := Namespaces(); err != nil {
			return nil, err
		}
	}
	return newWall(p, abi)
}

// newWall makes a wall as a kernel with a version of Landlock has it.
func newWall(p Policy, abi int) (*Wall, error) {
	if p.NoTCP && abi < 4 {
		return nil, fmt.Errorf("%w: Landlock holds TCP from version 4 on, and this is version %d", ErrNone, abi)
	}
	w := &Wall{policy: p.resolved(), abi: abi}
	if len(p.Hold) > 0 {
		spec, err := json.Marshal(w.policy)
		w.spec = string(spec)
		return w, err
	}
	return w, nil
}

// maxRooms is how many threads walls keep that start nothing at the moment.
const maxRooms = 64

// rooms counts the threads of all walls.
var rooms atomic.Int64

// Start runs f, which starts what [Wall.Command] returned, on a thread within the wall, and
// what f starts is within it too. Release
// is to be called when that has ended: the kernel kills the children of a thread that
// ends, and the thread ends with the wall. An error of f is returned, and needs no
// release; f must not do anything else than to start a process.
func (w *Wall) Start(f func() error) (release func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, errors.New("the sandbox is closed")
	}
	if w.spec != "" {
		return func() {}, f()
	}
	if w.room == nil || w.room.stale() {
		fresh, err := w.open()
		if err != nil {
			return nil, err
		}
		w.leave()
		w.room = fresh
	}
	r := w.room
	r.enter()
	if err := r.do(f); err != nil {
		r.leave()
		return nil, err
	}
	return sync.OnceFunc(func() { w.left(r) }), nil
}

// left says that a process which was started in a room has ended. Where there are many
// walls, one that has no other process lets go of its room.
func (w *Wall) left(r *room) {
	last := r.leave() == 1
	if !last || rooms.Load() <= maxRooms {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.room == r && r.idle() {
		w.leave()
	}
}

// leave lets go of the wall's own room.
func (w *Wall) leave() {
	if w.room != nil {
		w.room.leave()
		w.room = nil
	}
}

// Command returns how a command is started, and sets in sys what that needs: as it is, or
// by this program, which enters namespaces first.
func (w *Wall) Command(path string, argv []string, sys *syscall.SysProcAttr) (string, []string) {
	if w.spec == "" {
		return path, argv
	}
	return w.entering(path, argv, sys)
}

// Close lets go of the wall. Processes that run within it go on, and their thread with
// them.
func (w *Wall) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		w.leave()
	}
}

// open makes the rules and a thread that they hold for.
func (w *Wall) open() (*room, error) {
	r := &room{jobs: make(chan job), users: 1}
	fd, err := w.ruleset(r)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	ready := make(chan error)
	go r.live(fd, ready)
	if err := <-ready; err != nil {
		return nil, fmt.Errorf("entering the sandbox: %w", err)
	}
	rooms.Add(1)
	return r, nil
}

// ruleset tells the kernel the policy. Into the room it puts what makes that stale.
func (w *Wall) ruleset(r *room) (fd int, err error) {
	write := writes(w.abi)
	attr := unix.LandlockRulesetAttr{Handled_access_fs: write | makeDevices}
	if len(w.policy.NoRead) > 0 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_READ_FILE
	}
	if w.policy.NoTCP {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	// Older kernels know fewer attributes.
	size := unsafe.Offsetof(attr.Scoped)
	if w.abi < 4 {
		size = unsafe.Offsetof(attr.Handled_access_net)
	}
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return -1, fmt.Errorf("making the rules of the sandbox: %w", errno)
	}
	fd = int(n)
	defer func() {
		if err != nil {
			unix.Close(fd)
		}
	}()
	for _, path := range w.policy.Own {
		if err := grant(fd, path, attr.Handled_access_fs&^makeDevices); err != nil {
			return -1, fmt.Errorf("granting %s: %w", path, err)
		}
	}
	var passed []string
	for _, root := range w.policy.Write {
		if err := grantAll(fd, root, w.policy.NoWrite, write, &passed); err != nil {
			return -1, err
		}
	}
	if len(w.policy.NoRead) == 0 {
		return fd, r.note(passed)
	}
	if err := grantAll(fd, "/", w.policy.NoRead, unix.LANDLOCK_ACCESS_FS_READ_FILE, &passed); err != nil {
		return -1, err
	}
	for _, path := range w.policy.Read {
		if err := grant(fd, path, unix.LANDLOCK_ACCESS_FS_READ_FILE); err != nil {
			return -1, fmt.Errorf("granting %s: %w", path, err)
		}
	}
	return fd, r.note(passed)
}

func grantAll(fd int, root string, denied []string, access uint64, passed *[]string) error {
	paths, err := split(root, denied, passed)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := grant(fd, path, access); err != nil {
			return fmt.Errorf("granting %s: %w", path, err)
		}
	}
	return nil
}

// place opens what a path stands for, and says of what kind it is. What is gone meanwhile, is
// a link by now, or cannot be reached by this person is passed over: the descriptor is -1.
func place(path string) (fd int, kind uint32, err error) {
	fd, err = unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_NO_SYMLINKS})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR), errors.Is(err, fs.ErrPermission), errors.Is(err, unix.ELOOP):
		return -1, 0, nil
	case err != nil:
		return -1, 0, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT == unix.S_IFLNK {
		unix.Close(fd)
		return -1, 0, err
	}
	return fd, st.Mode & unix.S_IFMT, nil
}

// grant adds one path to the rules.
func grant(ruleset int, path string, access uint64) error {
	fd, kind, err := place(path)
	if fd < 0 {
		return err
	}
	defer unix.Close(fd)
	if kind != unix.S_IFDIR {
		access &= ofFiles
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// room is a thread within the rules, for as long as somebody uses it: the wall, and each
// process that was started there.
type room struct {
	jobs   chan job
	passed []mark

	mu    sync.Mutex
	users int
}

type job struct {
	f    func() error
	done chan<- error
}

// mark is how a directory was whose entries were granted one by one.
type mark struct {
	dir  string
	time unix.Timespec
}

func (r *room) note(dirs []string) error {
	for _, dir := range dirs {
		var st unix.Stat_t
		if err := unix.Stat(dir, &st); err != nil {
			return &os.PathError{Op: "stat", Path: dir, Err: err}
		}
		r.passed = append(r.passed, mark{dir, st.Mtim})
	}
	return nil
}

// stale reports whether an entry was made or removed where entries are granted one by
// one.
func (r *room) stale() bool {
	for _, m := range r.passed {
		var st unix.Stat_t
		if unix.Stat(m.dir, &st) != nil || st.Mtim != m.time {
			return true
		}
	}
	return false
}

func (r *room) enter() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users++
}

// leave returns how many use the room still, the wall among them.
func (r *room) leave() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.users--; r.users == 0 {
		rooms.Add(-1)
		close(r.jobs)
	}
	return r.users
}

// idle reports whether nobody but the wall uses the room.
func (r *room) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.users == 1
}

func (r *room) do(f func() error) error {
	done := make(chan error)
	r.jobs <- job{f, done}
	return <-done
}

// live is the goroutine of the room's thread. The thread can't be freed again, so the
// goroutine ends without unlocking it, which ends the thread. The main thread would not
// end; while this goroutine holds it, another one cannot get it.
func (r *room) live(ruleset int, ready chan<- error) {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		moved := make(chan error)
		go r.live(ruleset, moved)
		ready <- <-moved
		runtime.UnlockOSThread()
		return
	}
	if err := restrict(ruleset); err != nil {
		ready <- err
		return
	}
	ready <- nil
	for j := range r.jobs {
		j.done <- j.f()
	}
}

// restrict takes rights from the calling thread, for good.
func restrict(ruleset int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("no_new_privs", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}
