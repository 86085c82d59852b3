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

	_, _, err = skill.Parse("SKILL.md", []byte("---\nname: pdf\n---\nUse the scripts.\n"))
	fmt.Println(err)
	// Output:
	// pdf: Fills forms in PDF files.
	// Use the scripts.
	// SKILL.md:2:1: the skill has no description; write description: what it is for, and when to use it
}
