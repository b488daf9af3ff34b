// Package report tells what a run found: the tables of the terminal, the
// table of nccl-tests, the sentences that say which fabric wins where and why,
// and the self-contained HTML page.
//
// All of it is a function of the results and the resolved scenario, without a
// clock: equal runs make equal pages. The sentences claim what the numbers
// show and no more: a difference below [tie] is no difference, a cause is named
// where a count or a closed form stands for it, and everything else is given as
// what was counted.
package report
