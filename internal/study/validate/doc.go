// Package validate compares weft with references: closed forms, other
// simulators' results, published measurements. Each case is a claim with its
// reference, its tolerance and weft's result. `weft validate` runs the cases;
// docs/VALIDATION.md has their results.
//
// # References
//
// A reference is separate arithmetic. Header sizes, rates, delays and
// formulas are written out once more in the case and never taken from the
// packages under test. A test changes the constants of the models, one after
// another, and checks that the case for each constant fails.
//
// # Verdicts
//
// A row passes, misses, or is shown without a score. A miss stays a miss until
// the model is better; its note gives the known reasons. Nothing is fitted
// to a row on which it is scored.
//
// # What is left out
//
// A case resolves a scenario, sets the values of its fabric (testbed.go), and
// builds the network on a graph of its own. Jitter of hosts and devices is off.
package validate
