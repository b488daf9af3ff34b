package verbs

import (
	"net/netip"

	"weft/verbs/internal/socket"
	"weft/wire"
)

// Sharer shares an address of this machine among devices of this user's processes: up to 63. Each
// has its own numbers of queue pairs. To a peer they are one device.
type Sharer struct{ s *socket.Sharer }

// Share shares an address until Close. Port 0 means RoCE v2's 4791. Devices that are opened at the
// address in the meantime use it; a device that is there already is an error.
func Share(a netip.AddrPort) (*Sharer, error) {
	if a.Port() == 0 {
		a = netip.AddrPortFrom(a.Addr(), wire.RoCEv2Port)
	}
	s, err := socket.Share(a)
	if err != nil {
		return nil, err
	}
	return &Sharer{s}, nil
}

// Addr is the shared address and UDP port.
func (s *Sharer) Addr() netip.AddrPort { return s.s.Local() }

// Close ends the sharing, and all work of the devices that share: it completes with WRFlushErr.
func (s *Sharer) Close() error { return s.s.Close() }
