// Package proof proves or refutes forwarding tables of an InfiniBand subnet,
// whoever computed them: the tables of weft's own engines, those dumped from an
// OpenSM, or those read back from switches. Check never changes what it is
// given, and tables may be as wrong as they like: partial, of another fabric,
// looping. What is wrong is a Finding, never a panic.
//
// # What is proven
//
//   - Every end (port of an adapter or router) and every switch reaches every
//     LID, without a loop. What no table could mend, because there is no way
//     through the cables, is counted apart.
//   - Each path has as few hops as the cables allow. Hops are those of OpenSM's
//     LID matrix: cables from the source's first switch on, the one to the
//     destination included.
//   - The channel dependency graph has no cycle (Dally and Seitz, "Deadlock-free
//     message routing in multiprocessor interconnection networks", 1987). Its
//     nodes are the directed cables between switches, one per virtual lane; it
//     has an edge where a path of some end to some end holds the buffer behind
//     the one cable while it waits for the other. Lanes come from the path's
//     service level and each switch's SL2VL table. A cycle is shown as the
//     shortest one there is.
//   - The balance of paths over cables, and what patterns of the nodes in their
//     real order put on them.
//
// # How
//
// For one destination the forwarding entries form a tree whose root is the
// destination. It is walked once, which tells reach, hops and loops; the weights
// of its subtrees are the loads, and its pairs of consecutive cables are the
// dependencies, kept as a bitmap of next ports by cable. LIDs are taken 64 at a
// time, so that rows of the tables are read in cache lines and one breadth-first
// search over bit sets gives the distances for all 64. Work grows with LIDs
// times switches, memory with cables; both are divided over cores, and no result
// depends on how many there are.
//
// # What is left out
//
// Paths that begin or end at a switch's own port take part in reachability, and
// not in the dependency graph: ibdmchk judges so too. Multicast is proven by
// nobody here but for its ports. Rates of adaptive routing are no property of a
// table.
package proof
