package plan

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/topology"
	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
)

// Design is a candidate: a network that can be built from devices of the catalog.
type Design struct {
	Name             string
	Kind             scenario.FabricKind
	Preset           string // the catalog's fabric
	Switch, NIC      string
	Shape            scenario.Shape
	Oversubscription scenario.Ratio
	Rate             units.Rate // of a link; a NIC has one for each plane
	Rails            int
	Levels           int // of switches
	Hops             int // switches between the two farthest NICs
	Radix            int
	Count            topology.Count
	Merits           Merits
	Bill             []Line
	Power            Sum // milliwatts
	Latency          Sum // picoseconds, of the switches on the longest path, idle
	Cost             *Cost
	Growth           *Growth // nil without a request for growth
	Proof            *Proof  // nil: not simulated
	Front            bool    // on the Pareto front of its protocol
	Breaks           []Breach

	Scenario []byte             // text of its scenario, for weft compare
	Resolved *scenario.Resolved // the text, resolved, with the lengths of cables that the network has not

	choice choice
}

// choice identifies a design.
type choice struct {
	preset fabricPreset
	sw     switchModel
	nic    nicModel
	own    bool // the NIC is the node's
	// unmanaged says that an InfiniBand fabric has no place for its manager, although the request
	// wants one.
	unmanaged bool
	shape     scenario.Shape
	plane     scenario.Shape // of a plane of a dual-plane; otherwise the shape
	ratio     scenario.Ratio
	unit      int  // nodes of a scalable unit, if they are fewer than the leaves have ports for; 0: as many
	filled    bool // units are full although smaller ones take fewer switches
	machine   machine
}

// name names the design's parts, as a word for a file name.
func (c choice) name() string {
	parts := []string{c.preset.name, c.sw.entry.Name}
	if !c.own {
		parts = append(parts, c.nic.entry.Name)
	}
	if c.divided() {
		parts = append(parts, fmt.Sprintf("%d-planes", c.planes()))
	} else {
		parts = append(parts, string(c.shape))
	}
	if c.shape == scenario.DualPlane && c.plane != scenario.RailOptimised {
		parts = append(parts, string(c.plane))
	}
	if oversubscribed(c.plane) {
		parts = append(parts, strings.NewReplacer(":", "to", "/", "to").Replace(ratioText(c.ratio)))
	}
	if c.unit > 0 {
		parts = append(parts, fmt.Sprintf("u%d", c.unit)) // short: tables have the names of designs
	}
	return strings.Join(parts, "-")
}

// ratioText is an oversubscription as text: 3:1.
func ratioText(r scenario.Ratio) string { return fmt.Sprintf("%d:%d", r.Num, r.Den) }

// text is the scenario of a design for a number of GPUs.
func (c choice) text(r *Request, gpus int) string {
	return c.textWith(r, gpus, allCables)
}

// textWith is the text with the lengths of some kinds of cables.
func (c choice) textWith(r *Request, gpus int, has func(topology.CableKind) bool) string {
	return scenarioText(r, gpus, fmt.Sprintf("%s, %d GPUs", c.name(), gpus), has, c)
}

// cableKinds are the kinds of cables with their fields of a scenario.
var cableKinds = []struct {
	kind   topology.CableKind
	field  string
	length func(*Cables) units.Length
}{
	{topology.NodeLeaf, "node-leaf", func(c *Cables) units.Length { return c.NodeLeaf }},
	{topology.LeafSpine, "leaf-spine", func(c *Cables) units.Length { return c.LeafSpine }},
	{topology.SpineCore, "spine-core", func(c *Cables) units.Length { return c.SpineCore }},
	{topology.Local, "local", func(c *Cables) units.Length { return c.LeafSpine }},
	{topology.Global, "global", func(c *Cables) units.Length { return c.SpineCore }},
}

// allCables is for a text whose network is not built yet.
func allCables(topology.CableKind) bool { return true }

