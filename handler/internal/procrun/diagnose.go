package procrun

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/internal/shebang"
)

// Exit codes with which shells and env say that they could not run a command.
const (
	exitCannotRun = 126
	exitNotFound  = 127
)

// maxDiagnosed bounds how much of stderr is looked at.
const maxDiagnosed = 64 << 10

// diagnosis is what stderr and the exit code tell of a command that did not run
// as its author meant it to. It never changes a decision.
type diagnosis struct {
	notes  []string
	launch string // why the command itself did not run, "" when it did
}

func (r *run) diagnose(exit *process.Exit) (d diagnosis) {
	stderr := exit.Stderr
	if len(stderr) == 0 && exit.Code != exitNotFound && exit.Code != exitCannotRun {
		return d
	}
	if len(stderr) > maxDiagnosed {
		stderr = stderr[len(stderr)-maxDiagnosed:]
	}
	text := string(stderr)
	answered := bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(exit.Stdout, utf8BOM)), []byte("{"))
	if !answered {
		switch exit.Code {
		case exitNotFound, exitCannotRun:
			r.didNotRun(&d, exit.Code, text)
		case 2:
			if what := accident(text); what != "" {
				d.notes = append(d.notes, "exit 2 may be no decision of the hook's: "+what)
			}
		}
	}
	if r.PlainSh {
		if word := bashism(text); word != "" {
			d.notes = append(d.notes, fmt.Sprintf("%s is bash, and this hook was run by sh: set its shell to bash", word))
		}
	}
	return d
}

// didNotRun explains the exit codes 126 and 127.
func (r *run) didNotRun(d *diagnosis, code int, stderr string) {
	name := missingCommand(stderr)
	what := "command not found"
	if code == exitCannotRun {
		what = "command cannot be run"
	}
	switch {
	case name == "":
		d.launch = fmt.Sprintf("%s (exit status %d)", what, code)
		return
	case strings.ContainsAny(name, `/\`):
		d.launch = fmt.Sprintf("%s: %s, in %s", what, name, strconv.Quote(r.Spec.Dir))
	default:
		d.launch = fmt.Sprintf("%s: %s, PATH=%s", what, name, Lookup(r.Spec.Env, "PATH"))
	}
	if fault := r.scriptFault(name); fault != "" {
		d.launch = fmt.Sprintf("%s: %s: %s", what, name, fault)
	} else if strings.HasSuffix(name, "\r") || strings.Contains(stderr, "^M") || strings.Contains(stderr, `\r'`) || strings.Contains(stderr, `\r’`) {
		d.notes = append(d.notes, "the script has CRLF line ends")
	}
	if hint := r.splitHint(name); hint != "" {
		d.notes = append(d.notes, hint)
	}
}

// scriptFault says what is wrong with the file that could not be run, "" when it is
// none, or nothing is wrong with it.
func (r *run) scriptFault(name string) string {
	dirs := filepath.SplitList(Lookup(r.Spec.Env, "PATH"))
	if !strings.ContainsRune(name, filepath.Separator) {
		return ""
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Spec.Dir, name)
	}
	return shebang.Fault(name, dirs)
}

// splitHint says that a path with a space in it was taken for several words.
func (r *run) splitHint(name string) string {
	for _, kv := range r.Spec.Env {
		key, value, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(value, name+" ") && strings.Contains(r.Text, key) {
			return fmt.Sprintf("the value of %s has a space in it and was split there: write \"$%s\" in double quotes", key, key)
		}
	}
	_, rest, found := strings.Cut(r.Text, name+" ")
	if !found {
		return ""
	}
	path := name
	for range 8 {
		word, more, _ := strings.Cut(rest, " ")
		if word == "" {
			return ""
		}
		path, rest = path+" "+word, more
		file := path
		if !filepath.IsAbs(file) {
			file = filepath.Join(r.Spec.Dir, file)
		}
		if _, err := os.Stat(file); err == nil {
			return fmt.Sprintf("%s exists: write a path with a space in it in quotes", strconv.Quote(path))
		}
	}
	return ""
}

// missingCommand finds in a shell's last words the command that it could not
// run, as in "sh: 1: node: not found" or "zsh:1: command not found: node".
func missingCommand(stderr string) string {
	lines := strings.Split(stderr, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.Trim(lines[i], " \t")
		if _, name, ok := strings.Cut(line, "command not found: "); ok {
			return bare(name)
		}
		for _, end := range [...]string{
			": command not found", ": not found", ": No such file or directory", ": Permission denied", ": Is a directory",
			": cannot execute: required file not found", ": cannot execute: Is a directory", ": cannot execute binary file",
			": cannot execute binary file: Exec format error", ": Exec format error",
		} {
			if head, ok := strings.CutSuffix(line, end); ok {
				head = strings.TrimSuffix(head, ": bad interpreter")
				return bare(head[strings.LastIndex(head, ": ")+1:])
			}
		}
	}
	return ""
}

// bare strips the quotes that env and others put around a name.
func bare(name string) string { return strings.Trim(name, " '\"`‘’") }

// accident recognises causes of exit code 2 other than a hook that means it.
func accident(stderr string) string {
	for _, sign := range [...]struct{ text, means string }{
		{"Syntax error: ", "the shell reports a syntax error"},
		{"syntax error near unexpected token", "the shell reports a syntax error"},
		{"syntax error: unexpected end of file", "the shell reports a syntax error"},
		{"unexpected EOF while looking for matching", "the shell reports a syntax error"},
		{": can't open file '", "the interpreter could not open the script"},
		{": cannot open ", "the shell could not open the script"},
		{": Can't open ", "the interpreter could not open the script"},
	} {
		if strings.Contains(stderr, sign.text) {
			return sign.means
		}
	}
	return ""
}

// bashism returns the word of bash that sh did not understand.
func bashism(stderr string) string {
	for _, word := range [...]string{"[[", "source", "declare", "shopt", "pushd", "popd", "mapfile", "readarray", "function"} {
		if strings.Contains(stderr, ": "+word+": not found") {
			return word
		}
	}
	switch {
	case strings.Contains(stderr, "Bad substitution"):
		return "a substitution"
	case strings.Contains(stderr, `Syntax error: "(" unexpected`):
		return "an array or a process substitution"
	}
	return ""
}
