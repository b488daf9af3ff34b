// Package peers finds ports, GPUs and ranks whose counters do not look like those of their peers.
//
// Peers have the same role. Ports of NICs with the same device name on at least 16 hosts are peers (a rail);
// on fewer hosts all ports with links of the same rate are. GPUs of one model are peers, and ranks of one
// communicator in collectives of one kind and size.
//
// A rate or a traffic stands out if it is further from the median of its peers than six times their spread: the
// median absolute deviation times 1.4826, which is the standard deviation of a normal distribution, and at
// least 5 % of the median.
//
// A count of events has no value that is too small, and comes in bursts. It stands out if it exceeds the ninth
// decile by seven times the spread, and if it is more than ten. The spread is 1 + 8/√peers times the distance from
// the median to the ninth decile, since a small group knows these badly, and at least √n at a median of n, and 1.
// Of healthy groups with exponential counts, one in 500 has a value beyond this limit with 8 peers, one in 4,000
// with 16, and one in 20,000 with 32; of a normal distribution none in practice. All of these numbers are
// assumptions.
//
// Nothing is judged of fewer than five peers, no count of fewer than eight, and nothing if more than a quarter of
// the peers stand out: then the ports have several roles. Damage is an exception, since a sound link has none: of
// fewer peers, one with a hundred times the damage of the next stands out, and no port with at most ten does. A result says what a counter means and what fits it, not what the cause is.
package peers
