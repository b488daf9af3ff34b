package infiniband

import (
	"fmt"
	"strings"

	"weft/internal/base/topology"
	"weft/internal/face/cli/overrides"
	"weft/internal/face/cli/process"
	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// loadSubnet reads an InfiniBand fabric: a scenario (.yaml, .yml), of which the
// first InfiniBand fabric is taken, or a file of any format that describes one.
func loadSubnet(e *process.Env, path string, c *overrides.Flags) (*subnet.Subnet, error) {
	if overrides.NamesScenario(path) {
		r, err := c.Load(e, path)
		if err != nil {
			return nil, err
		}
		return subnetOf(r)
	}
	f, err := readFabric(e, path, format.Options{})
	return f.subnet, err
}

// subnetOf is the first InfiniBand fabric of a scenario.
func subnetOf(r *scenario.Resolved) (*subnet.Subnet, error) {
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		if !protocol.Of(f.Kind).SubnetManager {
			continue
		}
		return subnetOfFabric(r, f)
	}
	return nil, fmt.Errorf("the scenario %s has no InfiniBand fabric: it has %s", r.Name, strings.Join(overrides.FabricNames(r), ", "))
}

// graphOf is the topology of a fabric.
func graphOf(r *scenario.Resolved, f *scenario.Fabric) (*topology.Graph, error) {
	spec, err := network.Shape(&f.Topology, &r.Cluster)
	if err != nil {
		return nil, err
	}
	graph, err := spec.Build()
	if err != nil {
		return nil, fmt.Errorf("the topology of %s cannot be built: %w", f.Name, err)
	}
	return graph, nil
}

// subnetOfFabric is the graph of a fabric as a subnet.
func subnetOfFabric(r *scenario.Resolved, f *scenario.Fabric) (*subnet.Subnet, error) {
	graph, err := graphOf(r, f)
	if err != nil {
		return nil, err
	}
	s, err := network.Subnet(f, graph)
	if err != nil {
		return nil, err
	}
	for i := range s.Nodes { // a real fabric has LIDs
		n := &s.Nodes[i]
		n.Ports[n.Base()].LID = graph.Nodes[i].ID.LID
	}
	return s, nil
}
