package cm

import (
	"encoding/binary"
	"time"
)

// Of is the message that an MRA answers.
type Of uint8

// The messages.
const (
	OfReq Of = iota
	OfRep
	OfLap
)

// Mra says that a message has arrived, and that its answer takes time (IBA vol. 1, 12.6.6). Its
// private data stays empty here.
type Mra struct {
	Local, Remote ID
	Of            Of
	Timeout       uint8 // time until the answer: a code of 5 bits, see Timeout
}

// AppendTo appends the 232 bytes of the message.
func (m *Mra) AppendTo(b []byte) []byte {
	at := len(b)
	b = append(b, make([]byte, bodyBytes)...)
	binary.BigEndian.PutUint32(b[at:], uint32(m.Local))
	binary.BigEndian.PutUint32(b[at+4:], uint32(m.Remote))
	b[at+8], b[at+9] = byte(m.Of)<<6, m.Timeout<<3
	return b
}

// Parse reads the message from the 232 bytes behind the header.
func (m *Mra) Parse(p []byte) error {
	if len(p) < bodyBytes {
		return ErrMessage
	}
	be := binary.BigEndian
	*m = Mra{Local: ID(be.Uint32(p)), Remote: ID(be.Uint32(p[4:])), Of: Of(p[8] >> 6), Timeout: p[9] >> 3}
	return nil
}

// Timeout is the time of a code of 5 bits: 4.096 us times 2^code, 2.4 hours at most.
func Timeout(code uint8) time.Duration { return 4096 * time.Nanosecond << (code & 31) }
