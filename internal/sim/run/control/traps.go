package control

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"

	"weft/internal/sim/fabric/isolation"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/scenario"
	"weft/units"
	"weft/wire/mad"
)

// Trapped simulates the reports about discarded packets: the agents of the ports that discarded
// packets for their keys send traps to the Subnet Manager, plane by plane. It fills in the times at
// which the manager knew. The manager's knowledge changes nothing in a run, so it is computed after
// the run, with the same control plane: brought up, through the same faults.
func Trapped(p *network.Plan, all []isolation.Violation, told []results.Violation, spec *scenario.Control) (*results.Traps, error) {
	if len(told) == 0 || !protocol.Of(p.Fabric.Kind).SubnetManager {
		return nil, nil
	}
	out := &results.Traps{}
	for plane := range max(1, p.Graph.Planes) {
		t := trapRun{Plan: p, all: all[:len(told)], told: told, out: out}
		for i := range t.all {
			if planeThatSaw(p, &t.all[i]) == plane {
				t.mine = append(t.mine, i)
			}
		}
		if len(t.mine) == 0 {
			continue
		}
		if err := t.run(spec, plane); err != nil {
			return nil, fmt.Errorf("fabric %s: traps: %w", p.Fabric.Name, err)
		}
	}
	return out, nil
}

// planeThatSaw is the plane of the port that discarded packets.
func planeThatSaw(p *network.Plan, v *isolation.Violation) int {
	at := topology.End{Node: topology.NodeID(v.Node), Port: v.NodePort}
	if p.Graph.Nodes[at.Node].Kind != topology.Switch {
		at, _, _ = p.Graph.Peer(at)
	}
	return max(0, int(p.Graph.Nodes[at.Node].Plane))
}

// trapRun is the simulated reports of a plane's violations to its manager.
type trapRun struct {
	*network.Plan
	m      *managedSubnet
	number map[topology.NodeID]int32 // of the subnet, by node of the graph
	all    []isolation.Violation
	told   []results.Violation
	mine   []int // indices of the plane's violations
	open   int   // reports to agents still to come; two for a violation with several packets
	start  units.Time
	out    *results.Traps
}

func (t *trapRun) run(spec *scenario.Control, plane int) (err error) {
	if t.m, err = newManagedSubnet(t.Plan, spec, plane); err != nil {
		return err
	}
	if _, err = t.m.bringUp(); err != nil {
		return err
	}
	t.number = map[topology.NodeID]int32{}
	for i, node := range t.m.nodes {
		t.number[node] = int32(i)
	}
	t.start = t.m.now
	if t.Faults != nil {
		d := &mending{Plan: t.Plan, m: t.m, plane: plane, start: t.start, out: t.Faults}
		d.schedule(spec)
	}
	before := t.m.agents.TrapCounts()
	last := t.schedule()
	for i := range t.mine {
		t.told[t.mine[i]].KnownPs = int64(results.Never)
	}
	silent := func() bool { return t.open == 0 && t.m.agents.NextTrap() == units.Forever }
	t.m.runUntil(last+longestTrap, silent)
	if t.m.failed != nil {
		return t.m.failed
	}
	t.known()
	t.count(before)
	return nil
}

// longestTrap is the time for which traps are simulated after the last violation: longer than a
// full outbox needs at one datagram in 1.07 s.
const longestTrap = 60 * units.Second

// schedule schedules the agents' detection of each violation: at its first packet, and at its last
// for the others. It returns the time of the last.
func (t *trapRun) schedule() (last units.Time) {
	m := t.m
	violate := func(at units.Time, v *isolation.Violation, packets int64) {
		t.open++
		last = max(last, t.start+at)
		end := t.where(v)
		m.queue.Push(t.start+at, controlFault, uint64(len(m.faults)))
		m.faults = append(m.faults, func() {
			t.open--
			n := t.notice(v)
			if v.Trap == isolation.TrapQKey {
				m.agents.QKeyViolation(end, int(packets), &n)
				return
			}
			m.agents.PKeyViolation(end, v.In, int(packets), &n)
		})
	}
	for _, i := range t.mine {
		v := &t.all[i]
		violate(v.First, v, 1)
		if v.Packets > 1 {
			violate(v.Last, v, v.Packets-1)
		}
	}
	return last
}

// where is the port that discarded packets.
func (t *trapRun) where(v *isolation.Violation) subnet.End {
	return subnet.End{Node: t.number[topology.NodeID(v.Node)], Port: uint16(v.NodePort + 1)}
}

