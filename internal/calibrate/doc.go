// Package calibrate lays measured logs beside what weft predicts for a cluster. It
// says where the cluster falls short, simulates what could explain it, and fits the
// constants of the model to a log.
//
// # The comparison
//
// Every table of a log that weft can simulate becomes a task: the operation, the
// sizes, and the ranks on nodes of the cluster's scenario. The match of a
// prediction is the root mean square of ln(predicted / measured) over all sizes of
// all tasks: 0.10 is off by about 10 % on the average. A size is within the known
// error when it is off by no more than weft is off a healthy cluster of its
// validation (knownErrors in limits.go).
//
// # The diagnosis
//
// A hypothesis is a fault that changes the scenario: fewer NICs, another host path,
// a smaller MTU (hypotheses.go has them all). Its variants say how bad it is. Each
// variant is run on the engine for each task; the best of its variants stands for a
// hypothesis, and hypotheses are ranked by match. One that leaves every size within
// the known error explains the log; where none does, nothing that weft knows
// explains it, and that is the result. Those that match as well as the best one, by
// the noise of the log, cannot be told apart by it.
//
// # What it leaves out
//
// Two faults at once; faults of a part of the nodes, but for slow cables and loss;
// whatever changes during the run. Prior probability plays no part: a rare fault
// that matches is ranked above a frequent one that matches a little less.
//
// # The fit
//
// Constants are fitted by factors, of which the logarithms are searched by the
// Nelder-Mead simplex (fit.go). Part of the sizes is held out and never seen by the
// search; the error on them, before and after, is the result.
package calibrate
