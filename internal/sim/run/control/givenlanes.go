package control

import (
	"fmt"
	"strconv"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
)

// givenLanes adds the service levels of paths and the SL2VL tables that a scenario gives.
func givenLanes(p *network.Plan, sub *subnet.Subnet, nodes []topology.NodeID, t *subnet.Tables) error {
	r := &p.Fabric.Routing
	if len(r.Levels)+len(r.LevelLanes) == 0 {
		return nil
	}
	used, err := givenLevels(p, sub, nodes, t)
	if err != nil {
		return err
	}
	if len(r.LevelLanes) > 0 {
		if err := givenMaps(p, sub, nodes, t); err != nil {
			return err
		}
	}
	top := topLane(p, t, used)
	if t.Lanes = top + 1; t.Lanes > scenario.OperationalVLs(p.Fabric.IB.VLs) {
		return fmt.Errorf("the tables of routing.tables put packets on VL %d, and ib.vls %d has %d lanes: write ib.vls: %d", top, p.Fabric.IB.VLs, scenario.OperationalVLs(p.Fabric.IB.VLs), min(15, t.Lanes))
	}
	return nil
}

// givenLevels makes the levels of paths those of the scenario, or ib.sl. used has a bit for each level of a path.
func givenLevels(p *network.Plan, sub *subnet.Subnet, nodes []topology.NodeID, t *subnet.Tables) (used uint16, err error) {
	r := &p.Fabric.Routing
	if len(r.Levels) == 0 {
		sl := units.SL(p.Fabric.IB.SL)
		t.SL = func(units.LID, units.LID) units.SL { return sl }
		return 1 << sl, nil
	}
	if len(r.Levels) != p.Graph.Endpoints {
		return 0, fmt.Errorf("routing.levels has %d rows, and the fabric %d NICs", len(r.Levels), p.Graph.Endpoints)
	}
	rows := make([][]units.SL, len(r.Levels))
	for i, row := range r.Levels {
		for _, value := range row.Values() {
			sl, err := strconv.ParseUint(value, 16, 4)
			if err != nil {
				return 0, fmt.Errorf("routing.levels: %q is no service level: want a hexadecimal digit", value)
			}
			rows[i] = append(rows[i], units.SL(sl))
		}
		if want := p.Graph.Endpoints << r.LMC; len(rows[i]) != want {
			return 0, fmt.Errorf("routing.levels: the row of %s has %d levels, and the fabric %d LIDs of NICs", p.Graph.Nodes[i].Name, len(rows[i]), want)
		}
		for to, sl := range rows[i] {
			if to%p.Graph.Endpoints != i {
				used |= 1 << sl
			}
		}
	}
	at := make([]int, sub.TopLID()+1) // by LID: where a row has its level; -1 for switches
	for lid, owner := range sub.Owners() {
		at[lid] = -1
		if owner.Exists() && sub.Nodes[owner.Node].Kind != subnet.Switch {
			at[lid] = (lid-int(sub.Port(owner).LID))*p.Graph.Endpoints + int(nodes[owner.Node])
		}
	}
	t.SL = func(src, dst units.LID) units.SL {
		if at[src] < 0 || at[dst] < 0 {
			return 0
		}
		return rows[at[src]%p.Graph.Endpoints][at[dst]]
	}
	return used, nil
}

// givenMaps makes the SL2VL tables of switches those of the scenario. In a switch without one a level's lane is its number.
func givenMaps(p *network.Plan, sub *subnet.Subnet, nodes []topology.NodeID, t *subnet.Tables) error {
	rows := p.Fabric.Routing.LevelLanes
	if len(rows) != p.Graph.Switches() {
		return fmt.Errorf("routing.level-lanes has the tables of %d switches, and the fabric %d", len(rows), p.Graph.Switches())
	}
	t.SL2VL = make([]subnet.SLMap, len(t.Switch))
	for dense, at := range t.Switch {
		m := subnet.NewSLMap(sub.Nodes[at].NumPorts())
		values := rows[int(nodes[at])-p.Graph.Endpoints].Values()
		if len(values) != m.Ports*m.Ports && len(values) > 0 {
			return fmt.Errorf("routing.level-lanes: the table of %s has %d rows, and its %d ports have %d pairs", sub.Nodes[at].Name, len(values), m.Ports, m.Ports*m.Ports)
		}
		for in := range m.Ports {
			for out := range m.Ports {
				lanes := identity
				if len(values) > 0 {
					var err error
					if lanes, err = lanesOf(values[in*m.Ports+out]); err != nil {
						return fmt.Errorf("routing.level-lanes: %w", err)
					}
				}
				for sl, vl := range lanes {
					m.Set(uint8(in+1), uint8(out+1), units.SL(sl), vl)
				}
			}
		}
		t.SL2VL[dense] = m
	}
	return nil
}

