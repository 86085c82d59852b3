package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// What a line of a script does, as far as words show: it reads its input, or it looks
// at the world.
var (
	readsInput = lazyregexp.New(`\bcat\b|\bread\b|\bjq\b|/dev/stdin|sys\.stdin|\binput\(|process\.stdin|readFileSync\(0|os\.Stdin|STDIN`)
	readsWorld = lazyregexp.New(`\b(git|date|ls|find|curl|hostname|uptime)\b|\bsubprocess\b.*\(|datetime\.now|time\.time\(|os\.(listdir|stat|popen|system)|execSync|spawnSync|Date\.now|readdirSync|existsSync`)
	definition = lazyregexp.New(`^\s*(#|//|import\b|from\b|def\b|function\b|const \{|\w+\(\)\s*\{)|\brequire\(`)
)

// staleRead finds the first line of a script that looks at the world before any line
// reads the input: when the script is started ahead of its event, what that line sees
// is old by then. It goes by words and is only for a hint. 0 is none.
func staleRead(script string) (number int, text string) {
	body := 0 // indentation of the definition that is passed over, plus one
	for i, l := range strings.Split(script, "\n") {
		trimmed := strings.TrimSpace(l)
		indent := len(l) - len(strings.TrimLeft(l, " \t"))
		switch {
		case trimmed == "":
		case body > 0 && indent >= body:
		case definition.Get().MatchString(l):
			body = 0
			if strings.HasSuffix(trimmed, ":") || strings.HasSuffix(trimmed, "{") {
				body = indent + 1
			}
		default:
			body = 0
			in, world := firstMatch(readsInput.Get().FindStringIndex(l)), firstMatch(readsWorld.Get().FindStringIndex(l))
			if world >= 0 && (in < 0 || world < in) {
				return i + 1, trimmed
			}
			if in >= 0 {
				return 0, ""
			}
		}
	}
	return 0, ""
}

func firstMatch(loc []int) int {
	if loc == nil {
		return -1
	}
	return loc[0]
}

// prewarmChecks warns of hooks that are started ahead and look at the world first.
func prewarmChecks(w *workspace) []check {
	var out []check
	seen := map[string]bool{}
	for i := range w.Set().Hooks {
		h := &w.Set().Hooks[i]
		if h.Prewarm == 0 || h.Status != discovery.Active {
			continue
		}
		for _, path := range append([]string{""}, h.Artifact.Files...) {
			script, where := h.Command, w.relative(h.Source)
			if path != "" {
				b, err := os.ReadFile(path)
				if err != nil || len(b) > 1<<20 {
					continue
				}
				script, where = string(b), w.relative(path)
			} else if filepath.IsAbs(script) {
				continue
			}
			number, text := staleRead(script)
			if number == 0 {
				continue
			}
			if path != "" {
				where = fmt.Sprintf("%s:%d", where, number)
			}
			if !seen[where] {
				seen[where] = true
				out = append(out, check{"hook " + h.Name, "note", fmt.Sprintf("%s: it is started ahead of its event and does this before it reads its input, so what it sees is old: %s", where, text), "read the input first, or take prewarm away"})
			}
		}
	}
	return out
}