// cablesOf are the kinds of cables of networks: a scenario states no others.
func cablesOf(counts ...topology.Count) func(topology.CableKind) bool {
	return func(kind topology.CableKind) bool {
		return slices.ContainsFunc(counts, func(c topology.Count) bool { return c.Cables[kind] > 0 })
	}
}

// jobText is the scenario's section for the training or the serving job; empty without a job.
func (r *Request) jobText() string {
	switch {
	case r.Job.Training.Given():
		return "training: " + r.Job.Training.Text() + "\n"
	case r.Job.Serving.Given():
		return "serving: " + r.Job.Serving.Text() + "\n"
	}
	return ""
}

// scenarioText is the scenario of choices side by side, without such a job, with the lengths of some kinds of cables.
func scenarioText(r *Request, gpus int, name string, has func(topology.CableKind) bool, all ...choice) string {
	m := all[0].machine
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\n", name)
	fmt.Fprintf(&b, "cluster: {nodes: %d, node: {preset: %s, nics: %d}}\n", gpus/m.gpus, m.preset, r.rails(m))
	var lengths []string
	for _, k := range cableKinds {
		if has(k.kind) {
			lengths = append(lengths, k.field+": "+k.length(&r.Cables).Exact())
		}
	}
	fmt.Fprintf(&b, "topology: {cables: {%s}}\n", strings.Join(lengths, ", "))
	b.WriteString("fabrics:\n")
	for _, c := range all {
		c.fabric(&b, r, has)
	}
	var sizes []string
	for _, s := range r.Job.Sizes {
		sizes = append(sizes, s.Exact())
	}
	fmt.Fprintf(&b, "workload: {collective: %s, sizes: [%s]}\n", r.Job.Collective, strings.Join(sizes, ", "))
	return b.String()
}

// fabric writes the choice as a fabric of a scenario, with its switch's own radix: side by side,
// the default would be the smallest radix of all.
func (c choice) fabric(b *strings.Builder, r *Request, has func(topology.CableKind) bool) {
	fmt.Fprintf(b, "  - preset: %s\n    name: %s\n    switch: %s\n", c.preset.name, c.name(), written(c.sw.entry))
	switch {
	case c.shape == scenario.DualPlane:
		fmt.Fprintf(b, "    nic: %s\n", written(c.nic.entry, fmt.Sprintf("ports: %d", c.planes()), "rate: "+c.preset.rate.Exact()))
	case !c.own:
		fmt.Fprintf(b, "    nic: %s\n", written(c.nic.entry))
	}
	fields := []string{"shape: " + string(c.shape), fmt.Sprintf("radix: %d", c.sw.ports.PortsAt(c.preset.rate))}
	fields = append(fields, c.shapeFields()...)
	if x := r.SpineOversubscription; oversubscribed(c.plane) && has(topology.SpineCore) && x.Num != x.Den {
		fields = append(fields, fmt.Sprintf("spine-oversubscription: %q", ratioText(x)))
	}
	if c.managed(r) {
		fields = append(fields, "ufm: true")
	}
	if spare := r.SparePorts + r.otherNICs(); spare > 0 {
		fields = append(fields, fmt.Sprintf("spare-ports: %d", spare))
	}
	fmt.Fprintf(b, "    topology: {%s}\n", strings.Join(fields, ", "))
}

// written is an entry as a scenario's value, with further fields. A user's device is written as the catalog's entry that it is like,
// with the values that differ: so other commands read the scenario without the user's file.
func written(e catalog.Entry, more ...string) string {
	model, of := e.Name, ""
	if e.Base != "" {
		model, of = e.Base, " # "+e.Name
		for _, f := range e.Facts {
			stated := slices.ContainsFunc(more, func(m string) bool { return strings.HasPrefix(m, f.Field+":") })
			if f.From == e.Name && !strings.HasPrefix(f.Field, "about.") && !stated {
				more = append(more, f.Field+": "+f.Value)
			}
		}
	}
	if len(more) == 0 {
		return model + of
	}
	return fmt.Sprintf("{model: %s, %s}%s", model, strings.Join(more, ", "), of)
}

