package session_test

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/session"
)

func Example() {
	s := session.Memory(session.Options{Cwd: "/src"}) // session.Create keeps it in a file
	say := func(text string) session.Entry {
		e, err := s.Append(session.Entry{Type: session.Message, Message: jsontext.Value(`{"role":"user","content":"` + text + `"}`)})
		if err != nil {
			panic(err)
		}
		return e
	}
	first := say("one")
	say("two")
	// Go back and take another way, remembering what was left.
	if _, err := s.Navigate(first.ID, &session.Summary{Text: "two was tried"}); err != nil {
		panic(err)
	}
	say("three")
	messages, err := s.Context()
	if err != nil {
		panic(err)
	}
	for _, m := range messages {
		fmt.Println(m.Type, string(m.Message))
	}
	// Output:
	// message {"role":"user","content":"one"}
	// branch_summary {"role":"user","content":[{"type":"text","text":"Another line of the conversation was left here. What happened on it, in short:\n\ntwo was tried"}]}
	// message {"role":"user","content":"three"}
}
