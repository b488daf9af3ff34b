// Package wiretap reads the packets of a network interface live, on Linux, with the privilege
// CAP_NET_RAW (packet(7)).
//
// A socket may see a large datagram before the kernel cuts it into the packets of the wire (GSO),
// or after the kernel has joined them (GRO). This package cuts it into packets with their IP
// identifications and lengths, so that their ICRCs can be checked (split.go).
//
// Left out: VLAN tags that the NIC has removed, and packets that the kernel drops because they are
// read too slowly.
package wiretap
