// Package source is what readers of other people's workload files have in common:
// the result of reading one, with what the format leaves open, and the problem that
// stops a reader, with its place.
//
// A reader is strict. It stops at the first thing that the format does not have, and
// gives the place, what stands there and what would be valid, together with the
// workload as far as it was read.
package source
