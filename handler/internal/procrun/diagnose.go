package procrun

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/internal/shebang"
	"github.com/hookline-dev/hookline/internal/shell/refs"
)

// Exit codes with which shells and env say that they could not run a command, and the one
// with which a hook refuses, interpreters too when they cannot open a script.
const (
	exitBlocks    = 2
	exitCannotRun = 126
	exitNotFound  = 127
)

// maxDiagnosed bounds how much of stderr is looked at.
const maxDiagnosed = 64 << 10

// diagnosis is what stderr and the exit code tell of a command that did not run
// as its author meant it to.
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
		case exitBlocks:
			if file := r.missingScript(text); file != "" {
				d.launch = fmt.Sprintf("the script %s is not there (exit status 2)", file)
			} else if syntaxError(text) {
				d.notes = append(d.notes, "exit 2 may not be a decision of the hook's: the shell reports a syntax error")
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

// missingScript returns the file that the command names, that is not there, and that an
// interpreter says it could not open; "" when there is none.
func (r *run) missingScript(stderr string) string {
	said := ""
	for line := range strings.Lines(stderr) {
		if containsAny(line, ": can't open file '", ": cannot open ", "Can't open perl script ") {
			said += line
		}
	}
	if said == "" {
		return ""
	}
	o := refs.Options{Dir: r.Spec.Dir, Root: filepath.VolumeName(r.Spec.Dir) + string(filepath.Separator), Vars: map[string]string{}}
	for _, kv := range r.Spec.Env {
		name, value, _ := strings.Cut(kv, "=")
		o.Vars[name] = value
	}
	named := refs.Command(r.Text, o)
	if r.Spec.Path != "" { // with its arguments expanded
		named = refs.Exec(r.Spec.Path, r.Spec.Args, o)
	}
	for _, file := range named.Files {
		if r.Copies != "" {
			file = strings.Replace(file, r.Copies, r.Original, 1)
		}
		if _, err := os.Stat(file); err != nil && strings.Contains(said, filepath.Base(file)) {
			return file
		}
	}
	return ""
}

// syntaxError recognises a shell's exit code 2 that no hook means.
func syntaxError(stderr string) bool {
	return containsAny(stderr, "Syntax error: ", "syntax error near unexpected token",
		"syntax error: unexpected end of file", "unexpected EOF while looking for matching")
}

func containsAny(s string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(s, text) })
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
