package wire

import "encoding/binary"

// AETHeader is the acknowledge extended transport header (IBA vol. 1, 9.3.5).
type AETHeader struct {
	Syndrome Syndrome
	MSN      uint32 // 24 bits: messages that the responder has completed
}

// Syndrome is the meaning of a response: positive with credits, not ready, or refused with a reason
// (IBA vol. 1, 9.7.5.1.2, table 45).
type Syndrome uint8

// SyndromeKind is the upper three bits of a syndrome.
type SyndromeKind uint8

// The kinds of syndrome.
const (
	SyndromeACK SyndromeKind = 0
	SyndromeRNR SyndromeKind = 1
	SyndromeNAK SyndromeKind = 3
)

// Syndromes that responders send.
const (
	// ACKNoLimit is an ACK whose credit count is 31: the responder does no end-to-end flow control.
	ACKNoLimit Syndrome = 31
	// NAKSequence asks for a retransmission of all packets from this PSN on.
	NAKSequence Syndrome = 0x60
	// NAKInvalidRequest refuses a request that is not valid at this point.
	NAKInvalidRequest Syndrome = 0x61
	// NAKRemoteAccess refuses an R_Key, an address or an access right.
	NAKRemoteAccess Syndrome = 0x62
	// NAKRemoteOperational reports a failure of the responder itself.
	NAKRemoteOperational Syndrome = 0x63
	// NAKInvalidRD refuses an RD request.
	NAKInvalidRD Syndrome = 0x64
)

// RNRNAK is the syndrome of a receiver that is not ready, with the code of the waiting time: see
// RNRTimer.
func RNRNAK(code uint8) Syndrome { return Syndrome(uint8(SyndromeRNR)<<5 | code&0x1f) }

// Kind is the kind of the syndrome.
func (s Syndrome) Kind() SyndromeKind { return SyndromeKind(s >> 5 & 3) }

// Value is the credit count, the code of the RNR timer, or the NAK's reason.
func (s Syndrome) Value() uint8 { return uint8(s) & 0x1f }

// AppendTo appends the 4 bytes of the header.
func (h *AETHeader) AppendTo(b []byte) []byte {
	return binary.BigEndian.AppendUint32(b, uint32(h.Syndrome)<<24|h.MSN&0xff_ffff)
}

// Parse reads the header from the front of b.
func (h *AETHeader) Parse(b []byte) error {
	if len(b) < AETHBytes {
		return ErrTruncated
	}
	word := binary.BigEndian.Uint32(b)
	h.Syndrome, h.MSN = Syndrome(word>>24), word&0xff_ffff
	return nil
}
