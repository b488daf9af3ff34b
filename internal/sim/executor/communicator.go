package executor

import (
	"weft/internal/collective"
	"weft/internal/sim/network"
	"weft/units"
)

// Communicator is a group of ranks that run collectives together, one after the
// other. A member is a rank of the group, by its place in it.
type Communicator struct {
	ID      int32
	Members []int32       // the cluster's rank of each
	place   map[int32]int // by rank
	layout  collective.Layout
	nics    []int32        // by node of the layout and rail: the NIC
	kernels [][]units.Time // by member and channel: when its kernel is done with what it has taken
	entered []int          // by member: how many operations it has begun
	first   int            // the number of the first of under
	doing   [][]int32      // by member: its operations of a workload that are under way
	trees   *network.Grove // of reductions in the network; nil where there are none
	under   []*operation   // that some member has begun and another has not, in their order
}

// NewCommunicator is the communicator of some ranks of a cluster.
//
// NCCL sees the nodes, the GPUs of the group in each, and the NICs beside those.
// Where the nodes differ in that, or the group's order goes to and fro between
// them, every member counts as a node of its own with one NIC; what is really
// inside a node stays there all the same.
func NewCommunicator(id int32, cluster collective.Layout, members []int32) *Communicator {
	c := &Communicator{ID: id, Members: members, place: make(map[int32]int, len(members)), kernels: make([][]units.Time, len(members)), entered: make([]int, len(members)), doing: make([][]int32, len(members))}
	for i, r := range members {
		c.place[r] = i
	}
	per := regular(cluster, members)
	rails := railsOf(cluster, members[:per])
	c.layout = collective.Layout{Nodes: len(members) / per, PerNode: per, NICs: len(rails)}
	for i := 0; i < len(members); i += per {
		if per == 1 { // nodes of different rails
			rails = railsOf(cluster, members[i:i+1])
		}
		for _, rail := range rails {
			c.nics = append(c.nics, int32(cluster.Node(int(members[i]))*cluster.Rails()+rail))
		}
	}
	return c
}

// regular is how many members each node has, if all have the same GPUs of their
// nodes in the same order; 1 otherwise.
func regular(cluster collective.Layout, members []int32) int {
	per := 1
	for per < len(members) && cluster.Node(int(members[per])) == cluster.Node(int(members[0])) {
		per++
	}
	if len(members)%per != 0 {
		return 1
	}
	seen := make(map[int]bool)
	for i := 0; i < len(members); i += per {
		node := cluster.Node(int(members[i]))
		if seen[node] {
			return 1
		}
		seen[node] = true
		for j := range per {
			r := int(members[i+j])
			if cluster.Node(r) != node || cluster.Local(r) != cluster.Local(int(members[j])) {
				return 1
			}
		}
	}
	return per
}

// railsOf are the NICs beside some GPUs of a node, in order, each once.
func railsOf(cluster collective.Layout, members []int32) (rails []int) {
	seen := make(map[int]bool)
	for _, m := range members {
		for channel := range max(1, cluster.Rails()/cluster.PerNode) {
			if rail := cluster.Rail(cluster.Local(int(m)), channel); !seen[rail] {
				seen[rail] = true
				rails = append(rails, rail)
			}
		}
	}
	return rails
}

// nic is the NIC of a rail of a member's node.
func (c *Communicator) nic(member, rail int) int32 {
	return c.nics[c.layout.Node(member)*c.layout.Rails()+rail]
}

// kernel is when a channel's kernel of a member is done with what it has taken.
func (c *Communicator) kernel(member, channel int) *units.Time {
	for len(c.kernels[member]) <= channel {
		c.kernels[member] = append(c.kernels[member], 0)
	}
	return &c.kernels[member][channel]
}

// next is the operation that a member begins now, which open makes where the
// member is the first.
func (c *Communicator) next(member int, open func() *operation) *operation {
	i := c.entered[member] - c.first
	c.entered[member]++
	if i == len(c.under) {
		c.under = append(c.under, open())
	}
	o := c.under[i]
	if o == nil {
		return nil
	}
	if o.absent--; o.absent == 0 { // and no earlier one has absentees
		c.under = c.under[:copy(c.under, c.under[1:])]
		c.first++
	}
	return o
}
