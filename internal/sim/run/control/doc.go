// Package control simulates the control plane of a fabric before its packets run: InfiniBand's by
// weft's Subnet Manager, datagram by datagram (manager.go), Ethernet's by the timers of BGP
// (faultbgp.go).
//
// NewPlan gives a fabric the tables that its control plane installs. It proves that they deliver
// and cannot deadlock. For faults it computes the changes of the tables, with switch and time
// (faultplan.go); the network applies this list during the run. The control plane does not depend
// on the packets, so it needs none.
//
// InfiniBand's control plane is an event loop (managedSubnet) around the Subnet Manager, whose
// datagrams the agents of package sma answer. BGP's is arithmetic over the graph.
//
// Traps of violations go the other way. They change nothing in a run, so Trapped simulates them
// after it: it brings up the control plane, and the agents of the ports that discarded packets
// report to the manager (traps.go).
package control
