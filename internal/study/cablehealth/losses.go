package cablehealth

import (
	"maps"
	"slices"
)

// worstRate is the bit error rate that links are allowed (IBA vol. 2; IEEE 802.3): 1e-12.
const worstRate = 1e-12

// fullPacket is the bits of a packet of 4 KiB.
const fullPacket = 8 * 4096

// allowedShare is the share of full packets that is lost at the allowed bit error rate.
const allowedShare = worstRate * fullPacket

// counters judges the counters of errors and losses.
func (j *judge) counters(p *port) bool {
	judged := false
	all := j.known[p.id]
	for _, name := range slices.Sorted(maps.Keys(all)) {
		meaning, ok := meaningOf(name)
		if !ok {
			continue
		}
		judged = true
		if m := all[name]; m.Value > j.set.Thresholds[name] {
			j.counter(p, m, meaning)
		}
	}
	return judged
}

// counter judges a counter beyond its threshold.
func (j *judge) counter(p *port, m measure, meaning meaning) {
	peers := j.peers.others(j.alike(p, m), float64(m.Value))
	share, known := j.share(p, m, meaning)
	switch {
	case !peers.unlike(float64(m.Value)) && !m.AtLeast,
		!m.grown && meaning.ordinary && !j.extraordinary(m, peers),
		!m.grown && !m.AtLeast && meaning.tier >= Dropped && m.Value < fewCounts && len(j.set.Thresholds) == 0,
		known && meaning.loss && share <= allowedShare && !m.AtLeast,
		j.withinRate(p, m):
		j.within++
		return
	}
	d := j.draftOf(p)
	e := Evidence{
		Counter: m.Name, Value: m.String(), What: meaning.what, At: m.At.String(), Share: share,
		tier: meaning.tier, wire: meaning.wire, Number: float64(m.Value),
	}
	if peers.Ports > 0 {
		e.Peers = &peers
	}
	d.add(p, e)
	j.undated = j.undated || !m.grown
	if meaning.wire {
		d.counted += float64(m.Value)
		d.proven = d.proven || m.grown
	}
	if meaning.detail || !meaning.loss && m.Name != "FEC_UNCORR" {
		return
	}
	if meaning.wire || m.Name == "PortXmitDiscards" || m.Name == queueDrops {
		d.share = max(d.share, share) // frames that a port drops on arrival can be meant for nobody
	}
	d.cost.AtLeast = d.cost.AtLeast || m.AtLeast
	if rate, ok := m.rate(); ok {
		d.cost.PerSecond += rate
	} else {
		d.cost.Packets += float64(m.Value)
	}
}

// extraordinary reports whether a counter that every port has a little of stands out: enough peers have
// much less, or it is large by itself.
func (j *judge) extraordinary(m measure, peers Peers) bool {
	if peers.Ports >= fewPeers {
		return m.Value >= fewDowns && peers.unlike(float64(m.Value))
	}
	return m.Value > manyDowns
}

const (
	// fewDowns is the number of times below which a link that went down says nothing: its host booted.
	fewDowns = 3
	// manyDowns is the number beyond which it speaks against the link without peers (the threshold that
	// rdma-core's error_thresholds proposes).
	manyDowns = 10
)

// share is the lost share of the packets; known is false if the packets that passed are not known from
// the same readings.
func (j *judge) share(p *port, m measure, meaning meaning) (share float64, known bool) {
	if m.Name == "FEC_UNCORR" && p.facts.FrameLoss.Known() {
		return p.facts.FrameLoss.Value, true
	}
	good, ok := j.known[p.id][meaning.of]
	if !ok || good.AtLeast || good.grown != m.grown || good.Value == 0 || !meaning.loss {
		return 0, false
	}
	return float64(m.Value) / (float64(m.Value) + float64(good.Value)), true
}

// withinRate reports whether symbol errors are within the allowed bit error rate for the bits that were
// received. Idle bits are not counted, so that the true rate is lower.
func (j *judge) withinRate(p *port, m measure) bool {
	if m.Name != "SymbolErrorCounter" || m.AtLeast {
		return false
	}
	words, ok := j.known[p.id]["PortRcvData"]
	return ok && !words.AtLeast && words.grown == m.grown && float64(m.Value) <= worstRate*32*float64(words.Value)
}
