package randomtest

import (
	"fmt"
	"reflect"
	"slices"

	"weft/internal/base/topology"
	"weft/internal/sim/catalog"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport/cc"
	"weft/scenario"
	"weft/units"
)

// congestionControl draws a congestion control, and some of its parameters near their preset.
func (d *draw) congestionControl() {
	if onTCP(d) {
		return
	}
	presets := controls
	if d.steady {
		presets = steadyControls
	}
	if own := withoutPreset(d.protocol().Controls); len(own) > 0 && !d.steady && d.odds(4) {
		d.try("fabric.cc.algorithm", own[d.IntN(len(own))])
	} else if !d.odds(4) && (!d.calm || !onUltra(d)) { // without nscc a queue behind a slow link outlasts every timeout
		d.try("fabric.cc.preset", d.one(presets(d.protocol().Controls)...))
	}
	control := scenario.ControlOf(&d.fabric().CC)
	if control == nil || d.odds(4) {
		return
	}
	values := scenario.ValuesOf(&d.fabric().CC)
	listed := d.odds(4)
	var pairs []string
	for _, p := range control.Parameters {
		text := d.near(values[p.Name])
		switch {
		case text == "" || d.odds(2):
		case listed:
			pairs = []string{"fabric.cc.parameters", fmt.Sprintf("[{name: %s, value: %q}]", p.Name, text)}
		default:
			pairs = append(pairs, "fabric.cc."+p.Name, text)
		}
	}
	d.tryAll(pairs)
}

// controls are the presets of the catalog for a kind of queue pairs, and none.
func controls(kind cc.For) (names []string) {
	for _, e := range catalog.Entries(catalog.CC) {
		if algorithm, _ := e.Get("algorithm"); algorithm.Value == string(scenario.CCNone) || isFor(algorithm.Value, kind) {
			names = append(names, e.Name)
		}
	}
	return names
}

// isFor reports whether an algorithm is for a kind of queue pairs.
func isFor(algorithm string, kind cc.For) bool {
	return slices.ContainsFunc(cc.All(), func(c *cc.Control) bool { return c.Name == algorithm && c.For == kind })
}

// withoutPreset are the congestion controls of which the catalog has no preset.
func withoutPreset(kind cc.For) (names []string) {
	for _, control := range cc.All() {
		of := func(preset catalog.Entry) bool {
			algorithm, _ := preset.Get("algorithm")
			return algorithm.Value == control.Name
		}
		if control.For == kind && !slices.ContainsFunc(catalog.Entries(catalog.CC), of) {
			names = append(names, control.Name)
		}
	}
	return names
}

// steadyControls are the presets without telemetry of paths in packets, which prevents skipping.
func steadyControls(kind cc.For) []string {
	if kind == cc.RoCE {
		return []string{"none", "timely", "swift"}
	}
	return controls(kind)
}

