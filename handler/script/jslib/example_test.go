package jslib_test

import (
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/handler/script/jslib"
)

// A bundler asks for the module behind each import it meets.
func ExampleSource() {
	for _, name := range []string{"node:path", "fs/promises", "http"} {
		src, ok := jslib.Source(name)
		first, _, _ := strings.Cut(src, "\n")
		fmt.Println(name, ok, first)
	}
	// Output:
	// node:path true import { builtin } from "hookline:host";
	// fs/promises true import { builtin } from "hookline:host";
	// http false
}
