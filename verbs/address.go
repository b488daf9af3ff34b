package verbs

import (
	"fmt"
	"net/netip"
	"syscall"

	"weft/internal/sim/channel"
	"weft/verbs/internal/socket"
	"weft/wire"
)

// AH is an address handle: the destination of datagrams.
type AH struct {
	pd   *PD
	peer *socket.Peer
	dead bool
}

// CreateAH creates an address handle for the device at an address and UDP port; port 0 means 4791.
func (p *PD) CreateAH(to netip.AddrPort) (*AH, error) {
	p.dev.port.Lock()
	defer p.dev.port.Unlock()
	peer, err := p.dev.peer(to)
	if err != nil {
		return nil, err
	}
	return &AH{pd: p, peer: peer}, nil
}

// Destroy frees the handle. Work requests already posted with it are still sent.
func (a *AH) Destroy() error {
	a.pd.dev.port.Lock()
	defer a.pd.dev.port.Unlock()
	if a.dead {
		return ErrClosed
	}
	a.dead = true
	a.pd.dev.port.Release(a.peer)
	return nil
}

// peer is the peer at an address, with one more user.
func (d *Device) peer(to netip.AddrPort) (*socket.Peer, error) {
	if !to.IsValid() || to.Addr().IsUnspecified() {
		return nil, invalid("%v is not a device's address", to)
	}
	if to.Port() == 0 {
		to = netip.AddrPortFrom(to.Addr(), wire.RoCEv2Port)
	}
	peer, err := d.port.Peer(to)
	if err != nil {
		return nil, invalid("%v: %w", to, err)
	}
	return peer, nil
}

// sameFamily is an address to which packets of the device can go: IPv4 or IPv6, as its own, and of
// its fabric.
func (d *Device) sameFamily(to netip.Addr) (netip.Addr, error) {
	to = to.Unmap()
	if own := d.Addr().Addr().Unmap(); !to.IsValid() || own.Is4() != to.Is4() {
		err := invalid("the address %v from a device at %v: both are IPv4, or both IPv6", to, own)
		return to, fmt.Errorf("%w: %w", err, syscall.ENETUNREACH)
	}
	return to, d.onFabric(to)
}

// Reaches is the error for an address to which no packet of the device can go; nil for others,
// whether somebody is there or not.
func (d *Device) Reaches(to netip.Addr) error {
	_, err := d.sameFamily(to)
	return err
}

// onFabric is the error for an address that no NIC of the device's emulated fabric can have, as
// 127.0.0.1: the fabric would lose each packet there.
func (d *Device) onFabric(to netip.Addr) error {
	if d.fabric == nil || to.IsMulticast() {
		return nil
	}
	if _, _, ok := channel.NICOf(to.As4()); !ok {
		return fmt.Errorf("verbs: no device of the emulated fabric has the address %v; "+
			"weft emulate prints those of its NICs, 127.1.x.y: %w", to, syscall.EHOSTUNREACH)
	}
	return nil
}
