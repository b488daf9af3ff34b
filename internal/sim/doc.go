// Package sim is the one place that puts a scenario together and runs it: the
// topology becomes a graph, the graph and the fabric's parameters become a
// network (package fabric), the workload becomes an application on it, and what
// the run counted becomes results (package runstore).
//
// Where something breaks, the control plane is simulated first: InfiniBand's by
// weft's Subnet Manager, datagram by datagram (manager.go), that of Ethernet by the
// timers of BGP (faultbgp.go). What it writes into which switch at what time is a
// list that the packets' network takes along (faultplan.go).
//
// Each size of a sweep on each fabric is a simulation of its own. They run side
// by side on the cores that are allowed; what they find does not depend on how
// many there are.
package sim
