package control

import (
	"weft/internal/base/topology"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// Layout is the static part of a scenario's fabric: the part that a run of it would use.
type Layout struct {
	Graph  *topology.Graph
	Tables *routing.Tables
	// PKeys are the P_Key tables of the NICs; nil if the fabric has no partitions.
	PKeys [][]uint16
	// Manager is the NIC of the Subnet Manager.
	Manager int
}

// LayoutOf builds a fabric's graph and tables.
func LayoutOf(r *scenario.Resolved, f *scenario.Fabric) (*Layout, error) {
	p, err := NewPlan(r, f)
	if err != nil {
		return nil, err
	}
	return &Layout{Graph: p.Graph, Tables: p.Tables, PKeys: p.Keys.Tables, Manager: network.Manager(p.Graph)}, nil
}
