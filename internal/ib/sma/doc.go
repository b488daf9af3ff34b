// Package sma is the management side of an InfiniBand fabric: the subnet management agent and the
// performance agent of every node, and the paths of datagrams between them. A datagram enters at a
// port ([Fabric.Carry]). It is lost, or an agent answers it, or it arrives at the port of a
// program: a Subnet Manager, or a tool that waits for an answer.
//
// It is a state machine without clock and without I/O. Links follow the specification: a port in
// Init carries subnet management only, LID-routed datagrams follow the written forwarding tables,
// directed routes follow their path, and a port that loses its link goes Down; its switch notes
// that and sends a trap (IBA vol. 1, 7.2.7, 14.2.2 and 14.2.5).
//
// Traps are repeated until a manager represses them, no faster than the port's SubnetTimeOut allows
// (trap.go). Traps and leases of M_Keys use the clock of [Fabric.SetNow]. Left out: the transfer
// time of a datagram.
package sma
