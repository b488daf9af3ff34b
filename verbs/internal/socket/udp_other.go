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

// OpenNear fails as OpenUDP does.
func OpenNear(a netip.AddrPort) (Conn, error) { return OpenUDP(a) }
