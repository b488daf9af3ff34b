// Package known says what a simulation depends on, so that its result can be kept and given again instead
// of simulating. It keeps nothing itself: a Store does, which may be a file that processes share.
//
// # What a simulation is given
//
// A simulation on a fabric is not given the scenario but its Part: a scenario of this fabric alone, without
// the sections that ask questions of many simulations (training, tune, sweep), without the scenario's
// name, and without the list of sizes. What the part does not have cannot be read, whether a store is used
// or not. So what is left out of the key cannot change a result, and that is no promise but the way of the
// data.
//
// # The key
//
// The key is a SHA-256 over three inputs: the canonical bytes (base/canon) of the part, the simulation's size,
// and the digest of the hardware catalog. The canonical bytes cover every field of the part, and cover new
// fields without a change here. The fabric's name is the one field of the part that the key leaves out: only
// messages about failures and progress use it, and a failed simulation is not kept.
//
// The program is not in the key. A Store keeps the results of different programs apart.
//
// # The value
//
// The value is the canonical bytes of the result, floats with every bit: the files, tables and pages that
// are made from it have the same bytes as after a simulation. The numbers of the engine's events and of
// skipped periods are kept as 0. They are no results (they depend on partitions and options), and a result
// that is known costs none.
package known
