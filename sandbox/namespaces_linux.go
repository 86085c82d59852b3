package sandbox

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// entrance is the name by which a program that has this package is started to enter the
// namespaces of a wall. Landlock lets nobody mount, and a thread of a program with others
// gets no user namespace: so that has to be another process, before Landlock.
const entrance = "hookline-sandbox"

func init() {
	if len(os.Args) > 1 && os.Args[0] == entrance {
		fmt.Fprintln(os.Stderr, "hookline: entering the sandbox:", enter(os.Args[1], os.Args[2:]))
		os.Exit(126)
	}
}

// Namespaces says why [Policy.Hold] cannot be held here, nil when it can. It starts a
// process for that once. The error wraps [ErrNone].
func Namespaces() error { return namespaces() }

var namespaces = sync.OnceValue(func() error {
	abi, err := offered()
	if err != nil {
		return err
	}
	w, err := newWall(Policy{Hold: []string{"/"}}, abi)
	if err != nil {
		return err
	}
	sys := &syscall.SysProcAttr{}
	path, argv := w.Command("", nil, sys)
	cmd := exec.Cmd{Path: path, Args: argv, SysProcAttr: sys}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: no user and mount namespaces: %w %s", ErrNone, err, bytes.TrimSpace(out))
	}
	return nil
})

// entering returns how a command is started that enters namespaces first, and sets what it
// needs for that.
func (w *Wall) entering(path string, argv []string, sys *syscall.SysProcAttr) (string, []string) {
	uid, gid := os.Geteuid(), os.Getegid()
	sys.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS
	if w.policy.NoTCP {
		sys.Cloneflags |= unix.CLONE_NEWNET
	}
	sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	sys.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	args := []string{entrance, w.spec}
	if path != "" {
		args = append(append(args, path), argv...)
	}
	return "/proc/self/exe", args
}

// enter makes the process that it is called in the command, within the policy. Without a
// command the process ends when it is within.
func enter(spec string, command []string) error {
	runtime.LockOSThread()
	var p Policy
	if err := json.Unmarshal([]byte(spec), &p); err != nil {
		return fmt.Errorf("reading the policy: %w", err)
	}
	abi, err := offered()
	if err != nil {
		return err
	}
	dir, err := syscall.Getwd()
	if err != nil {
		return fmt.Errorf("finding the working directory: %w", err)
	}
	if err := p.mount(); err != nil {
		return err
	}
	// Until now the working directory is the one below the mounts.
	if err := os.Chdir(dir); err != nil {
		return err
	}
	w := &Wall{policy: p, abi: abi}
	fd, err := w.ruleset(&room{})
	if err != nil {
		return err
	}
	if err := unmountable(); err != nil {
		return os.NewSyscallError("dropping rights", err)
	}
	if err := restrict(fd); err != nil {
		return err
	}
	if len(command) == 0 {
		os.Exit(0)
	}
	return &os.PathError{Op: "exec", Path: command[0], Err: syscall.Exec(command[0], command[1:], os.Environ())}
}

// unmountable takes the right to mount from the calling thread. Under no_new_privs root does
// not get it back with another program: it could make mounts writable, which Landlock does
// not refuse.
func unmountable() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData
	if err := unix.Capget(&header, &caps[0]); err != nil {
		return err
	}
	for i := range caps {
		caps[i].Inheritable = 0
	}
	caps[0].Permitted &^= 1 << unix.CAP_SYS_ADMIN
	caps[0].Effective &^= 1 << unix.CAP_SYS_ADMIN
	return unix.Capset(&header, &caps[0])
}

// mount puts read-only mounts over what is held, and mounts that change nothing over the
// directories on the way there: what is a mount can be neither moved nor removed.
func (p *Policy) mount() error {
	way := map[string]bool{}
	for _, path := range p.Hold {
		for dir := filepath.Dir(path); dir != "/" && withinAny(dir, p.Write); dir = filepath.Dir(dir) {
			way[dir] = true
		}
	}
	for _, step := range []struct {
		paths []string
		attr  unix.MountAttr
	}{
		{slices.Sorted(maps.Keys(way)), unix.MountAttr{}},
		{p.Hold, unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}},
		{p.Free, unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}},
	} {
		for _, path := range step.paths {
			if err := mountOver(path, &step.attr); err != nil {
				return fmt.Errorf("mounting %s: %w", path, err)
			}
		}
	}
	return nil
}

// mountOver mounts a path over itself, with attributes.
func mountOver(path string, attr *unix.MountAttr) error {
	at, _, err := place(path)
	if at < 0 {
		return err
	}
	defer unix.Close(at)
	tree, err := unix.OpenTree(at, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("open_tree", err)
	}
	defer unix.Close(tree)
	if *attr != (unix.MountAttr{}) {
		if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr); err != nil {
			return os.NewSyscallError("mount_setattr", err)
		}
	}
	return os.NewSyscallError("move_mount", unix.MoveMount(tree, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH))
}
