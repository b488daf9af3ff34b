package verbs

import "weft/verbs/internal/foreign"

// store copies to registered memory; false says that the memory is gone.
func (d *Device) store(to, from []byte) bool {
	if d.foreign {
		return foreign.Copy(to, from)
	}
	copy(to, from)
	return true
}

// isPresent reports whether registered memory can be read.
func (d *Device) isPresent(b []byte) bool { return !d.foreign || foreign.Present(b) }
