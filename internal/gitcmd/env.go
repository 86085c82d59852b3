package gitcmd

import (
	"runtime"
	"slices"
	"strings"
)

// personal are the variables for git that say where the person's configuration is and
// how to reach servers, which count in a repository of his own. All others say which
// repository is meant, and a program that a hook of git started has them set.
var personal = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXEC_PATH",
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
}

// environment gives the environment for every run of git: the caller's without anything
// that could redirect git or make it ask, but for the variables of git in keep, with
// prompting off, and what is in set.
func environment(environ, keep []string, set ...string) []string {
	env := make([]string, 0, len(environ)+5+len(set))
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		switch {
		case strings.HasPrefix(name, "GIT_") && !slices.Contains(keep, name),
			name == "SSH_ASKPASS", name == "SSH_ASKPASS_REQUIRE",
			name == "LC_ALL", name == "LANGUAGE", name == "GCM_INTERACTIVE":
			continue
		}
		env = append(env, kv)
	}
	env = append(env, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never", "LC_ALL=C")
	return append(env, set...)
}

// foreign are the variables of runs in a repository that nobody vouches for.
func foreign(t Transport) []string {
	return []string{
		"GIT_ALLOW_PROTOCOL=" + allowed(t), // outranks every protocol.* setting
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1",
	}
}

// allowed lists the transports for an address. A network address may also use
// the other network transport, for users whose insteadOf maps one to the other.
func allowed(t Transport) string {
	switch t {
	case HTTPS, SSH:
		return "https:ssh"
	case File:
		return "file"
	case HTTPLoopback:
		return "http"
	}
	return "none"
}

// settings are the -c options of every run. noHooks is a directory that does
// not exist.
func settings(noHooks string, t Transport) []string {
	redirects := "initial"
	if t == HTTPLoopback {
		redirects = "false"
	}
	var args []string
	for _, kv := range []string{
		"core.hooksPath=" + noHooks,
		"core.fsmonitor=false",
		"core.symlinks=false",
		"core.askPass=",
		"core.attributesFile=",
		"core.bigFileThreshold=4m",
		"credential.interactive=false",
		"fetch.fsckObjects=true",
		"fetch.fsck.zeroPaddedFilemode=ignore",
		"fetch.fsck.missingSpaceBeforeDate=ignore",
		"fetch.fsck.badTimezone=ignore",
		"fetch.recurseSubmodules=false",
		"fetch.writeCommitGraph=false",
		"gc.auto=0",
		"http.followRedirects=" + redirects,
		"http.lowSpeedLimit=500",
		"http.lowSpeedTime=30",
		"maintenance.auto=false",
		"protocol.allow=never",
		"protocol.ext.allow=never",
		"submodule.recurse=false",
		"transfer.bundleURI=false",
		"transfer.credentialsInUrl=die",
		"transfer.unpackLimit=1",
	} {
		args = append(args, "-c", kv)
	}
	return args
}

// batchSSH makes an ssh command line that never asks. own is the user's
// core.sshCommand; a program that is not called ssh is left as it is, since it
// may not know the options.
func batchSSH(own string) string {
	const options = " -oBatchMode=yes -oConnectTimeout=30"
	own = strings.TrimSpace(own)
	if own == "" {
		return "ssh" + options
	}
	program := strings.Trim(strings.Fields(own)[0], `"'`)
	program = program[strings.LastIndexAny(program, `/\`)+1:]
	program = strings.TrimSuffix(strings.ToLower(program), ".exe")
	if program != "ssh" {
		return own
	}
	return own + options
}
