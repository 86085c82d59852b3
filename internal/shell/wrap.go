package shell

import (
	"fmt"
	"slices"
	"strings"
)

// special names the wrappers for which options aren't enough.
type special uint8

const (
	plain special = iota
	byTime
	byEnv
	bySudo
	byXargs
	byJoined
	byTrap
	byFind
	byFd
	byShell
	bySu
	byFlock
	byGit
	bySSH
	bySource
	byAlias
	byHash
	byCallback
)

// options describes how the options of a wrapper are read, so that the place
// where the started command begins can be found.
type options struct {
	flags  string   // single letters without a value
	values string   // single letters that take one
	long   []string // long options; "name=" takes a value
	// operands is how many words stand between the options and the command
	// (the duration of timeout).
	operands int
	assigns  bool // NAME=value words before the command (env, sudo)
	wrap     Wrap
	// special takes over where options aren't enough.
	special special
	// alone lists options with which no command is started (command -v).
	alone string
	// numeric allows options that are numbers (nice -5).
	numeric bool
}

// changers are commands after which other commands mean something else.
var changers = []string{"cd", "pushd", "popd"}

// wrappers are the commands that start other commands.
var wrappers = map[string]options{
	"time":       {flags: "pvaq", values: "fo", long: []string{"portability", "verbose", "append", "quiet", "format=", "output="}, wrap: Transparent, special: byTime},
	"nohup":      {wrap: Transparent},
	"nice":       {values: "n", long: []string{"adjustment="}, wrap: Transparent, numeric: true},
	"ionice":     {flags: "t", values: "cn", long: []string{"class=", "classdata=", "ignore"}, wrap: Transparent},
	"timeout":    {flags: "vfp", values: "ks", long: []string{"foreground", "preserve-status", "verbose", "kill-after=", "signal="}, operands: 1, wrap: Transparent},
	"gtimeout":   {flags: "vfp", values: "ks", long: []string{"foreground", "preserve-status", "verbose", "kill-after=", "signal="}, operands: 1, wrap: Transparent},
	"stdbuf":     {values: "ioe", long: []string{"input=", "output=", "error="}, wrap: Transparent},
	"setsid":     {flags: "cfw", long: []string{"ctty", "fork", "wait"}, wrap: Transparent},
	"command":    {flags: "p", alone: "vV", wrap: Transparent},
	"builtin":    {wrap: Transparent},
	"exec":       {flags: "cl", values: "a", wrap: Transparent},
	"env":        {flags: "i0v", values: "uCS", long: []string{"ignore-environment", "null", "debug", "unset=", "chdir=", "split-string=", "default-signal", "ignore-signal", "block-signal"}, assigns: true, wrap: Transparent, special: byEnv},
	"sudo":       {flags: "AbBEHiknNPsS", values: "aCcDghpRrTtuU", alone: "Kkvle", long: []string{"askpass", "background", "bell", "preserve-env", "set-home", "login", "non-interactive", "preserve-groups", "stdin", "shell", "chdir=", "group=", "host=", "prompt=", "chroot=", "role=", "type=", "command-timeout=", "user=", "other-user="}, assigns: true, wrap: Opaque, special: bySudo},
	"doas":       {flags: "Lns", values: "aCu", wrap: Opaque, special: bySudo},
	"xargs":      {flags: "0oprtx", values: "adEIJLnPRsS", long: []string{"null", "no-run-if-empty", "verbose", "interactive", "exit", "open-tty", "show-limits", "arg-file=", "delimiter=", "eof", "replace", "max-lines", "max-args=", "max-procs=", "max-chars=", "process-slot-var="}, wrap: Transparent, special: byXargs},
	"watch":      {flags: "bcdeghptwxrC", values: "nqs", long: []string{"beep", "color", "no-color", "differences", "errexit", "chgexit", "precise", "no-title", "no-wrap", "exec", "interval=", "equexit="}, wrap: Opaque, special: byJoined},
	"eval":       {wrap: Transparent, special: byJoined},
	"trap":       {alone: "lp", wrap: Transparent, special: byTrap},
	"find":       {wrap: Opaque, special: byFind},
	"fd":         {wrap: Opaque, special: byFd},
	"fdfind":     {wrap: Opaque, special: byFd},
	"bash":       {wrap: Transparent, special: byShell},
	"sh":         {wrap: Transparent, special: byShell},
	"dash":       {wrap: Transparent, special: byShell},
	"ash":        {wrap: Transparent, special: byShell},
	"zsh":        {wrap: Transparent, special: byShell},
	"ksh":        {wrap: Transparent, special: byShell},
	"mksh":       {wrap: Transparent, special: byShell},
	"rbash":      {wrap: Transparent, special: byShell},
	"fish":       {wrap: Opaque, special: byShell},
	"csh":        {wrap: Opaque, special: byShell},
	"tcsh":       {wrap: Opaque, special: byShell},
	"yash":       {wrap: Opaque, special: byShell},
	"su":         {flags: "lmp", values: "cgGs", long: []string{"login", "command=", "shell=", "preserve-environment", "group=", "supp-group="}, wrap: Opaque, special: bySu},
	"busybox":    {wrap: Opaque},
	"toybox":     {wrap: Opaque},
	"flock":      {flags: "ensuxoF", values: "wEc", long: []string{"shared", "exclusive", "unlock", "nonblock", "close", "no-fork", "verbose", "timeout=", "wait=", "conflict-exit-code=", "command="}, operands: 1, wrap: Opaque, special: byFlock},
	"chroot":     {long: []string{"userspec=", "groups=", "skip-chdir"}, operands: 1, wrap: Opaque},
	"caffeinate": {flags: "disum", values: "tw", wrap: Transparent},
	"strace":     {flags: "cCdDfFhiknqrtTvVwxyYzZ", values: "abeEIoOpPsSuUX", wrap: Opaque},
	"git":        {special: byGit},
	"ssh":        {flags: "46AaCfGgKkMNnqsTtVvXxYy", values: "BbcDEeFIiJLlmOoPpQRSWw", operands: 1, special: bySSH},
	"source":     {special: bySource},
	".":          {special: bySource},
	"alias":      {alone: "p", wrap: Opaque, special: byAlias},
	"hash":       {flags: "dlrt", values: "p", wrap: Opaque, special: byHash},
	"mapfile":    {flags: "t", values: "CcdnOsu", wrap: Opaque, special: byCallback},
	"readarray":  {flags: "t", values: "CcdnOsu", wrap: Opaque, special: byCallback},
	"complete":   {flags: "abcdefgjksuvDEIpr", values: "oAGWFCXPS", wrap: Opaque, special: byCallback},
	"compgen":    {flags: "abcdefgjksuv", values: "oAGWFCXPSV", wrap: Opaque, special: byCallback},
	"unshare":    {flags: "CimnprTuUc", long: []string{"fork", "ipc", "mount", "net", "pid", "user", "uts", "map-root-user", "mount-proc"}, wrap: Opaque},
}

