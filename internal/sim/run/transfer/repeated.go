package transfer

import (
	"math"
	"slices"

	"weft/internal/sim/protocol"
	"weft/internal/sim/run/phases"
	"weft/results"
)

// A program that sends the same message again and again, alone on its links, may leave out those that
// do what the one before did. It tells the board of them, so that the counters are those of all.

// repeated is the packets that a program left out.
type repeated struct{ packets, hops int64 }

// MayRepeat reports whether messages alone on their links do the same each time. TCP's windows grow.
func (b *Board) MayRepeat() bool {
	p := b.net.Plan
	return p.Series == nil && p.Trace == nil && !protocol.Of(p.Fabric.Kind).OnTCP() && !phases.MayDiffer(p, b.scenario)
}

// IsCalm reports whether no packet so far was dropped or sent again, and no port paused.
func (b *Board) IsCalm() bool {
	s := b.net.Stats()
	lost := s.Trimmed + s.LinkRetries
	for _, n := range s.Dropped {
		lost += n
	}
	return lost+s.Pauses == 0
}

// IsSettled reports whether congestion control does not change the rate of a message's connections by
// itself, as it does after a mark.
func (b *Board) IsSettled(m *Message) bool {
	for turn := range m.Routes {
		k := m.pair(turn, m.Read && b.reads)
		for _, end := range b.links[k] {
			if !b.net.IsSettled(k.a, end) {
				return false
			}
		}
	}
	return true
}

// Links are the links of a message's packets and of their responses; false if they are not known.
func (b *Board) Links(m *Message) (links []int32, known bool) {
	for turn := range m.Routes {
		k := m.pair(turn, m.Read && b.reads)
		links = append(links, b.net.LinkAt(k.a, 0), b.net.LinkAt(k.b, 0))
		for i := range b.net.Plan.ConnectionsPerPair() {
			ports, known := phases.Ways(b.net.Plan, k.entropy(i), k.a, k.b)
			if !known {
				return nil, false
			}
			for _, at := range ports {
				links = append(links, b.net.LinkAt(int32(at.Node), at.Port))
			}
		}
	}
	slices.Sort(links)
	return slices.Compact(links), true
}

// LinkBytes is the number of bytes sent on a link so far.
func (b *Board) LinkBytes(link int32) int64 { return b.net.LinkBytes(link) }

// Traffic is what messages put on links.
type Traffic struct {
	Links []int32
	Bytes []int64 // by link
	// Packets of data, and the data of the shortest message.
	Packets, Least int64
}

// Add adds the packets of a message's data.
func (b *Board) Add(t *Traffic, m *Message) {
	mtu := int64(b.net.Plan.Fabric.MTU)
	m.slices(b.path.Piece, func(bytes int64) { t.Packets += (bytes + mtu - 1) / mtu })
	if t.Least == 0 || m.Bytes < t.Least {
		t.Least = m.Bytes
	}
}

// Repeat counts messages that a program left out, so many times. Links without data have
// acknowledgements.
func (b *Board) Repeat(t *Traffic, times int64) {
	fromNIC := func(link int32) bool {
		from, _ := b.net.LinkEnds(link)
		return int(from) < b.net.Plan.Graph.Endpoints
	}
	var data, acks linkLoad
	for i, link := range t.Links {
		b.net.Repeated(link, times*t.Bytes[i])
		load := &acks
		if 2*t.Bytes[i] > t.Least {
			load = &data
		}
		load.add(t.Bytes[i], fromNIC(link))
	}
	b.repeated.add(times*t.Packets, &data)
	b.repeated.add(times*acks.fromNICs/b.ackBytes, &acks)
}

// linkLoad is the bytes on links of the same kind: from NICs, and on all.
type linkLoad struct{ fromNICs, all int64 }

func (l *linkLoad) add(bytes int64, fromNIC bool) {
	l.all += bytes
	if fromNIC {
		l.fromNICs += bytes
	}
}

// add adds packets that NICs would have sent, and that would have loaded links.
func (r *repeated) add(packets int64, l *linkLoad) {
	r.packets += packets
	if l.fromNICs > 0 {
		r.hops += int64(math.Round(float64(packets) * float64(l.all) / float64(l.fromNICs)))
	}
}

// count adds the packets that were left out. Those that a hash has sent are in proportion.
func (r *repeated) count(c *results.Counts) {
	hops := c.PacketHops + r.hops
	if r.hops > 0 {
		c.Hashed = int64(math.Round(float64(c.Hashed) * float64(hops) / float64(c.PacketHops)))
	}
	c.Packets, c.PacketHops = c.Packets+r.packets, hops
}
