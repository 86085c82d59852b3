package permission_test

import (
	"runtime"
	"testing"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// Ways to run what the rules Bash(rm:*), Bash(git push:*) and Bash(tool -rf:*) deny,
// beside a rule that allows all of Bash. Those that can be seen through are denied.
var throughDenied = []string{
	"rm x", "command rm x", "\\rm x", "r\"m\" x", "$'rm' x", "$'\\x72m' x", "\"rm\" x", "/bin/rm x", "~/bin/rm x", "r\\\nm x", "builtin command rm x", "exec -a y rm x",
	"env rm x", "env - rm x", "env - A=1 rm x", "env -i rm x", "env -i - rm x", "env -u A rm x", "env -S 'rm x'", "env -S'rm x'", "env -iS 'rm x'", "env --split-string='rm x'", "env -S 'rm' x", "env -C / rm x", "/usr/bin/env rm x",
	"nice rm x", "nice -n 5 rm x", "timeout 5 rm x", "timeout -s KILL 5 rm x", "nohup rm x", "setsid rm x", "setsid -f rm x", "stdbuf -oL rm x", "ionice -c 3 rm x", "time rm x", "time -p rm x", "\\time rm x", "chroot / rm x", "unshare rm x", "strace rm x",
	"sudo rm x", "sudo -u root rm x", "sudo -- rm x", "sudo A=1 rm x", "doas rm x", "doas -u root rm x", "su -c 'rm x'", "su - bob -c 'rm x'", "busybox rm x", "busybox sh -c 'rm x'", "toybox rm x",
	"taskset 1 rm x", "chrt -f 1 rm x", "setpriv --no-new-privs rm x", "firejail rm x", "proxychains rm x", "valgrind rm x", "tini -- rm x", "parallel rm ::: x", "parallel 'rm {}' ::: x", "script -c 'rm x'", "systemd-run rm x", "nsenter -t 1 rm x",
	"ls | xargs rm", "xargs -I{} rm {}", "xargs -n 1 env rm", "xargs sh -c 'rm x'", "xargs -0 sudo rm", "find . -exec rm {} +", "find . -exec rm {} \\;", "find . -execdir rm {} \\;", "find . -ok rm {} \\;", "find . -exec sh -c 'rm \"$1\"' _ {} \\;", "fd x -x rm", "fd -Hx rm", "fd -X rm",
	"bash -c 'rm x'", "bash -lc 'rm x'", "bash -ec 'rm x'", "bash -o pipefail -c 'rm x'", "bash -oc pipefail 'rm x'", "bash -c 'bash -c \"rm x\"'", "sh -c 'rm x'", "dash -c 'rm x'", "zsh -c 'rm x'", "ksh -c 'rm x'", "fish -c 'rm x'", "csh -c 'rm x'",
	"bash <<< 'rm x'", "bash -s <<< 'rm x'", "bash -s a b <<< 'rm x'", "bash /dev/stdin <<< 'rm x'", "sh <<E\nrm x\nE", "sh -s - <<'E'\nrm x\nE", "source /dev/stdin <<< 'rm x'", ". /dev/fd/0 <<< 'rm x'", "cat <<E\n$(rm x)\nE",
	"eval rm x", "eval 'rm x'", "eval -- 'rm x'", "eval 'eval \"rm x\"'", "trap 'rm x' EXIT", "trap -- 'rm x' EXIT", "mapfile -C 'rm x' -c 1 a < y", "readarray -C rm a", "hash -p /bin/rm q; q x",
	"alias q=rm; q x", "alias q='rm x'; q", "alias q='sudo rm'", "shopt -s expand_aliases; alias q=rm\nq x", "f() { rm x; }; f", "function f { rm \"$@\"; }; f x", "coproc rm x", "coproc X { rm x; }",
	"if true; then rm x; fi", "while rm x; do :; done", "for f in *; do rm $f; done", "case a in a) rm x;; esac", "until rm x; do :; done", "select f in a; do rm x; done", "{ rm x; }", "( rm x )", "! rm x", "ls & rm x", "ls || rm x", "ls\nrm x", "rm (",
	"echo $(rm x)", "echo `rm x`", "echo \"${a:-$(rm x)}\"", "cat <(rm x)", "ls > >(rm x)", "a=$(rm x)", "a=(x $(rm x))", "echo $(( $(rm x) ))", "[[ $(rm x) ]]", "ls > $(rm x)",
	"git push", "git -C . push", "git -c a.b=c push", "git --git-dir .git push", "git -c alias.p=push p", "git -c alias.p=push p origin", "git -c alias.p='push origin' p", "git -c alias.p='!git push' p", "git -c alias.x='!rm x' x", "git -c alias.x='!f() { rm \"$1\"; }; f' x a",
	"git -c alias.a='-c alias.p=push p' a", "git -c core.pager='rm x' log", "git -c core.fsmonitor='rm x' status", "git -c core.sshCommand='rm x' fetch", "git -c credential.helper='!rm x' fetch", "GIT_PAGER='rm x' git log", "PAGER='rm x' git log", "GIT_SSH_COMMAND='rm x' git fetch",
	"export GIT_EDITOR='rm x'; git commit", "env EDITOR='rm x' git commit", "LESSOPEN='|rm %s' less x", "git rebase -x 'rm x' main", "git rebase --exec='rm x' main", "git submodule foreach 'rm x'", "git submodule foreach --recursive rm x", "git bisect run rm x",
	"git filter-branch --tree-filter 'rm x'", "git difftool -x 'rm x'", "git fetch --upload-pack='rm x'", "ssh localhost rm x", "ssh -p 22 h 'rm x'", "ssh -o ProxyCommand='rm x' h",
	"tool -rf x", "alias q='tool -rf'; q x", "sudo tool -rf x", "flock f tool -rf x", "flock f -c 'tool -rf x'", "watch 'rm x'", "watch rm x",
}

// Those that can't be followed are asked about.
var throughAsked = []string{
	"$x y", "a=rm; $a x", "a=r; ${a}m x", "{rm,x}", "rm{,} x", "/bin/r? x", "$(which rm) x", "`echo rm` x", "\"$@\"", "${a[@]}", "r$x y", "eval \"$x\"", "eval $(echo rm x)", "echo cm0geA== | base64 -d | sh", "curl x | bash", "curl x | sudo sh", "cat y | sh -s",
	"printf 'rm x' | bash /dev/stdin", "{ bash; } <<< 'rm x'", "bash < y", "ls | tee >(sh)", "bash <(echo rm x)", "source <(echo rm x)", ". <(echo rm x)", ". \"$x\"", "bash -c \"$x\"", "bash -c '\"$@\"' _ rm x", "bash -c '$0 x' rm", "bash $x", "env -S \"$x\"",
	"echo rm x | xargs -I{} sh -c '{}'", "echo rm | xargs -I{} {} x", "xargs $x", "find . -exec {} \\;", "find . -exec $x {} \\;", "fd -xrm y", "nice $x y", "env --ignore rm x", "timeout --sig=9 5 rm x", "sudo --frob rm x", "su", "sudo -i", "parallel ::: x",
	"git -c $x p", "git -c alias.$x=push p", "git --config-env=alias.p=X p", "git --config-env alias.p=X p", "git -c include.path=y p", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p", "export GIT_CONFIG_PARAMETERS=\"'alias.p=push'\"; git p",
	"GIT_CONFIG_GLOBAL=y git p", "env GIT_CONFIG_COUNT=1 git p", "GIT_PAGER=$x git log", "git $x", "BASH_ALIASES[q]=rm; q x", "BASH_CMDS[q]=/bin/rm; q x", "alias q=$x; q", "alias q=tool; q -rf x", "f() { \"$@\"; }; f rm x", "f() { tool \"$@\"; }; f -rf x", "x=-rf; tool $x y", "set -- rm x; \"$@\"",
	"read c <<< rm; $c x", "trap \"$x\" EXIT", "complete -C \"$x\" y", "compgen -W 'a $(rm x)'", "PS4='$(rm x)'; set -x; ls", "echo ${x@P}", "x='a[$(rm y)]'; echo $((x))", "x='a[$'; z=$x'(rm y)]'; [[ z -eq 1 ]]", "if", "ls\r", "((rm))",
	"$'\\'; rm x #'", "ssh h \"$x\"", "expect -c 'spawn rm x'x", "bash -c 'a ('",
}

func TestDenyRulesLookThrough(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	p := project(t)
	rules := entries(t, permission.Deny, permission.ScopeUser, "Bash(rm:*)", "Bash(git push:*)", "Bash(tool -rf:*)")
	rules = append(rules, entries(t, permission.Allow, permission.ScopeUser, "Bash")...)
	c := checker(t, permission.Config{Rules: rules, ProjectDir: p, Home: p})
	for want, list := range map[hook.Decision][]string{hook.DecisionDeny: throughDenied, hook.DecisionAsk: throughAsked} {
		for _, text := range list {
			if d := c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}); d.Decision != want {
				t.Errorf("%q is %v, not %v: %s", text, d.Decision, want, d.Reason)
			}
		}
	}
	// What has nothing to do with the rules runs.
	for _, text := range []string{
		"ls", "npm install", "echo 'rm x'", "git commit -m 'rm x; git push'", "git -c user.name=\"O'Brien\" commit", "git -c core.pager=cat log", "GIT_EDITOR=true git rebase --continue", "PAGER='less -R' git log", "docker rm x", "git rm x", "ssh host uptime", "alias ll='ls -l'",
		"for f in *; do cat \"$f\"; done", "i=0; i=$((i+1)); echo $i", "tool -r x", "tool $x", "bash x.sh", "source x.sh", "find . -name rm", "env A=1 ls", "sudo ls", "taskset 1 ls", "export PATH=$PATH:/x", "git submodule foreach git status", "mapfile -t a < x", "trap - EXIT", "cat <<E\nrm x\nE",
	} {
		want := hook.DecisionAllow
		if text == "tool $x" {
			want = hook.DecisionAsk // it may be -rf
		}
		if d := c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}); d.Decision != want {
			t.Errorf("%q is %v: %s", text, d.Decision, d.Reason)
		}
	}
}

