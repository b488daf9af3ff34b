// Package lint reads the configuration of switches together with the settings of their hosts, and
// finds faults in them and between them.
//
// # The model
//
// A host sends a DSCP. The switch maps it to a traffic class. The class leads to a priority group,
// whose buffer the packet takes at ingress, and to a queue, in which it waits at egress. The packet
// is protected if the group has headroom, the port pauses its priority, the host obeys that pause,
// and the pause stops the queue that holds the host's data. Each rule is a place where this chain
// breaks; Rules lists them.
//
// Of several switches each pair is a link: what one pauses must stop the queue in which the other
// has the same DSCP.
//
// An Error loses packets, stops traffic or marks nothing. A Warning works, but worse than it could.
// Checks that lack a value are listed too: silence means that a rule was applied.
//
// Fixes are whole: the devices are judged again as they are with all fixes, and what is then found is
// mended by the finding that it follows from (mend.go).
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
// The cabling of hosts to ports and of switches to one another: a host is compared with every port of
// its speed, or with the ports in Options, and ports of one speed are taken for the ends of a link.
// Pauses that add up over several switches.
package lint
