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
// The key is the SHA-256 of the canonical bytes (base/canon) of the part, of what else the simulation is
// given (its size), and of the digest of the hardware catalog. The bytes have every field of the part, also
// one that somebody adds later. One field is in the part and not in the key: the fabric's name. It is in
// messages about failures and progress; results of simulations that failed are not kept.
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
