package gitcmd

import (
	"runtime"
	"strings"
)

// scrubbed gives the environment for git: the caller's without anything that
// could redirect git or make it ask, and with prompting off.
func scrubbed(environ []string, t Transport) []string {
	env := make([]string, 0, len(environ)+8)
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		switch {
		case strings.HasPrefix(name, "GIT_"),
			name == "SSH_ASKPASS", name == "SSH_ASKPASS_REQUIRE",
			name == "LC_ALL", name == "LANGUAGE", name == "GCM_INTERACTIVE":
			continue
		}
		env = append(env, kv)
	}
	return append(env,
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ALLOW_PROTOCOL="+allowed(t), // outranks every protocol.* setting
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"SSH_ASKPASS_REQUIRE=never",
		"GCM_INTERACTIVE=never",
		"LC_ALL=C",
	)
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
