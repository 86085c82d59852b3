package process_test

import (
	"fmt"
	"os"
)

func killSelf(int) {}

func misbehaveUnix(mode, _ string) {
	fmt.Fprintln(os.Stderr, "unknown mode", mode)
	os.Exit(99)
}
