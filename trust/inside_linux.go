package trust

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxParents bounds how far the parents are followed.
const maxParents = 256

// insideParents looks at the parents of this program for what InsideHookline looks for.
func insideParents() string {
	self, _ := os.Executable()
	for pid, n := os.Getppid(), 0; pid > 1 && n < maxParents; n++ {
		proc := "/proc/" + strconv.Itoa(pid)
		exe, _ := os.Readlink(proc + "/exe")
		exe = strings.TrimSuffix(exe, " (deleted)")
		env, _ := os.ReadFile(proc + "/environ")
		if filepath.Base(exe) == "hookline" || exe != "" && exe == self || bytes.Contains(append([]byte{0}, env...), []byte("\x00"+runVariable+"=")) {
			return "process " + strconv.Itoa(pid)
		}
		stat, err := os.ReadFile(proc + "/stat")
		if err != nil {
			return ""
		}
		// The name may hold anything; what follows it is regular: state and parent.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 2 {
			return ""
		}
		pid, _ = strconv.Atoi(string(fields[1]))
	}
	return ""
}
