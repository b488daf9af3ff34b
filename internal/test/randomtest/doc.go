// Package randomtest draws scenarios from numbers, for tests of what must hold in every run: equal
// results on any number of cores, and in any other way to compute the same.
//
// # What is drawn
//
// [New] makes a scenario of one fabric. The parts on which others depend come first: the machines,
// the fabric's protocol, its topology, the workload. Then come, with a chance each, the fields of
// the lists in fields.go, and at last what needs the resolved scenario: parameters of the congestion
// control near their preset, streams, slow NICs and cables, partitions, lanes by path, faults.
//
// What a scenario refuses is left out of it again, so every scenario resolves, and its fabric is
// built and routed. The text is all that there is to it: weft run takes it.
//
// # Calm scenarios
//
// Every third number, 0, 3, 6 and so on, has a calm scenario: its run draws nothing at random, and
// its messages have many packets and chunks, so that a steady phase exists. In the others anything
// goes.
//
// # Steady scenarios
//
// Every second calm scenario (3, 9, 15 and so on) is steady: a collective on few NICs, with ten times the packets,
// and without what keeps a simulation from skipping periods. Of five such simulations one skips some.
//
// # Size
//
// A cluster has 2 to 32 NICs, or GPUs of one node. The length of messages follows from a number of
// packet-hops that is drawn, so that a simulation has at most some 300,000 events, a steady one 2,000,000.
//
// # What is covered
//
// A test counts the fields and the choices of the scenario's format that occur in the scenarios, by
// the published schema. One that never occurs fails it, unless the test lists it with a reason.
package randomtest
