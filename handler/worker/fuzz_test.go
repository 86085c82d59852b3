package worker_test

import (
	"bufio"
	"bytes"
	"errors"
	"testing"

	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

// FuzzLines: whatever a worker writes is a message or an error, a message is never
// larger than the limit, and an answer is a result or a failure.
func FuzzLines(f *testing.F) {
	for _, s := range []string{
		plainHello, `{"type":"result","id":2,"decision":"deny","reason":"x"}`, `{"type":"result","id":2,"async":true,"async_timeout_ms":5}`,
		`{"type":"error","id":2,"message":"x"}`, `{"type":"progress","id":2,"text":"x"}`, `{"type":"log","message":"x"}`,
		`{"type":"request","id":"a","method":"exec","params":{"command":"ls","args":["-l"]}}`, "\n\n{}\n", `{"type":"result","id":2,"updated_input":{"a":1,"a":2}}`,
		`{"type":"result","id":2,"messages":[{"role":"user","content":"x","more":1}],"host":{}}`,
	} {
		f.Add([]byte(s + "\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 4096
		var wire worker.Lines
		r := bufio.NewReaderSize(bytes.NewReader(data), 64)
		for {
			raw, err := wire.Read(r, limit)
			if err != nil {
				return
			}
			if len(raw) == 0 || len(raw) > limit {
				t.Fatalf("a message of %d bytes", len(raw))
			}
			m, err := wire.Parse(raw)
			if err != nil {
				continue
			}
			switch m.Kind {
			case worker.KindIgnored:
				t.Fatalf("%q is ignored", raw)
			case worker.KindResult:
				_, _, err := wire.Result(&hook.Call{Input: bash("ls")}, worker.HookSpec{}, m.Body)
				if _, ok := errors.AsType[*hook.Failure](err); err != nil && !ok {
					t.Fatalf("the error %v is not a failure", err)
				}
			case worker.KindRequest:
				if reply := wire.Reply(m.Request, worker.Response{}, nil); !bytes.HasSuffix(reply, []byte("}\n")) || bytes.Count(reply, []byte("\n")) != 1 {
					t.Fatalf("reply %q", reply)
				}
			}
		}
	})
}