// opaqueRunners start commands on this machine in ways that aren't read here.
var opaqueRunners = []string{"parallel", "script", "expect", "entr", "nsenter", "runuser", "pkexec", "systemd-run", "at", "batch"}

// runners start the command that stands among their words, behind options that aren't
// read here.
var runners = []string{
	"bwrap", "chpst", "chrt", "cpulimit", "dumb-init", "fakeroot", "firejail", "hyperfine", "ltrace", "numactl", "prlimit", "proot", "proxychains", "proxychains4",
	"rlwrap", "setarch", "setpriv", "sg", "start-stop-daemon", "taskset", "tini", "torsocks", "unbuffer", "valgrind",
}

// IsRunner reports the name of a program that starts the command among its words.
func IsRunner(name string) bool {
	return slices.Contains(runners, name) || slices.Contains(opaqueRunners, name)
}

// parsed is what reading a wrapper's options gave.
type parsed struct {
	next   int                 // index of the first word after the options
	values map[string][]Word   // values by option
	seen   map[string]struct{} // options seen
	doubt  string
	alone  bool
}

func (p parsed) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { _, ok := p.seen[n]; return ok })
}

// read walks over the options of a wrapper's arguments.
func (o options) read(args []Word) parsed {
	p := parsed{values: map[string][]Word{}, seen: map[string]struct{}{}}
	i := 1
	for ; i < len(args); i++ {
		w := args[i]
		if o.assigns && isAssign(w) || o.special == byEnv && w.Is("-") {
			continue
		}
		if !w.Literal {
			if first := w.Pieces()[0]; first.Unknown || strings.HasPrefix(first.Text, "-") {
				p.doubt = fmt.Sprintf("%s: %s is computed", args[0].Text, w.Text)
			}
			break
		}
		if w.Text == "--" {
			i++
			break
		}
		if len(w.Text) < 2 || w.Text[0] != '-' {
			break
		}
		used, doubt := o.option(&p, args, i)
		if doubt != "" {
			p.doubt = doubt
			break
		}
		i += used
	}
	// After the options assignments may still follow.
	for o.assigns && i < len(args) && isAssign(args[i]) {
		i++
	}
	p.next = min(i+o.operands, len(args))
	return p
}

