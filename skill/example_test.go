package skill_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/skill"
)

func Example() {
	s, _, err := skill.Parse("SKILL.md", []byte("---\nname: pdf\ndescription: Fills forms in PDF files.\n---\nUse the scripts.\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n%s", s.Title, s.Description, s.Body)

	_, _, err = skill.Parse("SKILL.md", []byte("---\nname: pdf\n---\n"))
	fmt.Println(err)
	// Output:
	// pdf: Fills forms in PDF files.
	// Use the scripts.
	// SKILL.md:1: the skill has neither a description nor a text; write description: what it is for, and when to use it
}
