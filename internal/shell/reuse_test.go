package shell_test

import (
	"testing"

	"github.com/hookline-dev/hookline/internal/shell"
)

// What bash reads twice may run what it holds, such as a subscript with a command in
// it, put together so that no quoted text shows it, or taken from files and their
// names. None of it may pass as known.
func TestValuesThatAreReadTwice(t *testing.T) {
	for _, text := range []string{
		`x='a[$'; z=$x'(touch x)]'; echo $((z))`,
		`x='a[$'; z=$x'(touch x)]'; echo $((1 + z))`,
		`x='a[$'; z=$x'(touch x)]'; echo ${q:z}`,
		`x='a[$'; z=$x'(touch x)]'; echo ${q:0:z}`,
		`x='a[$'; z=$x'(touch x)]'; echo ${q[z]}`,
		`x='a[$'; z=$x'(touch x)]'; q[z]=1`,
		`x='a[$'; z=$x'(touch x)]'; q=([z]=1)`,
		`x='a[$'; z='(touch x)]'; [[ $x$z -eq 1 ]]`,
		`x='a[$'; z=$x'(touch x)]'; [[ 1 -lt z ]]`,
		`x='a[$'; z=$x'(touch x)]'; [[ -v $z ]]`,
		`x='a[$'; z=$x'(touch x)]'; echo ${!z}`,
		`x='a[$'; z=$x'(touch${IFS}x)]'; [ -v $z ]`,
		`x='a[$'; z=$x'(touch x)]'; test -v "$z"`,
		`x='a[$'; z="-v $x(touch\${IFS}x)]"; [ $z ]`,
		`x='a[$'; z=$x'(touch x)]'; y=-v; [ "$y" "$z" ]`,
		`: "a[$"'(touch x)]'; echo $((_))`,
		`n=$(cat x); echo $((n))`,
		`n=$(cat x); [[ n -eq 1 ]]`,
		`echo $(( $(cat x) ))`,
		`[ $(cat x) ]`,
		`for f in *; do [ -f $f ] && echo; done`,
		`for f in *; do [[ f -eq 1 ]]; done`,
		`bash -c 'echo $(($1))' _ 'a[$'"(touch x)]"`,
		`export z="a[$"'(touch x)]'; bash -c 'echo $((z))'`,
		`env z="a[$"'(touch x)]' bash -c 'echo $((z))'`,
		`read z < x; echo $((z))`,
		`z=$(cat x); [[ -v q[z] ]]`,
		`z=$(cat x); test -v q[$z]`,
		`for z; do echo $((z)); done`,
		`x='PATH=1'; echo $((x))`,
		`echo ${x:-y=1}$((${n:-PATH=1}))`,
	} {
		if s := shell.Analyze(text); s.Parsed && len(s.Uncertain) == 0 && !innerDoubt(s) {
			t.Errorf("%s passes as known", text)
		}
	}
	for _, text := range []string{
		`i=0; while [ $i -lt 5 ]; do echo $i; i=$((i+1)); done`,
		`for i in 1 2 3; do echo $((i * 2)); done`,
		`for i in {1..9}; do echo $((i * 2)); done`,
		`for ((i = 0; i < 5; i++)); do echo $i; done`,
		`f=README.md; [ -f $f ] && cat $f`,
		`f=$(ls | head -1); [ -n "$f" ] && echo "$f"`,
		`a=$(cat x); b=$(cat y); [ "$a" = "$b" ]`,
		`for f in *.go; do [ -f "$f" ] && echo "$f"; done`,
		`msg='hello (world)'; echo $((1 + 2)) "$msg"`,
		`echo $((COUNT + 1)) ${#x} ${x:1:2} ${a[0]} ${a[@]} $((16#ff))`,
		`[[ $? -eq 0 ]] && [[ $# -gt 1 ]]`,
		`v=HOME; echo ${!v}`,
		`a=(x y); echo ${a[1]}; [[ -v a[1] && -v a[@] && -v b ]]`,
	} {
		if s := shell.Analyze(text); !s.Parsed || len(s.Uncertain) > 0 {
			t.Errorf("%s: %v %s", text, s.Uncertain, s.Problem)
		}
	}
}

func innerDoubt(s shell.Script) (doubt bool) {
	for i := range s.Commands {
		s.Commands[i].All(func(c *shell.Command) bool { doubt = doubt || c.Uncertain != ""; return true })
	}
	return doubt
}

// Assignments that no command spells out are listed.
func TestHiddenAssignments(t *testing.T) {
	for _, text := range []string{
		`echo $((PATH=1))`, `echo $((1 + (PATH += 2)))`, `echo $((PATH++))`, `echo $((--PATH))`, `echo ${a[PATH=1]}`, `echo ${x:PATH=1}`,
		`echo ${x:0:PATH=1}`, `a[PATH=1]=2`, `a=([PATH=1]=2)`, `for ((PATH=1; 0;)); do :; done`, `let PATH=1`, `((PATH=1))`,
		`ls {PATH}>/dev/null`, `{ ls; } {PATH}</dev/null`, `echo $((PATH[0]=1))`, `echo ${PATH:=x}`,
	} {
		found := false
		for _, c := range shell.Analyze(text).Commands {
			for _, as := range c.Env {
				found = found || as.Name == "PATH"
			}
		}
		if !found {
			t.Errorf("%s: the assignment is not listed", text)
		}
	}
	if s := shell.Analyze(`[[ PATH=1 -eq 1 ]]`); len(s.Uncertain) == 0 {
		t.Error("an assignment in [[ ]] passes as known")
	}
}
