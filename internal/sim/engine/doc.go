// Package engine is the clock of a simulation: an event queue with a total
// order, the windows in which partitions of one simulation run in parallel, and
// the random streams.
//
// # Order
//
// Events are ordered by (time, class, source). The source is the number of the
// link, port or host that the event belongs to; below it there may be what the
// handler needs, if no two events of that number fall on one instant. Two events of a source, of one
// class and at one instant, are the same event, so the order is total, and
// because the numbers are those of the whole simulation and not of a partition,
// it does not depend on how the simulation is cut. What happens at one instant is handled in two
// halves: first every event of the instant, which only notes what arrived, then,
// after the one that is Last, arbiters decide.
//
// # Cells
//
// Within a slot of time in which parts of a network cannot reach each other, the
// order of events between such parts cannot be seen. Cells handles them part by
// part, which is faster, and each part's in the order above.
//
// # Parallel runs
//
// Partitions synchronise conservatively: all run the window [T, T+lookahead),
// where T is the earliest pending event anywhere, then exchange what crossed.
// What one sends in a window takes effect at the others no earlier than its end.
//
// # Units
//
// Time is units.Time, integer picoseconds. Nothing here is a float.
package engine