// option reads the option at args[i] and returns how many further words it took.
func (o options) option(p *parsed, args []Word, i int) (used int, doubt string) {
	text := args[i].Text
	unknown := fmt.Sprintf("%s: option %s isn't known", args[0].Text, text)
	value := func() bool {
		if i+1 >= len(args) {
			return false
		}
		used = 1
		return true
	}
	if name, ok := strings.CutPrefix(text, "--"); ok {
		name, val, hasVal := strings.Cut(name, "=")
		p.seen[name] = struct{}{}
		switch {
		case slices.Contains(o.long, name+"="):
			if hasVal {
				p.values[name] = append(p.values[name], Word{Text: val, Literal: true})
			} else if value() {
				p.values[name] = append(p.values[name], args[i+1])
			}
			return used, ""
		case slices.Contains(o.long, name):
			if hasVal {
				p.values[name] = append(p.values[name], Word{Text: val, Literal: true})
			}
			return 0, ""
		}
		return 0, unknown
	}
	if o.numeric && strings.Trim(text[1:], "+-0123456789") == "" {
		return 0, ""
	}
	for j, c := range text[1:] {
		letter := string(c)
		p.seen[letter] = struct{}{}
		switch {
		case strings.Contains(o.alone, letter):
			p.alone = true
		case strings.Contains(o.values, letter):
			if rest := text[1+j+1:]; rest != "" {
				p.values[letter] = append(p.values[letter], Word{Text: rest, Literal: true})
			} else if value() {
				p.values[letter] = append(p.values[letter], args[i+1])
			}
			return used, ""
		case strings.Contains(o.flags, letter):
		default:
			return 0, unknown
		}
	}
	return 0, ""
}

// isAssign reports whether a word has the form NAME=value.
func isAssign(w Word) bool {
	first := w.Pieces()[0]
	if first.Unknown {
		return false
	}
	name, _, ok := strings.Cut(first.Text, "=")
	return ok && validName(name)
}

func validName(name string) bool {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// toAssign turns a NAME=value word into an assignment.
func toAssign(w Word) Assign {
	pieces := slices.Clone(w.Pieces())
	name, rest, _ := strings.Cut(pieces[0].Text, "=")
	if w.Literal {
		return Assign{Name: name, Value: Word{Text: rest, Literal: true, Quoted: w.Quoted}}
	}
	pieces[0].Text = rest
	return Assign{Name: name, Value: Word{Text: w.Text, Parts: pieces}}
}
