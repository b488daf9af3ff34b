// Package series records what each lane of each link does, in intervals of simulated time.
//
// # Intervals
//
// The counters of a lane lie in one cache line (lane.go). At the end of an interval, between two
// events, a [Recorder] moves the counters of the lanes that did something into samples. Lanes at rest
// cost nothing. A simulation partition has a recorder of its own. All have the same intervals, so the
// samples do not depend on the number of partitions, and nothing in the simulation depends on them.
//
// The number of intervals is bounded: at an interval too many, neighbours are merged and the
// interval doubles. The bound follows from the number of lanes: a small network keeps so many that a pause of
// a few microseconds is seen in tens of milliseconds.
//
// A port counts its bytes whether or not it is recorded. So the bytes of its main lane, the lane of
// the network's data, are the rest after the other lanes and the PFC frames, and only the first packet
// of a port in an interval costs time.
//
// # Skipped periods
//
// A record has what happens in skipped periods, too. When the network is about to skip, it first
// simulates one more period in pieces (survey.go): the record is cut at each place of the period at
// which an interval will end, in whichever period that will be. What a lane does in an interval is
// then the sum of whole periods and of pieces. There are at most as many pieces as intervals.
package series
