package jslib_test

import (
	"slices"
	"strings"
	"testing"

	"modernc.org/quickjs"

	"github.com/hookline-dev/hookline/handler/script/internal/node"
	"github.com/hookline-dev/hookline/handler/script/jslib"
)

func TestEveryNameHasASourceAndAChunk(t *testing.T) {
	names := jslib.Names()
	if !slices.IsSorted(names) {
		t.Error("the names are not sorted")
	}
	for _, want := range []string{
		"fs", "fs/promises", "path", "path/posix", "os", "url", "util", "events", "buffer", "string_decoder", "querystring",
		"assert", "crypto", "process", "child_process", "timers", "timers/promises", "stream", "readline", "module",
		"perf_hooks", "async_hooks", "constants", "hookline:host",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %s", want)
		}
	}
	for _, name := range names {
		src, ok := jslib.Source(name)
		if !ok || !strings.Contains(src, "export") {
			t.Errorf("Source(%q) = %q, %v", name, src, ok)
		}
		if name == "hookline:host" {
			continue
		}
		prefixed, ok := jslib.Source("node:" + name)
		if !ok || prefixed != src {
			t.Errorf("node:%s is another module than %s", name, name)
		}
		if _, ok := jslib.Chunk(name); !ok {
			t.Errorf("there is no implementation of %s", name)
		}
	}
}

func TestUnknownAndInternalNamesHaveNoSource(t *testing.T) {
	for _, name := range []string{
		"", "http", "node:", "node:nope", "internal:inspect", "internal/inspect", "../jslib", "globals", "host", "fs/../fs",
		"hookline:other", "fs.js", "fs_promises/x", "path\x00",
	} {
		if src, ok := jslib.Source(name); ok {
			t.Errorf("Source(%q) = %q", name, src)
		}
	}
	for _, name := range []string{"", "globals", "host", "../doc.go", "internal:", "internal:../fs", "internal:nope"} {
		if _, ok := jslib.Chunk(name); ok {
			t.Errorf("there is a chunk %q", name)
		}
	}
}

// What a module exports by name is what its default export holds, and every
// built-in loads.
func TestModulesLoadAndExportWhatTheySay(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine and much script, which the race detector slows down")
	}
	v := newVM(t, node.Options{Grants: node.All()})
	for _, name := range jslib.Names() {
		if name == "hookline:host" {
			continue
		}
		missing, err := v.js.Eval(`(() => {
			const m = globalThis[Symbol.for("hookline.host")].builtin("`+name+`");
			if (m.default === undefined) return "no default export";
			return Object.keys(m).filter((k) => m[k] === undefined && k !== "default").join();
		})()`, quickjs.EvalGlobal)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, stackOf(err))
		} else if missing != "" {
			t.Errorf("%s: undefined exports: %v", name, missing)
		}
	}
}

func TestEveryGlobalLoads(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine and much script, which the race detector slows down")
	}
	v := newVM(t, node.Options{Grants: node.All()})
	for _, name := range strings.Fields(`console Buffer process URL URLSearchParams TextEncoder TextDecoder AbortController
		AbortSignal Event EventTarget DOMException fetch Headers Request Response FormData Blob structuredClone performance
		atob btoa crypto Intl setImmediate clearImmediate queueMicrotask global ReadableStream`) {
		kind, err := v.js.Eval("typeof "+name, quickjs.EvalGlobal)
		if err != nil || kind == "undefined" {
			t.Errorf("typeof %s: %v, %v", name, kind, err)
		}
		// A module may put its own in place.
		if _, err := v.js.Eval(name+" = 1; if ("+name+" !== 1) throw new Error('not replaced')", quickjs.EvalGlobal); err != nil {
			t.Errorf("replacing %s: %v", name, err)
		}
	}
}

// A VM that uses none of the built-ins pays for the prelude alone.
func BenchmarkPrelude(b *testing.B) {
	compiler, err := quickjs.NewVM()
	if err != nil {
		b.Fatal(err)
	}
	defer compiler.Close()
	code, err := compiler.Compile(jslib.Globals(), quickjs.EvalGlobal)
	if err != nil {
		b.Fatal(err)
	}
	const host = "globalThis.__host = { sync() {}, async() {}, abort() {} }; for (const n of ['setTimeout','setInterval','clearTimeout','clearInterval']) globalThis[n] = () => 1;"
	run := func(b *testing.B, prelude func(*quickjs.VM) error) {
		for b.Loop() {
			b.StopTimer()
			vm, err := quickjs.NewVM()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := vm.Eval(host, quickjs.EvalGlobal); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if err := prelude(vm); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			_ = vm.Close()
			b.StartTimer()
		}
	}
	b.Run("source", func(b *testing.B) {
		run(b, func(vm *quickjs.VM) error {
			_, err := vm.Eval(jslib.Globals(), quickjs.EvalGlobal)
			return err
		})
	})
	b.Run("bytecode", func(b *testing.B) {
		run(b, func(vm *quickjs.VM) error {
			_, err := vm.EvalBytecode(code)
			return err
		})
	})
}

// BenchmarkFirstUse is what the first use of a built-in in a VM costs.
func BenchmarkFirstUse(b *testing.B) {
	for _, name := range []string{"path", "fs", "url", "util", "buffer", "child_process", "internal:fetch", "internal:intl"} {
		b.Run(strings.ReplaceAll(name, ":", "_"), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				v := newVM(b, node.Options{Grants: node.All()})
				b.StartTimer()
				v.eval(b, `void globalThis[Symbol.for("hookline.host")].builtin("`+name+`")`)
			}
		})
	}
}
