package headroom

import (
	"testing"

	"weft/units"
)

// TestTheBoundLosesNothingAndAPacketLessDoes computes the bounds from the sum of the loop's terms,
// divided by the time of a packet of 4178 bytes.
func TestTheBoundLosesNothingAndAPacketLessDoes(t *testing.T) {
	for _, c := range []struct {
		speed   units.Rate
		cable   units.Length
		packets units.Bytes
	}{
		{10 * units.Gbps, 300 * units.Metre, 4},
		{100 * units.Gbps, 2 * units.Metre, 9},
		{400 * units.Gbps, 40 * units.Metre, 26},
		{800 * units.Gbps, 40 * units.Metre, 37},
	} {
		p, err := Prove(t.Context(), c.speed, c.cable)
		if err != nil {
			t.Fatal(err)
		}
		if p.Bound != c.packets*p.Packet || p.AtBound != 0 || p.Below == 0 {
			t.Errorf("%v over %v: the bound is %v, want %d packets of %v; %d packets are lost with it, and %d with a packet less", c.speed, c.cable, p.Bound, c.packets, p.Packet, p.AtBound, p.Below)
		}
	}
}
