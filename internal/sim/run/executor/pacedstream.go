package executor

import (
	"weft/internal/sim/fabric"
	"weft/scenario"
	"weft/units"
)

// paced is a stream with an offered load: a message is due at even intervals. A message that is due
// at full depth is posted when another one ends.
type paced struct {
	every units.Time // interval of messages; 0: the stream posts a message when another one ends
	free  []uint64   // slots without a message
	owed  int64      // messages that are due but not posted
}

// pacedBy is the interval of messages for the load on a link.
func pacedBy(s *scenario.Stream, rate units.Rate) paced {
	if s.Load.Num == 0 {
		return paced{}
	}
	each := rate.PerByte()
	alone := int64(s.Bytes) * each.Num / each.Den // at most 2^30 bytes of some thousand picoseconds
	p := paced{every: max(1, units.Time(scenario.Ratio{Num: s.Load.Den, Den: s.Load.Num}.Of(alone)))}
	for slot := range s.Depth {
		p.free = append(p.free, uint64(s.Depth-1-slot))
	}
	return p
}

// keeps takes a slot whose message has ended, unless a message is due for it.
func (p *paced) keeps(slot uint64) bool {
	switch {
	case p.every == 0:
		return false
	case p.owed > 0:
		p.owed--
		return false
	}
	p.free = append(p.free, slot)
	return true
}

// streamTimer marks the source of a stream's timer; the sources of ranks are below it.
const streamTimer = 1 << 31

// startPaced begins a stream. The streams of a scenario begin one after another within the
// interval: together they are a load, and not a burst.
func (b *streamRun) startPaced(p *fabric.Partition, i int) {
	every := b.streams[i].paced.every
	p.At(p.Now()+every*units.Time(i)/units.Time(len(b.streams)), streamTimer|uint32(i))
}

// Timer posts a due message of a stream and schedules the next; other timers belong to the
// foreground.
func (b *streamRun) Timer(p *fabric.Partition, source uint32) {
	if source < streamTimer {
		b.foreground.Timer(p, source)
		return
	}
	s := &b.streams[source&^streamTimer]
	if !b.goesOn() {
		return
	}
	if last := len(s.paced.free) - 1; last >= 0 {
		slot := s.paced.free[last]
		s.paced.free = s.paced.free[:last]
		b.postStream(p, s, slot)
	} else {
		s.paced.owed++
	}
	p.At(p.Now()+s.paced.every, source)
}
