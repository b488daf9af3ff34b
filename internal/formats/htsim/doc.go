// Package htsim reads the connection matrices (.cm) of htsim, the simulator of NDP, EQDS and Ultra
// Ethernet (repository Broadcom/csg-htsim).
//
// # The format
//
//	Nodes 16
//	Connections 2
//	Triggers 1
//	0->13 id 1 start 0 size 2000000 recv_done_trigger 1
//	13->0 id 2 trigger 1 size 2000000
//	trigger id 1 oneshot
//
// A connection starts at a time or when its trigger fires. A trigger is activated by connections
// that are done, at the sender (send_done_trigger) or the receiver (recv_done_trigger). A oneshot
// trigger fires the first time, a multishot trigger each time, and a barrier after count
// activations. Lines that begin with # are comments. The grammar is ConnectionMatrix::load's.
//
// # Left out
//
// Triggers that fire for the first of several activations: the first is known only in the run, so
// they are refused. Failures of links and priorities.
package htsim
