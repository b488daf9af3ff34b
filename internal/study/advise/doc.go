// Package advise recommends InfiniBand or RoCE v2 for a cluster, from what was
// simulated of a design of each and from what an organisation says of itself.
//
// # The rule
//
// Each criterion gives each fabric a number, and of the numbers a share from 0 to 1:
// the best of the two over the fabric's own (where less is better), or its own over
// the best (where more is). Numbers within 2 % are no difference: both have 1. A share
// times the criterion's weight is the fabric's points; the fabric with more points is
// the choice. Weights are the profile's, with [DefaultWeights] where it says nothing.
// A criterion of which a number is not known gives no points to either, and says so.
//
// What cannot be counted (how much work a fabric is to those who run it) is a sum of
// effort points, each with its reason and each the profile's to change (effort.go).
// They are assumptions and are printed as such.
//
// A constraint of the profile that a fabric cannot keep (no design, too expensive)
// rules it out before anything is weighed.
//
// # Evidence
//
// Performance and tail are simulated on a scale model: as many nodes as the profile
// allows, on switches whose ports are divided by the largest power of two, the same
// for both fabrics, with which each keeps the levels that its design has (model.go). A
// design that is no larger than the model is simulated as it is. Recovery, which needs
// no traffic, is that of the design itself (recover.go). Each reason is followed by
// its counterfactual: the same runs, or the same sum, with one thing changed
// (counterfactual.go). Where the choice turns is searched by bisection over runs of
// the same kind, and where no run is needed at every point (flip.go).
//
// What is measured of a candidate is a [Meter]'s: a collective or a training step, and
// a permutation (measure.go).
package advise