// notice is an agent's report of a violation: with the ends of its packets.
func (t *trapRun) notice(v *isolation.Violation) mad.KeyNotice {
	lid, gid := t.address(v.From)
	lid2, gid2 := t.address(v.To)
	key := uint32(v.PKey)
	if v.Trap == isolation.TrapQKey {
		key = v.QKey
	}
	return mad.KeyNotice{
		LID1: lid, LID2: lid2, Key: key, SL: v.SL, QP1: v.FromQP, QP2: v.ToQP, GID1: gid, GID2: gid2,
	}
}

// address is the LID and GID of a NIC's port in the plane.
func (t *trapRun) address(nic int32) (units.LID, mad.GID) {
	node := t.number[topology.NodeID(nic)]
	at := subnet.End{Node: node, Port: t.m.sub.Nodes[node].Base()}
	for p := range t.m.sub.Nodes[node].Ports {
		if t.m.sub.Nodes[node].Ports[p].Peer.Exists() {
			at.Port = uint16(p)
		}
	}
	info := t.m.agents.Info(at)
	return info.LID, mad.GID{Prefix: info.GIDPrefix, GUID: t.m.agents.NodeInfo(at).PortGUID}
}

// known fills in the time at which the manager took the first trap of each violation.
func (t *trapRun) known() {
	for _, i := range t.mine {
		v := &t.all[i]
		want := t.notice(v)
		for _, n := range t.m.log.notices {
			if int(n.notice.Number) == v.Trap && n.notice.IssuerLID == t.m.agents.LID(t.where(v)) && tells(&n.notice, v, &want) {
				t.told[i].KnownPs = int64(n.at - t.start)
				break
			}
		}
	}
}

// tells reports whether a trap is about a violation.
func tells(n *mad.Notice, v *isolation.Violation, want *mad.KeyNotice) bool {
	if v.Trap != isolation.TrapSwitch {
		var k mad.KeyNotice
		n.GetData(&k)
		return k == *want
	}
	var k mad.SwitchKeyNotice
	n.GetData(&k)
	return k.LID1 == want.LID1 && k.QP1 == want.QP1 && int32(k.Port) == v.NodePort+1
}

// count adds the agents' counters since the start of the run.
func (t *trapRun) count(before sma.TrapCounts) {
	c := t.m.agents.TrapCounts()
	t.out.Raised += c.Raised - before.Raised
	t.out.Merged += c.Merged - before.Merged
	t.out.Lost += c.Lost - before.Lost
	t.out.Sent += c.Sent - before.Sent
	t.out.Repressed += c.Repressed - before.Repressed
	seen := map[subnet.End]bool{}
	for _, i := range t.mine {
		v := &t.all[i]
		at := t.where(v)
		if seen[at] {
			continue
		}
		seen[at] = true
		info, counters := t.m.agents.Info(at), t.m.agents.Counters(at)
		t.out.Ports = append(t.out.Ports, results.KeyCounts{
			Port: v.Port, PKeys: int(info.PKeyViolations), QKeys: int(info.QKeyViolations),
			RcvConstraint: int(counters.RcvConstraint), XmitConstraint: int(counters.XmitConstraint),
		})
	}
}

// endPortKeys are the P_Key tables that a manager writes to end ports: the scenario's for NICs, and
// the default partition for switches. It is nil if the scenario has no partitions: then ports keep
// their keys from power-on.
func endPortKeys(p *network.Plan, sub *subnet.Subnet, nodes []topology.NodeID, agents *sma.Fabric) func(sm.EndPort) []mad.PKey {
	if p.Keys.Tables == nil {
		return nil
	}
	nics := map[units.GUID]topology.NodeID{}
	for i := range sub.Nodes {
		if sub.Nodes[i].Kind == subnet.Switch {
			continue
		}
		for port := int(sub.Nodes[i].Base()); port < len(sub.Nodes[i].Ports); port++ {
			nics[agents.NodeInfo(subnet.End{Node: int32(i), Port: uint16(port)}).PortGUID] = nodes[i]
		}
	}
	return func(e sm.EndPort) (keys []mad.PKey) {
		nic, known := nics[e.GUID]
		if !known {
			return []mad.PKey{mad.DefaultPKey}
		}
		for _, key := range p.Keys.Tables[nic] {
			keys = append(keys, mad.PKey(key))
		}
		return keys
	}
}
