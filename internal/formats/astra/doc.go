// Package astra reads the network configurations of ASTRA-sim's analytical backends.
//
// # The format
//
// YAML of four lists with one element for each dimension of the network. NPUs are numbered along
// the first dimension first:
//
//	topology: [ Switch, Switch ]   # Ring, Switch, FullyConnected
//	npus_count: [ 8, 4 ]
//	bandwidth: [ 400.0, 50.0 ]     # GB/s of a link
//	latency: [ 936.25, 500.0 ]     # ns of a link
//
// One dimension is a network between nodes of one GPU. With two, the first is the scale-up network
// of a node and the second the network between nodes.
//
// # Left out
//
// Rings of more than two NPUs, which have cables and no switches; a FullyConnected network between
// nodes; more than two dimensions.
package astra
