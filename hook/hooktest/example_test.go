package hooktest_test

import (
	"fmt"

	"github.com/hookline-dev/hookline/hook/hooktest"
)

// Each rule has a name and the reason why it is there. A package proves its kind of
// hook with hooktest.TestKind, and an agent itself with hooktest.TestHost.
func ExampleKindRules() {
	for _, r := range hooktest.KindRules()[:2] {
		fmt.Println(r.Name)
	}
	// Output:
	// silence means no opinion
	// deny beats allow in every order
}
