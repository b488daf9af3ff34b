package routing

import "weft/internal/base/topology"

// Lanes is the rule by which packets change virtual lanes at switches so that minimal routing has
// no credit loop. Packets enter on lane 0 (the first lane of the rule for their service level).
//
//   - Trees and dragonfly+: one lane; up before down is enough.
//   - Dragonfly: two lanes; a packet that came over a global cable continues
//     on the next lane. InfiniBand's SL2VL tables express it, for they know the
//     port a packet came in by.
//   - Torus: two lanes; from the cable that joins the ends of a ring (the
//     dateline) on, a packet is on lane 1 until it leaves the dimension. SL2VL
//     tables do not know the lane a packet came on, so that InfiniBand says
//     with one bit of the service level per dimension whether the path will
//     cross (OpenSM's torus-2QoS); lanes by that rule are a subset of these.
//     It breaks the loops of dimension-order routing only: choosing freely
//     among minimal ports of a torus needs a lane to escape to.
type Lanes struct {
	Count  int // lanes that the rule uses
	family topology.Family
	first  []int32
	class  []uint8     // by switch and port: the class of the cable in the rule
	levels []*LevelMap // by switch; nil: lanes do not follow service levels
}

// Classes of ports: for a dragonfly, whether the cable is global; for a torus, the dimension from 1
// up in the low bits, and whether it crosses the dateline.
const (
	laneGlobal   = 1
	laneDateline = 0x80
)

// LanesFor is the rule for a graph.
func LanesFor(g *topology.Graph) *Lanes {
	l := &Lanes{Count: 1, family: g.Family}
	if g.Family == topology.FamilyDragonfly || g.Family == topology.FamilyTorus && g.Ring {
		l.Count = 2
	}
	if l.Count == 1 {
		return l
	}
	for s := range g.Switches() {
		l.first = append(l.first, int32(len(l.class)))
		at := topology.NodeID(g.Endpoints + s)
		for p := range g.Nodes[at].Cables {
			l.class = append(l.class, classOf(g, topology.End{Node: at, Port: int32(p)}))
		}
	}
	return l
}

func classOf(g *topology.Graph, e topology.End) uint8 {
	far, c, ok := g.Peer(e)
	if !ok || int(far.Node) < g.Endpoints {
		return 0
	}
	if g.Family == topology.FamilyDragonfly {
		if g.KindOf(g.Cables[c]) == topology.Global {
			return laneGlobal
		}
		return 0
	}
	dim, a, b := differ(g, int(e.Node)-g.Endpoints, int(far.Node)-g.Endpoints)
	class := uint8(dim + 1)
	if d := a - b; d != 1 && d != -1 {
		class |= laneDateline
	}
	return class
}

// Next is the output lane of a packet of a service level that entered a switch through port in on
// lane vl and leaves through port out.
func (l *Lanes) Next(sw int, in, out uint16, vl, sl uint8) uint8 {
	if l.levels != nil {
		return l.levels[sw].at(in, out, sl)
	}
	if l.Count == 1 {
		return vl
	}
	from, to := l.class[l.first[sw]+int32(in)], l.class[l.first[sw]+int32(out)]
	if l.family == topology.FamilyDragonfly {
		return vl + from // laneGlobal is one
	}
	switch {
	case to&laneDateline != 0:
		return 1
	case from&^laneDateline == to:
		return vl
	}
	return 0
}

// oneLane is the rule of a single lane, for any shape.
var oneLane = &Lanes{Count: 1}
