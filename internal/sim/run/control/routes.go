package control

import (
	"errors"
	"fmt"
	"strings"

	"weft/internal/base/topology"
	"weft/internal/ib/proof"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim/protocol"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
)

// manage gives an InfiniBand fabric the forwarding tables that weft's Subnet Manager would install:
// LIDs, then a routing engine, for each plane a subnet of its own, with the lanes of each path if
// the engine needs them. The ports for adaptive routing stay the graph's, and the table's port is
// the preferred one. Tables that do not deliver, or that can deadlock, are refused before the run.
func manage(p *network.Plan) error {
	if !protocol.Of(p.Fabric.Kind).SubnetManager {
		return nil
	}
	shape := p.Lanes // if packets choose among ports, lanes follow the shape
	err := eachPlane(p, func(sub *subnet.Subnet, nodes []topology.NodeID) error {
		compute := func() (*route.Result, error) { return routed(p, sub) }
		if len(p.Fabric.Routing.Forwarding) > 0 {
			compute = func() (*route.Result, error) { return given(p, sub, nodes) }
		}
		res, err := compute()
		if err != nil {
			return err
		}
		p.Routed = res.Report
		asked := "ib.engine " + string(res.Report.Used)
		if res.Report.Used == givenEngine {
			asked = givenTables
		}
		if shape == nil {
			return install(p, sub, nodes, res, asked)
		}
		if err := prove(sub, res.Tables, asked); err != nil {
			return err
		}
		adopt(p, sub, res.Tables, nodes)
		return nil
	})
	if err != nil {
		return err
	}
	if err := spreadLIDs(p); err != nil {
		return network.Refuse(p.Fabric, "", err)
	}
	return proveChoices(p)
}

// proveChoices refuses a fabric whose packets choose among minimal ports, or use the tables' ports
// instead, if these choices can form a credit loop. In a tree they cannot: all paths go up and then
// down.
func proveChoices(p *network.Plan) error {
	if p.Fabric.Routing.Mode == scenario.Deterministic || p.Graph.Family == topology.FamilyTree {
		return nil
	}
	loop := routing.CreditLoop(p.Graph, p.Tables, p.Lanes, true)
	if loop == nil {
		return nil
	}
	ports := make([]string, len(loop))
	for i, e := range loop {
		ports[i] = p.Graph.Nodes[e.Node].Name + " " + p.Graph.Nodes[e.Node].PortText(e.Port)
	}
	return network.Refuse(p.Fabric, "topology", fmt.Errorf("with %s routing packets can come to a standstill: those to be sent from %s and back to the first wait for each other: take routing.mode deterministic",
		p.Fabric.Routing.Mode, strings.Join(ports, ", ")))
}

// eachPlane is each plane of the fabric, as a subnet with LIDs, with the graph's node of each of
// its nodes.
func eachPlane(p *network.Plan, do func(*subnet.Subnet, []topology.NodeID) error) error {
	for plane := range max(1, p.Graph.Planes) {
		sub, nodes, err := network.SubnetOf(p.Fabric, p.Graph, plane)
		if err == nil {
			err = sub.AssignLIDsKeeping(uint8(p.Fabric.Routing.LMC), knownLIDs(p.Graph, sub, nodes))
		}
		if err == nil {
			err = do(sub, nodes)
		}
		if err != nil {
			return network.Refuse(p.Fabric, "", err)
		}
	}
	return nil
}

// knownLIDs are the LIDs that the ports of a real fabric have, by the GUID of the port; empty for a fabric of a scenario.
func knownLIDs(g *topology.Graph, sub *subnet.Subnet, nodes []topology.NodeID) map[units.GUID]units.LID {
	known := map[units.GUID]units.LID{}
	for i, node := range nodes {
		if lid := g.Nodes[node].ID.LID; lid != 0 {
			n := &sub.Nodes[i]
			known[n.Ports[n.Base()].GUID] = lid
		}
	}
	return known
}

// install proves the tables of a plane and installs them in the simulation. asked is the scenario's
// wording, for errors.
func install(p *network.Plan, sub *subnet.Subnet, nodes []topology.NodeID, res *route.Result, asked string) error {
	if err := takeLanes(p, sub, res.Tables, nodes, asked); err != nil {
		return err
	}
	if err := prove(sub, res.Tables, asked); err != nil {
		return err
	}
	adopt(p, sub, res.Tables, nodes)
	return nil
}

// engines are the engines to try, in order: the requested engine, or, for auto, the engine for the
// shape, then engines for any shape.
func engines(p *network.Plan) []route.Name {
	asked := route.Name(p.Fabric.IB.Engine)
	switch {
	case asked != route.Auto:
		return []route.Name{asked}
	case p.Fabric.IB.BySpeed:
		return []route.Name{"updn", route.Auto} // ftree, which auto takes for a tree, counts no rates
	case p.Graph.Family == topology.FamilyTorus && p.Graph.Ring && len(p.Graph.Dims) <= 3:
		return []route.Name{"torus-2QoS", route.Auto}
	case p.Graph.Family == topology.FamilyDragonfly && p.Fabric.Routing.Mode != scenario.Deterministic:
		return []route.Name{"dragonfly"} // its lanes are the shape's
	case p.Graph.Family == topology.FamilyDragonfly:
		return []route.Name{"dragonfly", route.Auto}
	}
	return []route.Name{route.Auto}
}

