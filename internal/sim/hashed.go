package sim

import (
	"weft/internal/collective"
	"weft/internal/fabric"
	"weft/internal/topology"
	"weft/internal/workload"
	"weft/scenario"
)

// Where switches hash, the ways of a message's packets are known before anything runs:
// by the entropy of its connections and the salts of the switches. So a phase of
// messages can be divided into islands even where messages collide: two of them share
// no rank, NIC or port of a switch, neither for data nor for what comes back. Each is
// simulated, since what collides where differs, and so do the draws of what is marked;
// but not all at once.

// hashedShore divides a phase of messages by the ways that they take; it gives no
// island where the ways are not known.
func (p *plan) hashedShore(r *scenario.Resolved, planner *planner, phase *workload.Phase) *shore {
	if phase.Kind != workload.Send || switchRouting(p.fabric.Routing.Mode) != fabric.ECMP || p.fabric.Transport.EntropyValues > 0 || p.unlike(r) || pooled(p.node) {
		return &shore{}
	}
	u := newUnion(len(phase.Groups))
	cluster := layoutOf(&r.Cluster)
	for i, members := range phase.Groups {
		c := newCommunicator(messageGroup, cluster, members)
		cp, err := planner.plan(c, collective.Send, max(1, int64(phase.Bytes[i])), 0)
		inside := cluster.Node(int(members[0])) == cluster.Node(int(members[1]))
		if err != nil || inside || cp.pace.host.Num > 0 { // the run says why; nodes are shared
			return &shore{}
		}
		legs, ok := cp.legs()
		if !ok || !p.message(c, legs, r.Run.Seed, func(at resource) { u.touch(i, at) }) {
			return &shore{}
		}
	}
	return &shore{groups: u.all(), hashed: true}
}

// message calls each for all that a message between nodes uses. It reports false where
// that is more than ranks, NICs and links, or the way is not known.
func (p *plan) message(c *communicator, legs []leg, seed uint64, each func(resource)) bool {
	for i := range legs {
		if legs[i].path != collective.PathAuto {
			return false
		}
		k, relayed := c.pair(&legs[i])
		if relayed {
			return false
		}
		for _, at := range []resource{{kind: ofRank, at: k.from}, {kind: ofRank, at: k.to}, {kind: ofNIC, at: k.a}, {kind: ofNIC, at: k.b}} {
			each(at)
		}
		for turn := range p.connectionsPerPair() {
			there, known := p.hashedWay(seed, k.entropy(turn), k.a, k.b)
			back, knownBack := p.hashedWay(seed, otherEnd(k.entropy(turn)), k.b, k.a)
			if !known || !knownBack {
				return false
			}
			for _, at := range append(there, back...) {
				each(at)
			}
		}
	}
	return true
}

// hashedWay is the ports of switches that packets of an entropy take from a NIC to
// another; false where it finds no way.
func (p *plan) hashedWay(seed uint64, entropy uint32, a, b int32) (way []resource, ok bool) {
	at, _, ok := p.leafPort(a)
	for ok && at != b {
		if p.graph.Nodes[at].Kind != topology.Switch || len(way) > len(p.graph.Nodes) {
			return nil, false
		}
		set := p.tables.Minimal(int(at)-p.graph.Endpoints, int(b))
		if len(set) == 0 {
			return nil, false
		}
		port := set[0]
		if len(set) > 1 {
			port = set[fabric.Hash(entropy, fabric.Salt(p.seed(seed), int(at)), len(set))]
		}
		way = append(way, resource{ofSwitch, at, int32(port)})
		at = p.far(p.graph.Nodes[at].Cables[port], at)
	}
	return way, ok
}
