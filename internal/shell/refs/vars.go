package refs

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// substitution is text in which variables with a known value are replaced by words
// that mean nothing to a shell, and the way back. The values themselves may hold
// blanks and quotes, which the shell would not look at again.
type substitution struct {
	text   string
	prefix string
	values []string
}

// variable matches a use of a variable in the forms whose value is plain: $X, ${X},
// with a default that is not used, or with a slash at the end cut off.
var variable = lazyregexp.New(`\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?:%/|:?[-?][^{}]*)?\})`)

// unset matches a use of a variable with a plain text that stands for it while it is empty.
var unset = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*):-([A-Za-z0-9$/._-]+)\}`)

// substitute replaces the known variables.
func substitute(text string, vars map[string]string) substitution {
	s := substitution{text: text}
	if len(vars) == 0 || !strings.Contains(text, "$") {
		return s
	}
	text = unset.Get().ReplaceAllStringFunc(text, func(use string) string {
		m := unset.Get().FindStringSubmatch(use)
		if value, known := vars[m[1]]; known && value == "" {
			return m[2]
		}
		return use
	})
	for n := 0; s.prefix == "" || strings.Contains(text, s.prefix); n++ {
		s.prefix = "/HOOKLINE" + strconv.Itoa(n) + "V"
	}
	s.text = variable.Get().ReplaceAllStringFunc(text, func(use string) string {
		m := variable.Get().FindStringSubmatch(use)
		value, known := vars[m[1]+m[2]]
		if !known || value == "" && strings.Contains(use, "-") {
			return use
		}
		s.values = append(s.values, value)
		return s.prefix + strconv.Itoa(len(s.values)-1) + "_"
	})
	return s
}

// back puts the values into a word of the text.
func (s substitution) back(word string) string {
	if len(s.values) == 0 {
		return word
	}
	var out strings.Builder
	for {
		before, after, found := strings.Cut(word, s.prefix)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		digits, rest, _ := strings.Cut(after, "_")
		if i, err := strconv.Atoi(digits); err == nil && i >= 0 && i < len(s.values) {
			out.WriteString(s.values[i])
		}
		word = rest
	}
}

// ways in which a shell script finds the directory that it lies in.
var (
	ownName = `(?:"?\$(?:0|\{0\}|\{BASH_SOURCE(?:\[0\])?(?::-\$0)?\}|BASH_SOURCE)"?)`
	ownDirs = []*lazyregexp.Regexp{
		lazyregexp.New(`\$\(\s*cd\s+(?:-P\s+)?(?:--\s+)?"?\$\(\s*dirname\s+(?:--\s+)?` + ownName + `\s*\)"?(/[A-Za-z0-9._/-]*)?"?\s*(?:&?>\s*/dev/null\s*(?:2>&1)?)?\s*(?:&&|;)\s*pwd(?:\s+-P)?\s*\)`),
		lazyregexp.New(`\$\(\s*dirname\s+(?:--\s+)?(?:"?\$\(\s*(?:readlink\s+-f|realpath)\s+(?:--\s+)?` + ownName + `\s*\)"?|` + ownName + `)\s*\)`),
		lazyregexp.New(`\$\{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\}`),
	}
)

// ways in which a command finds the directory that it runs in, and the top of the
// repository.
var (
	workDir  = lazyregexp.New("\\$\\(\\s*pwd(?:\\s+-[LP])?\\s*\\)|`\\s*pwd(?:\\s+-[LP])?\\s*`")
	topLevel = lazyregexp.New("(?:\\$\\(|`)\\s*git\\s+rev-parse\\s+--show-toplevel(?:\\s+2>\\s*/dev/null)?(?:\\s*\\|\\|\\s*(?:pwd|echo\\s+\"?(?:\\.|\\$PWD|\\$\\{PWD\\})\"?))?\\s*(?:\\)|`)")
)

// Variables that stand for such directories: that of a script in its text, the working
// directory, and the top of the repository.
const (
	ownDirVar   = "HOOKLINE_OWN_DIR"
	workDirVar  = "PWD"
	topLevelVar = "HOOKLINE_TOP_LEVEL"
)

// vars are the variables that are known in a command, or in a script. They are not to be
// changed.
func (f *finder) vars(script string) map[string]string {
	if f.always == nil {
		f.always = f.places()
	}
	if script == "" {
		return f.always
	}
	vars := maps.Clone(f.always)
	vars[ownDirVar] = filepath.Dir(script)
	return vars
}

// places are the variables of the options, the working directory and the top of the
// repository.
func (f *finder) places() map[string]string {
	vars := map[string]string{}
	maps.Copy(vars, f.opts.Vars)
	if f.opts.FirstRules {
		return vars
	}
	vars[workDirVar] = "." // wherever the text changes to
	for dir := f.opts.Dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			vars[topLevelVar] = dir
			return vars
		}
		if dir == filepath.Dir(dir) {
			return vars
		}
	}
}

// spelled replaces the usual spellings of directories by variables. The directories may
// hold blanks and quotes, which the shell would not look at again.
func spelled(text, script string) string {
	if !strings.ContainsAny(text, "$`") {
		return text
	}
	text = workDir.Get().ReplaceAllLiteralString(text, "${"+workDirVar+"}")
	text = topLevel.Get().ReplaceAllLiteralString(text, "${"+topLevelVar+"}")
	if script != "" {
		text = ownDir(text)
	}
	return text
}

// ownDir replaces the usual spellings of "the directory of this script".
func ownDir(text string) string {
	for _, lazy := range ownDirs {
		re := lazy.Get()
		text = re.ReplaceAllStringFunc(text, func(m string) string {
			if g := re.FindStringSubmatch(m); len(g) > 1 {
				return "${" + ownDirVar + "}" + g[1]
			}
			return "${" + ownDirVar + "}"
		})
	}
	return text
}

// placeholders puts values into ${NAME} of an argument that no shell sees.
func (f *finder) placeholders(arg string) shell.Word {
	literal := true
	var out strings.Builder
	for {
		before, after, found := strings.Cut(arg, "${")
		out.WriteString(before)
		if !found {
			return shell.Word{Text: out.String(), Literal: literal}
		}
		name, rest, closed := strings.Cut(after, "}")
		value, known := f.opts.Vars[name]
		if !closed || !known {
			literal = literal && !closed
			out.WriteString("${")
			arg = after
			continue
		}
		out.WriteString(value)
		arg = rest
	}
}
