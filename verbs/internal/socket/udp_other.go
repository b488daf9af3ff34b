//go:build !linux

package socket

import (
	"errors"
	"net/netip"
)

// OpenUDP fails: only on Linux is it known which IP identification a packet goes
// out with, and the ICRC covers it.
func OpenUDP(netip.AddrPort) (Conn, error) {
	return nil, errors.New("live: RoCE v2 on sockets needs Linux")
}
