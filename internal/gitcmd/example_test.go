package gitcmd_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/internal/gitcmd"
)

func Example() {
	for _, s := range []string{
		"https://github.com/org/repo",
		"https://user:secret@example.org/org/repo",
		"ext::sh -c date",
	} {
		u, err := gitcmd.ParseURL(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(u, u.Segments())
	}
	// Output:
	// https://github.com/org/repo [org repo]
	// repository address "https://***@example.org/org/repo": it contains a user name or password; keep credentials in a git credential helper
	// repository address "ext::sh -c date": remote helpers such as ext:: run commands and are not allowed; use https or ssh
}
