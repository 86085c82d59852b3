package sandbox

import (
	"strings"
)

// profile returns a policy in the language of macOS's sandbox-exec. There the last rule
// that fits a file counts, so that parts of what is granted can be taken back.
func profile(p Policy) string {
	p = p.resolved()
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	rule := func(verb, operation string, paths []string) {
		for _, path := range paths {
			b.WriteString("(" + verb + " " + operation + " (subpath " + quote(path) + "))\n")
		}
	}
	rule("allow", "file-write*", p.Write)
	rule("deny", "file-write*", p.NoWrite)
	rule("deny", "file-read-data", p.NoRead)
	rule("allow", "file-read-data", p.Read)
	rule("allow", "file-write* file-read-data", p.Own)
	if p.NoTCP {
		b.WriteString("(deny network* (local tcp))\n(deny network* (remote tcp))\n")
	}
	return b.String()
}

// quote writes a string as the profile's language has it.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + `"`
}
