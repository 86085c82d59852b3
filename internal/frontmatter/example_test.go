package frontmatter_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/internal/frontmatter"
)

func Example() {
	doc, err := frontmatter.Split("review.md", []byte("---\ndescription: reviews a diff\nonce: perhaps\n---\nReview it.\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	header, err := doc.Decode()
	if err != nil {
		fmt.Println(err)
		return
	}
	description, _ := header.Get("description")
	text, _ := description.Text("description")
	fmt.Println(text)

	once, _ := header.Get("once")
	_, err = once.Bool("once")
	fmt.Println(err)
	fmt.Printf("%q starts on line %d\n", doc.Body, doc.BodyLine)
	// Output:
	// reviews a diff
	// review.md:3:7: once must be true or false, not text; write true or false without quotes
	// "Review it.\n" starts on line 5
}
