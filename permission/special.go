package permission

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
	"github.com/hookline-dev/hookline/permission/rule"
)

// specialReaders read the arguments of the commands that read only as long as these
// say more than which options are there.
var specialReaders = map[string]func(args []shell.Word) (paths []shell.Word, ok bool){
	"git": gitReads, "find": findReads, "sed": sedReads, "awk": awkReads, "gawk": awkReads, "mawk": awkReads,
	"test": testReads, "[": testReads, "[[": func([]shell.Word) ([]shell.Word, bool) { return nil, true },
	"export": exportReads, "readonly": exportReads, "local": exportReads, "read": readReads, "set": setReads, "date": dateReads, "tee": teeReads, "ps": psReads,
}

func none(args []shell.Word, bad func(shell.Word) bool) ([]shell.Word, bool) {
	return nil, !slices.ContainsFunc(args, bad)
}

func testReads(args []shell.Word) ([]shell.Word, bool) { return none(args, evaluated) }

// exportReads lets names through, and values that nothing evaluates.
func exportReads(args []shell.Word) ([]shell.Word, bool) {
	return none(args, func(w shell.Word) bool {
		first := w.Pieces()[0]
		name, _, _ := strings.Cut(first.Text, "=")
		return first.Unknown || !w.Literal && name == first.Text || !variable.MatchString(name) || evaluated(w)
	})
}

// readReads lets the builtin read fill variables that steer nothing.
func readReads(args []shell.Word) ([]shell.Word, bool) {
	options := true
	return none(args, func(w shell.Word) bool {
		if options = options && w.Literal && strings.HasPrefix(w.Text, "-"); options {
			return w.Text != "-r" && w.Text != "-s" && w.Text != "-ra" && w.Text != "-a"
		}
		return !w.Literal || !variable.MatchString(w.Text) || rule.DangerousEnv(w.Text)
	})
}

// setReads lets the options through that make a shell strict or tell what it does.
func setReads(args []shell.Word) ([]shell.Word, bool) {
	_, ok := none(args, func(w shell.Word) bool {
		return !w.Is("pipefail") && (!w.Literal || w.Text == "" || !strings.Contains("-+", w.Text[:1]) || strings.Trim(w.Text[1:], "euxo") != "")
	})
	return nil, ok && len(args) > 0
}

func dateReads(args []shell.Word) ([]shell.Word, bool) {
	return none(args, func(w shell.Word) bool {
		return !w.Literal || w.Text == "" || w.Text[0] != '+' && !slices.Contains([]string{"-u", "-R", "-I", "--utc", "-Is", "-Iseconds", "--iso-8601"}, w.Text)
	})
}

// psReads refuses what shows the environment of processes: e of BSD, -E of macOS.
func psReads(args []shell.Word) ([]shell.Word, bool) {
	return none(args, func(w shell.Word) bool {
		return !w.Literal || strings.Contains(w.Text, "E") || !strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "e") && strings.Trim(w.Text, "abcdefghijklmnopqrstuvwxyz") == ""
	})
}

func teeReads(args []shell.Word) ([]shell.Word, bool) {
	return none(args, func(w shell.Word) bool { return !w.Is("/dev/null") && !w.Is("-a") })
}

// findReads reads the arguments of find. What -exec starts is looked at on its
// own.
func findReads(args []shell.Word) (paths []shell.Word, ok bool) {
	start := true
	for i := 0; i < len(args); i++ {
		w := args[i]
		first := w.Pieces()[0]
		if w.Is("-exec") || w.Is("-execdir") {
			start = false
			for i++; i < len(args) && !args[i].Is(";") && (!args[i].Is("+") || !args[i-1].Is("{}")); i++ {
			}
			continue
		}
		switch {
		case first.Unknown && start && w.Glob:
			return nil, false // a file's name could be an action
		case !w.Literal && !w.Glob:
			return nil, false
		case strings.HasPrefix(first.Text, "-"):
			for _, bad := range []string{"-ok", "-delete", "-fprint", "-fls", "-files0-from"} {
				if strings.HasPrefix(first.Text, bad) {
					return nil, false
				}
			}
			if !slices.Contains([]string{"-H", "-L", "-P"}, first.Text) {
				start = false
			}
		case w.Is("(") || w.Is("!") || w.Is(")") || w.Is(","):
			start = false
		case start:
			paths = append(paths, w)
		}
	}
	return paths, true
}
