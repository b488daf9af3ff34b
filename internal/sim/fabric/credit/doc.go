// Package credit is the flow control of InfiniBand and of the scale-up network: a sender sends what its
// receiver has granted (grant.go), and the receiver returns the room of a packet that has left with an
// update, a flow-control packet (updates.go). A lane of a link has two sides: what the sender may send,
// and what the receiver holds (lane.go).
//
// The package counts blocks at given times. Who waits for credits, and who is woken by them, is package
// fabric's.
package credit
