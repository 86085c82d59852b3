package sdk_test

import (
	"bytes"
	"fmt"

	"github.com/hookline-dev/hookline/sdk"
)

func Example() {
	library, err := sdk.Files.ReadFile("python/hookline.py")
	fmt.Println(bytes.Contains(library, []byte("def hook(event")), err)
	// Output: true <nil>
}
