package config_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/config"
)

// A file with a mistake: the mistake is located, and the rest counts.
func ExampleParse() {
	f, diags := config.Parse("config.json", []byte(`{
  "strict": true, // comments are fine
  "hooks": {"disabeld": ["formatter"]}
}`))
	fmt.Println(*f.Strict)
	for _, d := range diags {
		fmt.Println(d)
	}
	// Output:
	// true
	// config.json:3:13: unknown key "disabeld"
}
