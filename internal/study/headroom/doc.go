// Package headroom gives the PFC headroom of a port by the formulas and tables of package roce
// (answer.go), and finds the headroom of a link in the simulator to hold the formulas against it
// (headroom.go).
//
// # The model
//
// NIC A floods a switch. The output drains at 100 Mb/s, so nothing leaves while the pause is on its
// way. NIC C sends full packets to A, each 1 ps before the switch counts a packet of A: the PFC frame
// then waits for a whole packet. A packet has 4096 bytes of payload.
package headroom
