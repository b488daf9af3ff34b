package network

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/ib/partition"
	"weft/internal/sim/fabric"
	"weft/internal/sim/scenario"
)

// PKeys are the P_Keys of a fabric's NICs; the zero value is a fabric without
// partitions, on which nobody looks at keys.
type PKeys struct {
	Tables [][]uint16 // by NIC
	where  scenario.Enforcement
	levels map[string][]int // NICs of the patterns of service levels
}

// fullMember is the bit of a P_Key that says full membership.
const fullMember = 0x8000

// Manager is the NIC at which the Subnet Manager runs: the one that the topology
// keeps for it, or else the first.
func Manager(g *topology.Graph) int {
	if g.Services > 0 {
		return g.Compute()
	}
	return 0
}

func pkeysOf(r *scenario.Resolved, f *scenario.Fabric, g *topology.Graph) (k PKeys, err error) {
	k.levels = r.PatternNICs(f, Manager(g))
	if len(f.IB.Partitions) > 0 {
		k.where = f.IB.PartitionEnforcement
		k.Tables, err = r.PKeyTables(f, g.Endpoints, Manager(g))
	}
	return k, err
}

// enforced is what the fabric's HCAs and switches check; nil is nothing.
func (k *PKeys) enforced() *fabric.PKeys {
	if k.Tables == nil {
		return nil
	}
	return &fabric.PKeys{
		Tables:  k.Tables,
		Ingress: k.where == scenario.EnforceBoth || k.where == scenario.EnforceIn,
		Egress:  k.where == scenario.EnforceBoth || k.where == scenario.EnforceOut,
	}
}

// Pair is the P_Keys of a connection's ends: those that a path record would name,
// or where the two share no partition the first of each table, as programs take
// that do not ask.
func (k *PKeys) Pair(a, b int32) (keyA, keyB uint16) {
	if k.Tables == nil {
		return partition.Default | fullMember, partition.Default | fullMember
	}
	ta, tb := k.Tables[a], k.Tables[b]
	if x, y, ok := partition.Common(ta, tb); ok {
		return x, y
	}
	return ta[0], tb[0]
}

// apart reports whether two NICs share no partition.
func (k *PKeys) apart(a, b int32) bool {
	if k.Tables == nil {
		return false
	}
	_, _, ok := partition.Common(k.Tables[a], k.Tables[b])
	return !ok
}

// Refuse is why two NICs cannot have a connection that their programs agree on: a path
// record, or the connection's setup, would say so before anything is sent.
func (n *Network) Refuse(a, b int32) error {
	if why := n.Plan.Apart(a, b); why != "" {
		return fmt.Errorf("%s and %s %s: nothing that needs both can run", n.NodeName(a), n.NodeName(b), why)
	}
	return nil
}
