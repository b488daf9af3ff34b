package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/internal/sim/transport/cc"
	"weft/results"
	"weft/scenario"
)

// factSection lays the fabrics' definitions side by side.
func factSection(r *results.Results, sc *scenario.Resolved) doc.Section {
	out := doc.Section{Title: "Compared fabrics", In: doc.Page}
	if sc == nil || len(r.Fabrics) == 0 {
		return out
	}
	var fabrics []*scenario.Fabric
	for _, f := range r.Fabrics {
		at := slices.IndexFunc(sc.Fabrics, func(s scenario.Fabric) bool { return s.Name == f.Name })
		if at < 0 {
			return out
		}
		fabrics = append(fabrics, &sc.Fabrics[at])
	}
	t := columnsOf("", fabrics, func(f *scenario.Fabric) string { return f.Name })
	for _, row := range properties {
		t.row(doc.Text(row.label).In(doc.Soft), func(f *scenario.Fabric) doc.Cell { return doc.Text(row.of(f)) })
	}
	out.Blocks = []doc.Block{t.Table}
	return out
}

// properties are the properties in which fabrics may differ.
var properties = []struct {
	label string
	of    func(*scenario.Fabric) string
}{
	{"link", func(f *scenario.Fabric) string {
		return fmt.Sprintf("%s, %s (%d × %s signalled)", strings.ToUpper(f.Link.Generation), f.Link.Rate(), f.Link.Lanes, f.Link.LaneRate)
	}},
	{"topology", shapeText},
	{"NIC", func(f *scenario.Fabric) string { return title(catalog.NIC, f.NIC.Model) }},
	{"switch", func(f *scenario.Fabric) string {
		return fmt.Sprintf("%s, %s, %s", title(catalog.Switch, f.Switch.Model), f.Switch.Latency, f.Switch.Forwarding)
	}},
	{"full packet", func(f *scenario.Fabric) string {
		p := Framing(f)
		return fmt.Sprintf("%s B of payload in %s B on the cable (%.1f %% lost to headers)",
			doc.Integer(int64(p.Payload)), doc.Integer(int64(p.Wire)), 100*(1-1/p.Overhead()))
	}},
	{"against overflow", lossless},
	{"routing", func(f *scenario.Fabric) string {
		if protocol.Of(f.Kind).Unordered {
			return fmt.Sprintf("%s, entropy %s over %d values", f.Routing.Mode, f.Transport.Entropy, f.Transport.EntropyValues)
		}
		return string(f.Routing.Mode)
	}},
	{"congestion control", congestion},
	{"out-of-order arrival", func(f *scenario.Fabric) string {
		nic := "NAK and go-back-N"
		if f.NIC.OutOfOrder {
			nic = "WRITEs are placed as they come"
		}
		return cmp.Or(protocol.Of(f.Kind).OutOfOrder, nic)
	}},
	{"data path of the host", func(f *scenario.Fabric) string { return pathText(f.Host) }},
}

// shapeText is a fabric's topology in a few words.
func shapeText(f *scenario.Fabric) string {
	t := &f.Topology
	if t.Oversubscription.Num <= t.Oversubscription.Den {
		return string(t.Shape)
	}
	return fmt.Sprintf("%s, oversubscribed %s:1", t.Shape, strings.TrimSuffix(times(t.Oversubscription.Float()), ".0"))
}

func lossless(f *scenario.Fabric) string {
	switch {
	case !protocol.Of(f.Kind).Ethernet():
		return fmt.Sprintf("credits, %s per lane and port", written(f.IB.Buffer))
	case f.Ethernet.PFC.Enabled:
		return fmt.Sprintf("PFC, %s of headroom per port; %s shared", written(f.Ethernet.PFC.Headroom), written(f.Switch.Buffer))
	}
	if t := f.Ethernet.Trim; t.On() {
		return fmt.Sprintf("trims to %s when %s wait at a port", written(t.Size), written(t.Threshold))
	}
	return fmt.Sprintf("drops when the share of %s is full", written(f.Switch.Buffer))
}

func congestion(f *scenario.Fabric) string {
	marks := ""
	if protocol.Of(f.Kind).Ethernet() && f.Ethernet.ECN.Enabled {
		marks = fmt.Sprintf(", ECN from %s to %s", written(f.Ethernet.ECN.Kmin), written(f.Ethernet.ECN.Kmax))
	}
	switch {
	case protocol.Of(f.Kind).OnTCP():
		return string(f.TCP.Variant) + marks
	case f.CC.Algorithm == scenario.CCNone:
		return "none" + marks
	}
	return scenario.ControlName(&f.CC) + marks
}

