// Package control simulates the control plane of a fabric before its packets run:
// InfiniBand's by weft's Subnet Manager, datagram by datagram (manager.go), that of
// Ethernet by the timers of BGP (faultbgp.go).
//
// NewPlan gives a fabric the tables that its control plane installs, proved to deliver
// and to come to no standstill. Of faults it works out what is written into which
// switch at what time (faultplan.go): a list of changes that the network of the packets
// takes along. The control plane does not depend on the packets, so it needs none.
//
// InfiniBand's control plane is an event loop (managedSubnet) around the Subnet Manager,
// whose datagrams the agents of package sma answer. BGP's is arithmetic over the graph.
//
// Traps of violations go the other way. They change nothing in a run, so Trapped brings
// the control plane up after it, and lets the agents of the ports that discarded packets
// tell the manager (traps.go).
package control
