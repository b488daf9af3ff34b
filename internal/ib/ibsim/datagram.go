package ibsim

import (
	"encoding/binary"

	"weft/units"
	"weft/wire/mad"
)

// Offsets in a datagram: addresses in network order, one per word.
const (
	offDLID      = 0
	offSLID      = 4
	offDQP       = 8
	offSQP       = 12
	offStatus    = 16
	offLength    = 24
	offMAD       = 32
	datagramSize = offMAD + mad.Size
)

// timedOut is the status of an unanswered datagram: Linux's ETIMEDOUT, on every system.
const timedOut = 110

// datagram is a management datagram with its addresses, in the form of the socket.
type datagram [datagramSize]byte

func (d *datagram) dlid() units.LID { return units.LID(binary.BigEndian.Uint16(d[offDLID:])) }
func (d *datagram) slid() units.LID { return units.LID(binary.BigEndian.Uint16(d[offSLID:])) }

func (d *datagram) setLIDs(dlid, slid units.LID) {
	clear(d[offDLID:offDQP])
	binary.BigEndian.PutUint16(d[offDLID:], uint16(dlid))
	binary.BigEndian.PutUint16(d[offSLID:], uint16(slid))
}

// setQueuePairs sets the queue pairs of both ends: 0 for subnet management, 1 for the rest.
func (d *datagram) setQueuePairs(class mad.Class) {
	qp := uint32(1)
	if class.Subnet() {
		qp = 0
	}
	binary.BigEndian.PutUint32(d[offDQP:], qp)
	binary.BigEndian.PutUint32(d[offSQP:], qp)
}

func (d *datagram) status() uint32 { return binary.BigEndian.Uint32(d[offStatus:]) }

func (d *datagram) setStatus(status uint32) { binary.BigEndian.PutUint32(d[offStatus:], status) }

func (d *datagram) mad() mad.MAD { return mad.MAD(d[offMAD:]) }

// length is the sender's length of the management datagram in bytes: a datagram of subnet
// administration ends after its last record. A larger value is cut.
func (d *datagram) length() uint64 {
	return min(binary.BigEndian.Uint64(d[offLength:]), mad.Size)
}

func (d *datagram) setMAD(m *mad.MAD, length uint64) {
	binary.BigEndian.PutUint64(d[offLength:], length)
	copy(d[offMAD:], m[:])
}
