package validate

import (
	"fmt"

	"weft/internal/fabric"
	"weft/internal/transport"
	"weft/units"
)

// pfcCases find the least headroom with which nothing is lost, and hold it
// against arithmetic and against what vendors ship.
func pfcCases() []*Case {
	return []*Case{{
		ID:    "pfc/headroom",
		Claim: "In the worst phase a lossless queue needs exactly the headroom that arithmetic says: nothing is dropped with it, something is with one packet less.",
		Reference: "size · ⌈loop / T⌉, where T is the serialisation of a packet of that size on the wire, and loop the time from the start of the packet that overruns the threshold, " +
			"at the sender, to the moment when the pause takes effect there. It is the sum of: [T: store and forward takes the packet at its tail] + signal + switch pipeline " +
			"(the packet comes to account) + T' - 1 ps (a packet of the other direction has just started, and the PFC frame waits for its end) + 84 B · ps per byte (the frame) + signal + reaction. " +
			"The packet that overruns the threshold counts as a whole, and so does one that starts a picosecond before the pause.",
		Setting: "NIC A floods a switch whose other port drains at 100 Mb/s (nothing leaves during the loop), while NIC C sends full packets to A, each started 1 ps before a packet of A comes to account. 4096 B of payload (4178 B on the wire), " +
			"static phase scripted to the picosecond; reaction as IEEE 802.3 allows it (394, 453, 905, 905 quanta of 512 bits at 100, 200, 400, 800 Gb/s: SONiC's table of peer response). " +
			"weft's value is the least multiple of a packet with which the whole run drops nothing; with one packet less the drops are counted as headroom overrun, and no invariant is broken.",
		Run: pfcRows,
	}, {
		ID:    "pfc/vendor",
		Claim: "The headroom that vendors ship lies above weft's own bound.",
		Reference: "SONiC's buffer_headroom_mellanox.lua for Spectrum-4 (SN5600: small packets 100 %, lossless MTU 1024, port MTU 9216, cell 192 B, tile term on), computed here row by row; " +
			"its values for 400 Gb/s at 5 and 40 m and 800 Gb/s at 40 m are those of pg_profile_lookup.ini (231424, 283648, 362496 B). The bound is that of pfc/headroom at the same cable and the same peer response, " +
			"cut-through, with lossless packets of 1024 B, as the vendor assumes, and of 4096 B.",
		Setting: "The margin covers what weft does not have: cells that small packets fill badly (the factor of about 3), gearboxes, MAC and PHY.",
		Run:     vendorRows,
	}}
}

// headroomCase is one setting of the headroom.
type headroomCase struct {
	name, link string
	perByte    int64 // ps
	quanta     int64
	metres     int64
	cutThrough bool
}

var headroomCases = []headroomCase{
	{"100 GbE, 300 m, cut-through", "100g", 80, 394, 300, true},
	{"100 GbE, 300 m, store-and-forward", "100g", 80, 394, 300, false},
	{"200 GbE, 100 m, cut-through", "200g", 40, 453, 100, true},
	{"400 GbE, 5 m, cut-through", "400g", 20, 905, 5, true},
	{"400 GbE, 40 m, cut-through", "400g", 20, 905, 40, true},
	{"400 GbE, 40 m, store-and-forward", "400g", 20, 905, 40, false},
	{"800 GbE, 40 m, cut-through", "800g", 10, 905, 40, true},
}

// bound is weft's own headroom for packets of so many bytes on the wire, and
// the loop in picoseconds.
func (c *headroomCase) bound(size int64) (bytes, loop int64) {
	const pipeline, frame = 500_000, 84
	signal := c.metres * 5050
	t := size * c.perByte
	loop = signal + pipeline + (t - 1) + frame*c.perByte + signal + c.quanta*64*c.perByte
	if !c.cutThrough {
		loop += t
	}
	return size * ((loop + t - 1) / t), loop
}

func pfcRows(e *Env) ([]Row, error) {
	var rows []Row
	for i := range headroomCases {
		c := &headroomCases[i]
		const size = 4096 + 82
		want, loop := c.bound(size)
		// The least headroom is looked for from below and from above.
		low, high := int64(0), 2*want/size
		for high-low > 1 {
			mid := (low + high) / 2
			drops, err := headroomDrops(e, c, mid*size)
			if err != nil {
				return nil, err
			}
			if drops == 0 {
				high = mid
			} else {
				low = mid
			}
		}
		at, err := headroomDrops(e, c, want)
		if err != nil {
			return nil, err
		}
		below, err := headroomDrops(e, c, want-size)
		if err != nil {
			return nil, err
		}
		rows = append(rows,
			one(c.name, Bytes, float64(want), float64(high*size), exact, "loop %.3f ns, %d packets of %d B", float64(loop)/1000, want/size, size),
			one("  drops at the bound", Plain, 0, float64(at), exact, ""),
			one("  drops one packet below", Plain, 1, float64(below), atLeast, ""))
	}
	return rows, nil
}

