// Package series records what each lane of each link does, in intervals of simulated time.
//
// # Intervals
//
// The counters of a lane lie in one cache line (lane.go). At the end of a short interval, between two
// events, a [Recorder] moves the counters of the lanes that did something into sums, and at the end of an interval
// the sums into samples. Lanes at rest
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
// # Details
//
// Where intervals have become longer than [FirstInterval], short ones are kept around what happens (detail.go). The last
// four samples of each lane are in a ring: at an event, which is seen at the end of its interval, those before it are
// taken from there. What is kept of a link follows from its own samples alone, and so does not depend on the number of
// partitions. A network too large for details ends its lanes at the ends of intervals alone.
//
// # Skipped periods
//
// A record has what happens in skipped periods, too. When the network is about to skip, it first
// simulates one more period in pieces (survey.go): the record is cut at each place of the period at
// which an interval will end, in whichever period that will be. What a lane does in an interval is
// then the sum of whole periods and of pieces. There are at most as many pieces as intervals.
//
// Whether and when a network skips depends on the number of partitions, but details must not. So a network with details
// skips only if they kept nothing in the period before ([Settled]): then they would keep nothing in its copies either.
// It simulates the last two copies. An event after them finds the short intervals before it, and the beginning of a
// pause that goes on. The beginnings of others are moved on by the time that is skipped.
package series
