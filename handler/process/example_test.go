//go:build unix

package process_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
)

func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	exit, err := process.Run(ctx, process.Spec{
		Path:  "sh",
		Args:  []string{"-c", `read line; echo "got $line"; exit 2`},
		Stdin: []byte("a payload\n"),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s%v, success %v\n", exit.Stdout, exit, exit.Success())
	// Output:
	// got a payload
	// exit status 2, success false
}

// A failed start is told apart from everything a program may answer.
func ExampleStartError() {
	_, err := process.Run(context.Background(), process.Spec{Path: "guard", Env: []string{"PATH=/nowhere"}})
	if fail, ok := errors.AsType[*process.StartError](err); ok {
		fmt.Println(fail.Reason)
		fmt.Println(err)
	}
	// Output:
	// not found
	// starting "guard": not found, PATH=/nowhere
}

// A program may say in its first line that it goes on in the background.
func ExampleProcess_Govern() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	p, err := process.Start(ctx, process.Spec{
		Path: "sh",
		Args: []string{"-c", `echo '{"async":true}'; sleep 0.1; echo finished`},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	line, err := p.FirstLine(ctx)
	fmt.Println(string(line), err)
	p.Govern(context.Background()) // or one with the background run's own deadline
	cancel()
	fmt.Println(p.Wait())
	// Output:
	// {"async":true} <nil>
	// exit status 0
}
