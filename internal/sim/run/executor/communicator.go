package executor

import (
	"slices"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
	"weft/units"
)

// Communicator is a group of ranks that run collectives together, one after the other. A member is
// a rank of the group, by its index in it.
type Communicator struct {
	ID      int32
	Members []int32       // the cluster's rank of each
	place   map[int32]int // by rank; nil if stride says it
	stride  int32         // from each member's rank to the next, if it is the same
	layout  collective.Layout
	gpus    int                 // of a node that take part: more than the layout has if each stands for several
	nics    []int32             // by node of the layout and rail: the NIC
	kernels [][]units.Time      // by member and channel: the time at which its kernel has processed its data
	entered []int               // by member: number of operations that it has begun
	first   int                 // the number of the first operation in under
	doing   [][]int32           // by member: its operations of a workload in progress
	trees   *network.GroupTrees // trees of reductions in the network; nil if there are none
	under   []*operation        // operations that some but not all members have begun, in their order
	idle    []*operation        // finished operations of this group
}

// NewCommunicator is the communicator of some ranks of a cluster.
//
// NCCL sees the nodes, the GPUs of the group in each, and the NICs beside these GPUs. If the nodes
// differ in this respect, or the group's order alternates between them, every member counts as a
// node of its own; messages inside a real node stay there all the same. Members with more NICs than
// others leave the rest unused if collective.Layout cannot assign NICs to GPUs.
func NewCommunicator(id int32, cluster collective.Layout, members []int32) *Communicator {
	c := &Communicator{ID: id, Members: members, kernels: make([][]units.Time, len(members)), entered: make([]int, len(members)), doing: make([][]int32, len(members))}
	if c.stride = strideOf(members); c.stride == 0 {
		c.place = make(map[int32]int, len(members))
		for i, r := range members {
			c.place[r] = i
		}
	}
	per := regular(cluster, members)
	own := rails{cluster, members, per}
	c.layout = collective.Layout{Nodes: len(members) / per, PerNode: per, NICs: own.count()}
	c.gpus = per
	for node := range c.layout.Nodes {
		for _, rail := range own.of(node, c.layout.NICs) {
			c.nics = append(c.nics, int32((cluster.Node(int(members[node*per]))*cluster.Rails()+rail)*max(cluster.Stripe, 1)))
		}
	}
	return c
}

// strideOf is the distance from each member's rank to the next; 0 if it is not the same everywhere.
func strideOf(members []int32) int32 {
	if len(members) < 2 {
		return 1
	}
	stride := members[1] - members[0]
	for i := range members[1:] {
		if members[i+1]-members[i] != stride {
			return 0
		}
	}
	return stride
}

// member is the member that a rank is.
func (c *Communicator) member(rank int) int {
	if c.place == nil {
		return (rank - int(c.Members[0])) / int(c.stride)
	}
	return c.place[int32(rank)]
}

// regular is the number of members of each node, if all nodes have the same GPUs in the same order;
// else 1.
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

// rails are the NICs beside the members of a group in each of its nodes.
type rails struct {
	cluster collective.Layout
	members []int32
	per     int // members per node
}

// all are the NICs beside a node's members, in order, each once.
func (r rails) all(node int) (list []int) {
	for _, m := range r.members[node*r.per : (node+1)*r.per] {
		first, count := r.cluster.NICsOf(r.cluster.Local(int(m)))
		for rail := first; rail < first+count; rail++ {
			if !slices.Contains(list, rail) {
				list = append(list, rail)
			}
		}
	}
	return list
}

// even reports whether the NICs of a node's members are placed as in a layout with this number of
// NICs. NICs that GPUs share are redistributed among the members.
func (r rails) even(node int, list []int) bool {
	if r.cluster.Rails() < r.cluster.PerNode {
		return true
	}
	l := collective.Layout{Nodes: 1, PerNode: r.per, NICs: len(list)}
	for i, m := range r.members[node*r.per : (node+1)*r.per] {
		first, count := r.cluster.NICsOf(r.cluster.Local(int(m)))
		if at, n := l.NICsOf(i); n != count || list[at] != first {
			return false
		}
	}
	return true
}

// count is the number of NICs of each node in the layout: all, or for each member as many as the
// member with the fewest has.
func (r rails) count() int {
	nodes := len(r.members) / r.per
	if r.per > 1 {
		nodes = 1 // all nodes are like the first
	}
	count, least := len(r.all(0)), r.cluster.Rails()
	uneven := false
	for node := range nodes {
		list := r.all(node)
		uneven = uneven || len(list) != count || !r.even(node, list)
		for _, m := range r.members[node*r.per : (node+1)*r.per] {
			_, own := r.cluster.NICsOf(r.cluster.Local(int(m)))
			least = min(least, own)
		}
	}
	if uneven {
		return least * r.per
	}
	return count
}

// of are the NICs of a node, count in total.
func (r rails) of(node, count int) (list []int) {
	if all := r.all(node); len(all) == count && r.even(node, all) {
		return all
	}
	for _, m := range r.members[node*r.per : (node+1)*r.per] {
		first, _ := r.cluster.NICsOf(r.cluster.Local(int(m)))
		for i := range count / r.per {
			list = append(list, first+i)
		}
	}
	return list
}

// besideRail is the rank of a member's node that is beside the NIC of a rail.
func (c *Communicator) besideRail(member, rail int) int {
	if c.standsForOthers() {
		return int(c.Members[member])
	}
	return int(c.Members[c.layout.Node(member)*c.layout.PerNode+c.layout.RailGPU(rail)])
}

// standsForOthers reports whether each member stands for all GPUs of its node.
func (c *Communicator) standsForOthers() bool { return c.gpus > c.layout.PerNode }

// nic is the NIC of a rail of a member's node.
func (c *Communicator) nic(member, rail int) int32 {
	return c.nics[c.layout.Node(member)*c.layout.Rails()+rail]
}

// kernel is the time at which a channel's kernel of a member has processed its data.
func (c *Communicator) kernel(member, channel int) *units.Time {
	for len(c.kernels[member]) <= channel {
		c.kernels[member] = append(c.kernels[member], 0)
	}
	return &c.kernels[member][channel]
}

// next is the operation that a member begins now; open makes it if the member is the first.
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
	if o.absent--; o.absent == 0 { // and all earlier operations are complete
		c.under = c.under[:copy(c.under, c.under[1:])]
		c.first++
	}
	return o
}
