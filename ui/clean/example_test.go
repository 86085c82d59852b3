package clean_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/ui/clean"
)

func Example() {
	name := "report\x1b]0;gotcha\x07.txt\r\x1b[2Kharmless"
	fmt.Println(clean.Line(name))

	command := "ls \x1b]0; rm -rf ~ \x07"
	fmt.Println(clean.PromptLine(command))
	// Output:
	// report.txt harmless
	// ls \x1b]0; rm -rf ~ \x07
}
