// Package lint reads the configuration of a switch together with the settings of its hosts, and
// finds faults between them.
//
// # The model
//
// A host sends a DSCP. The switch maps it to a traffic class. The class leads to a priority group,
// whose buffer the packet takes at ingress, and to a queue, in which it waits at egress. The packet
// is protected if the group has headroom, the port pauses its priority, the host obeys that pause,
// and the pause stops the queue that holds the host's data. Each rule is a place where this chain
// breaks; Rules lists them.
//
// An Error loses packets, stops traffic or marks nothing. A Warning works, but worse than it could.
// Checks that lack a value are listed too: silence means that a rule was applied.
//
// # Numbers
//
// Headroom is compared with two bounds: the terms that every chip has (a packet in flight, the
// cable, the peer's response), below which packets are lost, and the vendor's formula for the chip.
// A PFC threshold is taken with an empty pool, where it is highest. A legitimate pause lasts as
// long as the slowest port takes to drain the pool.
//
// # What is left out
//
// The cabling of hosts to ports: a host is compared with every port of its speed, or with the ports
// in Options. Pauses that add up over several switches.
package lint
