package weft

import (
	"cmp"
	"context"

	"weft/units"
)

// Collective is a collective operation on a cluster. A field that is zero has its default.
type Collective struct {
	// Op is the operation; the default is all-reduce.
	Op CollectiveOp
	// Cluster is a node of the catalog, such as dgx-h100, which is the default.
	Cluster string
	// Nodes is the number of nodes; the default is 16.
	Nodes int
	// Fabrics are fabrics of the catalog, such as infiniband-ndr. The default is InfiniBand,
	// RoCE v2 and TCP at the rate of the node's NIC.
	Fabrics []string
	// Sizes are message sizes as nccl-tests counts them. The default is 1 KiB to 64 MiB, each
	// four times the one before.
	Sizes []units.Bytes
	// Algorithm is the algorithm; the default is NCCL's choice.
	Algorithm Algorithm
}

// Scenario is the scenario of the collective, to be changed and given to [New].
func (c Collective) Scenario() *Scenario {
	s := &Scenario{
		Name:     c.Cluster,
		Cluster:  Cluster{Nodes: c.Nodes, Node: Node{Preset: c.Cluster}},
		Workload: Workload{Collective: cmp.Or(c.Op, "all-reduce"), Sizes: c.Sizes, Algorithm: c.Algorithm},
	}
	for _, preset := range c.Fabrics {
		s.Fabrics = append(s.Fabrics, Fabric{Preset: preset})
	}
	return s
}

// Run simulates the collective on all cores. The error is an [Errors] where a field is wrong;
// else it is that of [Run].
func (c Collective) Run(ctx context.Context) (*Results, error) {
	file, err := New("weft.Collective", c.Scenario())
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve()
	if err != nil {
		return nil, err
	}
	return Run(ctx, r, Options{})
}
