// Package network makes a simulated network of a scenario's fabric.
//
// A Plan is the common part of all simulations of one fabric: the graph of its topology, the ports
// and lanes of packets, partitions and VRFs, faults, and the parameters of its NICs, switches and
// congestion control. Plan.Build makes a Network (package fabric) of it, for an application and a
// seed.
//
// A plan begins with the shortest paths of its graph. Before a network is built, package control
// writes the control plane's routes, and its reactions to faults, into the plan.
//
// A plan also divides its network into simulation partitions if a run may use several cores
// (cut.go). The GPUs, the scale-up switches, the NICs with their middleboxes and the host of a node
// share state without delay, so they are in one partition: the partition with room that has most of
// the node's leaves. A network with a lookahead of less than 10 ns is not divided.
package network
