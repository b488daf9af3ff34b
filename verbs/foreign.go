package verbs

import "weft/verbs/internal/foreign"

// put copies to registered memory; false says that the memory is gone.
func (d *Device) put(to, from []byte) bool {
	if d.foreign {
		return foreign.Copy(to, from)
	}
	copy(to, from)
	return true
}

// there reports whether registered memory can be read.
func (d *Device) there(b []byte) bool { return !d.foreign || foreign.Present(b) }
