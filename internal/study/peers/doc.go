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
// decile by seven times the spread, which is from the median to the ninth decile, and at least √n at a median of
// n, and 1; and if it is more than ten. Of an exponential distribution one value in a million is beyond this
// limit; of a normal one none in practice. All of these numbers are assumptions.
//
// Nothing is judged of fewer than five peers, or if more than a quarter of them stand out: then the ports have
// several roles. A result says what a counter means and what fits it, not what the cause is.
package peers
