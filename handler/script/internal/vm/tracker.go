package vm

import (
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
	"modernc.org/quickjs"
)

// rejectionGlobal names the function with which the runtime notes rejected
// promises: (promise, reason, handled). The runtime defines it as a global and
// the tracker removes it.
const rejectionGlobal = "__hl_rejection"

// tracker listens to the engine's promises. The engine calls it when a promise
// is rejected and has no handler, and again when it gets one; it passes both
// on to the runtime script, which keeps the list.
type tracker struct {
	h      handles
	note   lib.TJSValue
	told   func()
	called func(*libc.TLS, uintptr, lib.TJSValue, lib.TJSValue, int32, uintptr)
}

// track installs a tracker. Without the engine's handles it does nothing:
// rejections are then silent, as they are in the engine by itself.
func track(m *quickjs.VM, told func()) (*tracker, error) {
	h, ok := handlesOf(m)
	if !ok {
		return nil, nil
	}
	name, err := libc.CString(rejectionGlobal)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(h.tls, name)
	global := lib.XJS_GetGlobalObject(h.tls, h.context)
	defer lib.XFreeValue(h.tls, h.context, global)
	t := &tracker{h: h, told: told}
	t.note = lib.XJS_GetPropertyStr(h.tls, h.context, global, name)
	if _, err := m.Eval("delete globalThis."+rejectionGlobal, quickjs.EvalGlobal); err != nil {
		lib.XFreeValue(h.tls, h.context, t.note)
		return nil, convert(err)
	}
	t.called = t.rejected
	lib.XJS_SetHostPromiseRejectionTracker(h.tls, h.runtime, funcPointer(t.called), 0)
	return t, nil
}

func (t *tracker) rejected(tls *libc.TLS, ctx uintptr, promise, reason lib.TJSValue, handled int32, _ uintptr) {
	const n = 3
	size := int(n * unsafe.Sizeof(lib.TJSValue{}))
	argv := tls.Alloc(size)
	defer tls.Free(size)
	args := unsafe.Slice((*lib.TJSValue)(at(argv)), n)
	args[0], args[1], args[2] = promise, reason, lib.XNewInt32(tls, ctx, handled)
	pending := lib.XJS_HasException(tls, ctx) != 0
	lib.XFreeValue(tls, ctx, lib.XJS_Call(tls, ctx, t.note, args[2], n, argv))
	if !pending {
		t.h.dropException() // no memory to note it
	}
	t.told()
}

func (t *tracker) stop() {
	lib.XJS_SetHostPromiseRejectionTracker(t.h.tls, t.h.runtime, 0, 0)
	lib.XFreeValue(t.h.tls, t.h.context, t.note)
}

// funcPointer returns a Go function as the engine keeps C function pointers.
// The function must stay referenced for as long as the engine may call it.
func funcPointer(f func(*libc.TLS, uintptr, lib.TJSValue, lib.TJSValue, int32, uintptr)) uintptr {
	return *(*uintptr)(unsafe.Pointer(&f))
}
