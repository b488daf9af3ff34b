package socket

import (
	"net/netip"
	"time"

	"weft/internal/sim/transport/cc"
)

// Outgoing is one entry of sendmmsg: one packet, or several of one size to the same destination.
// The last may be shorter. The parts are consecutive on the wire.
type Outgoing struct {
	To      netip.AddrPort
	By      *Way // nil: the socket
	Segment int  // bytes of each packet, from the BTH to the ICRC
	Packets int
	Parts   [][]byte
	Seen    *cc.Seen // telemetry that it takes back, of an emulated fabric; nil for none
}

// Incoming is one entry of recvmmsg: packets of Segment bytes, the last perhaps shorter. Data is
// valid until the next Receive.
type Incoming struct {
	From    netip.AddrPort
	To      netip.AddrPort // multicast group; invalid for unicast
	Segment int
	CE      bool // congestion experienced: IP ECN is 11
	Near    bool // came by a Way: it has no ICRC
	Data    []byte
	Seen    *cc.Seen // what an emulated fabric tells of its way; nil for nothing
	placed  []slot   // packets whose payload does not lie in Data, but at its place
}

// Conn carries UDP datagrams. One goroutine at a time calls its methods, except Wake; Wait may run
// concurrently with the others.
type Conn interface {
	// Local is the source address and port of packets.
	Local() netip.AddrPort
	// Buffer is the size of the receive buffer in bytes, as the kernel counts them.
	Buffer() int
	// MTU is the MTU of the interface with the local address, 0 if unknown.
	MTU() int
	// AllowMarks sends packets as ECN-capable from now on, with 10 in the field: switches may mark
	// instead of dropping (RFC 3168).
	AllowMarks() error
	// Reach opens a way to a device of this machine; nil if there is none but the socket.
	Reach(to netip.AddrPort) *Way
	// Join starts receiving packets to a multicast group, Leave stops it.
	Join(group netip.Addr) error
	Leave(group netip.Addr)
	// Send sends a whole batch. An error of one datagram is a lost packet and is not returned. A
	// returned error ends the port.
	Send(batch []Outgoing) error
	// Receive returns the packets that have arrived, nil if there are none. It does not block.
	Receive() ([]Incoming, error)
	// Wait returns when a packet has arrived, d has passed, or Wake was called.
	Wait(d time.Duration)
	// Wake ends the present or the next Wait.
	Wake()
	// Close frees the socket. No method may be called after it.
	Close() error
}
