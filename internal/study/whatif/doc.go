// Package whatif says what the failure of a part costs an InfiniBand fabric.
//
// # Model
//
// A part is a switch, or a cable by one of its ports. Evaluate takes the part out of the subnet, has the routing engine
// compute the tables anew, as a Subnet Manager does after a trap, and proves them. Two numbers come out: the pairs of
// hosts' ports that no path joins any more, and the bandwidth of shifts. In a shift each host sends to the one some
// places behind it; the bandwidth is that of the slowest host, as the share of its cable's rate, in the mean of shifts
// of all distances. Hosts whose cable is out take no part in the shifts.
//
// # Limits
//
// Nothing is simulated here: the time until the manager has routed anew, and the packets lost meanwhile, do not count. A
// fabric of many hosts is judged by evenly spaced shifts; the report says how many.
package whatif
