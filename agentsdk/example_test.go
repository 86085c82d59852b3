package agentsdk_test

import (
	"os"

	"github.com/hookline-dev/hookline/agentsdk"
)

// Example writes a line for the program that reads the messages.
func Example() {
	s := agentsdk.NewStream(os.Stdout, "1.0.0")
	s.Send(map[string]string{"type": "keep_alive"})
	// Output: {"type":"keep_alive"}
}
