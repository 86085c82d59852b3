package procrun

import (
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/handler/process"
)

// Environment builds the environment of a hook's runs. The part that all runs
// share is built once. The zero value is ready; it must not be copied after use.
type Environment struct {
	once  sync.Once
	base  []string
	index map[string]int
}

// With returns base with the entries of set on top: the last of equal names wins.
// A nil base is this program's environment without credentials and without what
// makes other programs run foreign code. Base is looked at in the first call only.
func (e *Environment) With(base, set []string) []string {
	e.once.Do(func() {
		if base == nil {
			base, _ = process.Environ(os.Environ(), nil, process.EnvPolicy{})
		}
		e.index = make(map[string]int, len(base))
		for _, kv := range base {
			e.base = put(e.base, e.index, kv)
		}
	})
	out := make([]string, len(e.base), len(e.base)+len(set)+1)
	copy(out, e.base)
	var added map[string]int
	for _, kv := range set {
		name := foldName(kv)
		if i, ok := e.index[name]; ok && name != "" {
			out[i] = kv
			continue
		}
		if added == nil {
			added = make(map[string]int, len(set))
		}
		out = put(out, added, kv)
	}
	return out
}

// put sets or appends an entry. What is not an entry is left out.
func put(env []string, index map[string]int, kv string) []string {
	name := foldName(kv)
	if name == "" {
		return env
	}
	if i, ok := index[name]; ok {
		env[i] = kv
		return env
	}
	index[name] = len(env)
	return append(env, kv)
}

// foldName returns the name that an entry is compared by, "" when it is none.
// Windows has hidden entries whose names begin with an equals sign.
func foldName(kv string) string {
	if kv == "" {
		return ""
	}
	i := strings.IndexByte(kv[1:], '=') + 1
	if i == 0 || kv[0] == '=' && runtime.GOOS != "windows" {
		return ""
	}
	if runtime.GOOS == "windows" {
		return strings.ToUpper(kv[:i])
	}
	return kv[:i]
}

// Lookup returns a variable of an environment, "" when it is not set.
func Lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if key, value, ok := strings.Cut(env[i], "="); ok && sameName(key, name) {
			return value
		}
	}
	return ""
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
