package plan

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/topology"
	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/units"
)

// shapes are the topologies that a design may have, from the simplest.
var shapes = []scenario.Shape{scenario.SingleSwitch, scenario.RailOptimised, scenario.FatTree, scenario.DualPlane, scenario.Dragonfly}

// Trees are the tree shapes: of one plane, and of two if the node's NIC has a port for each with some
// protocol.
func (r *Request) Trees() []scenario.Shape {
	trees := slices.Clone(shapes[:3])
	m, err := r.machine()
	if err != nil {
		return trees // the request is refused
	}
	for _, n := range nics() {
		if n.entry.Name == m.nic && slices.ContainsFunc(n.protocols, n.inPlanes) {
			trees = append(trees, scenario.DualPlane)
		}
	}
	return trees
}

// cardPlanes is the number of planes of a design with cards of two ports, as in Alibaba's HPN (SIGCOMM 2024).
const cardPlanes = 2

// planes is the number of equal fabrics side by side, on each of which a NIC has a port: with several ports of its own as many
// as it has at the rate.
func (c choice) planes() int {
	switch {
	case c.shape != scenario.DualPlane:
		return 1
	case c.ownPlanes():
		return c.nic.portsAt(protocol.Of(c.preset.kind).Link(), c.preset.rate)
	}
	return cardPlanes
}

// nicRate is the rate of all ports of a NIC together.
func (c choice) nicRate() units.Rate { return c.preset.rate * units.Rate(c.planes()) }

// dragonflyWorst: under the worst traffic pattern a balanced dragonfly has half of its uniform
// throughput, with non-minimal routes (Kim et al., ISCA 2008, section 5). As a constraint it counts
// like an oversubscription of 2.
var dragonflyWorst = scenario.Ratio{Num: 2, Den: 1}

// ratiosOf are the oversubscriptions to try for a shape: those of the list, and the one of the request. A single switch has no uplinks
// and is as good as any.
func (r *Request) ratiosOf(shape scenario.Shape) []scenario.Ratio {
	switch shape {
	case scenario.SingleSwitch:
		if r.Oversubscription.Cmp(1, 1) < 0 {
			return []scenario.Ratio{r.Oversubscription}
		}
		return ratios[:1]
	case scenario.Dragonfly:
		return []scenario.Ratio{dragonflyWorst}
	}
	if own := r.Oversubscription; !slices.ContainsFunc(ratios, func(x scenario.Ratio) bool { return own.Cmp(x.Num, x.Den) == 0 }) {
		return append(slices.Clone(ratios), own)
	}
	return ratios
}

// shapeTakes reports whether a shape is possible with a NIC in a machine and a switch. A port on each plane
// needs a NIC with several ports for the protocol (ConnectX-8 on Ethernet: 2 x 400GbE, or divided), or two-port cards with one
// cage each: a machine whose cages join the ports of two NICs (DGX H100), or whose NICs are on its boards (GB200
// NVL72), has no such cards. A divided NIC is for switches that have all of their capacity at the lower rate, as on others it
// gains no port, and whose cages have the rate of the whole NIC: those of slower switches have slower lanes, and more of them for a link.
func shapeTakes(shape scenario.Shape, n nicModel, m machine, preset fabricPreset, s switchModel) bool {
	if shape != scenario.DualPlane {
		return true
	}
	link := protocol.Of(preset.kind).Link()
	if n.inPlanes(link) {
		rate, _ := n.port(link)
		ports := n.portsAt(link, preset.rate)
		whole := s.ports.PortsAt(preset.rate) == s.ports.Ports*int(s.ports.Rate/preset.rate) && s.capacity() >= float64(s.cages)*float64(preset.rate)*float64(ports)
		return rate == preset.rate || ports > 1 && whole
	}
	return n.twoPorts == preset.rate && m.moduleLinks == 1 && !m.onBoard
}

// ownPlanes reports whether the planes of a choice are ports of the NIC itself, and not of a two-port card in its place.
func (c choice) ownPlanes() bool {
	return c.shape == scenario.DualPlane && c.nic.inPlanes(protocol.Of(c.preset.kind).Link())
}

// divided reports whether the NICs of a choice divide into more ports than they are sold with.
func (c choice) divided() bool { return c.planes() > cardPlanes }

// unfit lists the reasons why no design of a machine can have a requested shape. It is empty if the
// request leaves the shape open.
func unfit(r *Request, m machine, all []choice) (out []string) {
	if len(r.Shapes) == len(shapes) {
		return nil
	}
	for _, shape := range r.Shapes {
		if slices.ContainsFunc(all, func(c choice) bool { return c.shape == shape }) {
			continue
		}
		switch {
		case shape == scenario.DualPlane && m.onBoard:
			out = append(out, fmt.Sprintf("no %s: the NICs of %s are on its boards, with a port each, and no card of two ports takes their place", shape, r.Node))
		case shape == scenario.DualPlane && m.moduleLinks != 1:
			out = append(out, fmt.Sprintf("no %s: a cage of %s joins the ports of %d NICs, and a NIC with a port on each plane needs a cage for each", shape, r.Node, m.moduleLinks))
		case shape == scenario.DualPlane:
			out = append(out, fmt.Sprintf("no %s: the constraints allow no two-port card of the catalog in place of %s", shape, m.nic))
		}
	}
	return out
}

