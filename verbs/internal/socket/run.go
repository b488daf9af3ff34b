package socket

import (
	"bytes"

	"weft/units"
	"weft/verbs/internal/foreign"
	"weft/wire"
)

// takeRun takes the packets behind the one at an index of a datagram that differ from it in the PSN and the operation
// alone: responses of the middle of one READ, whose payload is at its place and checked. It returns their number. The packet at the index
// has been taken in the usual way; what was found there of sender, partition and memory holds for them.
func (p *Port) takeRun(in *Incoming, index int, now units.Time) int {
	e := p.streams
	if in.CE || p.loss != nil || index+1 >= len(in.placed) {
		return 0
	}
	slots := in.placed[index+1:]
	n := p.alike(in, index)
	a, ok := e.QP.Awaits(0)
	if n == 0 || !ok || a.PSN != slots[0].psn {
		return 0
	}
	size := n * slots[0].bytes
	there := e.Owner.Landing(a.ID, a.Offset, uint32(size))
	if len(there) < size || !foreign.Same(there, slots[0].memory) || !e.QP.TakeAwaited(now, a.PSN, int32(n)) {
		return 0
	}
	p.stats.PacketsIn += int64(n)
	p.stats.BytesIn += int64(n * in.Segment)
	p.stats.Placed += int64(n)
	p.settle(e, now)
	return n
}

// alike is the number of such packets, by their headers.
func (p *Port) alike(in *Incoming, index int) (n int) {
	for i := index + 1; i < len(in.placed); i++ {
		s, c := &in.placed[i], &p.checked[i]
		if s.op != wire.RCReadResponseMiddle || s.memory == nil || s.size() != in.Segment || !c.ok || int(c.id) != i ||
			!sameFlags(in.Data[index*in.Segment:], in.Data[i*in.Segment:]) {
			break
		}
		n++
	}
	return n
}

// sameFlags reports whether two BTHs agree in all but operation, destination and PSN, which a forecast compares, and
// have no mark of congestion.
func sameFlags(a, b []byte) bool {
	return bytes.Equal(a[1:4], b[1:4]) && a[4] == 0 && b[4] == 0 && a[8] == b[8]
}
