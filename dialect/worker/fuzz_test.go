package worker_test

import (
	"bufio"
	"bytes"
	"errors"
	"testing"

	"github.com/hookline-dev/hookline/dialect/worker"
	host "github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

// FuzzExtension: whatever an extension writes is a message or an error, and an answer is
// a result or a failure.
func FuzzExtension(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"name":"x","subscriptions":[{"event":"tool.call","timeoutInSec":1e300}]}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"block":{"reason":"x"},"input":{"command":"ls"}}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":"a","parentId":2,"method":"kodelet.ui.select","params":{"options":["a"]}}`,
		`{"jsonrpc":"2.0","method":"$/progress"}`,
	} {
		f.Add([]byte(s), []byte("Content-Length: 4\r\n\r\n{}\r\nContent-Length: 2\n\n{}"))
	}
	w, err := worker.ExpectExtension(worker.Spec{Path: "none"}, worker.ExtensionOptions{}, host.Hello{})
	if err != nil {
		f.Fatal(err)
	}
	defer w.Close()
	wire := w.Wire()
	f.Fuzz(func(t *testing.T, body, frames []byte) {
		r := bufio.NewReaderSize(bytes.NewReader(frames), 64)
		for {
			raw, err := wire.Read(r, 1000)
			if err != nil {
				break
			}
			if len(raw) > 1000 {
				t.Fatalf("a message of %d bytes", len(raw))
			}
		}
		m, err := wire.Parse(body)
		if err != nil {
			return
		}
		switch m.Kind {
		case host.KindResult:
			_, _, err := wire.Result(&hook.Call{Input: tool("")}, host.HookSpec{}, m.Body)
			if _, ok := errors.AsType[*hook.Failure](err); err != nil && !ok {
				t.Fatalf("the error %v is not a failure", err)
			}
		case host.KindHello:
			for _, h := range m.Hello.Hooks {
				if h.Timeout < host.NoTimeout {
					t.Fatalf("timeout %v", h.Timeout)
				}
			}
		case host.KindRequest:
			reply := wire.Reply(m.Request, host.Response{}, m.Request.Err)
			raw, err := wire.Read(bufio.NewReader(bytes.NewReader(reply)), 1<<20)
			if err != nil || !hook.RawJSON(raw).Valid() {
				t.Fatalf("reply %q: %v", reply, err)
			}
		}
	})
}
