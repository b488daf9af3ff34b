// Package calibrate lays measured logs beside what weft predicts for a cluster. It
// says where the cluster falls short, simulates what could explain it, and fits the
// constants of the model to a log.
//
// # The comparison
//
// Every table of a log that weft can simulate becomes a task: the operation, the
// sizes, and the ranks on nodes of the cluster's scenario. The match of a
// prediction is the root mean square of ln(predicted / measured) over all sizes of
// all tasks: 0.10 is off by about 10 % on the average.
//
// # The diagnosis
//
// A hypothesis is a fault that changes the scenario: fewer NICs, another host path,
// a smaller MTU (hypotheses.go has them all). Its variants say how bad it is. Each
// variant is run on the engine for each task, and between two that differ in a number
// times are interpolated. Hypotheses are weighed by Bayes' rule (weigh.go): prior
// probabilities, which are assumptions, times the probability density of the log
// (likelihood.go), by its noise and by how far off weft is on published tables of
// healthy clusters (known.go). A healthy cluster and a fault that nobody thought of are
// weighed too. What has more than half of the probability is the answer; where nothing
// has, the log cannot tell apart what is named.
//
// # What it leaves out
//
// Two faults at once; faults of a part of the nodes, but for slow cables and loss;
// whatever changes during the run.
//
// # The fit
//
// Constants are fitted by factors, of which the logarithms are searched by the
// Nelder-Mead simplex (fit.go). Part of the sizes is held out and never seen by the
// search; the error on them, before and after, is the result.
package calibrate
