package fabric

import (
	"maps"
	"slices"

	"weft/units"
)

// Pausing is the record of a sender's PFC pauses on a link in a class, over a run: the pausing
// node, number, times and causes.
type Pausing struct {
	Link   int32 // the sender's link
	By     int32 // the node at its end, which sent the frames
	Class  uint8
	Count  int64      // pauses, without renewals
	Paused units.Time // from each first frame to the frame that ended the pause
	First  units.Time // beginning of the first pause
	// Slices are the paused time in equal slices of the run, the first from 0; Width is a slice's
	// length.
	Slices []units.Time
	Width  units.Time
	// Causes are the ports of By at which the packets from the link waited when pauses began, the
	// port with the most bytes first. None if By is a NIC: then it was the cause itself.
	Causes []PauseCause
}

// PauseCause is a port that held the bytes that caused a pause.
type PauseCause struct {
	Port  int32
	Bytes int64 // sum over the examined pauses
}

// The bounds of a record of pauses: the number of slices of its timeline, whose length doubles when
// a run outgrows them; and the number of a link's pauses whose causes are examined, which costs a
// walk over a switch's queues.
const (
	pauseSlices  = 128
	pauseSlice   = units.Time(1 << 20) // about a microsecond
	pausesLooked = 256
)

// pauseLog is the record of one link and class. It belongs to the simulation partition of the
// link's end.
type pauseLog struct {
	count         int64
	since, first  units.Time              `state:"fixed"` // since: start of the current pause; Forever if there is none
	paused, width units.Time              `state:"fixed"`
	slices        [pauseSlices]units.Time `state:"fixed"`
	causes        map[int32]int64         `state:"-"` // by port: bytes
}

// RecordPauses makes the network record pauses and their causes. It is called before the run; a
// network without a record pays a comparison with nil at each pause.
func (n *Network) RecordPauses() {
	n.pauseLogs = make([]*pauseLog, len(n.ingress))
}

// pauseBegins records the start of a sender's pause, and its cause.
func (p *Partition) pauseBegins(link int32, class uint8) {
	n := p.net
	if n.pauseLogs == nil {
		return
	}
	l := &n.pauseLogs[int(link)*n.classes+int(class)]
	if *l == nil {
		*l = &pauseLog{first: p.now, width: pauseSlice, since: units.Forever, causes: make(map[int32]int64)}
	}
	if (*l).count < pausesLooked {
		(*l).lookInto(p, link, class)
	}
	(*l).count++
	(*l).since = p.now
}

// pauseEnds records the end of a sender's pause.
func (p *Partition) pauseEnds(link int32, class uint8) {
	if p.net.pauseLogs == nil {
		return
	}
	if l := p.net.pauseLogs[int(link)*p.net.classes+int(class)]; l != nil && l.since != units.Forever {
		l.add(l.since, p.now)
		l.since = units.Forever
	}
}

// lookInto counts the bytes from a link at each port of the switch at its end.
func (l *pauseLog) lookInto(p *Partition, link int32, class uint8) {
	n := p.net
	nd := &n.nodes[n.inboxes[link].node]
	if nd.kind != kindEthernet {
		return
	}
	count := func(port, i int32) {
		if k := &p.pool.hot[i]; k.in == link && k.class == class {
			l.causes[port] += int64(k.size)
		}
	}
	for port := nd.base; port < nd.base+nd.ports; port++ {
		if single := n.ports[port].single; single >= 0 {
			count(port, single)
			continue
		}
		for i := n.egress[int(port)*n.classes+int(class)].packets.head; i >= 0; i = p.pool.hot[i].next {
			count(port, i)
		}
	}
}

// add adds a pause to the timeline.
func (l *pauseLog) add(from, to units.Time) {
	l.paused += to - from
	for to > l.width*pauseSlices {
		l.fold()
	}
	for s := from / l.width; s < pauseSlices && s*l.width < to; s++ {
		l.slices[s] += min(to, (s+1)*l.width) - max(from, s*l.width)
	}
}

// fold doubles the length of a timeline's slices.
func (l *pauseLog) fold() {
	for s := range pauseSlices / 2 {
		l.slices[s] = l.slices[2*s] + l.slices[2*s+1]
	}
	clear(l.slices[pauseSlices/2:])
	l.width *= 2
}

// Pausings are the records of all links and classes that were paused, the longest time first. now
// is not earlier than any recorded pause. Their slices have the same length.
func (n *Network) Pausings(now units.Time) []Pausing {
	width := pauseSlice
	for width*pauseSlices < now {
		width *= 2
	}
	var all []Pausing
	for index, l := range n.pauseLogs {
		if l == nil {
			continue
		}
		own := *l
		if own.since < now { // it lasts
			own.add(own.since, now)
		}
		for own.width < width {
			own.fold()
		}
		link := int32(index / n.classes)
		all = append(all, Pausing{
			Link: link, By: n.inboxes[link].node, Class: uint8(index % n.classes),
			Count: own.count, Paused: own.paused, First: own.first, Slices: slices.Clone(own.slices[:]), Width: own.width,
			Causes: own.sorted(),
		})
	}
	slices.SortStableFunc(all, func(a, b Pausing) int { return int(min(1, max(-1, b.Paused-a.Paused))) })
	return all
}

// sorted are the causes, the cause with the most bytes first.
func (l *pauseLog) sorted() (causes []PauseCause) {
	for _, port := range slices.Sorted(maps.Keys(l.causes)) {
		causes = append(causes, PauseCause{port, l.causes[port]})
	}
	slices.SortStableFunc(causes, func(a, b PauseCause) int { return int(min(1, max(-1, b.Bytes-a.Bytes))) })
	return causes
}
