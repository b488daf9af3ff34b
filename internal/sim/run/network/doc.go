// Package network makes a scenario's fabric a network that packets can run on.
//
// A Plan is what all simulations of one fabric share: the graph of its topology, the
// ports and lanes that packets take on it, who may reach whom, what breaks, and the
// parameters of its NICs, switches and congestion control. Plan.Build makes a Network
// (package fabric) of it, for an application and a seed.
//
// A plan is made with the shortest paths of its graph. What a control plane routes
// instead, and what it does about faults, package control writes into it before
// anything is built.
//
// A plan also cuts its network into partitions where a run may use several cores
// (cut.go). The GPUs, the scale-up switches, the NICs with their boxes and the host of a
// node share state without delay, so they are in one partition: where most of the node's
// leaves are and where there is room. A network whose partitions would reach each other in
// less than 10 ns is not cut.
package network
