package network

import (
	"fmt"
	"slices"

	"weft/internal/base/topology"
	"weft/internal/ib/partition"

	"weft/internal/sim/fabric/isolation"
	"weft/scenario"
)

// PKeys are the P_Keys of a fabric's NICs; the zero value is a fabric without P_Key partitions, in
// which keys are not checked.
type PKeys struct {
	Tables [][]uint16 // by NIC
	where  scenario.Enforcement
	levels map[string][]int // NICs of the patterns of service levels
}

// fullMember is the bit for full membership in a P_Key.
const fullMember = 0x8000

// Manager is the NIC of the Subnet Manager: the NIC that the topology reserves for it, or else the
// first.
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

// enforced is the keys that the fabric's HCAs and switches check; nil for none.
func (k *PKeys) enforced() *isolation.PKeys {
	if k.Tables == nil {
		return nil
	}
	return &isolation.PKeys{
		Tables:  k.Tables,
		Ingress: k.where == scenario.EnforceBoth || k.where == scenario.EnforceIn,
		Egress:  k.where == scenario.EnforceBoth || k.where == scenario.EnforceOut,
	}
}

// Pair is the P_Keys of a connection's ends, as in a path record. If the two share no P_Key
// partition, it is the first key of each table, as in programs that do not query path records.
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

// Group is the P_Keys of NICs of which each may get a packet of each: those of the first partition of
// all in which no two are limited members; nil if there is none.
func (k *PKeys) Group(nics []int32) []uint16 {
	keys := make([]uint16, len(nics))
	if k.Tables == nil {
		for i := range keys {
			keys[i] = partition.Default | fullMember
		}
		return keys
	}
	for _, first := range k.Tables[nics[0]] {
		if k.common(first, nics, keys) {
			return keys
		}
	}
	return nil
}

// common looks for the partition of a key in the tables of NICs, writes their keys, and reports
// whether all have one and at most one is limited.
func (k *PKeys) common(key uint16, nics []int32, keys []uint16) bool {
	limited := 0
	for i, nic := range nics {
		at := slices.IndexFunc(k.Tables[nic], func(own uint16) bool { return own&^fullMember == key&^fullMember })
		if at < 0 {
			return false
		}
		keys[i] = k.Tables[nic][at]
		if keys[i]&fullMember == 0 {
			limited++
		}
	}
	return limited <= 1
}

// apart reports whether two NICs share no partition.
func (k *PKeys) apart(a, b int32) bool {
	if k.Tables == nil {
		return false
	}
	_, _, ok := partition.Common(k.Tables[a], k.Tables[b])
	return !ok
}

// Refuse is the reason why two NICs cannot have an agreed connection: a path record, or the
// connection setup, would report it before any data is sent.
func (n *Network) Refuse(a, b int32) error {
	if why := n.Plan.Apart(a, b); why != "" {
		return fmt.Errorf("%s and %s %s: a workload that needs both cannot run", n.NodeName(a), n.NodeName(b), why)
	}
	return nil
}