// identity is the SL2VL table in which a level's lane is its number.
var identity = [16]units.VL{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// lanesOf are the lanes of the 16 levels.
func lanesOf(text string) (lanes [16]units.VL, err error) {
	if len(text) != len(lanes) {
		return lanes, fmt.Errorf("%q is no row of lanes: want 16 hexadecimal digits", text)
	}
	for sl := range lanes {
		vl, err := strconv.ParseUint(text[sl:sl+1], 16, 4)
		if err != nil {
			return lanes, fmt.Errorf("%q is no row of lanes: want 16 hexadecimal digits", text)
		}
		lanes[sl] = units.VL(vl)
	}
	return lanes, nil
}

// topLane is the highest lane of the used levels, at switches between ports with a cable and at NICs.
func topLane(p *network.Plan, t *subnet.Tables, used uint16) (top int) {
	for sl := range units.SL(16) {
		if used>>sl&1 == 0 {
			continue
		}
		if t.SL2VL == nil {
			top = max(top, int(sl))
		}
		for i := range t.SL2VL {
			m := &t.SL2VL[i]
			for in := 1; in <= m.Ports; in++ {
				for out := 1; out <= m.Ports; out++ {
					if vl := m.At(uint8(in), uint8(out), sl); vl < discard {
						top = max(top, int(vl))
					}
				}
			}
		}
		for _, row := range p.Fabric.Routing.NICLanes {
			if lanes, err := lanesOf(string(row)); err == nil && lanes[sl] < discard {
				top = max(top, int(lanes[sl]))
			}
		}
	}
	return top
}

// discard is the lane on which a switch drops packets (IBA vol. 1, 14.2.5.8).
const discard units.VL = 15

// nicLanes are the SL2VL tables of NICs that a scenario gives, nil where it gives none.
func nicLanes(p *network.Plan) ([]*[16]units.VL, error) {
	rows := p.Fabric.Routing.NICLanes
	if len(rows) == 0 {
		return nil, nil
	}
	if len(rows) != p.Graph.Endpoints {
		return nil, fmt.Errorf("routing.nic-lanes has %d rows, and the fabric %d NICs", len(rows), p.Graph.Endpoints)
	}
	all := make([]*[16]units.VL, len(rows))
	for i, row := range rows {
		if row == "" {
			continue
		}
		lanes, err := lanesOf(string(row))
		if err != nil {
			return nil, fmt.Errorf("routing.nic-lanes: %w", err)
		}
		all[i] = &lanes
	}
	return all, nil
}

// spreadLIDs makes the connections of a fabric use all LIDs of its NICs (routing.lids: spread).
func spreadLIDs(p *network.Plan) error {
	r := &p.Fabric.Routing
	if r.LIDs != scenario.SpreadLIDs || r.LMC == 0 {
		return nil
	}
	if r.Mode != scenario.Deterministic {
		return fmt.Errorf("routing.lids spread gives each connection one path, and with %s routing packets leave it: take routing.mode deterministic", r.Mode)
	}
	rows := make([][]byte, len(r.Forwarding))
	for i, row := range r.Forwarding {
		rows[i] = row.Ports()
	}
	return p.SpreadLIDs(1<<r.LMC, func(sw, nic, k int) uint16 {
		if port := rows[sw][k*p.Graph.Endpoints+nic]; port != subnet.NoPort {
			return uint16(port) - 1
		}
		return routing.NoPort
	})
}
