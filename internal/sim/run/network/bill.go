package network

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/scenario"
)

// Bill is the number of the parts of a fabric.
type Bill struct {
	Fabric    string         `json:"fabric"` // by name
	Shape     scenario.Shape `json:"shape"`
	Nodes     int            `json:"nodes"`
	Endpoints int            `json:"endpoints"` // ports of NICs
	Services  int            `json:"management_ports"`
	Others    int            `json:"other_ports,omitempty"` // of hosts that are no nodes of the cluster
	Switches  map[string]int `json:"switches"`              // by level: leaf, spine, core; and total
	Cables    map[string]int `json:"cables"`                // by the name of a [topology.CableKind]; and total
	Used      int            `json:"switch_ports_used"`
	Free      int            `json:"switch_ports_free"`
}

// Count counts the parts of a scenario's fabric for a cluster. Its error is a [Refusal].
func Count(f *scenario.Fabric, c *scenario.Cluster) (Bill, error) {
	refused := func(err error) (Bill, error) {
		return Bill{}, &Refusal{Fabric: f.Name, Field: "topology", Err: fmt.Errorf("it cannot be built: %w", err)}
	}
	spec, err := Shape(&f.Topology, c)
	if err != nil {
		return refused(err)
	}
	n, err := spec.Count()
	if err != nil {
		return refused(err)
	}
	b := Bill{
		Fabric: f.Name, Shape: f.Topology.Shape, Nodes: n.Nodes, Endpoints: n.Endpoints, Services: n.Services, Others: n.Others,
		Switches: map[string]int{"leaf": n.Switches[0], "spine": n.Switches[1], "core": n.Switches[2], "total": n.TotalSwitches()},
		Cables:   map[string]int{"total": n.TotalCables()},
		Used:     n.PortsUsed, Free: n.PortsFree,
	}
	for kind, cables := range n.Cables {
		b.Cables[topology.CableKind(kind).String()] = cables
	}
	return b, nil
}
