// Package route has the routing engines of an InfiniBand Subnet Manager: pure functions from a
// subnet with LIDs to the tables of its switches.
//
// [Compute] looks the engine up in a table ([Engines]), and runs it. The [Report] has the
// engine that was used and why, OpenSM's silent fallback on the same fabric, and a remedy.
// [Proved] proves the tables too, and [Installable] falls back to proven tables. [Auto]
// tries all engines that may fit and keeps the best proven tables (autochoice.go).
//
// # As OpenSM
//
// minhop, updn, dnup, dor and ftree follow the rules of OpenSM 3.3.23: their tables equal
// OpenSM's entry for entry. sssp and dfsssp follow its rules only if AsOpenSM is set,
// because weft's own trees are better; the lanes of dfsssp are always weft's. The rules
// come from OpenSM's manual page and its dumps: the order in which destinations get ports
// (the hosts of the switch with the most hosts first), the count of destinations per port that
// breaks ties, and the order of ports that breaks the remaining ties. The rules of sssp and dfsssp
// are in osmtrees.go. If choices are local to a switch or to a destination, the work is divided
// among cores. In ftree each choice depends on all earlier choices; only the writing of its tables
// runs on another core. The result is the same for any number of cores.
//
// Where an engine of OpenSM cannot route a fabric, OpenSM uses minhop instead
// and reports success. With [Options].AsOpenSM, Compute does so too and says why;
// without it, Compute fails with a [Refusal], and adds paths between switches that an engine leaves
// without (see connectSwitches). Nothing else differs.
//
// # Units and invariants
//
// Hops count cables from the first switch on: a switch is 0 hops from itself and 1 from its
// neighbour. The number of a switch is its index in [subnet.Tables].Dense. Ties between switches
// and ports are broken by the order of GUIDs read backwards, byte by byte, which does not depend on
// the order of nodes in a file.
//
// Sources: IBA vol. 1, 14.2.5.10 and 18.2.4; opensm(8) of OpenSM 3.3.23, part
// ROUTING; dumps of OpenSM 3.3.23 over ibsim 0.10. Two facts are from OpenSM's
// public sources (osm_ucast_dfsssp.c, osm_ucast_ftree.c): the destination port is a member of the
// heap, and ftree's treatment of switches below leaves and on the leaves' level.
//
// Left out: OpenSM's option files for hop weights, port order, dimensions and
// scattered ports; ftree's paths to I/O nodes against the tree's direction (-G and -H);
// keeping old routes after a change (all are reassigned). One rule of ftree is left out: the order
// of hosts on a leaf with several hosts and with cables to switches that are not above it. There
// OpenSM's order differs from run to run (see noteUnknownOrders), and the report says so.
//
// # Files
//
//   - engine.go, report.go: the table of engines and Compute; the report and refusals
//   - autoattempts.go, autochoice.go: the engines and options that Auto tries; the choice among
//     their tables
//   - fabric.go, targets.go, hops.go, tablecolumns.go: the subnet in the engines' form: switches,
//     ports with LIDs, hops; tables filled target by target
//   - minhop.go, balance.go, lmc.go: minhop, and the balance of ports that updn, dnup and dor
//     share; several LIDs at a port
//   - updn.go, dnup.go, dor.go: the engines of these names
//   - ftree.go, ftindex.go, ftroute.go, ftsideways.go: ftree: the tree, its order, its routes
//     up and down, its routes along a level
//   - sssp.go, shortesttrees.go, refine.go, shifts.go, patterns.go, osmtrees.go: sssp: weft's trees
//     and their refinement; OpenSM's trees
//   - dfsssp.go, lash.go, acyclic.go, lanegraph.go: lanes without loops: dfsssp and LASH
//   - torus2qos.go, torusconf.go, torusgrid.go, torusseeds.go: torus-2QoS: routes, its
//     configuration file, the search for the grid
//   - nue.go, nuetree.go: nue: paths in the dependency graph, and the spanning tree as its way out
//   - byspeed.go: the weight of a path on cables of several rates
//   - dragonfly.go: groups of switches
//   - adaptive.go, multicast.go: tables of adaptive routing and of multicast
//   - connect.go, prove.go: entries that an engine leaves out; tables with their proof
package route
