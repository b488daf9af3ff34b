package network

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/scenario"
	"weft/units"
)

// Shape is the topology of a scenario's fabric for a cluster, before it is
// built.
func Shape(t *scenario.Topology, c *scenario.Cluster) (topology.Spec, error) {
	return shapeOf(t, t.Shape, c.Nodes, c.Node.NICs)
}

func shapeOf(t *scenario.Topology, shape scenario.Shape, nodes, nics int) (topology.Spec, error) {
	lengths := topology.Lengths{
		NodeLeaf: t.Cables.NodeLeaf, LeafSpine: t.Cables.LeafSpine, SpineCore: t.Cables.SpineCore,
		Local: t.Cables.Local, Global: t.Cables.Global,
	}
	endpoints := nodes * nics
	switch shape {
	case scenario.SingleSwitch:
		return topology.SingleSwitch{Endpoints: endpoints, NodeNICs: nics, Radix: t.Radix, Spare: t.SparePorts, Lengths: lengths}, nil
	case scenario.FatTree:
		return fatTree(t, endpoints, nics, lengths), nil
	case scenario.RailOptimised:
		return topology.Rail{
			Nodes: nodes, Rails: t.Rails, Trays: nics / max(1, t.Rails), Radix: t.Radix, UnitNodes: t.NodesPerUnit, UFM: t.UFM, Spare: t.SparePorts,
			LeafOversubscription: ratio(t.Oversubscription), SpineOversubscription: ratio(t.SpineOversubscription),
			GroupSpines: t.Spines, PlaneCores: t.Cores, Lengths: lengths,
		}, nil
	case scenario.DualPlane:
		plane, err := shapeOf(t, t.PlaneShape, nodes, nics)
		if err != nil {
			return nil, err
		}
		return topology.MultiPlane{Fabric: plane, Planes: t.Planes}, nil
	case scenario.Dragonfly:
		return topology.Dragonfly{
			P: t.HostsPerLeaf, A: t.SwitchesPerGroup, H: t.GlobalLinks, Groups: t.Groups, NodeNICs: nics, Lengths: lengths,
		}, nil
	case scenario.DragonflyPlus:
		return topology.DragonflyPlus{
			Groups: t.Groups, Leaves: t.SwitchesPerGroup, Spines: t.Spines, LeafEndpoints: t.HostsPerLeaf,
			SpineGlobals: t.GlobalLinks, NodeNICs: nics, Lengths: lengths,
		}, nil
	case scenario.Torus:
		return topology.Torus{
			Dims: t.Dims, SwitchEndpoints: t.HostsPerLeaf, Bundle: t.LinksPerDim, NodeNICs: nics, Lengths: lengths,
		}, nil
	case scenario.Listed:
		return listed(t, endpoints, nics), nil
	}
	return nil, fmt.Errorf("topology shape %q cannot be built", shape)
}

func fatTree(t *scenario.Topology, endpoints, nics int, lengths topology.Lengths) topology.Spec {
	if t.Levels == 3 {
		return topology.ThreeLevel{
			Endpoints: endpoints, NodeNICs: nics, Radix: t.Radix,
			LeafOversubscription: ratio(t.Oversubscription), SpineOversubscription: ratio(t.SpineOversubscription),
			LeafEndpoints: t.HostsPerLeaf, PodSpines: t.Spines, PlaneCores: t.Cores, Spare: t.SparePorts, Lengths: lengths,
		}
	}
	return topology.TwoLevel{
		Endpoints: endpoints, NodeNICs: nics, Radix: t.Radix, Oversubscription: ratio(t.Oversubscription),
		LeafEndpoints: t.HostsPerLeaf, Spines: t.Spines, Spare: t.SparePorts, Lengths: lengths,
	}
}

func listed(t *scenario.Topology, endpoints, nics int) topology.Listed {
	s := topology.Listed{Endpoints: endpoints + t.Others, NodeNICs: nics, Radix: t.Radix, Others: t.Others, Links: make([]topology.ListedLink, len(t.Links))}
	for i, l := range t.Links {
		s.Links[i] = topology.ListedLink{A: l.Ends[0], B: l.Ends[1], Count: l.Count, Length: l.Length, Rate: l.Rate}
		if len(l.Ports) == 2 {
			s.Links[i].PortA, s.Links[i].PortB = l.Ports[0], l.Ports[1]
		}
	}
	for _, d := range t.Devices {
		s.Devices = append(s.Devices, topology.ListedDevice{
			Name: d.Name, ID: topology.Identity{GUID: d.GUID, Port: d.Port, LID: units.LID(d.LID)},
			Ports: d.Ports, PortNames: d.PortNames, Level: int8(d.Level), Group: int32(d.Group) - 1,
		})
	}
	return s
}

func ratio(r scenario.Ratio) topology.Ratio {
	return topology.Ratio{Down: int(r.Num), Up: int(r.Den)}
}
