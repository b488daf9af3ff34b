// Package calibrate compares measured logs with weft's predictions for a cluster. It shows where
// the cluster falls short, simulates possible causes, and fits the constants of the model to a log.
//
// # The comparison
//
// Every table of a log that weft can simulate becomes a task: the operation, the sizes, and the
// ranks on nodes of the cluster's scenario. The match of a prediction is the root mean square of
// ln(predicted / measured) over all sizes of all tasks: 0.10 is off by about 10 % on the average.
//
// # The diagnosis
//
// A hypothesis is a fault that changes the scenario: fewer NICs, another host path, a smaller MTU
// (hypotheses.go has them all). Its variants differ in severity. Each variant is simulated for each
// task, as far as the answer needs it (race.go), and those that fit best at larger sizes, too (farther.go); between two
// variants that differ in a number, times are interpolated. Hypotheses are weighed by Bayes' rule (weigh.go): prior probabilities,
// which are assumptions, times the probability density of the log (likelihood.go), by its noise and
// by weft's error on published tables of healthy clusters (known.go). A healthy cluster and an
// unknown fault are weighed too. The answer is a hypothesis with more than half of the probability;
// without one, the log cannot tell the named hypotheses apart.
//
// # What it leaves out
//
// Two faults at once; faults of a part of the nodes, except slow cables and loss; changes during
// the run.
//
// # The fit
//
// Constants are fitted by factors; Gauss and Newton's method searches their logarithms (search.go). Part
// of the sizes is held out and never seen by the search; the error on them, before and after, is
// the result.
package calibrate
