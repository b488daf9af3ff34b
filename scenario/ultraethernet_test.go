package scenario

import (
	"testing"

	"weft/units"
)

// The round trip by hand: a full packet of 4218 bytes and an acknowledgement of 110 at
// 400 Gb/s, the longest cables, FEC, switches and NICs, there and back. Thresholds are parts
// of the bytes that the link carries in a round trip.
func TestUltraEthernetFollowsFromItsRoundTrip(t *testing.T) {
	for _, x := range []struct {
		topology string
		switches units.Time
		metres   units.Time
	}{
		{"{shape: single-switch, cables: {node-leaf: 5m}}", 1, 5},
		{"{shape: fat-tree, levels: 2, cables: {node-leaf: 5m, leaf-spine: 20m}}", 3, 20},
		{"{shape: fat-tree, levels: 3, cables: {node-leaf: 5m, leaf-spine: 20m, spine-core: 30m}}", 5, 30},
		{"{shape: rail-optimised, cables: {node-leaf: 5m, leaf-spine: 20m}}", 3, 20},
	} {
		f := &resolve(t, "cluster: {nodes: 4, node: dgx-h100}\nfabric: {preset: ultra-ethernet-400g, topology: "+x.topology+"}").Fabrics[0]
		want := 2*(x.switches+1)*(x.metres*f.Link.PerMetre+f.Link.FECLatency) + 2*x.switches*f.Switch.Latency + 4328*20 + 2*f.NIC.AckPipeline
		if got := ValuesOf(&f.CC).Time("base-rtt"); got < want || got >= want+10*units.Nanosecond {
			t.Errorf("%s: a round trip of %d ps, want %d, rounded up to 10 ns", x.topology, got, want)
		}
		flight := units.Bytes(ValuesOf(&f.CC).Time("base-rtt") / 20)
		if ValuesOf(&f.CC).Time("target-delay") != ValuesOf(&f.CC).Time("base-rtt")*3/4 || f.Ethernet.Trim.Threshold != flight || f.Ethernet.ECN.Kmin != flight/5 || f.Ethernet.ECN.Kmax != flight*4/5 {
			t.Errorf("%s: target %v, trimmed at %v, marked from %v to %v, of a round trip of %v", x.topology,
				ValuesOf(&f.CC).Time("target-delay"), f.Ethernet.Trim.Threshold, f.Ethernet.ECN.Kmin, f.Ethernet.ECN.Kmax, ValuesOf(&f.CC).Time("base-rtt"))
		}
	}
}

func TestStatedValuesStay(t *testing.T) {
	f := &resolve(t, "fabric: {preset: ultra-ethernet-400g, cc: {preset: nscc, base-rtt: 12us}, ethernet: {ecn: {kmin: 50KB}}}").Fabrics[0]
	if ValuesOf(&f.CC).Time("base-rtt") != 12*units.Microsecond || ValuesOf(&f.CC).Time("target-delay") != 9*units.Microsecond || f.Ethernet.Trim.Threshold != 600*units.KB || f.Ethernet.ECN.Kmin != 50*units.KB || f.Ethernet.ECN.Kmax != 480*units.KB {
		t.Errorf("base %v, target %v, trimmed at %v, marked from %v to %v", ValuesOf(&f.CC).Time("base-rtt"), ValuesOf(&f.CC).Time("target-delay"), f.Ethernet.Trim.Threshold, f.Ethernet.ECN.Kmin, f.Ethernet.ECN.Kmax)
	}
}
