package permission_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// ordinary makes a repository as people have them, and returns it.
func ordinary(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(dir, "shop")
	files := map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/objects/info/x": "", ".git/refs/heads/main": "", ".git/hooks/pre-commit.sample": "",
		".git/config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n" +
			"[remote \"origin\"]\n\turl = git@example.com:a/shop.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
		".env": "KEY=1\n", ".gitignore": "bin/\n", "go.mod": "module shop\n", "main.go": "package main\n", "Makefile": "test:\n", "package.json": "{}\n", "README.md": "# Shop\n",
		"cmd/shop/main.go": "package main\n", "internal/cart/cart.go": "package cart\n", "internal/cart/cart_test.go": "package cart\n", "internal/db/db.go": "package db\n",
		"docs/a.md": "a\n", "docs/b.md": "b\n", "docs/include.md": "c\n", "web/src/app.ts": "x\n", "web/src/app.test.ts": "x\n", "web/package.json": "{}\n",
	}
	for name, text := range files {
		file := filepath.Join(p, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// ordinaryChecker decides in the repository in default mode, under a few rules.
func ordinaryChecker(t testing.TB, p string, deny ...string) *permission.Checker {
	t.Helper()
	rules := entries(t, permission.Allow, permission.ScopeProject, "Bash(go test:*)", "Bash(go vet:*)", "Bash(go build:*)", "Bash(gofmt:*)", "Bash(npm run test:*)",
		"Bash(npm test)", "Bash(make test)", "Bash(git add:*)", "Bash(git commit:*)", "Bash(git rebase:*)", "Bash(pytest:*)", "Edit(./bin/**)")
	rules = append(rules, entries(t, permission.Ask, permission.ScopeUser, "Bash(git push:*)")...)
	rules = append(rules, entries(t, permission.Deny, permission.ScopeUser, deny...)...)
	return checker(t, permission.Config{Rules: rules, ProjectDir: p, Home: filepath.Join(filepath.Dir(p), "home")})
}

// What agents run all day and what changes nothing, or what a rule allows. ROOT is
// the repository. None of it may be asked about.
var quietCommands = []string{
	"git branch --show-current", "git remote -v", "git rev-parse HEAD", "git rev-parse --abbrev-ref HEAD", "git rev-parse --show-toplevel", "git config --get remote.origin.url",
	"git config --list", "git version", "git --version", "ls", "ls -la", "ls -la internal/ docs/", "ls -lah *.md", "ls docs/*.md | head", "ls ROOT", "ls -R internal | head -50", "ls -1 | wc -l",
	"cat README.md", "cat main.go go.mod", "cat -n main.go", "cat docs/*.md", "head -50 main.go", "head -n 20 internal/cart/cart.go", "tail -n 5 README.md", "tail -n +10 main.go | head -20",
	"cat main.go | head -20", "wc -l *.go", "wc -l internal/*/*.go", "find . -name '*.go'", "find . -type f -name '*_test.go' | head", "find . -maxdepth 2 -type d -not -path './.git/*'",
	"find . -path ./node_modules -prune -o -name '*.ts' -print", "find docs -type f | sort | head", "grep -rn 'func New' .", "grep -rn \"TODO\" --include=*.go .",
	"grep -rn TODO --include='*.ts' web/src", "grep -n package main.go", "grep -E 'a|b' -c README.md", "grep -B2 -A2 'func ' main.go", "grep -rl cart internal | head -5",
	"grep -v '^#' README.md", "grep -q x README.md && echo yes || echo no", "egrep 'x|y' README.md", "rg TODO", "rg -n 'func \\w+' -g '*.go'", "rg --files | head", "rg -l cart internal",
	"rg --type go NewCart", "rg x *.md", "rg -uu --hidden cart docs", "sort docs/a.md | uniq -c | sort -rn | head", "sort -u docs/a.md docs/b.md", "sort -t, -k2 -n docs/a.md", "sort *.md",
	"uniq -c docs/a.md", "cut -d: -f1 docs/a.md", "cut -c1-80 main.go", "tr a-z A-Z < README.md", "column -t docs/a.md", "nl main.go", "diff docs/a.md docs/b.md",
	"diff -u main.go cmd/shop/main.go", "stat -c %s main.go", "file main.go", "file *", "du -sh .", "du -sh * | sort -h", "tree -L 2", "tree -I node_modules internal", "basename ROOT/main.go",
	"dirname internal/cart/cart.go", "realpath main.go", "readlink -f main.go", "sha256sum main.go", "md5sum *.md", "test -f main.go && echo yes", "pwd", "echo hello", "which go",
	"command -v rg", "type go", "date", "date +%Y-%m-%d", "date -u '+%FT%TZ'", "uname -a", "whoami", "id -u", "hostname", "nproc", "true", "sleep 1", "node --version", "python3 --version",
	"gcc --version | head -1", "[ -f go.mod ] && echo go", "[ -d node_modules ] || echo none", "if [ -f Makefile ]; then cat Makefile; fi", "test -d docs && ls docs",
	"set -euo pipefail; ls | head", "(cd docs && ls)", "ls nothing 2>/dev/null", "ls nothing 2>&1 | head", "ls >/dev/null 2>&1 && echo ok", "cat main.go 2>/dev/null || echo missing",
	"ls || true", "cat <<'EOF'\nhello $x\nEOF", "cat <<EOF | wc -l\na\nb\nEOF", "grep x <<< \"a x b\"", "LC_ALL=C sort docs/a.md", "TZ=UTC date",
	"case $(uname) in Linux) echo linux;; *) echo other;; esac", "ls & wait", "! grep -q x main.go", "cd docs && cat ../main.go", "go test ./...", "go test -race -count=1 ./internal/...",
	"go test ./... -run 'TestA|TestB' -v 2>&1 | tail -30", "go vet ./... && go test ./...", "go build ./...", "go build -o bin/shop ./cmd/shop", "cd internal && go test ./cart",
	"cd ROOT && go vet ./...", "CGO_ENABLED=0 go build ./...", "GOOS=linux GOARCH=arm64 go build ./...", "time go test ./internal/cart", "timeout 120 go test ./... 2>&1 | grep -E 'FAIL|ok'",
	"go test ./... > bin/out.txt 2>&1", "go test ./... || true", "npm run test", "npm run test -- --watch=false", "cd web && npm run test", "NODE_ENV=test npm run test", "CI=1 npm test",
	"npm test 2>&1 | tail -5", "make test", "gofmt -l .", "PYTHONDONTWRITEBYTECODE=1 pytest -q", "PYTHONUNBUFFERED=1 pytest", "git add -A && git commit -m 'fix: the cart'",
	"git add main.go internal/cart", "git commit -m \"$(cat <<'EOF'\nFix the cart\n\nIt was empty (always).\nEOF\n)\"", "GIT_EDITOR=true git rebase --continue",
	"for p in cart db; do go test ./internal/$p; done",
}

// What often changes nothing and is asked about all the same: git, for which the settings
// of a repository name programs, scripts of sed, awk, jq, printf and find, and everything
// that the shell computes.
var notPlain = []string{
	"git status", "git status --short", "git status --porcelain=v1 -b", "git status -uno", "git diff", "git diff --stat", "git diff --cached", "git diff --staged --name-only", "git diff HEAD",
	"git diff HEAD~1 HEAD -- internal", "git diff main...HEAD --stat", "git diff -U10 -- main.go", "git diff --name-status origin/main", "git diff -w --word-diff",
	"git diff -- . ':(exclude)*.lock'", "git diff -- ':!docs'", "git log", "git log --oneline -20", "git log -p -1", "git log --oneline --graph --all --decorate",
	"git log --format='%h %an %s' -n 5", "git log --pretty=format:\"%h %ad %s\" --date=short", "git log -S 'NewCart' -- internal/cart", "git log --author=ann --since='2 weeks ago'",
	"git log main..HEAD --oneline", "git log --follow -- main.go", "git log -L 1,10:main.go", "git log -1 --format=%H", "git log --grep=fix -i", "git log origin/main..", "git show",
	"git show HEAD", "git show HEAD~2 --stat", "git show HEAD:internal/cart/cart.go", "git show HEAD^:main.go | head -40", "git show --name-only --format= HEAD", "git blame main.go",
	"git blame -L 10,20 -- internal/db/db.go", "git branch", "git branch -a", "git branch -vv", "git branch --list 'feature/*'", "git branch -r --sort=-committerdate", "git branch --merged main",
	"git tag", "git tag -l 'v1.*'", "git tag --sort=-v:refname | head -5", "git remote get-url origin", "git stash list", "git stash show -p stash@{0}", "git rev-list --count HEAD",
	"git ls-files", "git ls-files '*.go' | wc -l", "git ls-files --others --exclude-standard", "git ls-tree -r HEAD --name-only", "git config user.name", "git config --global user.email",
	"git describe --tags --always", "git merge-base main HEAD", "git cat-file -p HEAD", "git shortlog -sn", "git reflog -10", "git worktree list", "git grep -n 'func New'",
	"git grep -l TODO -- '*.go'", "git --no-pager log -3", "git --no-pager diff", "git -C internal status", "git -C ROOT log -1", "git check-ignore -v bin",
	"git for-each-ref --format='%(refname)' refs/heads", "git diff | cat", "git diff --no-color | head -100", "git -c color.ui=never diff", "git -c core.pager=cat log -3",
	"GIT_PAGER=cat git log -5", "PAGER=cat git diff HEAD~1", "git diff $(git merge-base main HEAD)", "git diff $(git merge-base HEAD origin/main)...HEAD --stat",
	"git log --oneline \"$(git merge-base main HEAD)\"..HEAD", "git show $(git rev-parse HEAD) --stat", "GIT_OPTIONAL_LOCKS=0 git status", "git status && git diff --stat && git log --oneline -5",
	"git status; echo '---'; git diff", "cd internal && git diff", "cd ROOT && git status", "cd ROOT/web && git log --oneline -3 -- .", "cd $(git rev-parse --show-toplevel) && git status",
	"cd \"$(git rev-parse --show-toplevel)\" && ls", "ls \"$(git rev-parse --show-toplevel)/docs\"", "find internal -name '*.go' -exec wc -l {} +", "find . -name '*.go' | xargs wc -l",
	"find internal -type f -name '*.go' | xargs grep -n func", "find . -type f -name '*.md' -print0 | xargs -0 wc -l", "find docs -type f | xargs -I{} wc -l {}", "grep -A 3 '/cart' -r internal",
	"rg -A 3 -B 3 '/cart' internal", "diff <(sort docs/a.md) <(sort docs/b.md)", "comm -12 <(sort docs/a.md) <(sort docs/b.md)", "sed -n '1,20p' main.go", "sed -n 5p main.go",
	"sed -n '/^func/p' main.go", "sed -n '/func main/,/^}/p' main.go", "sed -n '10,$p' main.go", "sed -n '1p;5p' main.go", "sed '1,3d' README.md", "sed 's/a/b/g' README.md | head",
	"sed -e 's/^/  /' README.md", "sed -E 's/([a-z]+)-([0-9]+)/\\2 \\1/' README.md", "cat main.go | sed 's#/#_#g'", "sed 10q main.go", "sed -n '$=' main.go", "sed '/^$/d' README.md",
	"awk '{print $1}' docs/a.md", "awk -F: '{print $1, $NF}' docs/a.md", "awk 'NR>=10 && NR<=20' main.go", "awk 'NR==1,NR==5 {print NR\": \"$0}' main.go", "ls -l | awk '{s+=$5} END {print s}'",
	"awk '/func/ {n++} END {printf \"%d\\n\", n}' main.go", "git log --format=%an | awk '{c[$1]++} END {for (a in c) print a, c[a]}'", "awk 'length($0) > 120 {print FILENAME\":\"FNR}' main.go",
	"awk -v n=3 'NR==n' main.go", "awk '!seen[$0]++' docs/a.md", "jq . package.json", "jq -r '.scripts | keys[]' package.json", "cat package.json | jq '.dependencies'",
	"jq '.include' package.json", "strings main.go | head", "xxd main.go | head -3", "od -c main.go | head -3", "echo \"$PATH\"", "printf '%s\\n' a b", "go version", "node -v", "npm --version",
	"npm -v", "python3 -V", "ls \"$PWD\"", "cat \"$PWD/main.go\"", "ls $(pwd)/docs", "basename $(pwd)", "basename \"$PWD\"", "echo \"$(basename \"$(pwd)\")\"",
	"[[ -f go.mod && -d docs ]] || true", "if [[ -e go.mod ]]; then echo go; else echo other; fi", "for f in docs/*.md; do echo \"$f\"; done",
	"for f in docs/*.md; do echo \"== $f\"; cat \"$f\"; done", "for f in docs/*.md; do head -5 $f; done", "for f in main.go README.md; do wc -l \"$f\"; done",
	"for f in a b; do cat docs/$f.md; done", "for f in *.go; do [ -f \"$f\" ] && wc -l \"$f\"; done", "for d in internal/*/; do echo \"$d\"; ls \"$d\"; done",
	"for d in cart db; do ls internal/$d | wc -l; done", "for f in docs/*.md; do basename \"$f\" .md; done", "for f in $(git ls-files); do echo $f; done", "for i in 1 2 3; do echo $i; done",
	"for i in $(seq 1 3); do echo $((i * 2)); done", "for c in HEAD HEAD~1; do git show --stat $c; done", "f=main.go; head -5 \"$f\"", "DIR=docs; ls $DIR; cat \"$DIR/a.md\"",
	"f=README.md && cat $f", "while read -r l; do echo \"$l\"; done < README.md", "while IFS= read -r line; do echo \"> $line\"; done < README.md",
	"git ls-files | while read -r f; do echo \"$f\"; done", "cat README.md | while IFS=: read -r a b; do echo $a; done", "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
	"set -e; git status", "export FOO=1; echo $FOO", "{ git status; git diff; } | head -50", "git diff --quiet || echo dirty", "echo a b | xargs -n1 echo", "echo x | tee /dev/null",
	"time git status", "timeout 10 git log -1", "bash -c 'git status && ls'", "n=$(wc -l < main.go); echo \"$n lines\"", "ps aux | grep node", "pgrep -fl node",
	"go test -coverprofile=bin/c ./... 2>&1 | tee /dev/null", "gofmt -d $(git ls-files '*.go')",
}

// What is asked about, and has to say what for.
var askedCommands = map[string]string{
	"npm install":                            "no rule allows it",
	"npm run tests-and-more; npm run deploy": "npm run deploy",
	"go run ./cmd/shop":                      "no rule allows it",
	"git checkout -b x":                      "no rule allows it",
	"git stash":                              "no rule allows it",
	"git push origin main":                   "ask rule Bash(git push:*)",
	"go test ./... > /tmp/out.txt":           "a rule for Edit would allow it",
	"cat > notes.md <<'EOF'\nx\nEOF":         "a rule for Edit would allow it",
	"cat < /etc/hosts":                       "outside the working directories",
	"cat /etc/hosts":                         "/etc/hosts is outside the working directories",
	"ls ~/work":                              "~/work is outside the working directories",
	"cd .. && ls":                            "outside the working directories",
	"cat $FILE":                              "$FILE is computed",
	"cd $D && git status":                    "isn't known",
	"sed -i s/a/b/ main.go":                  "no rule allows it",
	"PATH=/tmp:$PATH go test ./...":          "it sets PATH=",
	"PYTHONPATH=. pytest":                    "it sets PYTHONPATH=",
	"mkdir -p bin":                           "no rule allows it",
	"curl -s https://example.com":            "no rule allows it",
	"kill 1234":                              "no rule allows it",
	"echo x | bash":                          "bash runs what it reads",
	"find . -name '*.tmp' -delete":           "-delete",
	"grep -r x .. ":                          ".. is outside the working directories",
	"npm run test:unit":                      "no rule allows it", // a rule's words are whole words
	"go test $(go list ./...)":               "go list ./...: no rule allows it",
	"go test ./... | tee bin/log":            "no rule allows it",
	"cd internal/cart; ls ..":                ".. is outside the working directories",
	"cd docs && ls && cd ..":                 "cd ..: .. is outside the working directories",
}

func TestOrdinaryCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	p := ordinary(t)
	c := ordinaryChecker(t, p, "Bash(rm -rf:*)")
	decide := func(text string) permission.Decision {
		return c.Decide(permission.Request{Tool: "Bash", Input: command(strings.ReplaceAll(text, "ROOT", p)), Cwd: p})
	}
	if len(quietCommands) < 100 || len(notPlain) < 100 {
		t.Errorf("only %d and %d commands", len(quietCommands), len(notPlain))
	}
	for _, text := range quietCommands {
		if d := decide(text); d.Decision != hook.DecisionAllow {
			t.Errorf("%q: %v: %s", text, d.Decision, d.Reason)
		}
	}
	for _, text := range notPlain {
		if d := decide(text); d.Decision != hook.DecisionAsk || d.Reason == "" {
			t.Errorf("%q: %v: %s", text, d.Decision, d.Reason)
		}
	}
	for text, why := range askedCommands {
		if d := decide(text); d.Decision != hook.DecisionAsk || !strings.Contains(d.Reason, why) {
			t.Errorf("%q: %v: %s", text, d.Decision, d.Reason)
		}
	}
}

// What a person allows runs as before: git in the repository at hand, scripts, loops.
func TestRulesAllowWhatIsNotPlain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	p := ordinary(t)
	c := checker(t, permission.Config{ProjectDir: p, Rules: entries(t, permission.Allow, permission.ScopeUser,
		"Bash(git status:*)", "Bash(git log:*)", "Bash(git diff:*)", "Bash(git -c color.ui=never log:*)", "Bash(sed -n *)", "Bash(awk:*)", "Bash(printf:*)", "Bash(echo:*)", "Bash(cat:*)", "Bash(find:*)", "Bash(xargs cat:*)", "Bash(git add:*)", "Bash(export:*)")})
	for _, text := range []string{
		"git status -s", "git log --oneline -5 | head", "cd internal && git diff --stat", "git diff $(cat README.md)", "GIT_PAGER=cat git log", "git -c color.ui=never log -1", "sed -n 1,5p main.go", "sed -n \"$X\" main.go",
		"awk '{print $1}' main.go", "printf '%s\\n' \"$X\"", "for f in docs/*.md; do echo \"$f\"; cat \"$f\"; done", "while IFS= read -r l; do echo \"$l\"; done < README.md", "find . -name '*.go' -exec cat {} +", "find . -type f | xargs cat",
		"find docs -name a.md -exec git add {} +", "export A=1; git status", "f=main.go; cat $f", "cat <(git status)", "echo $((1 + 2))", "cat <<EOF\n$X\nEOF",
	} {
		want := "allow"
		if strings.Contains(text, "read -r") {
			want = "ask" // nothing allows read
		}
		if d := c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}); d.Decision.String() != want {
			t.Errorf("%q: %v: %s", text, d.Decision, d.Reason)
		}
	}
}

