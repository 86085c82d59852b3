package jslib_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"
	"modernc.org/quickjs"

	"github.com/hookline-dev/hookline/handler/script/internal/node"
	"github.com/hookline-dev/hookline/handler/script/jslib"
)

// A vm is a minimal engine for tests: QuickJS, the bridge, timers, and a loop
// that ends when nothing is left to wait for.
type vm struct {
	js      *quickjs.VM
	prims   *node.Primitives
	post    chan func()
	pending int // operations and timers that will post; owned by the loop
	cancels map[int]context.CancelFunc
	wg      sync.WaitGroup
	out     *strings.Builder
}

// bridge makes __host and the timers out of plain host functions.
const bridge = `(() => {
	const { __sync, __async, __abort, __timer, __clear } = globalThis;
	const waiting = new Map();
	globalThis.__host = {
		sync: (op, args) => __sync(op, args),
		async(op, args, onSettle, onEvent) {
			const id = __async(op, args);
			waiting.set(id, { onSettle, onEvent });
			return id;
		},
		abort: (id) => __abort(id),
	};
	globalThis.__settle = (id, json) => {
		const w = waiting.get(id);
		waiting.delete(id);
		w?.onSettle(json);
	};
	globalThis.__event = (id, json) => waiting.get(id)?.onEvent?.(json);
	const timers = new Map();
	globalThis.__fire = (id) => {
		const t = timers.get(id);
		if (!t) return;
		if (t.every) __timer(id, t.ms);
		else timers.delete(id);
		t.fn();
	};
	let next = 1;
	const start = (every) => (fn, ms) => {
		timers.set(next, { fn, ms, every });
		__timer(next, ms);
		return next++;
	};
	globalThis.setTimeout = start(false);
	globalThis.setInterval = start(true);
	globalThis.clearTimeout = globalThis.clearInterval = (id) => {
		if (timers.delete(id)) __clear(id);
	};
	globalThis.queueMicrotask = (fn) => void Promise.resolve().then(fn);
})()`

func newVM(t testing.TB, opts node.Options) *vm {
	t.Helper()
	js, err := quickjs.NewVM()
	if err != nil {
		t.Fatal(err)
	}
	v := &vm{js: js, post: make(chan func(), 64), cancels: map[int]context.CancelFunc{}, out: &strings.Builder{}}
	opts.Log = func(level, msg string) {
		if level == "info" || level == "debug" { // Node's standard output
			v.out.WriteString(msg + "\n")
		}
	}
	if v.prims, err = node.New(opts); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = v.prims.Close()
		for _, cancel := range v.cancels {
			cancel()
		}
		done := make(chan struct{})
		go func() { v.wg.Wait(); close(done) }()
		for {
			select {
			case <-v.post:
				continue
			case <-done:
			}
			break
		}
		_ = js.Close()
	})
	v.register(t)
	v.eval(t, bridge)
	v.eval(t, jslib.Globals())
	v.eval(t, "delete globalThis.__host")
	return v
}

func envelope(result []byte, err error) string {
	if err != nil {
		return `{"e":` + string(node.ErrorJSON(err)) + `}`
	}
	return `{"v":` + string(result) + `}`
}

