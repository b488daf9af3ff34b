package scenario

import (
	"testing"

	"weft/units"
)

// NVIDIA's chips end a pause at a queue length of their own, 19 KiB and twice that on a port of eight
// lanes (the XON of SONiC's table of the SN5600). Others end it at a distance below the threshold. What
// a scenario states wins.
func TestAPauseEndsWhereTheVendorsChipsEndIt(t *testing.T) {
	for _, c := range []struct {
		fabric               string
		xon, offset, reserve units.Bytes
	}{
		{"preset: roce-v2-400g", 19456, 0, 19456},
		{"preset: roce-v2-100g", 19456, 0, 19456},
		{"preset: roce-v2-800g, nic: thor-ultra", 38912, 0, 38912},
		{"preset: roce-v2-400g, switch: tomahawk-5", 0, 3556, 18796},
		{"preset: roce-v2-400g, ethernet: {pfc: {xon-offset: 9KiB}}", 0, 9 * units.KiB, 18796},
		{"preset: roce-v2-400g, ethernet: {pfc: {xon: 30KiB}}", 30 * units.KiB, 3556, 18796},
		{"preset: roce-v2-400g, ethernet: {pfc: {reserve: 40KiB}}", 19456, 0, 40 * units.KiB},
	} {
		pfc := resolve(t, "cluster: {nodes: 2}\nfabric: {"+c.fabric+"}\n").Fabrics[0].Ethernet.PFC
		if pfc.XON != c.xon || pfc.XONOffset != c.offset || pfc.Reserve != c.reserve {
			t.Errorf("%s: XON %d, offset %d, reserve %d; want %d, %d, %d", c.fabric, pfc.XON, pfc.XONOffset, pfc.Reserve, c.xon, c.offset, c.reserve)
		}
	}
}