// routed computes the tables of a subnet of the fabric, which may have failed parts, with the first
// engine that can.
func routed(p *network.Plan, sub *subnet.Subnet) (res *route.Result, err error) {
	for _, name := range engines(p) {
		res, err = route.Compute(sub, name, optionsOf(p, sub, name))
		if refusal := (*route.Refusal)(nil); !errors.As(err, &refusal) {
			break
		}
	}
	return res, err
}

// optionsOf are the scenario's options for an engine.
func optionsOf(p *network.Plan, sub *subnet.Subnet, name route.Name) route.Options {
	o := route.Options{Lanes: scenario.OperationalVLs(p.Fabric.IB.VLs), Torus: torusConf(p), Groups: groupsOf(p, sub), BySpeed: p.Fabric.IB.BySpeed}
	if p.Graph.Family != topology.FamilyTree && (name == "updn" || name == "dnup") {
		o.Roots = roots(p, sub)
	}
	return o
}

// reroute is route for a running manager: if an engine requested by name cannot route the fabric
// after a fault, it is replaced as in weft sm run, and instead names the replacement.
func reroute(p *network.Plan, sub *subnet.Subnet) (res *route.Result, instead string, err error) {
	res, err = routed(p, sub)
	asked := route.Name(p.Fabric.IB.Engine)
	if refusal := (*route.Refusal)(nil); asked == route.Auto || !errors.As(err, &refusal) {
		return res, "", err
	}
	if res, err = route.Installable(sub, asked, optionsOf(p, sub, asked)); err != nil {
		return nil, "", err
	}
	return res, res.Report.Reason, nil
}

// tables are the tables of a running manager: those that the scenario gives while no cable is missing, else those of its
// engine.
func (m *managedSubnet) tables(p *network.Plan, s *subnet.Subnet) (res *route.Result, instead string, err error) {
	if len(p.Fabric.Routing.Forwarding) == 0 {
		return reroute(p, s)
	}
	ends := cableEnds(s)
	if m.whole == 0 {
		m.whole = ends
	}
	if ends != m.whole {
		return reroute(p, s)
	}
	at := p.NodesByGUID()
	nodes := make([]topology.NodeID, len(s.Nodes))
	for i := range s.Nodes {
		nodes[i] = at[s.Nodes[i].GUID]
	}
	res, err = given(p, s, nodes)
	return res, "", err
}

// cableEnds is the number of ports with a cable.
func cableEnds(s *subnet.Subnet) (n int) {
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if s.Nodes[i].Ports[p].Peer.Exists() {
				n++
			}
		}
	}
	return n
}

// prove refuses tables that do not deliver everything between ends, and tables with a credit loop.
func prove(sub *subnet.Subnet, t *subnet.Tables, asked string) error {
	report, err := proof.Check(sub, t, proof.Options{})
	if err != nil {
		return err
	}
	if r := &report.EndToEnd; !r.Proven() {
		return fmt.Errorf("%s: %d pairs of ports have no path, and %d are on paths that never end", asked, r.Lost, r.Looping)
	}
	for _, f := range report.Findings {
		if f.Kind == proof.LostLane {
			return fmt.Errorf("%s: the SL2VL table of %s has lane 15 for the service level of a path, and drops its packets", asked, sub.EndName(f.Places[0].Port))
		}
	}
	if circle := circleOf(sub, report); circle != "" {
		remedy := "take an engine that is free of deadlock (ftree, updn, dnup, nue)"
		if asked == givenTables {
			remedy = "if the paths have service levels against that, add the file with them (path records, or path-sl.txt) and the SL2VL tables; else take ib.engine in place of the tables"
		}
		return fmt.Errorf("%s can come to a standstill: packets to be sent from %s and back to the first wait for each other: %s", asked, circle, remedy)
	}
	return nil
}

// circleOf names the ports of the first credit loop of tables; "" if there is none.
func circleOf(sub *subnet.Subnet, report *proof.Report) string {
	if !report.Deadlocks() {
		return ""
	}
	var ports []string
	for _, h := range report.Cycles[0].Holds {
		ports = append(ports, fmt.Sprintf("%s port %d", sub.Nodes[h.Port.Node].Name, h.Port.Port))
	}
	return strings.Join(ports, ", ")
}

// adopt writes a subnet's forwarding tables into the simulation's tables.
func adopt(p *network.Plan, sub *subnet.Subnet, t *subnet.Tables, nodes []topology.NodeID) {
	for dense, at := range t.Switch {
		row := p.Tables.Port[(int(nodes[at])-p.Graph.Endpoints)*p.Tables.Endpoints:][:p.Tables.Endpoints]
		for i := range sub.Nodes {
			n := &sub.Nodes[i]
			if n.Kind == subnet.Switch {
				continue
			}
			port := t.LFT[dense][n.Ports[n.Base()].LID]
			if port == subnet.NoPort {
				row[nodes[i]] = routing.NoPort
				continue
			}
			row[nodes[i]] = uint16(port) - 1
		}
	}
}
