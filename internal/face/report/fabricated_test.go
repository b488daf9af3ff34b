package report

import (
	"fmt"
	"math"

	"weft/results"
	"weft/scenario"
	"weft/units"
)

// fabricated is an invented fabric: times are latency plus bytes over rate. The
// numbers are plausible.
type fabricated struct {
	name, protocol string
	latency        units.Time // of the smallest size
	bus            float64    // GB/s that large sizes approach
	busy           float64    // of the hottest link at the largest size
	counts         func(bytes, packets int64) results.Counts
	tail           float64 // slowest flow over the median
}

var threeFabrics = []fabricated{
	{
		name: "infiniband-ndr", protocol: "infiniband", latency: 27_400 * units.Nanosecond, bus: 368, busy: 0.947, tail: 1.15,
		counts: func(b, p int64) results.Counts { return results.Counts{CreditStalls: p / 900} },
	},
	{
		name: "roce-v2-400g", protocol: "roce-v2", latency: 30_900 * units.Nanosecond, bus: 360.5, busy: 0.951, tail: 1.5,
		counts: func(b, p int64) results.Counts {
			return results.Counts{Pauses: p / 21000, Resumes: p / 21000, Marks: p / 800, CNPs: p / 1900}
		},
	},
	{
		name: "tcp-400g", protocol: "tcp", latency: 236 * units.Microsecond, bus: 44, busy: 0.124, tail: 4.2,
		counts: func(b, p int64) results.Counts {
			return results.Counts{DroppedBuffer: p / 26000, Retransmissions: p / 24000}
		},
	},
}

// sizesOf is 1 KiB to 256 MiB, doubling.
func sizesOf() []int64 {
	var out []int64
	for b := int64(1 << 10); b <= 256<<20; b *= 2 {
		out = append(out, b)
	}
	return out
}

func fabricate(of []fabricated, sizes []int64) *results.Results {
	const ranks = 128
	r := &results.Results{
		Version: results.ResultsVersion, Scenario: "H100 pod, 128 GPUs", Seed: 1,
		Workload: "all-reduce", Ranks: ranks, Nodes: 16,
	}
	for _, f := range of {
		res := results.FabricResult{Name: f.name, Protocol: f.protocol, Rate: 400 * units.Gbps}
		for _, b := range sizes {
			res.Points = append(res.Points, f.point(b, ranks))
		}
		r.Fabrics = append(r.Fabrics, res)
	}
	return r
}

func (f fabricated) point(b int64, ranks float64) results.Point {
	factor := 2 * (ranks - 1) / ranks
	carry := float64(b) * factor / (f.bus * 1e9) * 1e12 // ps
	t := units.Time(math.Round(float64(f.latency) + carry))
	alg := float64(b) / (float64(t) / 1e12) / 1e9
	packets := b/16 + 4096
	p := results.Point{
		Bytes: b, Algorithm: "ring", Wire: "Simple", Channels: 16, Time: t, AlgBW: alg, BusBW: alg * factor,
	}
	if b <= 512<<10 {
		p.Algorithm, p.Wire = "tree", "LL128"
	}
	median := float64(f.latency)/16 + carry/30
	p.Flows = results.Distribution{
		N: packets / 4, Mean: units.Time(median * 1.04), P50: units.Time(median),
		P99: units.Time(median * (1 + (f.tail-1)*0.7)), P999: units.Time(median * (1 + (f.tail-1)*0.9)), Max: units.Time(median * f.tail),
	}
	if b >= 4<<20 {
		p.Counts = f.counts(b, packets)
	}
	p.Counts.Packets, p.Counts.PacketHops, p.Counts.Events = packets, packets*3, packets*5
	share := carry / float64(t)
	for i := range 8 {
		p.Hottest = append(p.Hottest, results.HotLink{
			Name: fmt.Sprintf("leaf-%d:%d → node-%d nic-%d", i, i+3, 2*i, i), Bytes: b * 2 / int64(i+8), Busy: f.busy * share * (1 - 0.011*float64(i)),
			Tier: "leaf to NIC", Mean: b * 2 / 9,
		})
	}
	return p
}

