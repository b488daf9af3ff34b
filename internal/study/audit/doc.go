// Package audit proves that zones of a scenario are apart, or shows the path that connects them.
//
// # What is searched
//
// A world is a fabric's own switches, NICs and cables and the devices, cables and management ports
// that the scenario declares beside it. A scenario may require one of three kinds of separation
// between two zones, the weakest first:
//
//   - forwarding: no packet gets from a member of one to a member of the other, in
//     either direction. On InfiniBand a packet gets from one NIC to another if the
//     forwarding tables lead there and their P_Keys match. On Ethernet it does if
//     both are in one VRF, or in one VLAN of one switch, or if a route leaks from
//     the one VRF to the other. Beside the fabric, a switch forwards within a VLAN,
//     a router within a VRF and by its leaks, and a host only if it is declared to.
//   - links: that, and no cable of the fabric carries the traffic of both.
//   - cables: no chain of cables and of devices that forward joins them, whatever
//     keys, tables and VLANs say: what a change of configuration cannot undo.
//
// The search is complete: breadth first over all states of a packet. So the path shown is a
// shortest one, and if none is found, none exists in the declared world. A machine may have ports
// in both zones; it connects them only if it forwards. Such machines are named.
//
// # What it leaves out
//
// Packets of subnet management (they carry no P_Key; M_Keys guard against them), firewalls' rules
// (a filtering firewall is declared as the leaks that it permits), software on the hosts, and
// everything that the scenario does not declare.
package audit
