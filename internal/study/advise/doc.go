// Package advise recommends InfiniBand or an Ethernet product for a cluster, from simulations of a design of
// each and from the profile of an organisation. Of the products as they are sold (product.go) the one that does best beside
// InfiniBand is compared in full.
//
// # The rule
//
// Each criterion gives each fabric a number, and from it a share from 0 to 1: the better number
// over the fabric's own (if less is better), or its own over the better one (if more is better).
// Numbers within 2 % count as equal: both have 1. A share times the criterion's weight is the
// fabric's points; the fabric with more points is the choice. Weights are the profile's, with
// [defaultWeights] as defaults. A number that is known as a range (cost, power, times of recovery) gives the mean of its points. A
// criterion with an unknown number gives no points to either, and says so. A lead of 2 % of the points is a tie.
//
// The work of running a fabric cannot be measured. It is a sum of effort points, each with its
// reason; the profile can change each (effort.go). They are assumptions and are printed as such.
//
// A constraint of the profile that a fabric cannot meet (no design, too expensive) rules it out
// before the weighing.
//
// # Evidence
//
// Performance and tail are simulated on a scale model: as many nodes as the profile allows, on
// switches with fewer ports. The ports are divided by the largest power of two, the same for both
// fabrics, with which each model has as many levels as its design ([plan.ModelsOf]). A design no larger
// than the model is simulated as it is. Recovery needs no traffic and is simulated on the design
// itself if it is small (recovery.go). Each reason is followed by its counterfactual: the same runs, or the same
// sum, with one change (counterfactual.go). Bisection over runs of the same kind finds the points
// where the choice turns; if no run is needed, every point is computed (turningpoints.go).
//
// A [Meter] measures the job on a candidate: a collective, a training step or a serving job (measure.go,
// serving.go). Simulations that do not need each other run at the same time, and equal scenarios once
// (bench.go). The verdict needs the two designs as they are; everything else comes after it.
package advise
