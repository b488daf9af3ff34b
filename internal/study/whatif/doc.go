// Package whatif says what the failure of a part costs a fabric.
//
// # Model
//
// A part is a switch, or a cable by one of its ports. Evaluate takes the part out of an InfiniBand subnet, has the routing
// engine compute the tables anew, as a Subnet Manager does after a trap, and proves them. EvaluateECMP takes the part out of
// an Ethernet fabric, and takes the paths that eBGP has then (package routing, Detours). Two numbers come out: the
// pairs of hosts' ports that no path joins any more, and the bandwidth of shifts. In a shift each host sends to the one some
// places behind it; the bandwidth is that of the slowest host, as the share of the rate that its cable and its partner's can
// carry, in the mean of shifts of all distances. Cables count with their rates. Hosts whose cable is out take no part in the
// shifts.
//
// # Limits
//
// Nothing is simulated here: the time until the fabric is routed anew, and the packets lost meanwhile, do not count. On
// Ethernet each switch shares each flow evenly among its equally short paths: flows that meet by their hashes are left to a
// simulation, and to package collisions. A fabric of many hosts is judged by evenly spaced shifts; the report says how many.
package whatif
