package tool

import "strings"

// nativePath turns the /c/dir of a POSIX shell into C:\dir.
func nativePath(p string) string {
	if len(p) >= 2 && p[0] == '/' && (len(p) == 2 || p[2] == '/') {
		p = strings.ToUpper(p[1:2]) + ":" + p[2:]
	}
	return strings.ReplaceAll(p, "/", `\`)
}
