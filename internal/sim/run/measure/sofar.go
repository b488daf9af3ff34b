package measure

import (
	"cmp"
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/internal/sim/fabric/series"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/units"
)

// SeriesSoFar is what a simulation has recorded of its links while it runs: no messages, pauses or steps. It
// is nil if the simulation records nothing.
func SeriesSoFar(n *network.Network) *results.Series {
	r := n.RecordedSoFar()
	if r == nil {
		return nil
	}
	reached, _, _ := n.Progress()
	s := &results.Series{Simulation: simulation(n, r, reached), Nodes: nodes(n), Links: links(n)}
	s.Samples = samples(n, r, r.Samples, r.Interval, &s.Simulation)
	return s
}

// Counters are the counters of a fabric, over the simulations that record.
type Counters struct {
	Fabric, Protocol string
	Nodes            []results.SeriesNode
	Links            []results.SeriesLink
	Classes          int // lanes of a link
	series.Totals
	Simulated units.Time

	// PortLanes is the number of lanes of a cable: SONiC numbers ports by them.
	PortLanes int

	lane     func(link, class int32) int32
	credited func(link int32) bool
	graph    *topology.Graph
}

// SwitchGUID is the GUID of a switch, as weft fabric and weft sm have it.
func (c *Counters) SwitchGUID(node int32) units.GUID {
	return cmp.Or(c.graph.Nodes[node].ID.GUID, subnet.SwitchAt(int(node)-c.graph.Endpoints))
}

// SwitchPort is the name of a port of a switch, from 1: the site's if it has names, else as SONiC counts ports.
func (c *Counters) SwitchPort(node, number int32) string {
	if names := c.graph.Nodes[node].PortNames; int(number) <= len(names) && names[number-1] != "" {
		return names[number-1]
	}
	return fmt.Sprintf("Ethernet%d", int(number-1)*c.PortLanes)
}

// Lane is the priority or the virtual lane of a class of a link.
func (c *Counters) Lane(link, class int32) int32 { return c.lane(link, class) }

// Credited reports whether a link has credits: its stops are waits for them, and not pauses.
func (c *Counters) Credited(link int32) bool { return c.credited(link) }

// Add adds what a network of the fabric has counted so far.
func (c *Counters) Add(n *network.Network) {
	if c.Links == nil {
		c.Fabric, c.Protocol, c.Nodes, c.Links = n.Plan.Fabric.Name, string(n.Plan.Fabric.Kind), nodes(n), links(n)
		c.Classes, c.credited, c.graph, c.PortLanes = n.Classes(), n.Credited, n.Plan.Graph, max(1, n.Plan.Fabric.Link.Lanes)
		c.lane = func(link, class int32) int32 { return laneOf(n.Plan, class, n.ScaleOut(link)) }
	}
	simulated := units.Time(n.Ended.Load()) // timers that run down behind it do not count
	if simulated == 0 {
		simulated, _, _ = n.Progress()
	}
	c.Simulated += simulated
	n.AddTotals(&c.Totals)
}

// Clone is a copy to which more can be added.
func (c *Counters) Clone() *Counters {
	own := *c
	own.Totals = c.Totals.Clone()
	return &own
}

// simulation describes a simulation with a record.
func simulation(n *network.Network, r *series.Recording, end units.Time) results.SeriesSimulation {
	f := n.Plan.Fabric
	return results.SeriesSimulation{
		Fabric: f.Name, Protocol: string(f.Kind), DurationPs: int64(end), IntervalPs: int64(r.Interval), Intervals: int32(r.Most),
	}
}
