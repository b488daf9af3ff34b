package streams

import (
	"weft/internal/sim/fabric"
	"weft/scenario"
	"weft/units"
)

// load is the offered load of a stream: a message is due at even intervals. A message that is due
// at full depth is posted when another one ends.
type load struct {
	every units.Time // interval of messages; 0: the stream posts a message when another one ends
	free  []uint64   // slots without a message
	owed  int64      // messages that are due but not posted
}

// loadOf is the load of a stream on a link with a rate.
func loadOf(s *scenario.Stream, rate units.Rate) load {
	if s.Load.Num == 0 {
		return load{}
	}
	each := rate.PerByte()
	alone := int64(s.Bytes) * each.Num / each.Den // at most 2^30 bytes of some thousand picoseconds
	l := load{every: max(1, units.Time(scenario.Ratio{Num: s.Load.Den, Den: s.Load.Num}.Of(alone)))}
	for slot := range s.Depth {
		l.free = append(l.free, uint64(s.Depth-1-slot))
	}
	return l
}

// freed frees a slot whose message has ended, and reports true, unless a message is due for it.
func (l *load) freed(slot uint64) bool {
	switch {
	case l.every == 0:
		return false
	case l.owed > 0:
		l.owed--
		return false
	}
	l.free = append(l.free, slot)
	return true
}

// streamTimer marks the source of a stream's timer; the sources of ranks are below it.
const streamTimer = 1 << 31

// startLoad begins a stream with a load. The streams of a scenario begin one after another within the
// interval: together they are a load, and not a burst.
func (b *Streams) startLoad(p *fabric.Partition, i int) {
	every := b.streams[i].load.every
	p.At(p.Now()+every*units.Time(i)/units.Time(len(b.streams)), streamTimer|uint32(i))
}

// Timer posts a due message of a stream and schedules the next; other timers belong to the
// application.
func (b *Streams) Timer(p *fabric.Partition, source uint32) {
	if source < streamTimer {
		b.Application.Timer(p, source)
		return
	}
	s := &b.streams[source&^streamTimer]
	if !b.canPost() {
		return
	}
	if last := len(s.load.free) - 1; last >= 0 {
		slot := s.load.free[last]
		s.load.free = s.load.free[:last]
		b.postStream(p, s, slot)
	} else {
		s.load.owed++
	}
	p.At(p.Now()+s.load.every, source)
}
