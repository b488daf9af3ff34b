// Package proof proves or refutes forwarding tables of an InfiniBand subnet: the tables of
// weft's own engines, tables dumped from an OpenSM, or tables read back from switches.
// Check never changes its arguments. Tables may be wrong in any way: partial, of another
// fabric, looping. A fault is a Finding, never a panic.
//
// # What is proven
//
//   - Every end (port of an adapter or router) and every switch reaches every
//     LID, without a loop. Pairs without cables between them are counted apart.
//   - Each path has as few hops as the cables allow. Hops are counted as in OpenSM's
//     LID matrix: the cables from the source's first switch to the destination.
//   - The channel dependency graph has no cycle (Dally and Seitz, "Deadlock-free
//     message routing in multiprocessor interconnection networks", 1987). Its
//     nodes are the directed cables between switches, one per virtual lane; it
//     has an edge where a path between ends holds the buffer behind one cable while
//     it waits for the next cable. Lanes come from the path's service level and each
//     switch's SL2VL table. The report shows the shortest cycle.
//   - The balance of paths over cables, and the load of traffic patterns on cables, with the nodes
//     in their real order.
//
// # How
//
// For one destination the forwarding entries form a tree whose root is the
// destination. One walk gives reach, hops and loops; the weights
// of its subtrees are the loads, and its pairs of consecutive cables are the
// dependencies, kept as a bitmap of next ports by cable. LIDs are taken 64 at a
// time, so that rows of the tables are read in cache lines and one breadth-first
// search over bit sets gives the distances for all 64. Work grows with LIDs times switches, memory
// with cables. Both are divided among cores; no result depends on the number of cores.
//
// # What is left out
//
// Paths that begin or end at a switch's own port count for reachability but not in the dependency
// graph, as in ibdmchk. A group of multicast tables is judged apart ([CheckMulticast]). The rates of adaptive
// routing are no property of a table.
package proof
