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
package network
