// Package inspect describes a subnet in the terms of its operators: its
// family (a single switch, a fat tree of two or more levels, a torus or mesh, a
// dragonfly, or irregular), its levels and rails, the
// oversubscription of each level, and deviations from the rest of the fabric: a leaf with
// fewer uplinks than its peers, a pair of switches that lacks a cable, a slow link, a host
// on a spine.
//
// The structure of the cables decides. Names decide two things only: the adapters of a host, and
// the rail of an adapter. A value is usual if at least half of the peers have it; if no value is
// usual, nothing is called a deviation.
//
// Package proof judges forwarding tables.
package inspect
