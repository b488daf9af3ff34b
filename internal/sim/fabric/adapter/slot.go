package adapter

import "weft/units"

// Slot is the bus slot of a GPU whose memory several NICs read and write. It passes one packet after the
// other in each direction. A NIC's next packet waits until the slot has passed its last one.
type Slot struct {
	PerByte        units.PerByte
	sent, received units.Time // end of the last packet
}

// PassSent is the end of a packet that a NIC sends.
func (s *Slot) PassSent(now units.Time, size uint16) units.Time {
	s.sent = s.pass(s.sent, now, size)
	return s.sent
}

// PassReceived is the end of a packet that a NIC receives.
func (s *Slot) PassReceived(now units.Time, size uint16) units.Time {
	s.received = s.pass(s.received, now, size)
	return s.received
}

func (s *Slot) pass(last, now units.Time, size uint16) units.Time {
	return max(last, now) + units.Time(int64(size)*s.PerByte.Num/s.PerByte.Den)
}
