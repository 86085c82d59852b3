package shell_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/internal/shell"
)

func ExampleAnalyze() {
	s := shell.Analyze(`git status && sudo rm -rf "$DIR" >log`)
	for _, c := range s.Commands {
		fmt.Println(c.Name(), len(c.Args), len(c.Inner), len(c.Redirects))
		for _, in := range c.Inner {
			fmt.Println("  starts", in.Name(), "- last word known:", in.Args[len(in.Args)-1].Literal)
		}
	}
	// Output:
	// git 2 0 0
	// sudo 4 1 1
	//   starts rm - last word known: false
}
