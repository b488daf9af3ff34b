package foreign

import (
	"runtime"
	"runtime/debug"
	"unsafe" //nolint:depguard // places of buffers are compared
)

// Present reports whether both ends of a buffer can be read.
func Present(b []byte) (ok bool) {
	if len(b) == 0 {
		return true
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	runtime.KeepAlive(b[0])
	runtime.KeepAlive(b[len(b)-1])
	return true
}

// Copy copies, and reports whether the memory of both is there.
func Copy(to, from []byte) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	copy(to, from)
	return true
}

// Try calls f, which reads such memory, and reports whether the memory is there.
func Try(f func()) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		e := recover()
		if _, fault := e.(interface{ Addr() uintptr }); e != nil && !fault {
			panic(e)
		}
		ok = e == nil
	}()
	f()
	return true
}

// Same reports whether two buffers begin at the same place.
func Same(a, b []byte) bool { return unsafe.SliceData(a) == unsafe.SliceData(b) }

// Behind reports whether b begins at the end of a, or behind it.
func Behind(a, b []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b))) >= uintptr(unsafe.Pointer(unsafe.SliceData(a)))+uintptr(len(a))
}
