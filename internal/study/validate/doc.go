// Package validate holds weft against what is known: closed forms, other
// simulators' results, published measurements. Each case is a claim with its
// reference, its tolerance, and what weft makes of it; `weft validate` runs
// them and docs/VALIDATION.md is their outcome.
//
// # References
//
// A reference is arithmetic of its own. Header sizes, rates, delays and
// formulas are written out once more in the case and never taken from the
// packages that are under test; a test changes one constant of the models
// after another and sees that the case that covers it fails.
//
// # Verdicts
//
// A row passes, misses, or is shown without a score. A miss stays a miss until
// the model is better; its note says what is known about it. Nothing is fitted
// to a case that it is scored on.
//
// # What is left out
//
// The models' parameters are chosen in the cases; how a scenario turns into
// parameters is tested where that happens. Jitter of hosts and devices is off.
package validate
