package verbs

import (
	"runtime"
	"runtime/debug"
)

// Memory that is not Go's may be unmapped while it is registered. Hardware pins pages; a device in
// user space can only notice that they are gone, and must not bring the process down.

// present reports whether both ends of a buffer can be read.
func present(b []byte) (ok bool) {
	if len(b) == 0 {
		return true
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	runtime.KeepAlive(b[0])
	runtime.KeepAlive(b[len(b)-1])
	return true
}

// copyTo copies, and reports whether the memory of both is there.
func copyTo(to, from []byte) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	copy(to, from)
	return true
}

// put copies to registered memory; false says that the memory is gone.
func (d *Device) put(to, from []byte) bool {
	if d.foreign {
		return copyTo(to, from)
	}
	copy(to, from)
	return true
}

// there reports whether registered memory can be read.
func (d *Device) there(b []byte) bool { return !d.foreign || present(b) }
