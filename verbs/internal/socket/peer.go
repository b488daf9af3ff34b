package socket

import (
	"net/netip"

	"weft/wire"
)

// Peer is a destination of packets, with the bound on packets in flight to it.
type Peer struct {
	addr    netip.AddrPort
	bare    netip.Addr // the address without zone
	flow    wire.ICRCFlow
	users   int // address handles and endpoints
	flight  int // PSNs in flight, of all queue pairs
	most    int
	blocked ring
	way     *Way // nil: only the socket
}

// Addr is the peer's address and UDP port.
func (p *Peer) Addr() netip.AddrPort { return p.addr }

// Most is the bound on packets in flight to the peer.
func (p *Peer) Most() int { return p.most }

// full reports whether no more requests may be sent.
func (p *Peer) full() bool { return p.flight >= p.most }