// unfitNICs lists the reasons why no design can have a requested NIC at the requested rate.
func unfitNICs(r *Request, m machine, all []choice) (out []string) {
	for _, name := range r.NICs {
		switch {
		case slices.ContainsFunc(all, func(c choice) bool { return c.nic.entry.Name == name && c.nicRate() >= r.leastRate(m) }):
		case m.onBoard:
			out = append(out, fmt.Sprintf("no %s: the NICs of %s, %s, are on its boards", name, r.Node, m.nic))
		case rateOf(catalog.NIC, name, "rate") > m.slot && m.slot > 0:
			out = append(out, fmt.Sprintf("no %s: a slot of %s has %s", name, r.Node, m.slot))
		}
	}
	return out
}

// unfitSwitches lists the reasons why no design can have a requested switch.
func unfitSwitches(r *Request, all []choice) (out []string) {
	for _, name := range r.Switches {
		if slices.ContainsFunc(all, func(c choice) bool { return c.sw.entry.Name == name }) {
			continue
		}
		if lane := rateOf(catalog.Switch, name, "about.lane-rate"); lane > 0 {
			out = append(out, fmt.Sprintf("no %s: its lanes have %s and do not slow down to those of the links that the NICs have", name, lane))
			continue
		}
		if with := switchesOf(name); len(with) > 0 {
			out = append(out, fmt.Sprintf("no %s: it is a chip; the catalog's switches with it are %s", name, strings.Join(with, ", ")))
			continue
		}
		out = append(out, fmt.Sprintf("no %s: it has no maker in the catalog, or no ports at a rate and protocol of %s's NICs", name, r.Node))
	}
	return out
}

// switchesOf are the switches that makers build of a chip that the catalog has as an entry without a maker; nil for another entry.
func switchesOf(name string) (out []string) {
	e, err := catalog.Lookup(catalog.Switch, name)
	if err != nil {
		return nil
	}
	chip, ok := e.Known("about.asic")
	if _, sold := e.Known("about.vendor"); !ok || sold {
		return nil
	}
	for _, s := range switches() {
		if of, _ := s.entry.Known("about.asic"); s.entry.Name != name && s.vendor != "" && of.Value == chip.Value {
			out = append(out, s.entry.Name)
		}
	}
	return out
}

// planeShapes are the shapes that the planes of a shape may have; of another shape than a dual-plane only its own.
func planeShapes(shape scenario.Shape) []scenario.Shape {
	if shape == scenario.DualPlane {
		return []scenario.Shape{scenario.RailOptimised, scenario.SingleSwitch, scenario.FatTree}
	}
	return []scenario.Shape{shape}
}

// oversubscribed reports whether a shape's oversubscription is at its leaves, and so part of its
// name and scenario.
func oversubscribed(shape scenario.Shape) bool {
	return shape != scenario.SingleSwitch && shape != scenario.Dragonfly
}

// shapeFields are the fields of a scenario's topology that only the shape has.
func (c choice) shapeFields() (fields []string) {
	if c.shape == scenario.DualPlane {
		fields = append(fields, fmt.Sprintf("planes: %d", c.planes()), "plane-shape: "+string(c.plane))
	}
	if oversubscribed(c.plane) {
		fields = append(fields, fmt.Sprintf("oversubscription: %q", ratioText(c.ratio)))
	}
	switch {
	case c.unit > 0 && c.plane == scenario.FatTree:
		fields = append(fields, fmt.Sprintf("hosts-per-leaf: %d", c.unit))
	case c.unit > 0:
		fields = append(fields, fmt.Sprintf("nodes-per-unit: %d", c.unit))
	}
	return fields
}

// hops is the number of switches on the longest of the shortest paths: up and down a tree; in a
// dragonfly a switch at each end and the two switches of the cable between the groups.
func hops(shape scenario.Shape, count topology.Count) int {
	if shape == scenario.Dragonfly {
		return 4
	}
	return 2*Levels(count) - 1
}

// fits refuses a dragonfly of one group: its switches are a full mesh of a whole group, however few
// NICs there are.
func fits(shape scenario.Shape, count topology.Count) error {
	if shape == scenario.Dragonfly && count.Cables[topology.Global] == 0 {
		return fmt.Errorf("one group of a dragonfly has place for all %d NICs: a tree takes fewer switches", count.Endpoints)
	}
	return nil
}

// Levels is the number of switch levels.
func Levels(c topology.Count) int {
	n := 0
	for _, k := range c.Switches {
		if k > 0 {
			n++
		}
	}
	return n
}

// levelName is the name of a switch level in a bill.
func levelName(shape scenario.Shape, count topology.Count, level int) string {
	switch {
	case shape == scenario.Dragonfly:
		return "group"
	case count.TotalSwitches() == count.Switches[0]:
		return "the only level"
	}
	return []string{"leaf", "spine", "core"}[level]
}
