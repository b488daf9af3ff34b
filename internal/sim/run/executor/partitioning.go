package executor

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
)

// canPartition reports whether a collective can run in several simulation partitions: ranks must
// affect each other only through the network, and the pairs of communicating ranks must be known
// before. Three kinds cannot: streams end with the last rank, which all of them would have to know
// at once; reductions and copies in switches are a common state of all NICs of a rail; and a pair
// of NICs that may not communicate is found only at its first message.
func (r *collectives) canPartition(p *network.Plan, c *Communicator, edges []Edge) bool {
	if len(p.Fabric.Beside) > 0 {
		return false
	}
	for i := range edges {
		if edges[i].Path.InNetwork() {
			return false
		}
		if !r.leavesNode(c, &edges[i]) {
			continue
		}
		if k, _ := c.Pair(&edges[i]); p.Apart(k.A, k.B) != "" {
			return false
		}
	}
	return true
}

// leavesNode reports whether the messages of an edge leave their node.
func (r *collectives) leavesNode(c *Communicator, w *Edge) bool {
	return w.Path == collective.PathAuto && r.cluster.Node(int(c.Members[w.From])) != r.cluster.Node(int(c.Members[w.To]))
}

// connectEdges makes all connections of a collective before the run: during a run in several
// partitions, no partition can make both ends.
func (r *collectives) connectEdges(c *Communicator, edges []Edge) error {
	for i := range edges {
		if !r.leavesNode(c, &edges[i]) {
			continue
		}
		k, _ := c.Pair(&edges[i])
		if _, err := r.connect(k, nil); err != nil {
			return err
		}
	}
	r.connected = true
	return nil
}

// actsByHost reports whether the hosts of a run affect each other only through the network, which is not true of
// reductions in its switches and of streams. A queue pair's context has its number, in the order of first use.
func (r *collectiveRun) actsByHost(j *network.Task) bool {
	return j.Scenario.Job().Nodes == j.Scenario.Cluster.Nodes && j.Plan.Fabric.NIC.Contexts == 0 &&
		len(j.Plan.Fabric.Beside) == 0 && r.all.trees == nil
}

// byHost is a collective whose hosts affect each other only through the network.
type byHost struct{ *collectiveRun }

// NodeOf is the GPU of a rank's timers.
func (r byHost) NodeOf(source uint32) int32 { return r.net.GPU(int(source)) }
