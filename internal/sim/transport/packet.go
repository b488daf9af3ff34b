package transport

import (
	"weft/units"
	"weft/wire"
)

// Flags are the single bits that a packet carries between queue pairs.
type Flags uint8

// The flags of a packet.
const (
	FlagSolicited Flags = 1 << iota // BTH SE
	FlagAckReq                      // BTH A
	FlagCE                          // congestion experienced: IP ECN = 11, or FECN in BTH
	FlagCNP                         // congestion notification: a CNP packet, BECN in BTH, or the echo in an acknowledgement
	FlagTrimmed                     // a switch has cut the payload off; never sent
	FlagLastHop                     // set by the switch before the receiver, in a Nack too
	FlagOrdered                     // the network keeps it in order: free_ar of BTH is not set, though the queue pair's WRITEs have it
)

// Packet is the header of one packet as the state machines see it: a small
// value, never bytes. Live use puts it through the codecs of package wire; the
// simulator moves it as it is.
//
// Next fills VA, RKey, DMALen and Offset in every packet of a WRITE, although
// only the first has a RETH on the wire: the simulator's receiver places
// packets out of order by them. A strict receiver reads them from the packet
// with the RETH only, so a codec may leave them out elsewhere.
type Packet struct {
	Op       wire.Opcode
	Flags    Flags
	Syndrome wire.Syndrome // AETH syndrome, of acknowledgements and read responses
	EV       uint8         // unordered delivery: the entropy value, which an answer returns
	DestQP   units.QPN     // the receiver's queue pair
	SrcQP    units.QPN     // DETH source queue pair of UD; the simulator sets it always
	PSN      units.PSN
	MSN      uint32 `state:"number"` // AETH message sequence number, 24 bits
	Length   uint32 // bytes of payload
	Imm      uint32 // immediate data, or the R_Key to invalidate
	RKey     uint32 // RETH; the Q_Key of a UD packet (DETH)
	DMALen   uint32 // RETH: length of the whole message
	Offset   uint32 `state:"bytes"` // offset of the payload in its message, in bytes; not on the wire
	VA       uint64 // RETH: where the payload of the whole message goes or comes from; of an atomic's response the original value
}
