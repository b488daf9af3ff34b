package validate

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/units"
)

// iwarpCases compare the serialisation of a message of iWARP with the bytes of its
// framing.
func iwarpCases() []*Case {
	return []*Case{{
		ID:    "iwarp/message",
		Claim: "A message takes the wire for its bytes and the bytes of MPA, DDP, RDMAP, TCP, IP and Ethernet, to the picosecond.",
		Reference: "Unit by unit (RFC 5044, 4.1 to 4.5): MULPDU = EMSS - (6 + EMSS mod 4), with markers 4 · ⌈EMSS/512⌉ less, EMSS = MTU - 20 - 20 - 12; 2 + 14 (RDMA Write, RFC 5041 4.2) or 18 (Send, 4.3) + payload + padding to 4 + CRC 4; " +
			"behind a WRITE a Send of no bytes, 24, in a segment of its own unless the last has room; a marker of 4 before every 508 other bytes. Each segment: 14 + 4 + 20 + 12 (timestamps) + 20 + 20. All of it · ps per byte, + 50.5 ns + 300 ns.",
		Setting: "Messages of 1 B, 1 MB and 4 MiB between two NICs on one cable of 100 and 400 GbE, MTU 9000 and 1500, with and without markers; TCP's window is open from the start.",
		Run:     iwarpRows,
	}}
}

// iwarp is a fabric of iWARP.
func iwarp(link string, ipMTU units.Bytes, markers, sends bool) (*testbed, error) {
	m, err := testbedOf("iwarp-400g", link, "")
	if err != nil {
		return nil, err
	}
	m.MTU = ipMTU
	m.TCP.InitialWindow, m.TCP.MaxWindow, m.TCP.MPAMarkers = 1<<14, 64*units.MiB, markers
	m.prepare = func(p *network.Plan) {
		if sends {
			p.Verbs.Op = transport.OpSendImm
		}
	}
	return m, nil
}

// iwarpBytes is the bytes of a message on the wire, unit by unit.
func iwarpBytes(message, ipMTU int64, markers, sends bool) int64 {
	emss := ipMTU - 20 - 20 - 12
	mulpdu := emss - (6 + emss%4)
	if markers {
		mulpdu -= 4 * ((emss + 511) / 512)
	}
	header := int64(14)
	if sends {
		header = 18
	}
	framed, others, segments, last := int64(0), int64(0), int64(0), int64(0)
	for rest := message; rest > 0; segments++ {
		payload := min(rest, mulpdu-header)
		rest -= payload
		last = 2 + header + payload + 4
		others += last
		framed += (last + 3) / 4 * 4
	}
	if !sends {
		framed, others = framed+24, others+24
		if last+24 > mulpdu+6 {
			segments++
		}
	}
	if markers {
		framed += 4 * ((others + 507) / 508)
	}
	return framed + segments*(14+4+20+12+20+20)
}

func iwarpRows(e *Env) ([]Row, error) {
	var rows []Row
	for _, x := range []struct {
		name           string
		ipMTU          int64
		markers, sends bool
	}{
		{"WRITE, MTU 9000", 9000, false, false},
		{"WRITE, MTU 1500", 1500, false, false},
		{"WRITE, MTU 9000, markers", 9000, true, false},
		{"SEND, MTU 9000", 9000, false, true},
		{"SEND, MTU 1500, markers", 1500, true, true},
	} {
		r := Row{Name: x.name, Unit: Nanoseconds, Tolerance: exact}
		for _, g := range []struct {
			name    string
			perByte int64
		}{{"100g", 80}, {"400g", 20}} {
			for _, bytes := range []int64{1, 1_000_000, 4 << 20} {
				m, err := iwarp(g.name, units.Bytes(x.ipMTU), x.markers, x.sends)
				if err != nil {
					return nil, err
				}
				at := units.Time(0)
				n, err := m.pair(e, arrivals(func(t units.Time) { at = t }))
				if err != nil {
					return nil, err
				}
				if err := post(n, 0, 1, fabric.Connection{}, transport.WorkRequest{Op: transport.OpWriteImm, Length: uint32(bytes)}); err != nil {
					return nil, err
				}
				if err := run(e, n, units.Second); err != nil {
					return nil, err
				}
				r.Reference = append(r.Reference, float64(iwarpBytes(bytes, x.ipMTU, x.markers, x.sends)*g.perByte+50_500+300_000))
				r.Weft = append(r.Weft, float64(at))
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}
