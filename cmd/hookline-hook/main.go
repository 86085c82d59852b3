// Command hookline-hook is what agents of other makers start for every event: it passes the
// event to the engine that stays, and prints the answer.
package main

import (
	"os"

	"github.com/hookline-dev/hookline/internal/hookclient"
)

func main() { os.Exit(hookclient.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
