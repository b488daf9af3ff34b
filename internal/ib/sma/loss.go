package sma

import (
	"math/rand/v2"

	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// loss is the percentage of datagrams that a port drops.
type loss struct {
	percent uint8
	attr    mad.Attribute // only requests of this attribute; 0: all arriving datagrams
}

// SetLoss makes a port drop a share of the arriving datagrams, or of the requests to its agents for
// one attribute. The seed of the random choice is fixed.
func (f *Fabric) SetLoss(at subnet.End, percent uint8, attr mad.Attribute) {
	f.nodes[at.Node].ports[at.Port].loss = loss{percent, attr}
}

// drops decides at random whether a port loses a datagram from its link.
func (f *Fabric) drops(q *port) bool {
	if q.loss.percent == 0 || q.loss.attr != 0 || !f.draw(q.loss.percent) {
		return false
	}
	sum(&q.counters.short.RcvErrors, 1)
	return true
}

// ignores decides at random whether the agents at a port lose a request.
func (f *Fabric) ignores(at subnet.End, m *mad.MAD) bool {
	l := f.nodes[at.Node].ports[at.Port].loss
	return l.percent > 0 && (l.attr == 0 || l.attr == m.Attribute()) && f.draw(l.percent)
}

func (f *Fabric) draw(percent uint8) bool {
	if f.random == nil {
		f.random = rand.New(rand.NewPCG(1, 2))
	}
	return f.random.IntN(100) < int(percent)
}