// near is a value near another; "" if there is none.
func (d *draw) near(value any) string {
	twice := d.odds(2)
	scaled := func(x int64) int64 {
		if twice {
			return 2 * x
		}
		return x / 2
	}
	switch v := value.(type) {
	case units.Time:
		return units.Time(scaled(int64(v))).Exact()
	case units.Bytes:
		return units.Bytes(scaled(int64(v))).Exact()
	case units.Rate:
		return units.Rate(scaled(int64(v))).Exact()
	case units.Ratio:
		return fmt.Sprintf("%d/%d", v.Num, max(1, scaled(max(2, v.Den))))
	case int:
		return fmt.Sprint(scaled(int64(v)))
	case bool:
		return fmt.Sprint(!v)
	case []units.Ratio:
		return "[0, 1/2, 1, 2, 4, 8, 16]"
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.String {
		return d.one("port", "queue-pair")
	}
	return ""
}

// beside draws streams beside a collective.
func (d *draw) beside() {
	if d.resolved.Workload.Collective == "" || d.resolved.Cluster.Endpoints() < 2 || onTCP(d) || !d.odds(3) {
		return
	}
	c := &d.resolved.Cluster
	ends := []string{"", fmt.Sprintf("from: node0, to: node%d", c.Nodes-1), fmt.Sprintf("ring: 'node[0-%d]'", c.Nodes-1)}
	from, to := d.pair()
	ends[0] = fmt.Sprintf("src: %d, dst: %d", from, to)
	if c.Nodes == 1 {
		ends = ends[:1]
	}
	s := d.one(ends...) + fmt.Sprintf(", operation: %s, bytes: %s, name: storage", d.streamOperation(), d.one("4KiB", "16KiB"))
	if d.odds(2) {
		s += fmt.Sprintf(", depth: %d", d.between(1, 4))
	}
	if d.odds(2) {
		s += fmt.Sprintf(", load: %d%%", d.between(1, 20))
	}
	class := d.between(0, 3)
	if onEthernet(d) {
		class = d.fabric().Ethernet.DataPriority
	}
	d.try("fabric.beside", "[{"+s+fmt.Sprintf(", class: %d}]", class), "run.limit.simulated-time", "100ms")
}

// streamOperation is an operation of streams on the fabric.
func (d *draw) streamOperation() string {
	if onUltra(d) {
		return "write"
	}
	return d.one("write", "read", "nvme-read", "nvme-write")
}

// engines are the routing engines that are drawn for a shape; other shapes have those of any.
var engines = map[scenario.Shape]string{
	scenario.FatTree:   "ftree | ftree | updn | dnup | minhop | sssp",
	scenario.Torus:     "dor | torus-2QoS | torus-2QoS | dfsssp | lash",
	scenario.Dragonfly: "dragonfly | dragonfly | dfsssp | lash",
	"":                 "minhop | minhop | updn | dnup | ftree | sssp | dfsssp | lash | nue",
}

// engine draws the routing engine of the Subnet Manager.
func (d *draw) engine() {
	if !onInfiniBand(d) || d.odds(5) {
		return
	}
	list := engines[d.fabric().Topology.Shape]
	if list == "" || d.odds(4) {
		list = engines[""]
	}
	d.tryPlanned("fabric.ib.engine", d.oneOf(list), "fabric.routing.mode", d.one("deterministic", "deterministic", "adaptive"))
}

// lanes draws service levels by path, and partitions.
func (d *draw) lanes() {
	if !onInfiniBand(d) || d.resolved.Cluster.Nodes < 2 {
		return
	}
	if d.odds(5) {
		d.try("fabric.ib.service-levels", fmt.Sprintf("[{from: node0, sl: %d}, {to: %s, sl: %d}]", d.between(1, 3), d.nic(1), d.between(0, 3)))
	}
	if d.steady || !d.odds(4) {
		return
	}
	half := (d.resolved.Cluster.Nodes + 1) / 2
	all := fmt.Sprintf("{name: everybody, key: 0x%x, full: all}", d.between(1, 0x7ffe))
	part := fmt.Sprintf("{name: some, key: 0x%x, index0: %s, full: 'node[0-%d]', limited: 'node[%d-%d]'}",
		d.between(1, 0x7ffe), d.one("true", "false"), half-1, half, d.resolved.Cluster.Nodes-1)
	if d.resolved.Workload.Pattern != "" {
		all = d.one(all, all+", "+part, part)
	}
	d.try("fabric.ib.partitions", "["+all+"]", "fabric.ib.partition-enforcement", d.one("both", "in", "out", "off"))
	if p := d.fabric().IB.Partitions; len(p) > 0 && d.odds(2) {
		d.try("fabric.ib.service-levels", fmt.Sprintf("[{partition: 0x%x, sl: 1}]", int(p[0].Key)))
	}
}

// slow draws cables and NICs that are slower than the others.
func (d *draw) slow() {
	n := d.resolved.Cluster.Endpoints()
	if d.odds(6) && (!onUltra(d) || scenario.ControlOf(&d.fabric().CC) != nil) {
		d.try("fabric.slow-links", fmt.Sprintf("[{nics: %s, rate: %s}]", d.nic(d.IntN(n)), d.one("8Gbps", "20Gbps", "100Gbps")))
	}
	if !d.steady && d.odds(8) && withPFC(d) {
		slow := d.IntN(n)
		which := fmt.Sprintf("nic: %d", slow)
		if d.odds(2) {
			which = "nics: " + d.nic(slow)
		}
		r := fmt.Sprintf("%s, drain: %s, start: %dus", which, d.one("0bps", "1Gbps", "5Gbps"), d.between(0, 10))
		if d.odds(2) {
			r += ", buffer: 4MiB, headroom: 1MiB"
		}
		d.try("fabric.ethernet.pfc.receivers", "[{"+r+fmt.Sprintf(", duration: %dus}]", d.between(10, 200)))
	}
}

// faults draws failures, with control planes and timeouts that are quick to see them.
func (d *draw) faults() {
	rare := 5
	if d.calm {
		rare = 15
	}
	faulty := d.odds(rare)
	if (faulty || d.fabric().Link.HasErrors()) && onRDMA(d) {
		d.try("fabric.transport.timeout", d.one("200us", "500us", "1ms"))
	}
	if !faulty {
		return
	}
	what := d.part()
	at := d.between(1, 40)
	f := fmt.Sprintf("%s, at: %dus", what, at)
	if d.odds(3) && onInfiniBand(d) {
		f = fmt.Sprintf("sm: true, at: %dus", at)
	} else if !d.odds(6) {
		until := at + d.between(15, 80)
		f += fmt.Sprintf(", until: %dus", until)
		if d.odds(3) {
			f += fmt.Sprintf(", times: %d, period: %dus", d.between(2, 3), until-at+d.between(20, 80))
		}
	}
	if !d.tryPlanned("faults", "[{"+f+"}]") {
		return
	}
	more := []string{
		"control.loss-of-signal", d.one("1us", "10us"), "control.bgp.session", d.one("20us", "100us"), "control.bgp.repair", d.one("0", "5us"),
		"control.bgp.update", d.one("1us", "10us"), "control.bgp.entry", d.one("0", "100ns"), "control.sm.poll", "1ms",
	}
	if d.odds(2) {
		more = append(more, "control.sm.m-key", "77", "control.sm.m-key-protection", "1", "control.sm.m-key-lease", "1s")
		if onInfiniBand(d) {
			more = append(more, "control.sm.standby", "true", "control.sm.standby-m-key", "78")
		}
	}
	d.tryAll(more)
}

// part is a cable or a switch that may fail.
func (d *draw) part() string {
	shape, err := network.Shape(&d.fabric().Topology, &d.resolved.Cluster)
	if err != nil {
		return ""
	}
	g, err := shape.Build()
	if err != nil {
		return ""
	}
	if d.odds(6) {
		return fmt.Sprintf("switch: %q", g.Nodes[g.Endpoints+d.IntN(g.Switches())].Name)
	}
	var between, all []string
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for port, cable := range n.Cables {
			if cable < 0 {
				continue
			}
			name := fmt.Sprintf("link: %q", fmt.Sprintf("%s port %d", n.Name, port+1))
			all = append(all, name)
			if far, _, _ := g.Peer(topology.End{Node: topology.NodeID(i), Port: int32(port)}); n.Kind == topology.Switch && g.Nodes[far.Node].Kind == topology.Switch {
				between = append(between, name)
			}
		}
	}
	if len(between) == 0 || d.odds(5) {
		between = all
	}
	return d.one(between...)
}
