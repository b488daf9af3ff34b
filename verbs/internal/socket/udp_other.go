//go:build !linux

package socket

import (
	"errors"
	"net/netip"
)

// OpenUDP fails: the IP identification of outgoing packets, which the ICRC covers, is only known on
// Linux.
func OpenUDP(netip.AddrPort) (Conn, error) {
	return nil, errors.New("live: RoCE v2 on sockets needs Linux")
}

// OpenShared finds no shared address.
func OpenShared(netip.AddrPort) (Conn, error) { return nil, nil } //nolint:nilnil // as on Linux

// Sharer needs Linux.
type Sharer struct{}

// Share fails: the kernel's choice among sockets by a packet's content is Linux's.
func Share(netip.AddrPort) (*Sharer, error) {
	return nil, errors.New("live: a shared address needs Linux")
}

// Local is never called.
func (s *Sharer) Local() netip.AddrPort { return netip.AddrPort{} }

// Close is never called.
func (s *Sharer) Close() error { return nil }

// OpenNear fails as OpenUDP does.
func OpenNear(a netip.AddrPort) (Conn, error) { return OpenUDP(a) }
