// Package sma is the management side of an InfiniBand fabric: the subnet
// management agent and the performance agent of every node, and how datagrams
// find their way between them. A datagram goes in at a port ([Fabric.Carry]);
// it is lost, or answered by an agent, or arrives at a port where a program
// should take it: a Subnet Manager, or a tool that waits for an answer.
//
// It is a state machine without clock and without I/O. Links behave as links
// do: a port that is Init carries subnet management only, LID-routed
// datagrams follow the forwarding tables that were written, directed routes
// follow their path, and a port that loses its link goes Down, which the switch
// notes and traps (IBA vol. 1, 7.2.7, 14.2.2 and 14.2.5).
//
// Traps are repeated until a manager represses them, no faster than the port's
// SubnetTimeOut allows (trap.go); they, and the leases of M_Keys, go by the clock
// of [Fabric.SetNow]. Left out: the time that a datagram takes.
package sma
