package sim

import (
	"fmt"

	"weft/internal/fabric"
	"weft/internal/runstore"
	"weft/internal/subnet/partition"
	"weft/internal/topology"
	"weft/scenario"
)

// pkeys are the P_Keys of a fabric's NICs; the zero value is a fabric without
// partitions, on which nobody looks at keys.
type pkeys struct {
	tables [][]uint16 // by NIC
	where  scenario.Enforcement
	levels map[string][]int // NICs of the patterns of service levels
}

// fullMember is the bit of a P_Key that says full membership.
const fullMember = 0x8000

// manager is the NIC at which the Subnet Manager runs: the one that the topology
// keeps for it, or else the first.
func manager(g *topology.Graph) int {
	if g.Services > 0 {
		return g.Compute()
	}
	return 0
}

func pkeysOf(r *scenario.Resolved, f *scenario.Fabric, g *topology.Graph) (k pkeys, err error) {
	k.levels = r.PatternNICs(f, manager(g))
	if len(f.IB.Partitions) > 0 {
		k.where = f.IB.PartitionEnforcement
		k.tables, err = r.PKeyTables(f, g.Endpoints, manager(g))
	}
	return k, err
}

// enforced is what the fabric's HCAs and switches check; nil is nothing.
func (k *pkeys) enforced() *fabric.PKeys {
	if k.tables == nil {
		return nil
	}
	return &fabric.PKeys{
		Tables:  k.tables,
		Ingress: k.where == scenario.EnforceBoth || k.where == scenario.EnforceIn,
		Egress:  k.where == scenario.EnforceBoth || k.where == scenario.EnforceOut,
	}
}

// pair is the P_Keys of a connection's ends: those that a path record would name,
// or where the two share no partition the first of each table, as programs take
// that do not ask.
func (k *pkeys) pair(a, b int32) (keyA, keyB uint16) {
	if k.tables == nil {
		return partition.Default | fullMember, partition.Default | fullMember
	}
	ta, tb := k.tables[a], k.tables[b]
	if x, y, ok := partition.Common(ta, tb); ok {
		return x, y
	}
	return ta[0], tb[0]
}

// apart reports whether two NICs share no partition.
func (k *pkeys) apart(a, b int32) bool {
	if k.tables == nil {
		return false
	}
	_, _, ok := partition.Common(k.tables[a], k.tables[b])
	return !ok
}

// violationsTold is how many violations a result has.
const violationsTold = 64

// violations are what the network discarded for P_Keys, as a manager is told, or for
// want of a route between VRFs.
func (n *network) violations(all []fabric.Violation) (told []runstore.Violation) {
	for i := range all[:min(len(all), violationsTold)] {
		v := &all[i]
		if s := n.plan.segments; s != nil {
			told = append(told, runstore.Violation{
				Port: v.Port, FirstPs: int64(v.First), Packets: v.Packets, From: n.NodeName(v.From), To: n.NodeName(v.To),
				FromVRF: s.vrf[s.Of[v.From]], ToVRF: s.vrf[s.Of[v.To]],
			})
			continue
		}
		trap := v.Trap
		if n.plan.fabric.Kind != scenario.InfiniBandKind {
			trap = 0 // nobody is there to be told
		}
		told = append(told, runstore.Violation{
			Trap: trap, Port: v.Port, FirstPs: int64(v.First), Packets: v.Packets,
			From: n.NodeName(v.From), To: n.NodeName(v.To), FromQP: v.FromQP, ToQP: v.ToQP, PKey: v.PKey, QKey: v.QKey, SL: v.SL,
		})
	}
	return told
}

// refuse is why two NICs cannot have a connection that their programs agree on: a path
// record, or the connection's setup, would say so before anything is sent.
func (n *network) refuse(a, b int32) error {
	if why := n.plan.apart(a, b); why != "" {
		return fmt.Errorf("%s and %s %s: nothing that needs both can run", n.NodeName(a), n.NodeName(b), why)
	}
	return nil
}

// isBarred reports whether a message is between NICs that partitions or VRFs keep
// apart, or carries another Q_Key than its receiver's: it is sent and never ends.
func (r *patternRun) isBarred(flow int32) bool {
	f := &r.flows[flow]
	return f.qkey != 0 && f.qkey != r.verbs.qkey || r.net.plan.apart(f.from, f.to) != ""
}

// barred is how many messages did not arrive for that.
func (r *patternRun) barred() (n int) {
	for i := range r.flows {
		if r.left[i] > 0 && r.isBarred(int32(i)) {
			n++
		}
	}
	return n
}
