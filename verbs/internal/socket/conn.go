package socket

import (
	"net/netip"
	"time"
)

// Outgoing is one packet, or several of one size to the same place, of which the
// last may be shorter: what one entry of sendmmsg takes. The parts lie one behind
// the other on the wire.
type Outgoing struct {
	To      netip.AddrPort
	Segment int // bytes of each packet, from the BTH to the ICRC
	Packets int
	Parts   [][]byte
}

// Incoming is what one entry of recvmmsg gives: packets of Segment bytes, of
// which the last may be shorter. Data is good until the next Receive.
type Incoming struct {
	From    netip.AddrPort
	To      netip.AddrPort // of a multicast group; else it is not valid
	Segment int
	CE      bool // congestion experienced: IP ECN is 11
	Data    []byte
}

// Conn carries UDP datagrams. All methods but Wake are called by one goroutine at
// a time; Wait runs beside the others.
type Conn interface {
	// Local is the address and port that packets go out with.
	Local() netip.AddrPort
	// Buffer is how many bytes of packets wait at most for Receive, as the kernel
	// counts them.
	Buffer() int
	// MTU is the MTU of the interface with the local address, 0 where it is unknown.
	MTU() int
	// AllowMarks sends from now on as ECN-capable, with 10 in the field: switches may
	// mark instead of dropping (RFC 3168).
	AllowMarks() error
	// Join takes from now on what is sent to a multicast group, and Leave does not.
	Join(group netip.Addr) error
	Leave(group netip.Addr)
	// Send sends all of a batch. An error of one datagram is a lost packet and
	// is not told; the error that comes back ends the port.
	Send(batch []Outgoing) error
	// Receive gives what has arrived, nil if nothing has. It does not block.
	Receive() ([]Incoming, error)
	// Wait returns when something has arrived, d has passed, or Wake was called;
	// data false waits for the latter two only.
	Wait(d time.Duration, data bool)
	// Wake ends a Wait, this one or the next.
	Wake()
	// Close frees the socket. Nobody uses the Conn any more.
	Close() error
}
