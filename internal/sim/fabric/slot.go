package fabric

import "weft/units"

// slot is the bus slot of a GPU whose memory several NICs read and write. It passes one packet after the
// other in each direction. A NIC's next packet waits until the slot has passed its last one.
type slot struct {
	perByte        units.PerByte
	sent, received units.Time // end of the last packet
}

// ShareSlot makes the NICs from first up to, not including, end share a slot with the given time of a byte in
// each direction. Each of them must be a Receiver, in whose buffer packets wait for the slot. It is called before Build.
func (b *Builder) ShareSlot(first, end int32, perByte units.PerByte) {
	s := &slot{perByte: perByte}
	for nic := first; nic < end; nic++ {
		b.n.nicOf(nic).slot = s
	}
}

// pass is the end of a packet that comes to the slot, in the direction of last.
func (s *slot) pass(last *units.Time, now units.Time, size uint16) units.Time {
	*last = max(*last, now) + units.Time(int64(size)*s.perByte.Num/s.perByte.Den)
	return *last
}
