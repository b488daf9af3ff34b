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
package report
