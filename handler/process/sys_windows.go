package process

import (
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

const (
	errExecBusy   = windows.ERROR_SHARING_VIOLATION
	errExecFormat = windows.ERROR_BAD_EXE_FORMAT
	errTooBig     = windows.ERROR_FILENAME_EXCED_RANGE
)

// writeNow writes nothing: a pipe write may block here.
func writeNow(*os.File, []byte) int { return 0 }

// readNow is not needed here: no read ends by a deadline.
func readNow(*os.File, []byte) (n int, open bool) { return 0, true }

func enterable(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// addSystemEnv adds SYSTEMROOT, without which no network library loads.
func addSystemEnv(env []string) []string {
	const name = "SYSTEMROOT"
	has := slices.ContainsFunc(env, func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		return strings.EqualFold(key, name)
	})
	if root := os.Getenv(name); !has && root != "" {
		env = append(env, name+"="+root)
	}
	return env
}

// describe reads a process state. No signals end processes here.
func describe(state *os.ProcessState) (code int, signal string) { return state.ExitCode(), "" }

// sysProcAttr gives the child a group and a console of its own, not shown.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
}
