package umad

import (
	"encoding/binary"

	"weft/units"
	"weft/wire/mad"
)

// Offsets in struct ib_user_mad_hdr. Words are the processor's, which Linux has little-endian wherever Go runs on an adapter's
// host; addresses are in network order.
const (
	offID      = 0
	offStatus  = 4
	offTimeout = 8
	offRetries = 12
	offLength  = 16
	offQPN     = 20
	offQKey    = 24
	offLID     = 28
	headerSize = 64
	frameSize  = headerSize + mad.Size
)

// timedOut is the status of a request without an answer: ETIMEDOUT.
const timedOut = 110

// wellKnownQKey is the Q_Key of queue pair 1 (IBA vol. 1, 10.2.5).
const wellKnownQKey = 0x80010000

// frame is what one read or write moves.
type frame [frameSize]byte

// newFrame is a datagram to a LID, sent by an agent. A request waits wait milliseconds for its answer.
func newFrame(agent uint32, to units.LID, m *mad.MAD, wait uint32) *frame {
	f := &frame{}
	binary.NativeEndian.PutUint32(f[offID:], agent)
	if !m.Answers() {
		binary.NativeEndian.PutUint32(f[offTimeout:], wait)
	}
	binary.NativeEndian.PutUint32(f[offLength:], mad.Size)
	if !m.Class().Subnet() {
		binary.BigEndian.PutUint32(f[offQPN:], 1)
		binary.BigEndian.PutUint32(f[offQKey:], wellKnownQKey)
	}
	binary.BigEndian.PutUint16(f[offLID:], uint16(to))
	copy(f[headerSize:], m[:])
	return f
}

func (f *frame) status() uint32  { return binary.NativeEndian.Uint32(f[offStatus:]) }
func (f *frame) from() units.LID { return units.LID(binary.BigEndian.Uint16(f[offLID:])) }
func (f *frame) mad() mad.MAD    { return mad.MAD(f[headerSize:]) }