// A deny rule for reading sees what is written out, and asks about what is computed.
func TestDenyRulesSeeWhatIsComputed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	p := ordinary(t)
	c := ordinaryChecker(t, p, "Bash(rm -rf:*)", "Read(**/.env)")
	for text, want := range map[string]string{
		"rm -rf bin": "deny", "git status && rm -rf bin": "deny", "cat .env": "deny", "cat .e*": "deny", "for f in .env x; do cat $f; done": "ask", "f=.env; cat \"$f\"": "ask",
		"for d in bin docs; do rm -rf $d; done": "deny", "x=-rf; rm $x bin": "ask", "cat \"$PWD/.env\"": "ask", "cat $(pwd)/.env": "ask", "cat \"$(git rev-parse --show-toplevel)/.env\"": "ask",
		"cd $(git rev-parse --show-toplevel) && cat .env": "deny", "cd web && cat ../.env": "deny", "grep -r KEY \"$PWD\"": "ask", "rg KEY $(git rev-parse --show-toplevel)": "ask", "find . -type f | xargs cat": "ask",
		"find . -name '.e*' | xargs cat": "ask", "find . -type f -print0 | xargs -0 cat": "ask", "for f in .e*; do cat \"$f\"; done": "ask", "sed -n 1p .env": "deny", "awk '{print}' .env": "deny", "sort <(cat .env)": "deny",
		"while read -r l; do echo $l; done < .env": "deny", "grep -r KEY docs": "allow", "find docs -type f | xargs cat": "ask", "git -c core.pager='cat .env' log": "deny", "cat docs/a.md": "allow",
	} {
		if d := c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}); d.Decision.String() != want {
			t.Errorf("%q: %v, not %s: %s", text, d.Decision, want, d.Reason)
		}
	}
}
