package sm

import (
	"weft/internal/ib/subnet"
	"weft/units"
)

// routed is the subnet and the tables of the last sweep that computed tables.
type routed struct {
	sub    *subnet.Subnet // nil before the first
	tables *subnet.Tables
	owners []subnet.End              // by LID: port in sub
	at     []int32                   // by node of sub: index into the sweep's nodes
	behind []*node                   // by node of sub: the discovered node
	byPort map[units.GUID]subnet.End // end ports, in sub
	dense  map[*node]int             // number of a switch in tables
}

// newRouted is a subnet with the LIDs of its ports and its tables.
func newRouted(s *subnet.Subnet, t *subnet.Tables, at []int32, nodes []*node) routed {
	r := routed{
		sub: s, tables: t, owners: s.Owners(), at: at, behind: make([]*node, len(s.Nodes)),
		byPort: map[units.GUID]subnet.End{}, dense: make(map[*node]int, len(t.Switch)),
	}
	r.eachEndPort(func(at subnet.End, p *subnet.Port) bool {
		r.byPort[p.GUID] = at
		return true
	})
	for i := range s.Nodes {
		r.behind[i] = nodes[at[i]]
		if d := t.Dense[i]; d >= 0 {
			r.dense[r.behind[i]] = int(d)
		}
	}
	return r
}

// managerLID is the LID of the port that the manager runs on.
func (r *routed) managerLID() units.LID {
	if r.sub == nil {
		return 0
	}
	o := r.sub.Origin
	if r.sub.Nodes[o.Node].Kind == subnet.Switch {
		o.Port = 0
	}
	return r.sub.Port(o).LID
}

// eachEndPort calls f for every port that has a LID, in the order of nodes, until
// it returns false.
func (r *routed) eachEndPort(f func(at subnet.End, p *subnet.Port) bool) {
	for i := range r.sub.Nodes {
		for j := range r.sub.Nodes[i].Ports {
			if p := &r.sub.Nodes[i].Ports[j]; p.LID != 0 && !f(subnet.End{Node: int32(i), Port: uint16(j)}, p) {
				return
			}
		}
	}
}

// owner is the end port that has a LID.
func (r *routed) owner(lid units.LID) (at subnet.End, exists bool) {
	if r.sub == nil || int(lid) >= len(r.owners) {
		return subnet.None, false
	}
	return r.owners[lid], r.owners[lid].Exists()
}

// base is the base LID of the port that has a LID.
func (r *routed) base(lid units.LID) units.LID {
	if at, exists := r.owner(lid); exists {
		return r.sub.Port(at).LID
	}
	return lid
}

// lidOf is the LID of a port; a switch's ports have the LID of the switch.
func (r *routed) lidOf(at subnet.End) units.LID {
	if r.sub.Nodes[at.Node].Kind == subnet.Switch {
		at.Port = 0
	}
	return r.sub.Port(at).LID
}
