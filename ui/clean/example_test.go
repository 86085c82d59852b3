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
	fmt.Println(clean.ExactLine("guard\x1b[8m"))
	// Output:
	// report.txt harmless
	// ls \x1b]0; rm -rf ~ \x07
	// guard\x1b[8m
}
