package ui_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/hookline-dev/hookline/ui"
)

func ExamplePlain() {
	person := strings.NewReader("2\ny\n")
	u := ui.NewPlain(ui.PlainConfig{In: person, Out: os.Stdout})
	defer u.Close()

	i, ok, _ := u.Select(context.Background(), "Which branch?", []string{"main", "next"}, ui.Dialog{Source: "checkpoint"})
	fmt.Println(i, ok)
	yes, _ := u.Confirm(context.Background(), "Push it?", "", ui.Dialog{})
	fmt.Println(yes)
	// Output:
	// [checkpoint] Which branch?
	// * 1. main
	//   2. next
	// Choose 1-2, Enter for none: 1 true
	// Push it?
	// [y/N] true
}
