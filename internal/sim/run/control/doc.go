// Package control simulates the control plane of a fabric before its packets run:
// InfiniBand's by weft's Subnet Manager, datagram by datagram (manager.go), that of
// Ethernet by the timers of BGP (faultbgp.go).
//
// NewPlan gives a fabric the tables that its control plane installs, proved to deliver
// and to come to no standstill. Of faults it works out what is written into which
// switch at what time (faultplan.go): a list of changes that the network of the packets
// takes along. The control plane does not depend on the packets, so it needs none.
package control
