package recipe_test

import (
	"context"
	"fmt"

	"github.com/hookline-dev/hookline/recipe"
)

func Example() {
	r, _, err := recipe.Parse("review", "review.md", recipe.Template, []byte(`---
description: reviews a branch
defaults:
  focus: correctness
---
Review {{.branch}} for {{.focus}}.
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	prompt, err := r.Render(context.Background(), recipe.RenderOptions{Args: map[string]string{"branch": "main"}})
	fmt.Print(prompt, err, "\n")
	_, err = r.Render(context.Background(), recipe.RenderOptions{})
	fmt.Println(err)
	// Output:
	// Review main for correctness.
	// <nil>
	// review.md:6:10: recipe review needs the argument branch; give --arg branch=...
}