// seeded repeats the results over five seeds, with the same small variation on every fabric: a
// fabric with a longer mean is slower with every seed.
func seeded(r *results.Results) *results.Results {
	for i := range r.Fabrics {
		for j := range r.Fabrics[i].Points {
			p := &r.Fabrics[i].Points[j]
			if !p.Measured() {
				continue
			}
			p.Seeds = &results.Seeds{}
			for _, d := range []int64{0, 1, -1, 2, -2} {
				p.Seeds.TimesPs = append(p.Seeds.TimesPs, int64(p.Time)+d*int64(p.Time)/2000)
			}
			p.Seeds.LowPs, p.Seeds.HighPs = int64(p.Time)*998/1000, int64(p.Time)*1002/1000
		}
	}
	return r
}

// judged is the verdict of results over seeds.
func judged(r *results.Results, sc *scenario.Resolved) Verdict { return Judge(seeded(r), sc) }

// madeUp is the scenario of the fabricated results. Its presets are not in
// the catalog: a change of the catalog does not change the golden files.
func madeUp() *scenario.Resolved {
	sc := &scenario.Resolved{Name: "H100 pod, 128 GPUs"}
	sc.Cluster = scenario.Cluster{Nodes: 16, Node: scenario.Node{Preset: "made-up", GPUs: 8, GPU: scenario.GPU{Model: "made-up GPU"}, NICs: 8}}
	base := scenario.Fabric{
		Link:     scenario.Link{Generation: "ndr", Lanes: 4, LaneRate: 106250 * units.Mbps, Code: scenario.Ratio{Num: 16, Den: 17}},
		MTU:      4096,
		NIC:      scenario.NIC{Model: "made-up NIC", OutOfOrder: true},
		Switch:   scenario.Switch{Model: "made-up switch", Latency: 230 * units.Nanosecond, Forwarding: scenario.CutThrough, Buffer: 160 * units.MiB},
		Topology: scenario.Topology{Shape: scenario.RailOptimised, Oversubscription: scenario.Ratio{Num: 1, Den: 1}},
		Routing:  scenario.Routing{Mode: scenario.ECMP},
		Host:     scenario.Host{Path: scenario.PathGPUDirectRDMA},
	}
	ib := base
	ib.Name, ib.Kind, ib.Routing.Mode, ib.CC.Algorithm = "infiniband-ndr", scenario.InfiniBandKind, scenario.Deterministic, scenario.CCNone
	ib.IB.Buffer = 64 * units.KiB
	roce := base
	roce.Name, roce.Kind, roce.CC = "roce-v2-400g", scenario.RoCEv2Kind, scenario.CC{Preset: "made-up DCQCN", Algorithm: scenario.DCQCN}
	roce.Ethernet = scenario.Ethernet{
		IPVersion: 4, PFC: scenario.PFC{Enabled: true, Headroom: 150 * units.KiB},
		ECN: scenario.ECN{Enabled: true, Kmin: 400 * units.KiB, Kmax: 1600 * units.KiB},
	}
	tcp := base
	tcp.Name, tcp.Kind, tcp.MTU, tcp.TCP.Variant = "tcp-400g", "tcp", 9000, scenario.Cubic
	tcp.Host.Path, tcp.Ethernet = scenario.PathCPU, scenario.Ethernet{IPVersion: 4}
	tcp.TCP.Sockets, tcp.Host.Copies, tcp.Host.CopyRate = 1, 2, 80*units.Gbps
	sc.Fabrics = []scenario.Fabric{ib, roce, tcp}
	sc.Workload.Collective = scenario.AllReduce
	sc.Run.Seed = 1
	return sc
}
