package fabric

import (
	"weft/internal/sim/fabric/series"
	"weft/units"
)

// survey is a period that the network simulates once more, in pieces, before it skips its copies: so
// that the record of its links and messages has the copies, too.
type survey struct {
	*series.Survey
	times uint64 // periods that were expected when the survey began
}

// recording reports whether the network records its links.
func (n *Network) recording() bool { return n.parts[0].record != nil }

// watchPorts makes the next packet of each port begin its row of the open interval. Which ports have one is no
// part of the state.
func (n *Network) watchPorts() {
	if n.recording() {
		for link := range n.ports {
			n.ports[link].flags |= flagFollowed
		}
	}
}

// surveyFrom begins a survey of a period that begins now. No event before now is left.
func (n *Network) surveyFrom(now, length units.Time, times uint64) *survey {
	for _, p := range n.parts {
		p.messages.BeginPeriod()
	}
	s := &survey{series.NewSurvey(n.recorders(), now, length, times), times}
	n.parts[0].halt = s.NextCut()
	return s
}

// cutAt ends a piece, and reports whether it is the last one of the period.
func (s *survey) cutAt(n *Network, now units.Time) bool {
	last := s.Cut(now)
	if !last {
		n.parts[0].halt = s.NextCut()
	}
	return last
}

// finish records the survey's period, and a number of periods after it, by which the state has moved on.
func (s *survey) finish(n *Network, times uint64) {
	s.Finish(times)
	for _, p := range n.parts {
		p.messages.EndPeriod(int64(times), s.Length())
	}
}

// abandon ends a survey before its end: the run is over.
func (s *survey) abandon(n *Network, now units.Time) {
	s.Abandon(now)
	for _, p := range n.parts {
		p.messages.EndPeriod(0, 0)
	}
}
