// Package cc holds the congestion control of queue pairs: one algorithm per
// file behind one small interface.
//
// An algorithm is told what happened and writes into an Allowance what its
// queue pair may do next. It holds no clock and no timer: it names the time at
// which it wants to be called again. Nothing here is a float: rates are
// integers in bits per second, fractions are fixed point, so that every
// processor computes the same run.
package cc
