package toolrule_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/internal/toolrule"
)

func ExampleRule_Covers() {
	r, err := toolrule.Parse("Bash(git status:*)")
	if err != nil {
		panic(err)
	}
	for _, command := range []string{`git status -s`, `git status; rm -rf x`, `$GIT status`} {
		call := toolrule.Call{Tool: "Bash", Input: []byte(`{"command":"` + command + `"}`), Cwd: "/src"}
		m := r.Covers(call)
		fmt.Println(m.Answer, "-", m.Part, m.Why)
	}
	// Output:
	// yes -  every command matches git status:*
	// no - rm -rf x no rule allows it
	// uncertain - $GIT status the command's name is computed: $GIT
}

func ExampleMatchIf() {
	r, err := toolrule.Parse("Bash(git commit *)")
	if err != nil {
		panic(err)
	}
	call := toolrule.Call{Tool: "Bash", Input: []byte(`{"command":"npm test && FOO=1 git commit -m x"}`)}
	m := toolrule.MatchIf(r, call)
	fmt.Println(m.Answer, "-", m.Part)
	// Output:
	// yes - FOO=1 git commit -m x
}
