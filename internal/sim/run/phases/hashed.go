package phases

import (
	"weft/internal/base/topology"
	"weft/internal/sim/collective"
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/scenario"
)

// If switches hash, the paths of a message's packets are known before the run: they follow from the
// entropy of its connections and the salts of the switches. So a phase of messages can be divided
// into islands even if messages collide: two islands share no rank, NIC or port of a switch,
// neither for data nor for responses. Each island is simulated, because collisions and random marks
// differ between islands; but not all at once.

// hashedShore divides a phase of messages by their paths; it returns no island if the paths are
// unknown.
func hashedShore(p *network.Plan, r *scenario.Resolved, planner *executor.Planner, phase *workload.Phase) *shore {
	if phase.Kind != workload.Send || network.SwitchRouting(p.Fabric.Routing.Mode) != fabric.ECMP || p.Fabric.Transport.EntropyValues > 0 || unlike(p, r) || network.Pooled(p.Node) {
		return &shore{}
	}
	u := newUnion(len(phase.Groups))
	cluster := executor.LayoutOf(&r.Cluster, p.Fabric)
	for i, members := range phase.Groups {
		c := executor.NewCommunicator(executor.MessageGroup, cluster, members)
		cp, err := planner.Plan(c, collective.Send, max(1, int64(phase.Bytes[i])), 0)
		inside := cluster.Node(int(members[0])) == cluster.Node(int(members[1]))
		if err != nil || inside || cp.Limits.PerByte.Num > 0 { // the run reports the reason; nodes are shared
			return &shore{}
		}
		edges, ok := cp.Edges()
		if !ok || !message(p, c, edges, func(at resource) { u.touch(i, at) }) {
			return &shore{}
		}
	}
	return &shore{groups: u.all(), hashed: true}
}

// message calls each for all resources of a message between nodes. It returns false if these are
// more than ranks, NICs and links, or if the path is unknown.
func message(p *network.Plan, c *executor.Communicator, edges []executor.Edge, each func(resource)) bool {
	for i := range edges {
		if edges[i].Path != collective.PathAuto {
			return false
		}
		k, relayed := c.Pair(&edges[i])
		if relayed {
			return false
		}
		for _, at := range []resource{{kind: ofRank, at: k.From}, {kind: ofRank, at: k.To}, {kind: ofNIC, at: k.A}, {kind: ofNIC, at: k.B}} {
			each(at)
		}
		for turn := range p.ConnectionsPerPair() {
			hashed := p.Hashed(k.A, k.B, k.Entropy(turn))
			there, known := hashedWay(p, hashed, k.A, k.B)
			back, knownBack := hashedWay(p, network.OtherEnd(hashed), k.B, k.A)
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

// hashedWay is the ports of switches on the path of packets with an entropy from one NIC to
// another; false if there is no path.
func hashedWay(p *network.Plan, entropy uint32, a, b int32) (way []resource, ok bool) {
	at, _, ok := leafPort(p, a)
	for ok && at != b {
		if p.Graph.Nodes[at].Kind != topology.Switch || len(way) > len(p.Graph.Nodes) {
			return nil, false
		}
		set := p.Tables.Minimal(int(at)-p.Graph.Endpoints, int(b))
		if len(set) == 0 {
			return nil, false
		}
		port := set[0]
		if len(set) > 1 {
			port = p.Choice(int(at), entropy, set)
		}
		way = append(way, resource{ofSwitch, at, int32(port)})
		at = far(p, p.Graph.Nodes[at].Cables[port], at)
	}
	return way, ok
}
