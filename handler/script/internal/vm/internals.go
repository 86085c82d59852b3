package vm

import (
	"bytes"
	"reflect"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
	"modernc.org/quickjs"
)

// handles are the engine's own C handles, which the quickjs package keeps
// private. Three things need them and have no public call: the file name of a
// compiled script, the tracker of unhandled rejections, and the memory limit
// set from another goroutine. Each has a fallback, so another version of the
// package whose fields have other names costs those three and nothing else; a
// test says so at once.
type handles struct {
	tls     *libc.TLS
	runtime uintptr
	context uintptr
}

func handlesOf(m *quickjs.VM) (h handles, ok bool) {
	state := reflect.ValueOf(m).Elem().FieldByName("state")
	if state.Kind() != reflect.Struct {
		return h, false
	}
	context, rt := state.FieldByName("cContext"), state.FieldByName("runtime")
	if context.Kind() != reflect.Uintptr || rt.Kind() != reflect.Pointer || rt.IsNil() {
		return h, false
	}
	crt, tls := rt.Elem().FieldByName("cRuntime"), rt.Elem().FieldByName("tls")
	if crt.Kind() != reflect.Uintptr || tls.Kind() != reflect.Pointer || tls.Type() != reflect.TypeFor[*libc.TLS]() {
		return h, false
	}
	h = handles{tls: (*libc.TLS)(tls.UnsafePointer()), runtime: uintptr(crt.Uint()), context: uintptr(context.Uint())}
	return h, h.tls != nil && h.runtime != 0 && h.context != 0
}

// starve leaves the engine no memory to allocate. It is a single store of a
// word, which is what makes it safe to call while the engine runs.
func (h handles) starve() { lib.XJS_SetMemoryLimit(h.tls, h.runtime, 1) }

// stripSource makes the engine compile functions without their source text.
func (h handles) stripSource() { lib.XJS_SetStripInfo(h.tls, h.runtime, lib.MJS_STRIP_SOURCE) }

// compile compiles a script under a file name; ok is false when the text has
// an error or memory ran out, and the caller asks the public API for the error.
func (h handles) compile(name, source string) (code []byte, ok bool) {
	src, err := libc.CString(source)
	if err != nil {
		return nil, false
	}
	defer libc.Xfree(h.tls, src)
	file, err := libc.CString(name)
	if err != nil {
		return nil, false
	}
	defer libc.Xfree(h.tls, file)
	flags := int32(lib.MJS_EVAL_TYPE_GLOBAL | lib.MJS_EVAL_FLAG_COMPILE_ONLY)
	v := lib.XJS_Eval(h.tls, h.context, src, libc.Tsize_t(len(source)), file, flags)
	defer lib.XFreeValue(h.tls, h.context, v)
	if h.dropException() {
		return nil, false
	}
	size := int(unsafe.Sizeof(libc.Tsize_t(0)))
	length := h.tls.Alloc(size)
	defer h.tls.Free(size)
	p := lib.XJS_WriteObject(h.tls, h.context, length, v, lib.MJS_WRITE_OBJ_BYTECODE)
	if p == 0 {
		h.dropException()
		return nil, false
	}
	defer lib.Xjs_free(h.tls, h.context, p)
	return bytes.Clone(unsafe.Slice((*byte)(at(p)), *(*libc.Tsize_t)(at(length)))), true
}

// dropException frees the pending exception, if there is one.
func (h handles) dropException() bool {
	if lib.XJS_HasException(h.tls, h.context) == 0 {
		return false
	}
	lib.XFreeValue(h.tls, h.context, lib.XJS_GetException(h.tls, h.context))
	return true
}

// at turns an address in C memory into a pointer.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
