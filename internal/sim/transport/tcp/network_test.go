package tcp

import (
	"container/heap"
	"testing"

	"weft/units"
)

const (
	us = units.Microsecond
	ms = units.Millisecond
)

// fate is the network's action on one segment.
type fate struct {
	drop, dup, mark bool
	delay           units.Time
}

// flying is a segment on its way to an end.
type flying struct {
	at    units.Time
	order int
	to    int
	seg   Segment
}

type flights []flying

func (f flights) Len() int { return len(f) }
func (f flights) Less(i, j int) bool {
	return f[i].at < f[j].at || f[i].at == f[j].at && f[i].order < f[j].order
}
func (f flights) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *flights) Push(x any)   { *f = append(*f, x.(flying)) }
func (f *flights) Pop() any {
	old := *f
	x := old[len(old)-1]
	*f = old[:len(old)-1]
	return x
}

// network is two ends, the ports that pull from them, and a pipe in between:
// a dumb simulator. Pure acknowledgements take no time on the port.
type network struct {
	t        testing.TB
	now      units.Time
	ends     [2]*Conn
	delay    units.Time // one way
	byteTime units.Time // of a port
	free     [2]units.Time
	flights  flights
	order    int
	sent     [2][2]int // data and acknowledgements sent by each end
	batch    Batch

	// The bottleneck after the port of end 0; slow is 0 without one.
	slow        units.Time // per byte
	slowFree    units.Time
	limit       units.Time // of the queue, as time; 0: none
	markAt      units.Time // queue beyond which ECN-capable segments are marked; 0: never
	queueMax    units.Time
	queueDrops  int
	judge       func(from, n int, seg *Segment) fate
	onSend      func(from int, seg *Segment, f fate)
	onArrive    func(to int, seg *Segment)
	onComplete  func(end int, c Completion)
	onTimeout   func(end int)
	afterChange func(end int)
}

func newNetwork(t testing.TB, cfg *Config, delay units.Time) *network {
	return &network{t: t, ends: [2]*Conn{New(cfg, 1), New(cfg, 0)}, delay: delay}
}

func (n *network) transmit(from int, seg Segment) {
	kind := 0
	if seg.Length == 0 {
		kind = 1
	}
	n.sent[from][kind]++
	var f fate
	if n.judge != nil {
		f = n.judge(from, n.sent[from][kind], &seg)
	}
	at := n.now
	if kind == 0 {
		at = n.free[from]
	}
	if n.slow > 0 && from == 0 && !f.drop {
		start := max(at, n.slowFree)
		queue := start - at
		n.queueMax = max(n.queueMax, queue)
		switch {
		case n.limit > 0 && queue > n.limit:
			f.drop = true
			n.queueDrops++
		default:
			if n.markAt > 0 && queue > n.markAt && seg.Flags&FlagECT != 0 {
				f.mark = true
			}
			n.slowFree = start + n.slow*units.Time(seg.IPBytes())
			at = n.slowFree
		}
	}
	if f.mark {
		seg.Flags |= FlagCE
	}
	if n.onSend != nil {
		n.onSend(from, &seg, f)
	}
	if f.drop {
		return
	}
	copies := 1
	if f.dup {
		copies = 2
	}
	for range copies {
		heap.Push(&n.flights, flying{at + n.delay + f.delay, n.order, 1 - from, seg})
		n.order++
	}
}

// settle reports the completions and sends the segments that a call on an end has left.
func (n *network) settle(end int) {
	segs := append([]Segment(nil), n.batch.Segments...)
	for _, c := range n.batch.Completions {
		if n.onComplete != nil {
			n.onComplete(end, c)
		}
	}
	n.batch.Reset()
	for _, s := range segs {
		n.transmit(end, s)
	}
	if n.afterChange != nil {
		n.afterChange(end)
	}
}

// pump lets the ports pull.
func (n *network) pump() {
	for end, c := range n.ends {
		for n.free[end] <= n.now && c.Ready(n.now) <= n.now {
			var seg Segment
			if !c.Next(n.now, &seg) {
				n.t.Fatalf("end %d: Ready says now, Next gives no segment", end)
			}
			n.free[end] = n.now + n.byteTime*units.Time(seg.IPBytes())
			n.transmit(end, seg)
			if n.afterChange != nil {
				n.afterChange(end)
			}
		}
	}
}

// nextEvent is the time of the next event.
func (n *network) nextEvent() units.Time {
	at := units.Forever
	if len(n.flights) > 0 {
		at = n.flights[0].at
	}
	for end, c := range n.ends {
		at = min(at, c.NextTimeout())
		if c.Ready(n.now) <= n.now {
			at = min(at, n.free[end])
		}
	}
	return at
}

// run advances to the given time and reports whether anything is left to do.
func (n *network) run(until units.Time) bool {
	for {
		n.pump()
		at := n.nextEvent()
		if at > until {
			n.now = max(n.now, until)
			return at != units.Forever
		}
		n.now = max(n.now, at)
		if len(n.flights) > 0 && n.flights[0].at <= n.now {
			f := heap.Pop(&n.flights).(flying)
			if n.onArrive != nil {
				n.onArrive(f.to, &f.seg)
			}
			n.ends[f.to].Receive(n.now, &f.seg, &n.batch)
			n.settle(f.to)
			continue
		}
		for end, c := range n.ends {
			if c.NextTimeout() <= n.now {
				if n.onTimeout != nil {
					n.onTimeout(end)
				}
				c.Timeout(n.now, &n.batch)
				n.settle(end)
			}
		}
	}
}

func (n *network) send(end int, bytes units.Bytes, id uint32) {
	if err := n.ends[end].Send(n.now, bytes, id); err != nil {
		n.t.Fatalf("end %d refuses message %d: %v", end, id, err)
	}
}
