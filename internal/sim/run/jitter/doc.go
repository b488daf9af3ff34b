// Package jitter draws the random times of a scenario with run.jitter. It adds them to messages in
// the software of hosts and the pipelines of NICs, to packets in switches, and to the timers of hosts
// by the ticks of their clocks.
//
// Each side of each rank has a stream of random numbers of its own, by the seed and its
// number. Draws are in picoseconds and never negative.
package jitter