func (v *vm) register(t testing.TB) {
	t.Helper()
	timers := map[int]*time.Timer{}
	next := 0
	funcs := map[string]quickjs.HostFunc{
		"__sync": func(a []any) (any, error) {
			return envelope(v.prims.Sync(a[0].(string), []byte(a[1].(string)))), nil
		},
		"__async": func(a []any) (any, error) {
			next++
			id, op, args := next, a[0].(string), []byte(a[1].(string))
			ctx, cancel := context.WithCancel(context.Background())
			v.cancels[id] = cancel
			v.pending++
			v.wg.Go(func() {
				res := envelope(v.prims.Async(ctx, op, args, func(e []byte) {
					text := string(e)
					v.post <- func() { v.call("__event", id, text) }
				}))
				v.post <- func() {
					v.pending--
					delete(v.cancels, id)
					cancel()
					v.call("__settle", id, res)
				}
			})
			return id, nil
		},
		"__abort": func(a []any) (any, error) {
			if cancel, ok := v.cancels[number(a[0])]; ok {
				cancel()
			}
			return nil, nil
		},
		"__timer": func(a []any) (any, error) {
			id, ms := number(a[0]), number(a[1])
			v.pending++
			timers[id] = time.AfterFunc(time.Duration(ms)*time.Millisecond, func() {
				v.post <- func() { v.pending--; v.call("__fire", id) }
			})
			return nil, nil
		},
		"__clear": func(a []any) (any, error) {
			if timers[number(a[0])].Stop() {
				v.pending--
			}
			return nil, nil
		},
	}
	for name, f := range funcs {
		if err := v.js.RegisterHostFunc(name, f); err != nil {
			t.Fatal(err)
		}
	}
}

func number(a any) int {
	switch n := a.(type) {
	case int:
		return n
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 0
}

func (v *vm) eval(t testing.TB, src string) {
	t.Helper()
	if _, err := v.js.Eval(src, quickjs.EvalGlobal); err != nil {
		t.Fatalf("%v\n%s", err, stackOf(err))
	}
}

func stackOf(err error) string {
	if e, ok := errors.AsType[*quickjs.Error](err); ok {
		return e.Stack
	}
	return ""
}

func (v *vm) call(fn string, args ...any) {
	if _, err := v.js.Call(fn, args...); err != nil {
		fmt.Fprintf(v.out, "uncaught: %v\n%s\n", err, stackOf(err))
	}
	v.jobs()
}

func (v *vm) jobs() {
	if _, err := v.js.ExecutePendingJobs(); err != nil {
		fmt.Fprintf(v.out, "uncaught: %v\n%s\n", err, stackOf(err))
	}
}

// run evaluates a bundle and drives the loop until all is quiet.
func (v *vm) run(t testing.TB, src string) string {
	t.Helper()
	wrapped := "(async () => {" + src + "\n})().catch((e) => console.log('failed:', String(e?.message ?? e), e?.stack))"
	if _, err := v.js.Eval(wrapped, quickjs.EvalGlobal); err != nil {
		t.Fatalf("%v\n%s", err, stackOf(err))
	}
	v.jobs()
	limit := time.After(5 * time.Minute)
	for v.pending > 0 {
		select {
		case f := <-v.post:
			f()
		case <-limit:
			t.Fatalf("the module did not come to an end; output so far:\n%s", v.out)
		}
	}
	return v.out.String()
}

// bundle joins a test module with the built-ins it imports.
func bundle(t testing.TB, file string) string {
	t.Helper()
	plugin := api.Plugin{Name: "builtins", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^(node:|hookline:|[a-z])`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if _, ok := jslib.Source(a.Path); ok {
				return api.OnResolveResult{Path: strings.TrimPrefix(a.Path, "node:"), Namespace: "builtin"}, nil
			}
			return api.OnResolveResult{}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "builtin"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			src, _ := jslib.Source(a.Path)
			return api.OnLoadResult{Contents: &src, Loader: api.LoaderJS}, nil
		})
	}}
	abs, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	res := api.Build(api.BuildOptions{
		EntryPoints: []string{abs}, Bundle: true, Format: api.FormatESModule, Target: api.ES2022, Write: false,
		Platform: api.PlatformNeutral, Plugins: []api.Plugin{plugin}, LogLevel: api.LogLevelSilent,
	})
	for _, e := range res.Errors {
		t.Errorf("%s: %s", file, e.Text)
	}
	if len(res.OutputFiles) != 1 {
		t.Fatalf("no bundle of %s", file)
	}
	return string(res.OutputFiles[0].Contents)
}

// runFile runs one test module in a fresh VM and returns what it printed.
func runFile(t testing.TB, file string, opts node.Options) string {
	t.Helper()
	src := bundle(t, file)
	return newVM(t, opts).run(t, src)
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
