package control

import (
	"slices"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// destLID is one LID of an endpoint: number k, from 0.
type destLID struct{ dst, k int }

// simPort is a port of a manager's table as the simulation counts it.
func simPort(port uint8) uint16 {
	if port == subnet.NoPort {
		return routing.NoPort
	}
	return uint16(port) - 1
}

// rememberLIDs records the ports to the further LIDs of NICs, if connections use them.
func (d *mending) rememberLIDs(sub *subnet.Subnet, t *subnet.Tables, nodes []topology.NodeID) {
	d.more = make([][]uint16, d.LIDs()-1)
	for k := range d.more {
		d.more[k] = slices.Repeat([]uint16{routing.NoPort}, len(d.Tables.Port))
		for dense, at := range t.Switch {
			row := d.more[k][(int(nodes[at])-d.Graph.Endpoints)*d.Tables.Endpoints:]
			for i := range sub.Nodes {
				if n := &sub.Nodes[i]; n.Kind != subnet.Switch {
					row[nodes[i]] = simPort(t.LFT[dense][int(n.Ports[n.Base()].LID)+k+1])
				}
			}
		}
	}
}

// turnTo sets the port of a switch to a LID. It reports whether the port is new.
func (d *mending) turnTo(sw int, to destLID, port uint16) bool {
	ports := d.port
	if to.k > 0 {
		ports = d.more[to.k-1]
	}
	at := sw*d.Graph.Endpoints + to.dst
	changed := ports[at] != port
	ports[at] = port
	return changed
}

// portsByLID are the ports of a switch to the LIDs of an endpoint, in their order; NoPort where packets are dropped. It is
// nil if connections use the first LIDs alone.
func (d *mending) portsByLID(sw, dst int) []uint16 {
	if len(d.more) == 0 {
		return nil
	}
	at := sw*d.Graph.Endpoints + dst
	ports := []uint16{d.port[at]}
	for _, of := range d.more {
		ports = append(ports, of[at])
	}
	return ports
}

// static reports whether packets take the port of static routing, and no other.
func static(p *network.Plan) bool {
	return p.Fabric.Routing.Mode == scenario.Deterministic && p.LIDs() == 1
}
