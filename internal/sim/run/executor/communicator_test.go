package executor

import (
	"fmt"
	"testing"

	"weft/internal/sim/collective"
)

// For any number of GPUs and NICs in a node, the communicator of all ranks has all NICs of
// the cluster, each once, and every member uses NICs of its own node.
func TestEveryMemberHasNICsOfItsOwnNode(t *testing.T) {
	for gpus := 1; gpus <= 9; gpus++ {
		for nics := 1; nics <= 19; nics++ {
			cluster := collective.Layout{Nodes: 2, PerNode: gpus, NICs: nics}
			for first := range gpus {
				for last := first + 1; last <= gpus; last++ {
					for _, stride := range []int{1, 2, 3} {
						testMembers(t, cluster, first, last, stride)
					}
				}
			}
			// Groups whose nodes differ in their GPUs.
			for a := range gpus {
				for b := range gpus {
					checkNICs(t, cluster, []int32{int32(a), int32(gpus + b)})
				}
			}
		}
	}
}

// A member is found by its rank in any group: of ranks one after the other, of every second one, and of ranks without an order.
func TestAMemberIsFoundByItsRank(t *testing.T) {
	cluster := collective.Layout{Nodes: 4, PerNode: 2, NICs: 2}
	for _, members := range [][]int32{{5}, {0, 1, 2, 3}, {1, 3, 5, 7}, {6, 4, 2}, {0, 1, 4, 5}, {0, 1, 3, 2}, {3, 0, 7}} {
		c := NewCommunicator(0, cluster, members)
		for member, rank := range members {
			if got := c.member(int(rank)); got != member {
				t.Errorf("rank %d of the group %v is member %d, want %d", rank, members, got, member)
			}
		}
	}
}

// testMembers checks the group of the GPUs first, first+stride, … below last in both nodes.
func testMembers(t *testing.T, cluster collective.Layout, first, last, stride int) {
	t.Helper()
	var members []int32
	for node := range cluster.Nodes {
		for local := first; local < last; local += stride {
			members = append(members, int32(node*cluster.PerNode+local))
		}
	}
	c := checkNICs(t, cluster, members)
	if whole := len(members) == cluster.Ranks(); whole && c.layout.NICs != cluster.NICs {
		t.Errorf("%+v: the group of all has %d NICs a node", cluster, c.layout.NICs)
	}
}

// checkNICs makes the communicator of a group, and looks at the NIC of each member on
// each channel.
func checkNICs(t *testing.T, cluster collective.Layout, members []int32) *Communicator {
	t.Helper()
	c := NewCommunicator(0, cluster, members)
	what := fmt.Sprintf("%d GPUs, %d NICs, members %v", cluster.PerNode, cluster.NICs, members)
	if got, want := len(c.nics), c.layout.Nodes*c.layout.Rails(); got != want {
		t.Fatalf("%s: %d NICs for %d nodes of %d", what, got, c.layout.Nodes, c.layout.Rails())
	}
	seen := map[int32]bool{}
	for _, nic := range c.nics {
		if seen[nic] {
			t.Errorf("%s: NIC %d occurs twice", what, nic)
		}
		seen[nic] = true
	}
	for member, rank := range members {
		for channel := range 4 {
			nic := int(c.nic(member, c.layout.Rail(c.layout.Local(member), channel)))
			first, own := cluster.NICsOf(cluster.Local(int(rank)))
			rail := nic % cluster.NICs
			if nic/cluster.NICs != cluster.Node(int(rank)) || cluster.NICs >= cluster.PerNode && (rail < first || rail >= first+own) {
				t.Errorf("%s: rank %d sends through NIC %d of node %d; its own are %d from %d on", what, rank, rail, nic/cluster.NICs, own, first)
			}
		}
	}
	return c
}