// leftOut is the list of effects that the model leaves out.
func leftOut(sc *scenario.Resolved) []string {
	notes := []string{
		"These are simulations. Every packet is sent, queued and acknowledged one by one, but only the sizes of payloads move; no GPU computes.",
		"The fabric is healthy and empty: no failed or flapping links, no bit errors except the scenario's, no storage, management or other tenants' traffic, and nothing else on the GPUs.",
		"All nodes are alike and start at the same instant; placement follows the node numbers. Stragglers and the skew of real jobs are not in the times.",
		"NCCL's published cost model chooses the collective's algorithm and protocol, unless the scenario names them. NCCL itself measures and tunes more.",
	}
	if sc == nil {
		return notes
	}
	if len(sc.Faults) > 0 {
		notes[1] = "Apart from the faults that it names, the run is on a healthy and empty fabric: no flapping links, no bit errors, no storage, management or other tenants' traffic, and nothing else on the GPUs. Times of control planes rest on the values of control, most of which are assumptions."
	}
	if sc.Run.Jitter {
		notes = append(notes, "Jitter of hosts is on: seeded random delays of messages, the same in every run with this seed.")
	} else {
		notes = append(notes, "Jitter is off: firmware, operating system and switch chips take the same time for every packet. Real tails are longer.")
	}
	if slices.ContainsFunc(sc.Fabrics, func(f scenario.Fabric) bool { return !protocol.Of(f.Kind).Ethernet() && !f.IB.SHARP }) {
		notes = append(notes, "InfiniBand fabrics without ib.sharp reduce nothing in their switches (SHARP). It can make large all-reduces faster than shown.")
	}
	if slices.ContainsFunc(sc.Fabrics, func(f scenario.Fabric) bool {
		return protocol.Of(f.Kind).Controls == cc.InfiniBand && f.CC.Algorithm == scenario.CCNone
	}) {
		notes = append(notes, "InfiniBand's congestion control is off where the table has none; OpenSM's default is off, too. `cc: ib-cc` turns it on; it changes what happens under congestion.")
	}
	if slices.ContainsFunc(sc.Fabrics, func(f scenario.Fabric) bool { return protocol.Of(f.Kind).Settings }) {
		notes = append(notes, "RoCE v2 runs with thresholds as configured below and switches that behave as specified; finding those settings on real equipment takes work, which is in none of these times.")
	}
	return notes
}

// assumptionSection lists the assumed values in the catalog entries of the scenario.
func assumptionSection(sc *scenario.Resolved) doc.Section {
	if sc == nil {
		return doc.Section{}
	}
	rows := [][]string{{"of", "value", "", "why this one"}}
	seen := map[string]bool{}
	add := func(kind catalog.Kind, name string) {
		if name == "" || seen[string(kind)+name] {
			return
		}
		seen[string(kind)+name] = true
		e, err := catalog.Lookup(kind, name)
		if err != nil {
			return
		}
		for _, f := range e.Facts {
			if f.Tag == catalog.Assumption && !strings.HasPrefix(f.Field, "about.") {
				rows = append(rows, []string{string(kind) + " " + name, f.Field, f.Value, f.Source})
			}
		}
	}
	n := sc.Cluster.Node
	add(catalog.Node, n.Preset)
	add(catalog.GPU, n.GPU.Model)
	add(catalog.ScaleUp, n.ScaleUp.Generation)
	add(catalog.PCIe, n.PCIe.Generation)
	for _, f := range sc.Fabrics {
		add(catalog.Fabric, f.Preset)
		add(catalog.Link, f.Link.Generation)
		add(catalog.NIC, f.NIC.Model)
		add(catalog.Switch, f.Switch.Model)
		add(catalog.Host, string(f.Host.Path))
		add(catalog.CC, f.CC.Preset)
	}
	if len(rows) == 1 {
		return doc.Section{}
	}
	title := plural(len(rows)-1, "value of the presets is an assumption", "values of the presets are assumptions") + ": no public figure was found"
	return doc.Section{Title: title, In: doc.Page, Folded: true, Blocks: []doc.Block{doc.Grid(rows)}}
}
