package validate

import (
	"fmt"

	"weft/internal/sim/run/network"
	"weft/units"
)

// pfcCases find the least headroom without loss, and compare it with
// arithmetic and with vendors' values.
func pfcCases() []*Case {
	return []*Case{{
		ID:    "pfc/headroom",
		Claim: "In the worst phase a lossless queue needs exactly the computed headroom: with it nothing is dropped, with one packet less something is.",
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
			"its values for 400 Gb/s at 5 and 40 m and 800 Gb/s at 40 m are in pg_profile_lookup.ini (231424, 283648, 362496 B). The bound is that of pfc/headroom at the same cable and the same peer response, " +
			"cut-through, with lossless packets of 1024 B, as the vendor assumes, and of 4096 B.",
		Setting: "The margin covers what weft leaves out: cells that small packets fill badly (the factor of about 3), gearboxes, MAC and PHY.",
		Run:     vendorRows,
	}, {
		ID:    "pfc/renewal",
		Claim: "A pause of finite length is renewed at half of it for as long as its cause lasts, and no longer.",
		Reference: "For every pause, 1 frame + one for each half length that it lasts: 1 + ⌊(time of the resume - time of the first frame) / (quanta · 64 B · 20 ps / 2)⌋, " +
			"from the times at which first frames and resumes are sent.",
		Setting: "16:1 incast of 1 MiB each at 400 GbE into a shared pool of 1 MiB, pauses of 200, 1000, 5000 and 65535 quanta.",
		Run:     renewalRows,
	}, losslessClasses}
}

// pauseSpans adds up the frames that the pauses of a run should take.
type pauseSpans struct {
	half   units.Time
	since  map[int32]units.Time // by link
	frames int64
}

func (s *pauseSpans) Pause(now, _ units.Time, link int32, _ uint8, on bool) {
	since, paused := s.since[link]
	switch {
	case on && !paused:
		s.since[link] = now
	case !on:
		s.frames += 1 + int64((now-since)/s.half)
		delete(s.since, link)
	}
}

func renewalRows(e *Env) ([]Row, error) {
	var rows []Row
	for _, quanta := range []int{200, 1000, 5000, 65535} {
		m, err := roce("400g")
		if err != nil {
			return nil, err
		}
		spans := &pauseSpans{half: units.Time(quanta) * 64 * 20 / 2, since: map[int32]units.Time{}}
		m.Ethernet.Shared, m.Ethernet.PFC.Quanta = 1<<20, quanta
		m.prepare = func(p *network.Plan) { p.Trace = spans }
		_, s, err := incast(e, m, 16)
		if err != nil {
			return nil, err
		}
		rows = append(rows, one(fmt.Sprintf("%d quanta: PFC frames with XOFF", quanta), Plain, float64(spans.frames), float64(s.Pauses), exact, "%d pauses", s.Resumes))
	}
	return rows, nil
}

var headroomCases = []headroomCase{
	{"100 GbE, 300 m, cut-through", "100g", 80, 394, 300_000, true},
	{"100 GbE, 300 m, store-and-forward", "100g", 80, 394, 300_000, false},
	{"200 GbE, 100 m, cut-through", "200g", 40, 453, 100_000, true},
	{"400 GbE, 5 m, cut-through", "400g", 20, 905, 5_000, true},
	{"400 GbE, 40 m, cut-through", "400g", 20, 905, 40_000, true},
	{"400 GbE, 40 m, store-and-forward", "400g", 20, 905, 40_000, false},
	{"800 GbE, 40 m, cut-through", "800g", 10, 905, 40_000, true},
}

func pfcRows(e *Env) ([]Row, error) {
	var rows []Row
	for i := range headroomCases {
		c := &headroomCases[i]
		const size = 4096 + 82
		want, loop := c.bound(size)
		// The search for the least headroom starts from below and from above.
		low, high := int64(0), 2*want/size
		for high-low > 1 {
			mid := (low + high) / 2
			drops, err := c.drops(e, mid*size)
			if err != nil {
				return nil, err
			}
			if drops == 0 {
				high = mid
			} else {
				low = mid
			}
		}
		at, err := c.drops(e, want)
		if err != nil {
			return nil, err
		}
		below, err := c.drops(e, want-size)
		if err != nil {
			return nil, err
		}
		rows = append(rows,
			one(c.name, Bytes, float64(want), float64(high*size), exact, "loop %.3f ns, %d packets of %d B", float64(loop)/1000, want/size, size),
			one("drops at the bound", Plain, 0, float64(at), exact, ""),
			one("drops one packet below", Plain, 1, float64(below), atLeast, ""))
		rows[len(rows)-2].Level, rows[len(rows)-1].Level = 1, 1
	}
	return rows, nil
}

func vendorRows(*Env) ([]Row, error) {
	var rows []Row
	for _, c := range []struct {
		headroomCase
		table int64 // shipped
	}{
		{headroomCase{"400 GbE, 5 m", "400g", 20, 905, 5_000, true}, 231424},
		{headroomCase{"400 GbE, 40 m", "400g", 20, 905, 40_000, true}, 283648},
		{headroomCase{"800 GbE, 40 m", "800g", 10, 905, 40_000, true}, 362496},
	} {
		xoff := sonicXoff(8_000/c.perByte, c.millimetres/1000, c.quanta)
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
