package shell_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/shell"
)

// list prints the commands of a text, one a line: words joined by |, a computed
// word in <>, what a command starts indented below it.
func list(text string) string {
	s := shell.Analyze(text)
	if !s.Parsed {
		return "unparsed: " + s.Problem
	}
	var b strings.Builder
	for _, c := range s.Commands {
		print(&b, c, "")
	}
	for _, u := range s.Uncertain {
		fmt.Fprintf(&b, "? %s\n", u)
	}
	for _, d := range s.Dialect {
		fmt.Fprintf(&b, "dialect: %s\n", d)
	}
	return strings.TrimSpace(b.String())
}

func show(w shell.Word) string {
	if w.Literal {
		return w.Text
	}
	var b strings.Builder
	for _, p := range w.Pieces() {
		if p.Unknown {
			b.WriteString("<?>")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func print(b *strings.Builder, c shell.Command, indent string) {
	var parts []string
	for _, e := range c.Env {
		parts = append(parts, e.Name+"="+show(e.Value))
	}
	var words []string
	for _, w := range c.Args {
		words = append(words, show(w))
	}
	if len(words) > 0 {
		parts = append(parts, strings.Join(words, "|"))
	}
	for _, r := range c.Redirects {
		mode := ""
		if r.Read {
			mode += "r"
		}
		if r.Write {
			mode += "w"
		}
		parts = append(parts, r.Op+"("+mode+")"+show(r.Path))
	}
	fmt.Fprintf(b, "%s%s", indent, strings.Join(parts, " "))
	if c.Wrap != shell.NoWrap {
		fmt.Fprintf(b, " %s", map[shell.Wrap]string{shell.Transparent: "=>", shell.Opaque: "=>>"}[c.Wrap])
	}
	if c.Uncertain != "" {
		fmt.Fprintf(b, " [%s]", c.Uncertain)
	}
	if c.Dialect != "" {
		fmt.Fprintf(b, " [dialect: %s]", c.Dialect)
	}
	b.WriteByte('\n')
	for _, in := range c.Inner {
		print(b, in, indent+"  ")
	}
}

func TestAnalyze(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"simple", `git status`, `git|status`},
		{"tabs", "git\tstatus", `git|status`},
		{"list", `git status; rm -rf x && a || b | c & d`, "git|status\nrm|-rf|x\na\nb\nc\nd"},
		{"newlines", "git status\nrm x\n", "git|status\nrm|x"},
		{"line continuation", "git \\\nstatus r\\\nm", "git|status|rm"},
		{"comment", "git status # ; rm x", "git|status"},
		{"quotes", `r''m "a b" c\ d \rm`, "rm|a b|c d|rm"},
		{"single quotes", `echo '$(rm x)'`, "echo|$(rm x)"},
		{"substitution", `echo $(rm x) "a$(ls)b"`, "echo|<?>|a<?>b\nrm|x\nls"},
		{"backticks", "echo `rm x`", "echo|<?>\nrm|x"},
		{"process substitution", `diff <(ls a) >(cat)`, "diff|<?>|<?>\nls|a\ncat"},
		{"subshell, block, negation", `( ls ); { rm; }; ! cat`, "ls\nrm\ncat"},
		{"loop", `for f in a b; do echo $f; done`, "f=a f=b\necho|<?>"},
		{"while, if, case", `while a; do b; done; if c; then d; else e; fi; case $(x) in y) z;; esac`, "a\nb\nc\nd\ne\nx\nz"},
		{"function", `f() { rm x; }; f`, "rm|x\nf"},
		{"coproc and time", `coproc cat; time rm x`, "cat\nrm|x"},
		{"here-document", "cat <<EOF\na $(rm x)\nEOF", "cat <<()a <?>\n\nrm|x"},
		{"quoted here-document", "cat <<'EOF'\na $(rm x)\nEOF", "cat <<()a $(rm x)"},
		{"here-string", "cat <<<\"$(rm x)\"", "cat <<<()<?>\nrm|x"},
		{"coproc with redirect", `coproc cat >x`, ">(w)x\n? the word after coproc may be a name or a command"},
		{"env", `FOO=1 BAR=$x git commit`, "FOO=1 BAR=<?> git|commit"},
		{"assignment alone", `PATH=/tmp`, "PATH=/tmp"},
		{"export", `export PATH=/tmp A`, "PATH=/tmp A= export|PATH=/tmp|A"},
		{"default assignment", `echo ${PATH:=/x}`, "echo|<?>\nPATH=/x"},
		{"redirects", `a >x 2>&1 <y >>z &>w >|v <>u >&- >&t`, "a >(w)x >&()1 <(r)y >>(w)z &>(w)w >|(w)v <>(rw)u >&()- >&(w)t"},
		{"redirect alone", `>x`, ">(w)x"},
		{"redirect of a block", `{ a; } >x`, ">(w)x\na"},
		{"globs", `ls *.go a?b [ab]c`, "ls|<?>.go|a<?>b|<?>c"},
		{"test command", `[ -f x ]`, "[|-f|x|]"},
		{"braces", `echo {a,b} {1..3} {}`, "echo|<?>|<?>|{}"},
		{"tilde", `ls ~/x ~root/y`, "ls|~/x|<?>/y"},
		{"computed name", `$a x`, "<?>|x [the command's name is computed: $a]"},

		{"sudo", `sudo -u root rm x`, "sudo|-u|root|rm|x =>>\n  rm|x"},
		{"env wrapper", `env -i X=1 sudo ls`, "env|-i|X=1|sudo|ls =>\n  X=1 sudo|ls =>>\n    ls"},
		{"timeout", `timeout -k 5 10s nice -n 5 nohup rm x`, "timeout|-k|5|10s|nice|-n|5|nohup|rm|x =>\n  nice|-n|5|nohup|rm|x =>\n    nohup|rm|x =>\n      rm|x"},
		{"sudo shell", `sudo -i; sudo -s rm x`, "sudo|-i =>> [sudo runs what it reads]\nsudo|-s|rm|x =>>\n  rm|x"},
		{"command", `command rm x; command -v rm; exec rm`, "command|rm|x =>\n  rm|x\ncommand|-v|rm\nexec|rm =>\n  rm"},
		{"by path", `/usr/bin/env rm x`, "/usr/bin/env|rm|x =>\n  rm|x"},
		{"bash -c", `bash -c 'ls; rm x'`, "bash|-c|ls; rm x =>\n  ls\n  rm|x"},
		{"bash -lc", `bash -lc 'ls'`, "bash|-lc|ls =>>\n  ls"},
		{"bash -c computed", `bash -c "$x"`, "bash|-c|<?> => [bash runs text that is computed]"},
		{"bash -c broken", `bash -c 'a ('`, "bash|-c|a ( => [bash runs text that can't be parsed: 1:1: `foo(` must be followed by `)`]"},
		{"bash script", `bash x.sh`, "bash|x.sh"},
		{"bash stdin", "bash <<'E'\nrm x\nE\necho x | sh", "bash <<()rm x\n =>\n  rm|x\necho|x\nsh => [sh runs what it reads]"},
		{"eval", `eval "rm x" y`, "eval|rm x|y =>\n  rm|x|y"},
		{"trap", `trap 'rm x' EXIT; trap - INT`, "trap|rm x|EXIT =>\n  rm|x\ntrap|-|INT"},
		{"xargs", `find . | xargs -0 -n 1 rm -f`, "find|.\nxargs|-0|-n|1|rm|-f =>\n  rm|-f|<?>"},
		{"xargs -I", `xargs -I{} sh -c 'rm {}'`, "xargs|-I{}|sh|-c|rm {} =>\n  sh|-c|rm <?> => [sh runs text that is computed]"},
		{"xargs alone", `xargs`, "xargs"},
		{"find", `find . -name x -exec rm {} \; -execdir ls +`, "find|.|-name|x|-exec|rm|{}|;|-execdir|ls|+ =>>\n  rm|<?>\n  ls|+"},
		{"find -exec +", `find . -exec grep x {} + -delete`, "find|.|-exec|grep|x|{}|+|-delete =>>\n  grep|x|<?>"},
		{"fd", `fd x -x rm`, "fd|x|-x|rm =>>\n  rm|<?>"},
		{"unknown option", `sudo --frob rm`, "sudo|--frob|rm =>> [sudo: option --frob isn't known]"},
		{"computed option", `nice $x rm`, "nice|<?>|rm => [nice: $x is computed]"},
		{"env -S", `env -S 'rm x'`, "env|-S|rm x => [env -S splits its text by rules of its own]"},
		{"parallel", `parallel rm x`, "parallel|rm|x [parallel runs commands that aren't checked here]"},
		{"flock", `flock f -c 'rm x'; flock f rm x`, "flock|f|-c|rm x =>>\n  rm|x\nflock|f|rm|x =>>\n  rm|x"},
		{"su", `su -c 'rm x' bob; su bob -c ls; su`, "su|-c|rm x|bob =>>\n  rm|x\nsu|bob|-c|ls =>>\n  ls\nsu =>> [su starts a shell]"},
		{"watch", `watch -n 1 'rm x'`, "watch|-n|1|rm x =>>\n  rm|x"},

		{"carriage return", "ls\r\nrm", "unparsed: the command holds a carriage return, which shells do not skip"},
		{"NUL", "ls\x00rm", "unparsed: the command holds a NUL character"},
		{"invalid UTF-8", "ls \xff", "unparsed: the command is not valid UTF-8"},
		{"syntax error", "if", "unparsed: 1:1: `if` must be followed by a statement list"},
		{"empty", "  # nothing", ""},
		{"ANSI-C quotes", `echo $'a'`, "echo|a"},
		{"ANSI-C escapes", `$'\x72m' $'a\tb'`, "rm|a\tb"},
		{"ANSI-C quote differs", `echo $'\'; rm x #'`, "echo|'; rm x #\ndialect: $'...' with an escaped quote ends there in sh"},
		{"arithmetic command", `((rm x))`, "unparsed: 1:6: not a valid arithmetic operator: `x`"},
		{"arithmetic", `((x+1))`, "((|<?> [dialect: ((...)) is arithmetic in bash and commands in sh]"},
		{"test with operators", `[[ a || b ]]`, "[[|<?> [dialect: || in [[ ]] is an operator of its own in sh]"},
		{"evaluated twice", `a='x[$(rm)]'; echo $((a))`, "a=x[$(rm)]\necho|<?>\n? quoted text with a command substitution may be evaluated again"},
		{"prompt expansion", `echo ${a@P}`, "echo|<?>\n? ${name@operator} may run what the variable holds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := list(tt.text); got != strings.TrimSpace(tt.want) {
				t.Errorf("Analyze(%q):\n%s\nwant:\n%s", tt.text, got, tt.want)
			}
		})
	}
}
