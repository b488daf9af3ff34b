// Package engine is the clock of a simulation: an event queue with a total order, the windows in
// which the partitions of a simulation run in parallel, and the random streams. Partition here
// always means a simulation partition, never a P_Key partition; a cell is a part of a simulation
// partition with its own events, never a unit of a switch buffer.
//
// # The total order
//
// Events are ordered by time, then class, then source. Time is integer
// picoseconds. The class is the kind of the event; the user of the package gives the
// classes their order (internal/sim/fabric/partition.go has the classes of a network).
// The source is the number of the link, port or host that the event belongs to. Its
// low bits may carry data for the handler, if no two events of that number fall on one
// instant.
//
// Two events of one source, one class and one instant are the same event, so the order is total.
// The numbers belong to the whole simulation. They are neither the order of insertion nor
// numbers within a partition. So the order does not depend on the partitions of a simulation, or
// on the number of cores that run it.
//
// Each instant has two halves. First all its events are handled; they only note what arrived. After
// the event that is Last, arbiters decide. A decision affects later instants only. So packets that
// arrive at a switch in the same picosecond are queued in the order of their links' numbers.
//
// The queue is a timing wheel, whose buckets are sorted when they are reached, with a heap for the
// events beyond the wheel. Neither affects the order.
//
// # Cells
//
// Within a slot of time in which parts of a network cannot reach each other, the order of events
// between such parts cannot be seen. Cells handles the events part by part, which is faster, and
// the events of each part in the order above.
//
// # Parallel runs
//
// Partitions synchronise conservatively. All run the window [T, T+lookahead), where T is the
// earliest pending event anywhere; then they exchange their messages. There is one barrier per
// window. A message of a partition in a window takes effect at the others no earlier than the
// window's end. At the end of a window, a run may take cores that other simulations no longer use
// (Spare), and goes on with one worker if they wait for more than they work (internal/base/cores).
//
// # Units
//
// Time is units.Time, integer picoseconds. Nothing here is a float.
package engine
