// Package route has the routing engines of an InfiniBand Subnet Manager, one
// file per engine: pure functions from a subnet whose ports have LIDs to the
// tables that go into its switches.
//
// [Route] looks the engine up in a table ([Engines]), runs it, and tells in a [Report]
// whose tables came out and why, what OpenSM does with the same fabric without saying
// so, and what to change. [Proved] proves the tables too, and [Installable] falls back
// to what is proven. [Auto] tries all that may fit and keeps the best of what is proven
// (choose.go).
//
// # As OpenSM
//
// minhop, updn, dnup, dor, ftree, sssp and dfsssp follow the rules of OpenSM
// 3.3.23 (the last two, which weft does better by itself, where they are asked
// to; dfsssp's lanes are weft's), so that their tables equal its tables entry for
// entry. The rules are those that its manual page states and its dumps show: the order in which destinations are
// given ports (hosts of the switch with most hosts first), the count of
// destinations per port that breaks ties, and the order of ports that breaks
// the rest; of sssp and dfsssp osmtrees.go has them. Where they are local to a switch or to a destination, switches or
// destinations are shared among cores; ftree, whose choices depend on all those
// before, only writes its tables on another core. The result is the same for any
// number of cores.
//
// Where an engine of OpenSM cannot route a fabric, OpenSM uses minhop instead
// and reports success. With [Options].AsOpenSM, Route does so too and says why;
// without it, Route fails with a [Refusal], and gives ports to switches that an
// engine leaves apart from each other (see connectSwitches): all else is the same.
//
// # Units and invariants
//
// Hops count switches left: a switch is 0 hops from itself and 1 from its
// neighbour. Switches are named by their number in [subnet.Tables].Dense. The
// order of switches and ports that breaks ties is that of GUIDs read backwards,
// byte by byte, which does not depend on the order of nodes in a file.
//
// Sources: IBA vol. 1, 14.2.5.10 and 18.2.4; opensm(8) of OpenSM 3.3.23, part
// ROUTING; dumps of OpenSM 3.3.23 over ibsim 0.10; that the end is a member of
// the heap, and what ftree does beside and below leaves, are facts from OpenSM's
// public sources (osm_ucast_dfsssp.c, osm_ucast_ftree.c).
//
// Left out: OpenSM's option files for hop weights, port order, dimensions and
// scattered ports; ftree's ways to I/O nodes against the tree's direction (-G and
// -H); its keeping of old routes after a change (it is asked to reassign all).
// Not followed: the order of hosts in ftree where a leaf has cables to switches
// that are not above it, if several hosts are on it. OpenSM's differs from run to
// run there (see noteUnknownOrders), and the report says so; all else is followed.
package route
