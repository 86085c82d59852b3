package process

import (
	"path/filepath"
	"strconv"
	"strings"
)

// batchSpecial are the characters that cmd.exe may act on, in or out of quotes,
// when it runs a batch file.
const batchSpecial = "\"&|<>^%!()\r\n\x00"

// unsafeBatch returns the first argument that cannot reach a batch file as it
// is. Windows runs those through cmd.exe, whose quoting no caller can rely on.
func unsafeBatch(path string, args []string) (string, bool) {
	switch strings.ToLower(filepath.Ext(strings.TrimRight(path, ". "))) {
	case ".bat", ".cmd":
	default:
		return "", false
	}
	for _, arg := range args {
		if strings.ContainsAny(arg, batchSpecial) {
			return strconv.Quote(arg), true
		}
	}
	return "", false
}
