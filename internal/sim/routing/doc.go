// Package routing turns a graph into forwarding tables, as pure functions: the sets of minimal next
// hops for ECMP, flowlets, spraying and adaptive routing, and the port per switch and destination
// that static InfiniBand routing writes into linear forwarding tables. It also proves reachability
// and the absence of loops and credit loops, and computes the load of a pattern on each cable.
//
// # Minimal next hops
//
// In a tree and in a torus a next hop is minimal when it is one hop closer to the destination's
// switch. In a dragonfly a path has at most one global cable: at most one local hop, the global
// hop, at most one local hop. (The shortest path of the graph may use two global cables through a
// third group, which real dragonfly routing does not.)
//
// # Static routing
//
// Trees are routed like OpenSM's ftree engine and D-mod-k (Zahavi, "Fat-tree routing and node
// ordering providing contention free traffic for MPI global collectives", 2012): the way up depends
// on the destination only. Destinations are numbered in the order of leaves and of ports on the
// leaf; this number v, in a mixed radix of the numbers of switches above, gives the uplink at each
// level: v mod uplinks at the leaf, v / spines mod uplinks at the spine. The same rule at the
// destination's own leaf, and at the spine above it, selects the cables on which packets come down
// to it. So every destination has one tree, consecutive destinations come down on different cables,
// and a shift of all endpoints meets no contention in a full tree.
//
// Ties: with unequal bundles, a switch's uplink of that number may not lead to the destination's
// tree. The switch then chooses, among its ports that lead to the tree, number v / spines mod their
// count; if none does, it chooses among all its minimal ports. Leaves are ordered by the
// lowest-numbered switch above them, then by their own number, so that leaves of one pod are
// neighbours.
//
// Tori are routed in dimension order, the first dimension first, the short way round. Exactly
// half-way round a ring, switches with an even coordinate go up and the others go down.
//
// A switch of a dragonfly chooses, among its minimal ports, number v mod their count.
//
// # What is left out
//
// Non-minimal routes (Valiant, UGAL), up*/down* for irregular graphs, LMC (several paths per
// destination), faults (a graph without the broken cable is routed again).
package routing
