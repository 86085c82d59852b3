// Package shebang says why a script does not start, as far as that shows in its file.
// The system's own words, "not found" for a file that is there, help nobody.
package shebang

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// headSize is how much of a script is read.
const headSize = 512

// Fault says what keeps a file from being run as a program: it is a directory, has no
// executable bit, its lines end in CRLF, it begins with a byte order mark, or its first
// line names an interpreter that is not there. It returns "" when nothing of that is so,
// and for files that are not scripts or that can't be read. Dirs are the directories of
// PATH, in which env looks.
func Fault(path string, dirs []string) string {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" {
		return ""
	}
	if info.IsDir() {
		return "it is a directory"
	}
	if !info.Mode().IsRegular() {
		return ""
	}
	if info.Mode()&0o111 == 0 {
		return "it is not executable: chmod +x makes it so"
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headSize))
	if err != nil {
		return ""
	}
	return headFault(head, dirs)
}

func headFault(head []byte, dirs []string) string {
	if rest, marked := bytes.CutPrefix(head, []byte("\ufeff")); marked && bytes.HasPrefix(rest, []byte("#!")) {
		return "it begins with a byte order mark, so that its #! line is not seen: save it without"
	}
	line, isScript := bytes.CutPrefix(head, []byte("#!"))
	if !isScript {
		return ""
	}
	line, _, complete := bytes.Cut(line, []byte("\n"))
	if !complete && len(head) == headSize {
		return ""
	}
	if bytes.HasSuffix(line, []byte("\r")) {
		return "its lines end in CRLF, which makes part of the interpreter's name of it: save it with LF"
	}
	words := strings.Fields(string(line))
	switch {
	case len(words) == 0:
		return "its #! line names no interpreter"
	case !filepath.IsAbs(words[0]):
		return ""
	case !isThere(words[0]):
		return fmt.Sprintf("its first line names %s, which is not there", words[0])
	case filepath.Base(words[0]) != "env" || len(words) < 2 || strings.HasPrefix(words[1], "-") || strings.ContainsAny(words[1], "/="):
		return ""
	}
	for _, dir := range dirs {
		if isThere(filepath.Join(dir, words[1])) {
			return ""
		}
	}
	return fmt.Sprintf("its first line asks for %s, which is in no directory of PATH", words[1])
}

func isThere(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
