// Package inspect says what a subnet is, in the words of those who run one: its
// family (a single switch, a fat tree of two or more levels, a torus or mesh, a
// dragonfly, or irregular), its levels and rails, how oversubscribed each level
// is, and what is not as it is elsewhere in the same fabric: a leaf with fewer
// uplinks than its peers, a pair of switches that lacks a cable, a slow link, a
// host on a spine.
//
// It judges by structure, not by names, except for two things that only names
// tell: which adapters belong to one host, and which rail an adapter serves.
// What is usual is what most peers have; where no number is that of at least
// half of them, nothing is called a deviation.
//
// It knows nothing of forwarding tables: whether routes are free of deadlock is
// for the proof package.
package inspect
