package worker_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/handler/process"
)

// modeVariable makes the test binary a worker or an extension.
const modeVariable = "HOOKLINE_TEST_DIALECT_WORKER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		if mode == "lines" {
			fakeLines()
		} else {
			fakeExtension(mode)
		}
		return
	}
	if err := process.SealFDs(); err != nil {
		fmt.Fprintln(os.Stderr, "seal descriptors:", err)
	}
	goleak.VerifyTestMain(m)
}
