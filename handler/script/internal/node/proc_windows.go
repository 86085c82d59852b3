package node

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A processGroup is a job object, which holds the program's children too.
type processGroup struct {
	proc *os.Process
	job  windows.Handle
}

// prepare hides the console window. A command line that a shell is to see
// as it stands is passed verbatim; batch files are refused otherwise, since
// their arguments cannot be quoted safely.
func prepare(cmd *exec.Cmd, verbatim bool) error {
	attr := &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	cmd.SysProcAttr = attr
	if verbatim {
		attr.CmdLine = syscall.EscapeArg(cmd.Path) + " " + strings.Join(cmd.Args[1:], " ")
		return nil
	}
	if ext := strings.ToLower(filepath.Ext(cmd.Path)); ext == ".bat" || ext == ".cmd" {
		return newErrno("EINVAL", "spawn "+cmd.Path, cmd.Path)
	}
	return nil
}

// groupOf puts the process into a job that ends with us. Without one, signals
// reach the process alone.
func groupOf(proc *os.Process) processGroup {
	group := processGroup{proc: proc}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		var handle windows.Handle
		handle, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(proc.Pid))
		if err == nil {
			err = windows.AssignProcessToJobObject(job, handle)
			_ = windows.CloseHandle(handle)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return group
	}
	group.job = job
	return group
}

// release lets children that outlive the program live on.
func (g processGroup) release() {
	if g.job == 0 {
		return
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	_, _ = windows.SetInformationJobObject(g.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	_ = windows.CloseHandle(g.job)
}

// signal knows one signal here: the end. "0" asks whether there is a process.
func (g processGroup) signal(name string) (bool, error) {
	if name == "0" {
		return true, nil
	}
	if !slices.Contains([]string{"SIGTERM", "SIGKILL", "SIGINT", "SIGQUIT", "SIGHUP", "2", "9", "15"}, strings.ToUpper(name)) {
		return false, &Error{Name: "TypeError", Code: "ERR_UNKNOWN_SIGNAL", Message: fmt.Sprintf("Unknown signal: %s", name)}
	}
	if g.job != 0 {
		return windows.TerminateJobObject(g.job, 1) == nil, nil
	}
	return g.proc.Kill() == nil, nil
}

func signalPid(pid int, name string) error {
	proc, err := os.FindProcess(pid)
	if err != nil {
		return newErrno("ESRCH", "kill", "")
	}
	defer func() { _ = proc.Release() }()
	if name == "0" {
		return nil
	}
	return proc.Kill()
}

func exitOf(state *os.ProcessState) (code int, signal string) { return state.ExitCode(), "" }

// executable tries the extensions of PATHEXT for a name without one.
func executable(path string, env map[string]string) (string, error) {
	names := []string{path}
	if filepath.Ext(path) == "" {
		exts := lookupEnv(env, "PATHEXT")
		if exts == "" {
			exts = ".COM;.EXE;.BAT;.CMD"
		}
		names = nil
		for _, ext := range filepath.SplitList(exts) {
			names = append(names, path+ext)
		}
	}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			return name, nil
		}
	}
	return "", fs.ErrNotExist
}

// Signals are the numbers of signals, as the constants of node:os have them.
func Signals() map[string]int {
	return map[string]int{"SIGHUP": 1, "SIGINT": 2, "SIGILL": 4, "SIGABRT": 22, "SIGFPE": 8, "SIGKILL": 9, "SIGSEGV": 11, "SIGTERM": 15, "SIGBREAK": 21}
}
