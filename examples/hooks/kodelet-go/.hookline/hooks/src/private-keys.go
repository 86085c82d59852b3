// Command private-keys refuses a prompt that holds a private key. It is an
// executable hook; build it into the hooks directory:
//
//	go build -o .hookline/hooks/private-keys .hookline/hooks/src/private-keys.go
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
)

var privateKey = regexp.MustCompile(`-----BEGIN ([A-Z]+ )?PRIVATE KEY-----`)

func main() {
	if len(os.Args) != 2 {
		fail("usage: private-keys hook|run")
	}
	switch os.Args[1] {
	case "hook":
		fmt.Println("user_message_send")
	case "run":
		if err := run(os.Stdin, os.Stdout); err != nil {
			fail(err)
		}
	default:
		fail("usage: private-keys hook|run")
	}
}

func run(in io.Reader, out io.Writer) error {
	var event struct {
		Message string `json:"message"`
	}
	if err := json.NewDecoder(in).Decode(&event); err != nil {
		return fmt.Errorf("reading the event: %w", err)
	}
	if !privateKey.MatchString(event.Message) {
		return nil // no output means no opinion
	}
	return json.NewEncoder(out).Encode(map[string]any{
		"blocked": true,
		"reason":  "the prompt holds a private key; it was not sent",
	})
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(1)
}
