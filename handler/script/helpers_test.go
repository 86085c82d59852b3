package script

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sharedCache saves every test from compiling the runtime anew.
var sharedCache = NewCache("")

// write puts a module into a new directory and returns its path.
func write(t testing.TB, name, src string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// reports collects what a module reports.
type reports struct {
	mu   sync.Mutex
	list []Report
	more chan struct{}
}

func newReports() *reports { return &reports{more: make(chan struct{}, 100)} }

func (r *reports) add(rep Report) {
	r.mu.Lock()
	r.list = append(r.list, rep)
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// wait returns the first report of a kind.
func (r *reports) wait(t *testing.T, kind ReportKind) Report {
	t.Helper()
	limit := time.After(5 * time.Minute)
	for {
		r.mu.Lock()
		for _, rep := range r.list {
			if rep.Kind == kind {
				r.mu.Unlock()
				return rep
			}
		}
		r.mu.Unlock()
		select {
		case <-r.more:
		case <-limit:
			t.Fatalf("no report of kind %q came", kind)
		}
	}
}

func (r *reports) all() []Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Report(nil), r.list...)
}

// load loads a module and closes it with the test.
func load(t testing.TB, path string, o Options) *Module {
	t.Helper()
	if o.Cache == nil {
		o.Cache = sharedCache
	}
	if o.Grants.CPUSlice == 0 {
		o.Grants.CPUSlice = time.Minute // the race detector is slow, and machines are busy
	}
	m, err := Load(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func loadSource(t testing.TB, src string, o Options) *Module {
	t.Helper()
	return load(t, write(t, "hook.ts", src), o)
}

// fire runs the first handler of an event.
func fire(t testing.TB, m *Module, event, payload string) string {
	t.Helper()
	r, err := m.Dispatch(context.Background(), Call{Event: event, Payload: []byte(payload)})
	if err != nil {
		t.Fatalf("%s: %v", event, err)
	}
	return string(r.Result)
}

const bashCall = `{"type":"tool_call","toolName":"bash","toolCallId":"1","input":{"command":"rm -rf /"}}`
