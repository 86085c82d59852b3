package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/internal/shebang"
)

// Check reports scripts that commands of settings files name and that are not there or
// cannot be run. Nothing is run to find out.
func (Dialect) Check(found []dialect.Found, env dialect.CheckEnv) []diag.Diagnostic {
	var out []diag.Diagnostic
	seen := map[string]bool{}
	for i := range found {
		h := &found[i]
		if h.Status == dialect.Disabled || h.Status == dialect.Broken {
			continue
		}
		for _, file := range slices.Concat(h.Artifact.Files, h.Missing) {
			d := scriptFault(env.Dirs, h, file, env.Path)
			if key := d.Path + file + d.Message; d.Message != "" && !seen[key] {
				seen[key] = true
				out = append(out, d)
			}
		}
	}
	return out
}

// scriptFault is what is wrong with a file of a hook, without a message when nothing is.
// Of files that the command does not name itself nothing is said: scripts ask for some
// that need not be there.
func scriptFault(at dialect.Dirs, h *dialect.Found, file string, dirs []string) diag.Diagnostic {
	d := diag.Diagnostic{Path: h.Path, Remedy: "mend the script, or the command that names it"}
	if _, line, ok := strings.Cut(h.Source, h.Path+":"); ok {
		_, _ = fmt.Sscan(line, &d.Line)
	}
	name := file
	for _, base := range []string{at.Project, at.Home} {
		if rel, err := filepath.Rel(base, file); err == nil && filepath.IsLocal(rel) {
			name = filepath.ToSlash(rel)
			break
		}
	}
	if !strings.Contains(h.Artifact.Command, name) {
		return diag.Diagnostic{}
	}
	direct := strings.HasSuffix(firstWord(h.Artifact.Command), name)
	if !direct {
		d.Severity = diag.Warning // it may run all the same
	}
	info, err := os.Stat(file)
	switch {
	case os.IsNotExist(err):
		d.Message = fmt.Sprintf("hook %s: the script %s is not there", h.FullName(), file)
	case err != nil:
		return diag.Diagnostic{}
	case direct, info.IsDir():
		fault := shebang.Fault(file, dirs)
		if fault == "" {
			return diag.Diagnostic{}
		}
		d.Message = fmt.Sprintf("hook %s: the script %s cannot be run: %s", h.FullName(), file, fault)
	default:
		return diag.Diagnostic{}
	}
	return d
}

// firstWord is the first word of a command, without its quotes.
func firstWord(command string) string {
	var out strings.Builder
	quote := rune(0)
	for _, c := range strings.TrimSpace(command) {
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && strings.ContainsRune(" \t\n;|&", c):
			return out.String()
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}
