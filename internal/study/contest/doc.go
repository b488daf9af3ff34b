// Package contest tests what is said of the order of several fabrics: why one is faster than
// another, and whether it stays so over what is not known.
//
// # Why
//
// Two fabrics of a scenario differ in properties: the latency of the switch, the routing, the
// ordering of messages, the buffers (properties.go has the list). A hybrid is one of the two
// fabrics with some properties of the other. At a size at which one fabric leads, [Test] simulates
//
//   - the slower fabric with one property of the faster: the property is a cause if this takes at
//     least half of the lead away;
//   - all properties after each other, from the slower fabric to the faster, and in the reverse
//     order: the steps add up to the lead. A property whose two steps differ acts together with
//     others.
//
// All simulations of a size have the seeds of the run. A property that has no meaning on the other
// protocol (DCQCN on InfiniBand) is changed on the side that knows it. The protocols themselves
// change in the step "buffers and flow control": all that is left of their difference.
//
// # How sure
//
// The catalog has the other readings of values that are assumptions, or on which sources differ
// ([scenario.Readings]). Each is simulated alone, at the same sizes and with the same
// seeds. Package report says whether the order stays.
//
// # Limits
//
// Tests are made at decisive sizes alone: in each range of sizes with the same leader, the size
// with the longest lead that the budget allows (limits.go). Two readings at a time are not tested.
package contest
