package node

import (
	"net"
	"runtime"
	"strings"
)

// Grants is what a module may do. The zero value grants nothing.
type Grants struct {
	// Exec lets the module start programs.
	Exec bool
	// Net lists the hosts that fetch may reach: "api.example.com",
	// "*.example.com" (any name below it), "localhost:8080" (that port only),
	// "*" (all). Case does not matter.
	Net []string
	// Read and Write list the folders and files whose contents may be read or
	// changed; a folder includes everything in it. Relative ones start from
	// the working directory. "*" means all. Writing does not include reading.
	Read, Write []string
	// Env lists the environment variables the module sees besides the ones
	// that every module sees. A name may end in "*". "*" means all.
	Env []string
}

// All returns the grants of a module that may do everything.
func All() Grants {
	return Grants{Exec: true, Net: []string{"*"}, Read: []string{"*"}, Write: []string{"*"}, Env: []string{"*"}}
}

// defaultEnv lists the environment variables that every module sees: what
// programs need to find their way, and nothing that holds a secret.
func defaultEnv() []string {
	return []string{
		"HOME", "USER", "LOGNAME", "SHELL", "PATH", "PWD", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM",
		"NO_COLOR", "FORCE_COLOR", "CI", "TMPDIR", "TMP", "TEMP", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
		"XDG_STATE_HOME", "XDG_RUNTIME_DIR", "EDITOR", "VISUAL", "PAGER",
		// Windows
		"USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
		"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
	}
}

// filterEnv keeps the variables that the module may see.
func (g Grants) filterEnv(env []string) map[string]string {
	patterns := append(defaultEnv(), g.Env...)
	kept := map[string]string{}
	for _, entry := range env {
		// Windows has variables such as "=C:"; the name starts with the sign.
		name, value, ok := strings.Cut(entry, "=")
		if ok && name != "" && matchesName(patterns, name) {
			kept[name] = value
		}
	}
	return kept
}

func matchesName(patterns []string, name string) bool {
	fold := func(s string) string { return s }
	if runtime.GOOS == "windows" {
		fold = strings.ToUpper
	}
	name = fold(name)
	for _, pattern := range patterns {
		pattern = fold(pattern)
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasPrefix(name, prefix) {
			return true
		}
		if pattern == name {
			return true
		}
	}
	return false
}

// allowsHost says whether fetch may go to a host, given as "name:port" or, for
// IPv6, "[address]:port".
func (g Grants) allowsHost(hostport string) bool {
	host, port, err := net.SplitHostPort(strings.ToLower(hostport))
	if err != nil {
		return false
	}
	host = strings.TrimSuffix(host, ".")
	for _, pattern := range g.Net {
		if matchesHost(strings.ToLower(strings.TrimSpace(pattern)), host, port) {
			return true
		}
	}
	return false
}

func matchesHost(pattern, host, port string) bool {
	if pattern == "*" {
		return true
	}
	if name, wanted, err := net.SplitHostPort(pattern); err == nil {
		if wanted != port && wanted != "*" {
			return false
		}
		pattern = name
	}
	pattern = strings.Trim(pattern, "[]")
	if suffix, ok := strings.CutPrefix(pattern, "*."); ok {
		return suffix != "" && strings.HasSuffix(host, "."+suffix)
	}
	if pattern == "*" {
		return true
	}
	// No other wildcards: "a*.example.com" matches itself alone.
	return pattern == host
}
