// Package audit proves that zones of a scenario are apart, or shows the path
// that joins them.
//
// # What is searched
//
// A world is a fabric's own switches, NICs and cables and the devices, cables and
// management ports that the scenario declares beside it. Three things may be
// required of two zones, the weakest first:
//
//   - forwarding: no packet gets from a member of one to a member of the other, in
//     either direction. On InfiniBand a packet gets from one NIC to another if the
//     forwarding tables lead there and their P_Keys match. On Ethernet it does if
//     both are in one VRF, or in one VLAN of one switch, or if a route leaks from
//     the one VRF to the other. Beside the fabric, a switch forwards within a VLAN,
//     a router within a VRF and by its leaks, and a host only if it is said to.
//   - links: that, and no cable of the fabric carries the traffic of both.
//   - cables: no chain of cables and of devices that forward joins them, whatever
//     keys, tables and VLANs say: what a change of configuration cannot undo.
//
// The search is complete: breadth first over all states that a packet can be in,
// so the path that is shown is a shortest one, and where none is found there is
// none in the world as declared. A machine may have ports in both zones; it joins
// them only if it forwards. Such machines are named.
//
// # What it leaves out
//
// Packets of subnet management (they carry no P_Key; M_Keys guard against them),
// firewalls' rules (a firewall that filters is declared as the leaks that it
// lets through), software on the hosts, and everything that the scenario does not
// declare.
package audit
