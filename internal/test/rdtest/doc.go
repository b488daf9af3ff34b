// Package rdtest runs scripts of reliable datagrams between two nodes, a and b, with
// two queue pairs each and one end-to-end context between them. The state machines
// alone and devices on a network are to leave the same trace.
package rdtest