// headroomDrops runs the scripted phase and counts the packets that overran
// the headroom.
func headroomDrops(e *Env, c *headroomCase, headroom int64) (int64, error) {
	m, err := roce(c.link)
	if err != nil {
		return 0, err
	}
	const packets, threshold = 200, 40_000
	perByte := units.PerByte{Num: c.perByte, Den: 1}
	reaction := units.Time(c.quanta * 64 * c.perByte)
	m.Classes, m.Propagation = 2, units.Time(c.metres*5050)
	m.NIC.PFC.Reaction, m.Switch.PFC.Reaction = reaction, reaction
	m.Switch.CutThrough = c.cutThrough
	// One threshold for all of the run, no multiple of a packet.
	m.Switch.Shared, m.Switch.AlphaNum, m.Switch.AlphaDen = 64<<20, 1, 64<<20/threshold
	m.Switch.Reserve, m.Switch.Headroom, m.Switch.XonOffset = 0, int32(headroom), 30_000
	a := &app{}
	b := m.builder(e, a)
	slow := units.PerByte{Num: 80_000, Den: 1}
	n, err := m.starOf(b, []units.PerByte{perByte, slow, perByte})
	if err != nil {
		return 0, err
	}
	flood := fabric.Connection{Service: transport.UC, Class: 0}
	qp, _, err := n.Connect(0, 1, flood, flood)
	if err != nil {
		return 0, err
	}
	// C's packets start to leave the switch 1 ps before A's come to account.
	a.timer = func(p *fabric.Partition, _ uint32) {
		if err := p.Post(0, qp, transport.WorkRequest{Op: transport.OpSend, Length: packets * mtu}); err != nil {
			panic(fmt.Sprintf("validate: %v", err))
		}
	}
	n.Partition(0).At(1, 0)
	against := fabric.Connection{Service: transport.UC, Class: 1}
	if err := post(n, 2, 0, against, transport.WorkRequest{Op: transport.OpSend, Length: 20 * packets * mtu}); err != nil {
		return 0, err
	}
	if err := run(e, n, units.Second); err != nil {
		return 0, err
	}
	s := n.Stats()
	if s.Pauses == 0 {
		return 0, fmt.Errorf("%s: no pause", c.name)
	}
	return s.Dropped[fabric.DropHeadroom], nil
}

func vendorRows(*Env) ([]Row, error) {
	var rows []Row
	for _, c := range []struct {
		headroomCase
		table int64 // shipped
	}{
		{headroomCase{"400 GbE, 5 m", "400g", 20, 905, 5, true}, 231424},
		{headroomCase{"400 GbE, 40 m", "400g", 20, 905, 40, true}, 283648},
		{headroomCase{"800 GbE, 40 m", "800g", 10, 905, 40, true}, 362496},
	} {
		xoff := sonicXoff(8_000/c.perByte, c.metres, c.quanta)
		rows = append(rows, one(c.name+", vendor's formula against its table", Bytes, float64(c.table), float64(xoff), exact, ""))
		for _, payload := range []int64{1024, 4096} {
			bound, _ := c.bound(payload + 82)
			rows = append(rows, one(fmt.Sprintf("%s, payload %d B: vendor above weft's bound", c.name, payload), Bytes, float64(bound), float64(xoff), atLeast,
				"margin %d B, %.1f times", xoff-bound, float64(xoff)/float64(bound)))
		}
	}
	return rows, nil
}

// sonicXoff is XOFF by buffer_headroom_mellanox.lua for Spectrum-4, in bytes.
func sonicXoff(gbps, metres, quanta int64) int64 {
	const cell, losslessMTU, portMTU, smallPercent = 192.0, 1024.0, 9216.0, 100.0
	worst := cell / 64 // cells that a packet of 64 bytes fills
	small := 100 * 64 / ((smallPercent*64 + (100-smallPercent)*losslessMTU) / 100)
	occupancy := (100 - small + small*worst) / 100
	bitsPerSecond := float64(gbps) * 1e9
	cable := 2 * float64(metres) * bitsPerSecond / 198e6 / 8
	peer := float64(quanta) * 512 / 8
	tile := float64(gbps) * 120 / 8
	propagation := portMTU + cable + 0.8*1024 + peer + tile
	xoff := int64(losslessMTU + propagation*occupancy)
	return (xoff + 1023) / 1024 * 1024
}
