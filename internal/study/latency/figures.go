package latency

import (
	"fmt"

	"weft/internal/sim/run/host"
	"weft/scenario"
	"weft/units"
)

// Figure is a published latency, with weft's number for the nearest case. No number of weft is
// fitted to it.
type Figure struct {
	Name      string
	Low, High units.Time // equal for a single number
	Source    string
	Weft      units.Time
	Case      string // the case of weft's number
	Why       string // parts that only the figure or only the case includes
}

// published is a measurement that is simulated under its own conditions, as far as they are known:
// in host memory, without GPU copies.
type published struct {
	name      string
	low, high units.Time
	source    string
	fabric    string
	spec      Spec
	kase, why string
}

var publishedLatencies = []published{
	{
		"clusterkit, HDR, best pair", 1429 * units.Nanosecond, 1429 * units.Nanosecond, "V: Azure/azurehpc apps/health_checks/readme.md L70-84",
		"infiniband-hdr",
		Spec{Bytes: 2, Op: Send, Hops: 1, Iterations: 1},
		"HDR, 1 switch, host memory, 2 B",
		"a NIC that gets a few bytes with the doorbell does not read them over PCIe, 390 ns of weft's; the message's size is not stated",
	},
	{
		"clusterkit, HDR, mean and worst pair", 1743 * units.Nanosecond, 1915 * units.Nanosecond, "V: the same",
		"infiniband-hdr",
		Spec{Bytes: 2, Op: Send, Hops: 3, Iterations: 1},
		"HDR, 3 switches, host memory, 2 B",
		"how many switches lie between these pairs is not stated: weft's path has a leaf, a spine and a leaf, over cables of 5 and 30 m",
	},
	{
		"ib_send_lat, 32 B", 820 * units.Nanosecond, 820 * units.Nanosecond, "V: D. Potter, MSc thesis, tables/mtu_performance.tex",
		"infiniband-edr",
		Spec{Bytes: 32, Op: Send, Hops: 0, Iterations: 1},
		"EDR, cable, host memory",
		"perftest sends small messages with the doorbell (inline): no read over PCIe, 390 ns of weft's; the figure's NIC is to be confirmed",
	},
	{
		"ib_send_lat, 1 KiB", 1520 * units.Nanosecond, 1610 * units.Nanosecond, "V: the same",
		"infiniband-edr",
		Spec{Bytes: 1024, Op: Send, Hops: 0, Iterations: 1},
		"EDR, cable, host memory",
		"beyond inline both read memory; the figure has PCIe's own time per byte at each end, which weft's NIC hides behind the wire",
	},
	{
		"ib_send_lat, 4 KiB", 2250 * units.Nanosecond, 2280 * units.Nanosecond, "V: the same",
		"infiniband-edr",
		Spec{Bytes: 4096, Op: Send, Hops: 0, Iterations: 1},
		"EDR, cable, host memory",
		"PCIe's time per byte as above: 4 KiB take 0.26 us on each PCIe 3.0 x16",
	},
	{
		"ib_send_lat, 32 KiB", 4570 * units.Nanosecond, 4570 * units.Nanosecond, "V: the same",
		"infiniband-edr",
		Spec{Bytes: 32768, Op: Send, Hops: 0, Iterations: 1},
		"EDR, cable, host memory",
		"PCIe's time per byte as above, of the first packet in and of the last one out",
	},
}

// inCirculation are the figures of vendors' slides and textbooks, without conditions, by protocol.
var inCirculation = []struct {
	kind      scenario.FabricKind
	name      string
	low, high units.Time
	verbs     bool // at the verbs, without GPU copies
	why       string
}{
	{
		"tcp", "TCP, application to application", 50 * units.Microsecond, 50 * units.Microsecond, false,
		"without conditions; it has room for moderated interrupts, sleeping cores and a busy scheduler, which weft's idle host does not have",
	},
	{
		scenario.RoCEv2Kind, "RoCE v2, application to application", 5 * units.Microsecond, 5 * units.Microsecond, false,
		"without conditions; it has room for a library above the verbs, for more switches and for waiting in them: weft's path ends at the verbs and is idle",
	},
	{
		scenario.InfiniBandKind, "InfiniBand, application to application", 2 * units.Microsecond, 2 * units.Microsecond, false,
		"without conditions; it has room for a library above the verbs and for slower adapters: weft's path ends at the verbs",
	},
	{
		scenario.InfiniBandKind, "InfiniBand, at the verbs", 800 * units.Nanosecond, 1900 * units.Nanosecond, true,
		"without conditions; the low end leaves no time to read the message over PCIe, the high end has room for more switches and kilobytes",
	},
	{
		scenario.RoCEv2Kind, "RoCE v2, at the verbs", 800 * units.Nanosecond, 1900 * units.Nanosecond, true,
		"without conditions; the low end leaves no time to read the message over PCIe nor for the 500 ns of an Ethernet switch",
	},
}

// Figures compares common figures with latencies, the first of each protocol, and published
// measurements with simulations of their own.
func Figures(of []*Result) ([]Figure, error) {
	var out []Figure
	for _, c := range inCirculation {
		for _, l := range of {
			if l.Protocol != c.kind {
				continue
			}
			f := Figure{c.name, c.low, c.high, "in circulation, no source", l.OneWay, l.title(), c.why}
			if c.verbs {
				f.Weft = l.atVerbs()
			}
			out = append(out, f)
			break
		}
	}
	for i := range publishedLatencies {
		p := &publishedLatencies[i]
		l, err := p.measure()
		if err != nil {
			return nil, err
		}
		out = append(out, Figure{p.name, p.low, p.high, p.source, l.atVerbs(), p.kase, p.why})
	}
	return out, nil
}

// title names the case of a latency.
func (l *Result) title() string {
	return fmt.Sprintf("%s, %s, %s", l.Fabric, l.Path, l.Bytes)
}

// atVerbs is the time from posting a work request to polling its completion: without the GPUs'
// copies to and from host memory.
func (l *Result) atVerbs() units.Time {
	t := l.OneWay
	for i := range l.Terms {
		if l.Terms[i].work == host.WorkGPUCopy {
			t -= l.Terms[i].Time
		}
	}
	return t
}

// measure simulates a published measurement's case.
func (p *published) measure() (*Result, error) {
	file, err := scenario.New(p.name, &scenario.Scenario{
		Cluster: scenario.Cluster{Nodes: 2},
		Fabrics: []scenario.Fabric{{Preset: p.fabric, Host: scenario.Host{Path: scenario.PathRDMAHost}}},
	})
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve()
	if err != nil {
		return nil, err
	}
	return Measure(r, &r.Fabrics[0], p.spec)
}
