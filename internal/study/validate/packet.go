package validate

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/scenario"
	"weft/units"
)

// generation is a link generation of the references: the time of a byte of
// data, and the bytes that the line code adds to a packet.
type generation struct {
	name, catalog string
	num, den      int64 // picoseconds per byte
	around        int64 // bytes
}

// The times of a byte are eight bits over the data rate: lanes × signalling ×
// code. SDR 4 × 2.5 Gb/s × 8/10 = 8 Gb/s = 1000 ps; FDR 4 × 14.0625 Gb/s ×
// 64/66 = 54.545 Gb/s = 440/3 ps. Start and end of a packet are a symbol each
// where the code is 8b/10b (IBA vol. 2).
var infinibandGenerations = []generation{
	{"SDR", "sdr", 1000, 1, 2},
	{"DDR", "ddr", 500, 1, 2},
	{"QDR", "qdr", 250, 1, 2},
	{"FDR10", "fdr10", 200, 1, 0},
	{"FDR", "fdr", 440, 3, 0},
	{"EDR", "edr", 80, 1, 0},
	{"HDR", "hdr", 40, 1, 0},
	{"NDR", "ndr", 20, 1, 0},
	{"XDR", "xdr", 10, 1, 0},
}

var ethernetGenerations = []generation{
	{"10 GbE", "10g", 800, 1, 0},
	{"25 GbE", "25g", 320, 1, 0},
	{"40 GbE", "40g", 200, 1, 0},
	{"50 GbE", "50g", 160, 1, 0},
	{"100 GbE", "100g", 80, 1, 0},
	{"200 GbE", "200g", 40, 1, 0},
	{"400 GbE", "400g", 20, 1, 0},
	{"800 GbE", "800g", 10, 1, 0},
}

// takes is the time of a number of bytes, without the fraction of a picosecond.
func (g *generation) takes(bytes int64) int64 { return bytes * g.num / g.den }

const maxLinks = 6

// packetSizes are the payloads of the packets that are timed: the smallest
// frame that is not padded to Ethernet's minimum, one whose padding is 1 byte,
// and a full one.
var packetSizes = []int64{64, 1023, 4096}

// packetCases compare the time of one packet over 1 to 6 links with the sum of
// its parts.
func packetCases() []*Case {
	return []*Case{
		{
			ID:    "packet/infiniband",
			Claim: "One packet over n links and n-1 cut-through switches takes the sum of its parts' times, to the picosecond, in every generation.",
			Reference: "n·50.5 ns (10 m at 5.05 ns/m each) + (n-1)·130 ns (switch, head in to head out) + (LRH 8 + BTH 12 + payload, padded to 4, + ICRC 4 + VCRC 2 " +
				"[+ 2 delimiters with 8b/10b]) · ps per byte + 300 ns (NIC). InfiniBand switches are cut-through, so a packet is serialised once.",
			Setting: "A SEND without acknowledgement from NIC to NIC, links n = 1 to 6, payloads 64, 1023 and 4096 B: 18 values each, shown first and last.",
			Run:     func(e *Env) ([]Row, error) { return packetRows(e, infinibandGenerations, infiniband, true, 26, 130) },
		},
		{
			ID:    "packet/roce/cut-through",
			Claim: "The same on Ethernet with cut-through switches.",
			Reference: "n·50.5 ns + (n-1)·500 ns + (Ethernet 14 + IPv4 20 + UDP 8 + BTH 12 + payload, padded to 4, + ICRC 4 + FCS 4 + preamble 8 + gap 12) · ps per byte + 300 ns. " +
				"Preamble and gap count as part of the packet, before it.",
			Setting: "As above.",
			Run:     func(e *Env) ([]Row, error) { return packetRows(e, ethernetGenerations, roce, true, 82, 500) },
		},
		{
			ID:        "packet/roce/store-and-forward",
			Claim:     "The same with store-and-forward switches.",
			Reference: "As above, but the packet is serialised on each of the n links.",
			Setting:   "As above.",
			Run:       func(e *Env) ([]Row, error) { return packetRows(e, ethernetGenerations, roce, false, 82, 500) },
		},
		{
			ID:    "packet/two-rates",
			Claim: "If the links of a cut-through switch differ, the slower link decides when the packet ends.",
			Reference: "2·50.5 ns + switch + wire bytes · the slower link's ps per byte + 300 ns, in both directions: towards a faster link the packet may not run out of bits, " +
				"towards a slower link it starts at once.",
			Setting: "One switch, 4096 B of payload, 100 and 400 Gb/s.",
			Run:     twoRateRows,
		},
	}
}

func packetRows(e *Env, list []generation, models func(string) (*testbed, error), cutThrough bool, overhead, switchNs int64) ([]Row, error) {
	var rows []Row
	for _, g := range list {
		r := Row{Name: g.name, Unit: Nanoseconds, Tolerance: exact}
		for _, payload := range packetSizes {
			for links := int64(1); links <= maxLinks; links++ {
				m, err := models(g.catalog)
				if err != nil {
					return nil, err
				}
				if !cutThrough {
					m.Switch.Forwarding = scenario.StoreAndForward
				}
				got, err := onePacket(e, m, int(links), uint32(payload))
				if err != nil {
					return nil, fmt.Errorf("%s: %w", g.name, err)
				}
				times := int64(1)
				if !cutThrough {
					times = links
				}
				wire := (payload+3)/4*4 + overhead + g.around
				want := links*50_500 + (links-1)*switchNs*1000 + times*g.takes(wire) + 300_000
				r.Reference = append(r.Reference, float64(want))
				r.Weft = append(r.Weft, float64(got))
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// onePacket is the time from the posting of a packet to its receive's
// completion.
func onePacket(e *Env, m *testbed, links int, payload uint32) (units.Time, error) {
	at := units.Time(0)
	n, err := m.build(e, topology.Chain{Switches: links - 1}, arrivals(func(t units.Time) { at = t }))
	if err != nil {
		return 0, err
	}
	if err := post(n, 0, 1, unreliable, transport.WorkRequest{Op: transport.OpSend, Length: payload}); err != nil {
		return 0, err
	}
	err = run(e, n, units.Second)
	return at, err
}

func twoRateRows(e *Env) ([]Row, error) {
	var rows []Row
	for _, c := range []struct {
		name       string
		infiniband bool
		slow       topology.NodeID // the NIC at 100 Gb/s
	}{
		{"InfiniBand, EDR to NDR", true, 0},
		{"InfiniBand, NDR to EDR", true, 1},
		{"RoCE v2, 100 to 400 GbE", false, 0},
		{"RoCE v2, 400 to 100 GbE", false, 1},
	} {
		m, err := roce("400g")
		wire, pipeline := int64(4096+82), int64(500_000)
		if c.infiniband {
			m, err = infiniband("ndr")
			wire, pipeline = 4096+26, 130_000
		}
		if err != nil {
			return nil, err
		}
		m.prepare = func(p *network.Plan) { p.Slow = map[topology.NodeID]units.Rate{c.slow: 100 * units.Gbps} }
		at := units.Time(0)
		n, err := m.star(e, 2, arrivals(func(t units.Time) { at = t }))
		if err != nil {
			return nil, err
		}
		if err := post(n, 0, 1, unreliable, transport.WorkRequest{Op: transport.OpSend, Length: mtu}); err != nil {
			return nil, err
		}
		if err := run(e, n, units.Second); err != nil {
			return nil, err
		}
		want := 2*50_500 + pipeline + wire*80 + 300_000
		rows = append(rows, one(c.name, Nanoseconds, float64(want), float64(at), exact, ""))
	}
	return rows, nil
}
