package process

import (
	"runtime"
	"slices"
	"strings"
)

// EnvPolicy adjusts what [Environ] lets through. Names and patterns are
// compared without regard to case; "*" stands for any characters. The zero
// value is the built-in table alone.
type EnvPolicy struct {
	// Keep lets variables through that the table would drop.
	Keep []string
	// Drop drops further ones. It wins over Keep and Only.
	Drop []string
	// Only, if not nil, turns the table into an allow-list: nothing but these
	// passes, and of these what the table drops only if Keep has it too.
	Only []string
}

// Environ builds the environment of a child: base, which is most often
// os.Environ(), without what the policy drops, then set, whose entries replace
// those of the same name and are never dropped. Both hold KEY=VALUE; the last
// of equal names wins, at the place of the first. GIT_TERMINAL_PROMPT is 0
// unless set says otherwise, so that git fails instead of asking.
//
// The second result names what was dropped, sorted. The result depends on
// nothing but the arguments.
func Environ(base, set []string, policy EnvPolicy) (env, dropped []string) {
	env = make([]string, 0, len(base)+len(set)+1)
	index := make(map[string]int, cap(env))
	put := func(kv string) {
		name := envName(kv)
		if name == "" || strings.IndexByte(kv, 0) >= 0 {
			return
		}
		if i, ok := index[name]; ok {
			env[i] = kv
			return
		}
		index[name] = len(env)
		env = append(env, kv)
	}
	f := compile(policy)
	for _, kv := range base {
		if name := envName(kv); name != "" && f.drops(name) {
			dropped = append(dropped, kv[:len(name)])
			continue
		}
		put(kv)
	}
	put("GIT_TERMINAL_PROMPT=0")
	for _, kv := range set {
		put(kv)
	}
	slices.Sort(dropped)
	return env, slices.Compact(dropped)
}

// envName returns the name an entry is compared by, or nothing if it is not an
// entry. On Windows names differ in case only by accident, and some begin with
// an equals sign.
func envName(kv string) string {
	i := strings.IndexByte(kv, '=')
	if i == 0 && runtime.GOOS == "windows" {
		i = strings.IndexByte(kv[1:], '=') + 1
	}
	if i <= 0 {
		return ""
	}
	if runtime.GOOS == "windows" {
		return strings.ToUpper(kv[:i])
	}
	return kv[:i]
}

// filter is a policy and the table, in capitals.
type filter struct {
	deny, allow, keep, drop []string
	only                    []string
	limited                 bool
}

func compile(p EnvPolicy) filter {
	f := filter{keep: upper(p.Keep), drop: upper(p.Drop), only: upper(p.Only), limited: p.Only != nil}
	for _, r := range EnvRules() {
		if r.Pass {
			f.allow = append(f.allow, r.Pattern)
		} else {
			f.deny = append(f.deny, r.Pattern)
		}
	}
	return f
}

func (f *filter) drops(name string) bool {
	name = strings.ToUpper(name)
	switch {
	case matchAny(f.drop, name):
		return true
	case f.limited && !matchAny(f.only, name):
		return true
	case matchAny(f.keep, name):
		return false
	case matchAny(f.allow, name):
		return false
	}
	return matchAny(f.deny, name)
}

func upper(in []string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = strings.ToUpper(s)
	}
	return out
}

func matchAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if matchName(p, name) {
			return true
		}
	}
	return false
}

// matchName matches a name against a pattern in which "*" stands for any
// characters.
func matchName(pattern, name string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	for {
		part, more, wild := strings.Cut(rest, "*")
		if !wild {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], more
	}
}
