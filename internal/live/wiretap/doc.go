// Package wiretap reads the packets of a network interface as they come, on Linux
// and with the privilege CAP_NET_RAW (packet(7)).
//
// Where the kernel has not yet cut a large datagram into the packets of a wire, or
// has put them together already, a socket sees the datagram: it is cut here, with the
// IP identifications and lengths that the packets have, so that an ICRC can be
// judged (split.go).
//
// What it leaves out: VLAN tags that the NIC has taken off; packets that the kernel
// drops because they are read too slowly are not seen.
package wiretap
