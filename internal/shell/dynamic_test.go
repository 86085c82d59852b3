package shell_test

import (
	"testing"

	"github.com/hookline-dev/hookline/internal/shell"
)

func TestNestedSubstitutionsAreReadOnce(t *testing.T) {
	text := "ls"
	for range 200 {
		text = "A=$(" + text + ")"
	}
	if got := shell.Analyze(text); !got.Parsed || got.Dynamic != 0 {
		t.Errorf("%d, %s", got.Dynamic, got.Problem)
	}
}

func TestWhatOnlyTheRunOfATextShows(t *testing.T) {
	for how, texts := range map[shell.Dynamic][]string{
		0: {
			"ls", "pwd && ls | wc -l", "A=1 ls > out 2>&1", "A=$(date)", "export PATH=\"$HOME/bin:$PATH\"", "ls $HOME/a *.go", `echo "a $PWD"`, `echo "a$(date)b"`,
			"X=1; echo $X", `X="a b"; echo "$X"`, "X=$HOME; echo $X", "[ -f x ] && [[ -d $HOME ]]", "for i in a b; do ls; done", "while read l; do ls; done",
			"if ls; then pwd; else wc; fi", "(cd sub && ls)", "time ls &", "echo $((1+1))", "cat <<'EOF'\n$X\nEOF", "git commit -m \"$(cat <<'EOF'\n$X\nEOF\n)\"",
			"declare -r A=1", "cat <<< x", `echo "{a,b}" 'c d'`,
		},
		shell.DynamicWords: {"ls $X", "ls $1", "ls $(date)", "ls `date`", `ls "$(date)"`, "ls a$(date) &", "echo $(ls $X)"},
		shell.DynamicText: {
			`ls "$X"`, "ls ${X}", "ls a$X", `ls "a $X"`, `ls "$1"`, "pwd && ls $(date)", "! ls $X", "X=$Y ls", "A=a$(date)", "A=1 B=2", "A=(1 2)", "A[0]=1", "export A=$X", "declare -a A",
			"X=1; X=2; ls $X", "X='a b'; ls $X", "X=$(date); ls $X", "read X; ls $X", "for i in a; do ls $i; done", "for i in $X; do ls; done", "for ((;;)); do ls; done",
			"select i in a; do ls; done", "case x in x) ls;; esac", "f() { ls; }", "{ ls; }", "(ls; pwd)", "(ls) > out", "while ls; do pwd; done < x", "((1))", "echo $((X+1))", "echo $[1]",
			"cat <(ls)", "ls {a,b}", `ls a\ b`, "ls $'a'", `ls $"a"`, "ls > $X", `ls > "a $PWD"`, "ls <> a", `[ -n "$X" ]`, "test $X", "[[ $X ]]", "printf $(date)",
			"cat <<EOF\nx\nEOF", "cat <<'EOF' | wc\nx\nEOF", "cat <<-'EOF'\nx\nEOF", "ls $(cat <<'EOF'\nx\nEOF\n)", "ls \"$(cat a <<'EOF'\nx\nEOF\n)\"", "cat <<< $X", "sudo ls $X",
		},
	} {
		for _, text := range texts {
			if got := shell.Analyze(text); !got.Parsed || got.Dynamic != how {
				t.Errorf("%q: %d, want %d (%s)", text, got.Dynamic, how, got.Problem)
			}
		}
	}
}
