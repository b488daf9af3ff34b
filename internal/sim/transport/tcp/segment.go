package tcp

import "weft/units"

// Sizes of headers on the wire.
const (
	// HeaderBytes are IPv4 (20), TCP (20) and the timestamps option with its
	// padding (12, RFC 7323): on every segment.
	HeaderBytes = 52

	// SACKBytes are one SACK block with its padding (RFC 2018).
	SACKBytes = 12
)

// Flags are the single bits of a segment, of IP and TCP together.
type Flags uint16

// The flags of a segment.
const (
	FlagACK Flags = 1 << iota // Ack and Window are valid: always
	FlagPSH                   // the last segment of a message
	FlagECE                   // echo of congestion
	FlagCWR                   // the sender has reduced its window
	FlagECT                   // ECN-capable: a switch may mark instead of dropping
	FlagCE                    // congestion experienced: set by a switch
	FlagDup                   // D-SACK (RFC 2883): the acknowledged data had arrived before
)

// Range is a SACK block, relative to the segment's Ack.
type Range struct {
	Start  uint32 // first byte, as a distance from Ack
	Length uint32 // 0: no block
}

// Segment is the header of one segment as the state machines see it: a small
// value, never bytes.
type Segment struct {
	Seq    uint64 // stream offset of the first byte of payload
	Ack    uint64 // stream offset of the next byte that its sender expects
	SACK   Range  // the sender's further data, on pure acknowledgements only
	Conn   uint32 // the connection's identifier at its receiver
	Window uint32 // bytes beyond Ack that the sender accepts, not scaled
	ID     uint32 // of the message that the payload belongs to
	Length uint16 // bytes of payload
	Flags  Flags
}

// IPBytes is the size of the IP packet that carries s.
func (s *Segment) IPBytes() units.Bytes {
	n := units.Bytes(HeaderBytes) + units.Bytes(s.Length)
	if s.SACK.Length != 0 {
		n += SACKBytes
	}
	return n
}

// Outcome is the kind of a completion.
type Outcome uint8

// The outcomes of a message.
const (
	Received Outcome = iota // this end has the whole message, in order
	Sent                    // the peer has acknowledged the whole message
	Failed                  // the connection gave up before it was acknowledged
)

func (o Outcome) String() string { return [...]string{"received", "sent", "failed"}[o] }

// Completion reports the end of one message.
type Completion struct {
	Bytes   units.Bytes
	ID      uint32
	Outcome Outcome
}

// Batch is the output of a call. The caller owns it and resets it. The segments are pure
// acknowledgements in the order of sending; they bypass Next. The completions are in the order of
// the stream.
type Batch struct {
	Segments    []Segment
	Completions []Completion
}

// Reset empties b and keeps its memory.
func (b *Batch) Reset() {
	b.Segments = b.Segments[:0]
	b.Completions = b.Completions[:0]
}
