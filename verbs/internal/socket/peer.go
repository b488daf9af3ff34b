package socket

import (
	"net/netip"

	"weft/wire"
)

// Peer is a place that packets go to, and the bound on how many are on their way.
type Peer struct {
	addr    netip.AddrPort
	bare    netip.Addr // the address without zone
	flow    wire.ICRCFlow
	users   int // address handles and endpoints
	flight  int // PSNs in flight, of all queue pairs
	most    int
	blocked ring
}

// Addr is the peer's address and UDP port.
func (p *Peer) Addr() netip.AddrPort { return p.addr }

// full reports whether no more requests may go.
func (p *Peer) full() bool { return p.flight >= p.most }
