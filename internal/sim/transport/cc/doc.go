// Package cc holds the congestion control of queue pairs: one algorithm per file behind one small
// interface.
//
// An algorithm handles events and writes the next permission of its queue pair into an Allowance.
// It has no clock and no timer: it sets the time of its next call. Nothing here is a float: rates
// are integers in bits per second, fractions are fixed point, so that every processor computes the
// same run.
package cc
