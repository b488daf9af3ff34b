// Package report turns the results of verbs into reports. Each such verb has one function here,
// which makes a document of package doc: its sentences, tables and diagrams, for the terminal, the
// page and Markdown. Beside the documents stand the table of nccl-tests, the traces of steps
// and the picture of a run.
//
// All of it is a function of the results and the resolved scenario, without a
// clock: equal runs make equal pages. The sentences claim only what the
// numbers show: a difference below [tie] is no difference, and a reason is a property whose
// removal takes the lead away (package contest). Everything else is given as counts.
//
// # Files
//
//   - compare.go, verdict.go, choice.go, spans.go, reasons.go, differences.go, observations.go,
//     contrast.go, quoted.go: the report of compare and run; its verdict, the ranges of sizes with one
//     leader, the tested reasons and readings, what fabrics do not share, what was seen beside it
//   - facts.go, wires.go, reduction.go, tcphost.go, radix.go, sources.go, waited.go: sentences and tables about one fact of a fabric or a run each
//   - faults.go, disturbed.go, violations.go, pausetree.go, pausepicture.go: faults,
//     disturbances, violations of keys, causes of pauses
//   - quantities.go: cells and headings of the quantities in the list of package quantity
//   - format.go, columns.go, plot.go, axes.go, seeds.go: what reports share: texts and cells, a column
//     for each fabric, diagrams, spreads over seeds
//   - cards.go, compareplots.go, picture.go, scaling.go: summaries and plots of a run, its picture
//   - training.go, trainingdrawing.go, trainingseeds.go, trace.go: a training step: tables,
//     drawing, seeds, traces
//   - plan.go, advise.go, tune.go, tunepage.go, diagnosis.go, fit.go,
//     collisions.go, latency.go, audit.go, inspection.go, replay.go, explain.go, validation.go:
//     the reports of the verbs of these names
//   - nccltests.go: the table of nccl-tests
//   - folders.go: plan and advice as files of a run folder
package report
