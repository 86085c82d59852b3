package plugin_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVar) != "" {
		os.Exit(child())
	}
	goleak.VerifyTestMain(m)
}
