package control

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/topology"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
)

// planFaults computes the effect of the scenario's faults on the fabric.
func planFaults(p *network.Plan, r *scenario.Resolved) error {
	if len(r.Faults) == 0 {
		return nil
	}
	fp := &network.Faults{}
	if err := breakable(p); err != nil {
		return err
	}
	for i := range r.Faults {
		for _, f := range r.Faults[i].Each() {
			if err := add(fp, p, &f); err != nil {
				return network.Refuse(p.Fabric, fmt.Sprintf("faults[%d]", i), err)
			}
		}
	}
	fp.Outages = joined(fp.Outages, r.ShortestOutage(p.Fabric))
	settle(fp, p.Graph)
	var err error
	if protocol.Of(p.Fabric.Kind).SubnetManager {
		err = mendByManager(p, fp, &r.Control)
	} else {
		mendByBGP(p, fp, &r.Control)
	}
	if err != nil {
		return err
	}
	open(p, fp)
	widen(p, fp)
	p.Faults = fp
	return nil
}

// breakable refuses fabrics for which no detour without deadlock and loops is known.
func breakable(p *network.Plan) error {
	f := p.Fabric
	tree := p.Graph.Family == topology.FamilyTree
	switch {
	case !tree && protocol.Of(f.Kind).SubnetManager && f.Routing.Mode != scenario.Deterministic:
		return fmt.Errorf("fabric %s: with %s routing the ports that are left after a fault have no lanes that are known to be free of deadlock on a %s: take routing.mode deterministic", f.Name, f.Routing.Mode, f.Topology.Shape)
	case !tree && f.Routing.Mode == scenario.UpDown:
		return fmt.Errorf("fabric %s: the reaction of up-down routing on a %s to a fault is not simulated: its paths are not BGP's", f.Name, f.Topology.Shape)
	}
	return nil
}

// add adds a fault of the scenario.
func add(fp *network.Faults, p *network.Plan, f *scenario.Fault) error {
	broken, err := cablesOf(p.Graph, f)
	if err != nil {
		return err
	}
	for _, c := range broken {
		fp.Outages = append(fp.Outages, network.Span{Cable: c, From: f.At, Until: f.Ends()})
	}
	fp.Turns = append(fp.Turns, network.Turn{At: f.At, What: f.What(), Cables: broken, Manager: f.SM})
	if f.Until != 0 {
		fp.Turns = append(fp.Turns, network.Turn{At: f.Until, What: f.What(), Cables: broken, Repaired: true})
	}
	return nil
}

// cablesOf are the cables that a fault takes out of service.
func cablesOf(g *topology.Graph, f *scenario.Fault) (cables []int32, err error) {
	if f.SM {
		return nil, nil
	}
	if f.Link != "" {
		cable, err := cableAt(g, f.Link)
		return []int32{cable}, err
	}
	name := f.Switch
	n, err := nodeNamed(g, name)
	if err != nil {
		return nil, err
	}
	if n.Kind != topology.Switch {
		return nil, fmt.Errorf("%s is no switch: name its cable, as %s port 1", name, name)
	}
	for _, c := range n.Cables {
		if c >= 0 {
			cables = append(cables, c)
		}
	}
	return cables, nil
}

// cableAt is the cable at a port: leaf0 port 5, leaf0:5, leaf0:Ethernet16.
func cableAt(g *topology.Graph, link string) (int32, error) {
	node, port, ok := cabling.SplitEnd(link, func(name string) bool { return len(meant(g, name)) > 0 })
	if !ok {
		if i := strings.LastIndex(link, " port "); i > 0 {
			_, err := nodeNamed(g, link[:i])
			return 0, err
		}
		return 0, fmt.Errorf("link %q: want a node and a port, such as leaf0:5 or leaf0 port 5; the nodes are %s to %s", link, g.Nodes[0].Name, g.Nodes[len(g.Nodes)-1].Name)
	}
	n, err := nodeNamed(g, node)
	if err != nil {
		return 0, err
	}
	if number := cabling.PortNumber(port, n.PortNames); number > 0 && number <= len(n.Cables) && n.Cables[number-1] >= 0 {
		return n.Cables[number-1], nil
	}
	return 0, fmt.Errorf("%s has no cable at port %s", node, port)
}

// meant are the nodes that a name means.
func meant(g *topology.Graph, name string) []int {
	return cabling.Meant(name, len(g.Nodes), func(i int) string { return g.Nodes[i].Name })
}

// nodeNamed is the node that a name means.
func nodeNamed(g *topology.Graph, name string) (*topology.Node, error) {
	switch found := meant(g, name); len(found) {
	case 0:
		return nil, fmt.Errorf("the fabric has no node %q: its nodes are %s to %s", name, g.Nodes[0].Name, g.Nodes[len(g.Nodes)-1].Name)
	case 1:
		return &g.Nodes[found[0]], nil
	default:
		return nil, cabling.Ambiguous(name, len(found), strconv.Quote(g.Nodes[found[0]].Name), strconv.Quote(g.Nodes[found[1]].Name))
	}
}

// joined are the same times, with the times of a cable merged if they overlap or are no more than a
// gap apart.
func joined(spans []network.Span, gap units.Time) (out []network.Span) {
	slices.SortFunc(spans, func(a, b network.Span) int {
		return cmp.Or(cmp.Compare(a.Cable, b.Cable), cmp.Compare(a.From, b.From))
	})
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].Cable == s.Cable && s.From-gap <= out[n-1].Until {
			out[n-1].Until = max(out[n-1].Until, s.Until)
			continue
		}
		out = append(out, s)
	}
	return out
}

// settle orders the turns and computes the failed cables from each turn on.
func settle(fp *network.Faults, g *topology.Graph) {
	slices.SortStableFunc(fp.Turns, func(a, b network.Turn) int { return cmp.Compare(a.At, b.At) })
	for i := range fp.Turns {
		t := &fp.Turns[i]
		t.Down = make([]bool, len(g.Cables))
		for _, s := range fp.Outages {
			t.Down[s.Cable] = t.Down[s.Cable] || s.From <= t.At && t.At < s.Until
		}
	}
}
