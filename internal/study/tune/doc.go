// Package tune searches a scenario's parameters for a smaller objective, and measures the gain on
// seeds that the search has not seen.
//
// # The objective
//
// A weighted sum of four terms, each a mean over the scenario's sizes and over seeds: the time of
// the operation and the 99th percentile of the completion of messages, each divided by the figure
// of the scenario as it stands, with the same seed and size; PFC pauses per 1000 packets; and 1
// less Jain's index of messages' rates. Less is better. Every candidate is simulated on the same seeds
// (common random numbers), so that differences come from the parameters.
//
// # The search
//
// The parameters span the unit cube: ranges linearly or by their logarithm, values as equal shares
// ([scenario.Axis]). If all combinations fit the budget, all are simulated. Otherwise:
//
//  1. Explore: a quarter of the budget on a Latin hypercube (McKay, Beckman and
//     Conover 1979), which covers each parameter evenly however many there are.
//  2. Refine: CMA-ES (Hansen 2016; gonum implements Krause et al. 2016) over
//     the ranges, from the best candidate, whose enumerated values stay. It needs
//     no gradient, adapts to ranges that matter differently and to parameters that
//     depend on each other, and takes noise. Places beyond the cube are mirrored
//     into it.
//  3. Neighbours: each other enumerated value of the best candidate, one at a time.
//
// 2 and 3 take turns, with half the step each time, until the budget is spent or a turn finds
// nothing new; the rest of the budget goes to another hypercube. A combination that no scenario can
// have (kmin above kmax) costs nothing: it is not simulated. A candidate whose simulation fails, or
// takes [giveUp] times as long as the scenario as it stands, is worse than any other.
//
// # Racing
//
// A candidate's score is its mean over all seeds of the search, but not every score is asked for: of a
// hypercube, or of neighbours, only the best matters, and of a generation of CMA-ES the better half and
// its order. A candidate that cannot be among these is stopped after its first seed, where it is so much
// worse than the last of them that its mean is worse with a probability of 99 %. The spread of such
// differences over the seeds is that of the candidates that were simulated with all of them, the first
// ones at any rate. The score of a stopped candidate is an estimate.
//
// Finally, each parameter gets its original value back if the objective stays within a thousandth:
// it is not worth a change.
//
// # The proof
//
// The scenario as it stands and the best candidate run on further seeds, pair by pair. The
// improvement is the mean difference of the objective, divided by the objective of the scenario as
// it stands, with the 95 % interval (package stats) of the mean of the pairs. The improvement on the seeds of
// the search is shown beside it; it is too optimistic, because the search has fitted these seeds.
//
// # Sensitivity
//
// Each parameter in turn takes values over its range while the others keep the tuned values, on the
// seeds of the search. This shows how exactly a value must be met, near the tuned values; it does
// not show interactions of two parameters.
//
// # Interruption
//
// A search that is started again repeats its decisions, which depend on results alone. With a runner
// whose results are kept (many.Sharing, a cache) it simulates only missing ones. So it continues
// after an interruption, and a larger budget or another objective reuses earlier simulations.
//
// The outcome does not depend on the number of cores.
package tune
