package plan

import (
	"fmt"
	"strings"

	"weft/internal/catalog"
	"weft/internal/sim"
	"weft/internal/topology"
	"weft/scenario"
	"weft/units"
)

// Design is a candidate: a network that can be built of devices of the catalog.
type Design struct {
	Name             string
	Kind             scenario.FabricKind
	Preset           string // the catalog's fabric
	Switch, NIC      string
	Shape            scenario.Shape
	Oversubscription scenario.Ratio
	Rate             units.Rate // of a port
	Rails            int
	Levels           int // of switches
	Hops             int // switches between the NICs that are farthest apart
	Radix            int
	Count            topology.Count
	Bill             []Line
	Power            Sum // milliwatts
	Cost             *Cost
	Growth           *Growth // nil where none was asked for
	Front            bool    // on the Pareto front of its protocol
	Breaks           []Breach

	Scenario []byte             // its text, which weft compare runs
	Resolved *scenario.Resolved // of that text

	choice choice
}

// Growth is the same design with as many GPUs as there are to be later.
type Growth struct {
	GPUs    int
	Count   topology.Count
	Levels  int
	Problem string // why it cannot be built; the rest is then nothing
}

// choice is what tells one design from another.
type choice struct {
	preset  fabricPreset
	sw      switchModel
	nic     nicModel
	own     bool // the NIC is the node's
	shape   scenario.Shape
	ratio   scenario.Ratio
	machine machine
}

// name says what the design is made of, as a word that a file can have.
func (c choice) name() string {
	parts := []string{c.preset.name, c.sw.entry.Name}
	if !c.own {
		parts = append(parts, c.nic.entry.Name)
	}
	parts = append(parts, string(c.shape))
	if c.shape != scenario.SingleSwitch {
		parts = append(parts, strings.NewReplacer(":", "to", "/", "to").Replace(ratioText(c.ratio)))
	}
	return strings.Join(parts, "-")
}

// ratioText is an oversubscription as people write it, 3:1.
func ratioText(r scenario.Ratio) string { return fmt.Sprintf("%d:%d", r.Num, r.Den) }

// text is the scenario of a design for a number of GPUs.
func (c choice) text(r *Request, gpus int) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("name: %s, %d GPUs", c.name(), gpus)
	line("cluster: {nodes: %d, node: {preset: %s, nics: %d}}", gpus/c.machine.gpus, c.machine.preset, r.rails(c.machine))
	line("fabrics:")
	line("  - preset: %s", c.preset.name)
	line("    name: %s", c.name())
	line("    switch: %s", c.sw.entry.Name)
	if !c.own {
		line("    nic: %s", c.nic.entry.Name)
	}
	fields := []string{"shape: " + string(c.shape)}
	if c.shape != scenario.SingleSwitch {
		fields = append(fields, fmt.Sprintf("oversubscription: %q", ratioText(c.ratio)))
	}
	if c.managed(r) {
		fields = append(fields, "ufm: true")
	}
	line("    topology: {%s}", strings.Join(fields, ", "))
	// Stands here and not above: a single switch has no cables of other kinds to complain of.
	line("topology: {cables: {node-leaf: %s, leaf-spine: %s, spine-core: %s}}", r.Cables.NodeLeaf.Exact(), r.Cables.LeafSpine.Exact(), r.Cables.SpineCore.Exact())
	var sizes []string
	for _, s := range r.Job.Sizes {
		sizes = append(sizes, s.Exact())
	}
	line("workload: {collective: %s, sizes: [%s]}", r.Job.Collective, strings.Join(sizes, ", "))
	return b.String()
}

// managed reports whether the fabric's manager has a place in the topology.
func (c choice) managed(r *Request) bool {
	return r.Manager && c.preset.kind == scenario.InfiniBandKind && c.shape == scenario.RailOptimised
}

// resolve reads a design's scenario and counts what it is made of.
func (c choice) resolve(r *Request, gpus int) (*scenario.Resolved, topology.Spec, topology.Count, error) {
	file, err := scenario.Decode(c.name(), []byte(c.text(r, gpus)))
	if err != nil {
		return nil, nil, topology.Count{}, err
	}
	resolved, err := file.Resolve()
	if err != nil {
		return nil, nil, topology.Count{}, err
	}
	spec, err := sim.Shape(&resolved.Fabrics[0].Topology, &resolved.Cluster)
	if err != nil {
		return nil, nil, topology.Count{}, err
	}
	count, err := spec.Count()
	return resolved, spec, count, err
}

// design makes the candidate of a choice; the error says why there is none.
func (c choice) design(r *Request, prices *Prices) (*Design, error) {
	resolved, spec, count, err := c.resolve(r, r.GPUs)
	if err != nil {
		return nil, err
	}
	graph, err := spec.Build()
	if err != nil {
		return nil, err
	}
	if err := topology.Validate(graph); err != nil {
		return nil, err
	}
	f := &resolved.Fabrics[0]
	d := &Design{
		Name: c.name(), Kind: c.preset.kind, Preset: c.preset.name, Switch: c.sw.entry.Name, NIC: c.nic.entry.Name,
		Shape: c.shape, Oversubscription: c.ratio, Rate: c.preset.rate, Rails: r.rails(c.machine),
		Levels: levels(count), Hops: 2*levels(count) - 1, Radix: f.Topology.Radix, Count: count,
		Bill:     billOf(graph, c.sw, c.nic, c.machine, f),
		Scenario: []byte(c.text(r, r.GPUs)), Resolved: resolved, choice: c,
	}
	for _, l := range d.Bill {
		d.Power.add(l.Quantity, l.Power)
	}
	d.Cost = prices.cost(d)
	if r.Later > r.GPUs {
		d.Growth = c.growth(r)
	}
	return d, nil
}

// growth is the design at the later size.
func (c choice) growth(r *Request) *Growth {
	_, _, count, err := c.resolve(r, r.Later)
	if err != nil {
		return &Growth{GPUs: r.Later, Problem: shortReason(err)}
	}
	return &Growth{GPUs: r.Later, Count: count, Levels: levels(count)}
}

// levels is how many levels of switches there are.
func levels(c topology.Count) int {
	n := 0
	for _, k := range c.Switches {
		if k > 0 {
			n++
		}
	}
	return n
}

// shortReason is an error of the scenario without its place.
func shortReason(err error) string {
	text := err.Error()
	if at := strings.LastIndex(text, "topology: "); at >= 0 {
		text = text[at+len("topology: "):]
	}
	return text
}

// Title is what the design is, for people.
func (d *Design) Title() string {
	e, err := catalog.Lookup(catalog.Fabric, d.Preset)
	if err != nil {
		return d.Name
	}
	return e.Title
}
