package cablehealth

import (
	"fmt"
	"slices"

	"weft/internal/base/portstate"
)

const (
	// fecLimit is the bit error rate that RS(544,514) still corrects (IEEE 802.3, clause 119).
	fecLimit = 2.4e-4
	// muchWorse is how many times the median of the peers an error rate must have to be unlike them.
	muchWorse = 100
	// leastRate is the rate behind FEC below which a link is not unlike its peers: an error in hours.
	leastRate = 1e-15
	// leastRaw is the same before FEC.
	leastRaw = 1e-8
)

// rates judges the bit error rates of a port.
func (j *judge) rates(p *port) bool {
	judged := false
	for _, v := range []struct {
		name        string
		of          func(*port) portstate.Said[float64]
		most, least float64
		what        string
	}{
		{"symbol error rate", func(p *port) portstate.Said[float64] { return p.facts.Symbol }, worstRate, leastRate, "errors behind FEC; links are allowed 1e-12"},
		{"effective bit error rate", func(p *port) portstate.Said[float64] { return p.facts.Effective }, worstRate, leastRate, "errors behind FEC; links are allowed 1e-12"},
		{"raw bit error rate", func(p *port) portstate.Said[float64] { return p.facts.Raw }, fecLimit, leastRaw, "errors before FEC, which corrects up to 2.4e-4"},
	} {
		rate := v.of(p)
		if !rate.Known() {
			continue
		}
		judged = true
		peers := j.rateOfPeers(p, v.name, v.of)
		far := peers.Ports >= fewPeers && rate.Value > muchWorse*peers.Median && rate.Value > v.least
		if rate.Value <= v.most && !far {
			continue
		}
		e := Evidence{Counter: v.name, Value: fmt.Sprintf("%.2g", rate.Value), What: v.what, At: rate.At.String(), tier: Errors, wire: true, Number: rate.Value}
		if peers.Ports > 0 {
			e.Peers = &peers
		}
		d := j.draftOf(p)
		d.add(p, e)
		d.proven = true
		if v.name != "raw bit error rate" {
			d.bitErrors(p, rate.Value)
		}
	}
	return judged
}

// bitErrors adds what the error rate damages of what the link could carry.
func (d *draft) bitErrors(p *port, rate float64) {
	link, ok := p.active()
	if !ok || d.gain != "" {
		return
	}
	perSecond := rate * float64(link.Value.Rate()) // bits in a second
	d.gain = fmt.Sprintf("at full load %.2g errors in a second on the link, each of which costs a packet", perSecond)
}

// rateOfPeers is the median of an error rate over the other ports of the same kind of device.
func (j *judge) rateOfPeers(p *port, name string, of func(*port) portstate.Said[float64]) Peers {
	a := alike{name: name, role: p.names.Role}
	if j.peers[a] == nil {
		for _, q := range j.ports {
			if rate := of(q); rate.Known() && q.names.Role == p.names.Role {
				j.peers.add(a, rate.Value)
			}
		}
		slices.Sort(j.peers[a])
	}
	return j.peers.others(a, of(p).Value)
}