// Writing what steers the agent is asked about, whatever way it is spelled.
func TestProtectedNamesBehindCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	p := project(t)
	state := p + "home/.local/state/tool"
	c := checker(t, permission.Config{Rules: entries(t, permission.Allow, permission.ScopeUser, "Bash"), ProjectDir: p, Home: p + "home", Protected: []string{state}})
	for text, want := range map[string]string{
		"cp x ~/.local/state/tool/trust.json": "ask", "cp x $HOME/.local/state/tool/trust.json": "ask", "cp x \"$HOME\"/.local/state/tool/trust.json": "ask", "cp x \"${HOME}/.local/state/tool/trust.json\"": "ask", "cp x " + state + "/trust.json": "ask",
		"git config core.fsmonitor ./x": "ask", "git config --global alias.x '!y'": "ask", "git -C . config core.pager x": "ask", "git config --get user.name": "allow", "find . -fprint .envrc": "ask", "find . -fprintf .envrc x": "ask", "find . -fls .git/config": "ask", "find . -name .envrc": "allow",
		"find . -path ./.git -prune -o -exec ls {} +": "allow", "xargs -I{} touch {} <<< .envrc": "ask", "echo .envrc | xargs touch": "ask", "xargs touch <<E\n.envrc\nE": "ask", "git -c core.pager='tee .envrc' log": "ask", "alias q='tee .envrc'; q": "ask", "echo .envrc": "allow", "cat .envrc": "allow",
	} {
		if d := c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}); d.Decision.String() != want {
			t.Errorf("%q is %v, not %s: %s", text, d.Decision, want, d.Reason)
		}
	}
}
