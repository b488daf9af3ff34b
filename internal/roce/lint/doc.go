// Package lint reads the configuration of a switch and what its hosts say
// together, and finds what goes wrong between them.
//
// # The model
//
// A host sends a DSCP. The switch's maps make a traffic class of it, and of that a
// priority group, in whose buffer the packet waits at the way in, and a queue, in
// which it waits at the way out. The packet is protected if the group has headroom,
// the port pauses its priority, the host obeys that pause, and the queue that the
// pause stops is the one where the host's data is. Each rule is a place where this
// chain breaks; rules lists them.
//
// An Error loses packets, stops traffic or marks nothing where it is read as it
// stands. A Warning works, and worse than it would. What could not be judged, for
// lack of a value, is listed too: silence means that a rule was applied.
//
// # Numbers
//
// Headroom is compared with two bounds: the terms that no chip avoids (a packet
// under way, the cable, the peer's response), below which packets are lost, and the
// vendor's formula for the chip. A threshold of PFC is that with an empty pool, the
// highest that it ever is. A legitimate pause lasts as long as the slowest port takes
// to drain the pool.
//
// # What is left out
//
// Which host is at which port: a host is held against every port of its speed, or
// those that Options names. Pauses that add up over several switches.
package lint
