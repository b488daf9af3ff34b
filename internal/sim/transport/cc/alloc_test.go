package cc

import (
	"testing"

	"weft/units"
)

func TestNoAcknowledgementAllocates(t *testing.T) {
	var l link
	for name, c := range map[string]Algorithm{
		"TIMELY": newTimely(timelyParams()), "RTTCC": newRTTCC(rttccParams()), "Swift": newSwift(swiftParams()), "HPCC": newHPCC(hpccParams()),
		"NSCC": newNSCC(nsccParams()), "InfiniBand": NewIBCC(&IBCCParams{LineRate: 400 * units.Gbps, Timer: us, Increase: 1, Table: table(10)}),
	} {
		var a Allowance
		c.Start(0, &a)
		path := Path{N: 1}
		if n := testing.AllocsPerRun(100, func() {
			l.pass(us, 1, 5000)
			path.Hop[0] = l.hop()
			c.Acked(l.at, Ack{Bytes: 20000, Flight: 1000, RTT: 60 * us, Hops: 1, Path: &path}, &a)
			c.Notified(l.at, &a)
		}); n != 0 {
			t.Errorf("%s: %.0f allocations in an acknowledgement", name, n)
		}
	}
}
