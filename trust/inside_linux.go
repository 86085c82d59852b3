package trust

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// maxParents bounds how far the parents are followed.
const maxParents = 256

// parent is a parent of this program by whose program and environment is says yes, "" when
// there is none.
func parent(is func(exe string, env []byte) bool) string {
	for pid, n := os.Getppid(), 0; pid > 1 && n < maxParents; n++ {
		proc := "/proc/" + strconv.Itoa(pid)
		exe, _ := os.Readlink(proc + "/exe")
		exe = strings.TrimSuffix(exe, " (deleted)")
		env, _ := os.ReadFile(proc + "/environ")
		if is(exe, env) {
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
