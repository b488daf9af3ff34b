// Package report tells what a verb found. A verb that reports has one function here, which
// makes a document of package doc: its sentences, tables and diagrams, for the terminal, the
// page and Markdown. Beside the documents stand the table of nccl-tests, the traces of steps
// and the picture of a run.
//
// All of it is a function of the results and the resolved scenario, without a
// clock: equal runs make equal pages. The sentences claim what the numbers
// show and no more: a difference below [tie] is no difference, a cause is named
// where a count or a closed form stands for it, and everything else is given as
// what was counted.
//
// # Files
//
//   - compare.go, verdict.go, causes.go, contrast.go, between.go: the report of compare and run;
//     its verdict, the causes it names, the ratios it compares
//   - facts.go, hops.go, wires.go, reduction.go, tcphost.go, radix.go, switchrange.go,
//     sources.go, waited.go: sentences and tables about one fact of a fabric or a run each
//   - faults.go, disturbed.go, violations.go, pausetree.go, pausepicture.go: faults,
//     disturbances, violations of keys, causes of pauses
//   - cards.go, plot.go, picture.go, scaling.go, seedtable.go, format.go: what pages share:
//     summaries, plots, the picture of a run, intervals, cells
//   - training.go, trainingdrawing.go, trainingseeds.go, trace.go: a training step: tables,
//     drawing, seeds, traces
//   - plan.go, advise.go, tune.go, tunepage.go, diagnosis.go, diagnosisplots.go, fit.go,
//     collisions.go, latency.go, audit.go, inspection.go, replay.go, explain.go, validation.go:
//     the reports of the verbs of these names
//   - nccltests.go: the table of nccl-tests
//   - folders.go: plan and advice as files of a run folder
package report
