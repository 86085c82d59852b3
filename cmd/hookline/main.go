// Command hookline finds, runs, explains and tests hooks of AI coding agents.
package main

import (
	"os"
)

func main() { os.Exit(program(os.Args[1:], osStreams())) }
