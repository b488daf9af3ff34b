package sim

import (
	"weft/internal/routing"
	"weft/internal/topology"
	"weft/scenario"
)

// Layout is what of a scenario's fabric stands still: what a run of it would
// use.
type Layout struct {
	Graph  *topology.Graph
	Tables *routing.Tables
	// PKeys are the P_Key tables of the NICs; nil where the fabric has no
	// partitions.
	PKeys [][]uint16
	// Manager is the NIC at which the Subnet Manager runs.
	Manager int
}

// LayoutOf builds a fabric's graph and tables.
func LayoutOf(r *scenario.Resolved, f *scenario.Fabric) (*Layout, error) {
	p, err := controlled(r, f)
	if err != nil {
		return nil, err
	}
	return &Layout{Graph: p.graph, Tables: p.tables, PKeys: p.keys.tables, Manager: manager(p.graph)}, nil
}
