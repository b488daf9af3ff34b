package cc

import (
	"testing"

	"weft/units"
)

// An algorithm gets the signals that it asks for at its start, and no others.
func TestAlgorithmsAskForTheirSignals(t *testing.T) {
	dcqcn := &DCQCNParams{LineRate: 100 * units.Gbps, MinRate: units.Gbps}
	for _, c := range []struct {
		name string
		a    Algorithm
		want Wants
	}{
		{"DCQCN", NewDCQCN(dcqcn, 0), 0},
		{"InfiniBand", NewIBCC(&IBCCParams{LineRate: 400 * units.Gbps, Timer: us, Increase: 1, Table: table(10)}), 0},
		{"a fixed window", NewFixed(1000), WantAcks},
		{"TIMELY", newTimely(timelyParams()), WantAcks | WantRTT},
		{"Swift", newSwift(swiftParams()), WantAcks | WantRTT},
		{"RTTCC", newRTTCC(rttccParams()), WantAcks | WantRTT},
		{"NSCC", newNSCC(nsccParams()), WantAcks | WantRTT},
		{"HPCC", newHPCC(hpccParams()), WantAcks | WantPath},
	} {
		var a Allowance
		if got := c.a.Start(0, &a); got != c.want {
			t.Errorf("%s wants %b, expected %b", c.name, got, c.want)
		}
	}
}

// An acknowledgement without switches, or without a path, leaves HPCC as it is.
func TestHPCCLearnsNothingFromAnAcknowledgementWithoutAPath(t *testing.T) {
	for name, path := range map[string]*Path{"no path": nil, "no switch": {}} {
		c := newHPCC(hpccParams())
		var a Allowance
		var l link
		c.Start(0, &a)
		for range 3 {
			l.pass(10*us, 1, 112_500)
			c.Acked(l.at, Ack{Bytes: 1000, Flight: a.Window, Path: &Path{N: 1, Hop: [MaxHops]Hop{l.hop()}}}, &a)
		}
		before, load := a, c.Load()
		for range 10 {
			c.Acked(l.at, Ack{Bytes: 100_000, Flight: a.Window, Path: path}, &a)
		}
		if a != before || c.Load() != load {
			t.Errorf("%s: allowance %+v and load %d became %+v and %d", name, before, load, a, c.Load())
		}
		// HPCC keeps its knowledge of the path: the next path is measured against it.
		l.pass(10*us, 0.1, 0)
		c.Acked(l.at, Ack{Bytes: 1000, Flight: a.Window, Path: &Path{N: 1, Hop: [MaxHops]Hop{l.hop()}}}, &a)
		if c.Load() >= load {
			t.Errorf("%s: afterwards a link with less load is not seen: %d, %d before", name, c.Load(), load)
		}
	}
}
