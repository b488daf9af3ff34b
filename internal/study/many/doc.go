// Package many simulates the variants of a study: as many scenarios as it has, several at a time.
//
// # Model
//
// A study varies a scenario, and concludes from what each variant gives. Between the two stands
// this package: [Rows] simulates the variants and returns a row of each, in their order, whatever
// the number of cores. Each does the same for work that is no scenario, such as the parts of a
// training step.
//
// A [Runner] simulates one variant. The caller of a study gives it, and with it decides what is not
// simulated again: a runner may ask the cache of this machine, or share the simulations with other
// processes ([Sharing]), which work on other nodes of a cluster, or worked before.
//
// [Tally] adds up the progress of simulations that run at the same time. [Left] estimates the time that
// is left from pieces that have ended, where the number of simulations or their length is not known
// before.
//
// # Limits
//
// A variant has one core as long as there are as many variants as cores. So the last variants of a
// study leave cores idle.
package many