// SideBySide is the scenario for weft compare with the first design of each protocol; nil if there
// is only one protocol.
func (p *Plan) SideBySide() []byte {
	var firsts []choice
	var counts []topology.Count
	for _, d := range p.firsts() {
		firsts, counts = append(firsts, d.choice), append(counts, d.Count)
	}
	if len(firsts) < 2 {
		return nil
	}
	return []byte(scenarioText(p.Request, p.Request.GPUs, p.Request.Name, cablesOf(counts...), firsts...) + p.Request.jobText())
}

// managed reports whether the fabric's manager has a place in the topology.
func (c choice) managed(r *Request) bool {
	return r.Manager && protocol.Of(c.preset.kind).SubnetManager && !c.unmanaged
}

// unbounded lifts the bound on a simulation's memory: a design too large to simulate here can still
// be planned.
var unbounded = scenario.Run{Limit: scenario.Limit{Memory: 1 << 50}}

// resolve reads a design's scenario and counts its parts.
func (c choice) resolve(text string) (*scenario.Resolved, topology.Spec, topology.Count, error) {
	file, err := scenario.Decode(c.name(), []byte(text+"run: {limit: {memory: "+unbounded.Limit.Memory.Exact()+"}}\n"))
	if err != nil {
		return nil, nil, topology.Count{}, err
	}
	resolved, err := file.Resolve()
	if err != nil {
		return nil, nil, topology.Count{}, err
	}
	spec, err := network.Shape(&resolved.Fabrics[0].Topology, &resolved.Cluster)
	if err != nil {
		return nil, nil, topology.Count{}, err
	}
	count, err := spec.Count()
	return resolved, spec, count, err
}

// design makes the candidate of a choice; the error is the reason why there is none.
func (c choice) design(r *Request, prices *Prices) (*Design, error) {
	d, err := c.draft(r)
	if err != nil {
		return nil, err
	}
	network, err := d.build()
	if err != nil {
		return nil, err
	}
	return d.design(r, prices, network), nil
}

// design is the candidate with its network.
func (x *draft) design(r *Request, prices *Prices, network *built) *Design {
	c, count, f := x.choice, x.count, &x.resolved.Fabrics[0]
	d := &Design{
		Name: c.name(), Kind: c.preset.kind, Preset: c.preset.name, Switch: c.sw.entry.Name, NIC: c.nic.entry.Name,
		Shape: c.shape, Oversubscription: c.ratio, Rate: c.preset.rate, Rails: r.rails(c.machine),
		Levels: Levels(count), Hops: hops(c.shape, count), Radix: f.Topology.Radix, Count: count,
		Merits: network.merits, Bill: c.bill(r, network.graph, f),
		Scenario: []byte(c.textWith(r, r.GPUs, cablesOf(count)) + r.jobText()), Resolved: x.resolved, choice: c,
	}
	d.Merits.Places -= r.otherNICs() * c.planes()
	prices.powers(d.Bill)
	for _, l := range d.Bill {
		d.Power.add(l.Quantity, l.Power)
	}
	d.Latency.add(d.Hops, latencyOf(c.sw.entry))
	d.Cost = prices.cost(d)
	if r.Later > r.GPUs {
		d.Growth = c.growth(r)
	}
	return d
}

// As is the design with another preset of the catalog, of the same links: another product on the same cables.
func (d *Design) As(r *Request, preset string, prices *Prices) (*Design, error) {
	e, err := catalog.Lookup(catalog.Fabric, preset)
	if err != nil {
		return nil, err
	}
	kind, _ := e.Get("kind")
	c := d.choice
	c.preset.name, c.preset.kind = preset, scenario.FabricKind(kind.Value)
	if prices == nil {
		prices = Public()
	}
	return c.design(r, prices)
}

// shortReason is an error of the scenario without its place.
func shortReason(err error) string {
	text := err.Error()
	if at := strings.LastIndex(text, "topology: "); at >= 0 {
		text = text[at+len("topology: "):]
	}
	return text
}
