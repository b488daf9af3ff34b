package fabric

import (
	"syscall"
	"unsafe" //nolint:depguard // madvise takes addresses
)

const (
	hugePage     = 2 << 20 // of the processors that weft is built for
	madvHugepage = 14      // MADV_HUGEPAGE of madvise(2)
)

// makeHuge makes a slice and asks the system to back it with huge pages.
func makeHuge[T any](n, capacity int) []T {
	var t T
	size := int(unsafe.Sizeof(t))
	if capacity*size < hugePage/4 {
		return make([]T, n, capacity)
	}
	raw := make([]T, capacity+hugePage/size+1)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)*size)
	skip := int(-uintptr(unsafe.Pointer(&bytes[0])) % hugePage)
	// An error means small pages: slower, not wrong.
	_ = syscall.Madvise(bytes[skip:skip+(len(bytes)-skip)/hugePage*hugePage], madvHugepage)
	first := (skip + size - 1) / size
	return raw[first : first+n : first+capacity]
}
