package control

import (
	"fmt"
	"slices"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"

	"weft/internal/sim/fabric/fault"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/scenario"
	"weft/units"
	"weft/wire/mad"
)

// longestBringUp is the maximum time of a subnet's bring-up: far longer than the largest subnet
// needs.
const longestBringUp = 3600 * units.Second

// bringUp lets a Subnet Manager bring the fabric up, from power-on.
func (m *managedSubnet) bringUp() (*results.BringUp, error) {
	m.start()
	up := func() bool {
		n := len(m.log.sweeps)
		return n > 0 && m.log.sweeps[n-1].up < units.Forever
	}
	if !m.runUntil(longestBringUp, up) {
		if m.failed != nil {
			return nil, m.failed
		}
		return nil, fmt.Errorf("the Subnet Manager does not bring the subnet up within %v: %s", longestBringUp, m.log.trouble())
	}
	s := &m.log.sweeps[len(m.log.sweeps)-1]
	last := max(s.computed, s.last)
	if s.last == units.Forever {
		last = s.computed // a subnet without switches
	}
	return &results.BringUp{
		Time: s.up, Discovery: s.found, Compute: s.computed - s.found, Tables: last - s.computed, Activate: s.up - last,
		Datagrams: m.log.datagrams, Blocks: s.blocks,
	}, nil
}

// bringUp simulates the bring-up of each plane by its manager. It returns the plane that takes
// longest: they run at the same time.
func bringUp(p *network.Plan, spec *scenario.Control) (longest *results.BringUp, err error) {
	for plane := range max(1, p.Graph.Planes) {
		m, err := newManagedSubnet(p, spec, plane)
		if err != nil {
			return nil, err
		}
		up, err := m.bringUp()
		if err != nil {
			return nil, fmt.Errorf("fabric %s: %w", p.Fabric.Name, err)
		}
		if longest == nil || up.Time > longest.Time {
			longest = up
		}
	}
	return longest, nil
}

// mending is the reaction of a plane's Subnet Manager to faults.
type mending struct {
	*network.Plan
	m     *managedSubnet
	plane int
	start units.Time            // of the run, on the manager's clock
	dsts  map[units.LID]destLID // LIDs of endpoints
	port  []uint16              // the current port to the first LIDs, as in the tables of routing
	more  [][]uint16            // the same to the further LIDs that connections use
	sets  [][]uint16            // by entry: the ports for adaptive routing
	sl2vl *routing.Lanes        // the current SL2VL tables; nil if the run has none
	out   *network.Faults
}

// mendByManager runs the control plane of an InfiniBand fabric, plane by plane, through
// all faults.
func mendByManager(p *network.Plan, fp *network.Faults, spec *scenario.Control) error {
	fp.Control.Plane = managerPlane
	for plane := range max(1, p.Graph.Planes) {
		if err := mendPlane(p, fp, spec, plane); err != nil {
			return fmt.Errorf("fabric %s: %w", p.Fabric.Name, err)
		}
	}
	order(fp.Changes)
	return nil
}

func mendPlane(p *network.Plan, fp *network.Faults, spec *scenario.Control, plane int) error {
	m, err := newManagedSubnet(p, spec, plane)
	if err != nil {
		return err
	}
	up, err := m.bringUp()
	if err != nil {
		return err
	}
	if fp.Control.BringUp == nil || up.Time > fp.Control.BringUp.Time {
		fp.Control.BringUp = up
	}
	d := &mending{Plan: p, m: m, plane: plane, start: m.now, out: fp, dsts: map[units.LID]destLID{}}
	d.adoptTables()
	m.writes, m.lanes = m.writes[:0], m.lanes[:0]
	d.schedule(spec)
	if err := m.run(d.start + fp.Turns[len(fp.Turns)-1].At + d.patience(spec)); err != nil {
		return err
	}
	d.remember()
	for i := range fp.Turns {
		if d.concerns(&fp.Turns[i]) {
			fp.Control.Recoveries = append(fp.Control.Recoveries, d.turn(i, spec))
		}
	}
	return nil
}

// concerns reports whether a turn concerns this plane: the end of managers concerns every plane.
func (d *mending) concerns(t *network.Turn) bool {
	return t.Manager || slices.ContainsFunc(t.Cables, d.holds)
}

// holds reports whether a cable belongs to this plane.
func (d *mending) holds(cable int32) bool {
	c := &d.Graph.Cables[cable]
	for _, end := range []topology.End{c.A, c.B} {
		if n := &d.Graph.Nodes[end.Node]; n.Kind == topology.Switch && d.Graph.Planes > 1 && int(n.Plane) != d.plane {
			return false
		}
	}
	return true
}

// rows are the switches of this plane.
func (d *mending) rows() (rows []int) {
	for sw := range d.Tables.Switches {
		if d.Graph.Planes <= 1 || int(d.Graph.Nodes[d.Graph.Endpoints+sw].Plane) == d.plane {
			rows = append(rows, sw)
		}
	}
	return rows
}

// adoptTables copies the manager's tables into the tables of the run.
func (d *mending) adoptTables() {
	h := d.m.master()
	sub := h.manager.Subnet()
	at := d.NodesByGUID()
	nodes := make([]topology.NodeID, len(sub.Nodes))
	for i := range sub.Nodes {
		n := &sub.Nodes[i]
		nodes[i] = at[n.GUID]
		if n.Kind != subnet.Switch {
			for k := range d.LIDs() {
				d.dsts[n.Ports[n.Base()].LID+units.LID(k)] = destLID{int(nodes[i]), k}
			}
		}
	}
	adopt(d.Plan, sub, h.manager.Tables(), nodes)
	d.rememberLIDs(sub, h.manager.Tables(), nodes)
}

// remember records the entries at the start.
func (d *mending) remember() {
	t := d.Tables
	d.port = slices.Clone(t.Port)
	d.sets = make([][]uint16, len(t.Port))
	for sw := range t.Switches {
		for dst := range t.Endpoints {
			d.sets[sw*t.Endpoints+dst] = t.Minimal(sw, dst)
		}
	}
	d.rememberLanes()
}

// schedule schedules the detection of each outage at the agents' ports, and the end of managers.
func (d *mending) schedule(spec *scenario.Control) {
	m := d.m
	at := func(t units.Time, what func()) {
		m.queue.Push(t, controlFault, uint64(len(m.faults)))
		m.faults = append(m.faults, what)
	}
	number := map[topology.NodeID]int32{}
	for i, node := range m.nodes {
		number[node] = int32(i)
	}
	for _, s := range lasting(d.out.Outages, spec.LossOfSignal) {
		if !d.holds(s.Cable) {
			continue
		}
		a := d.Graph.Cables[s.Cable].A
		end := subnet.End{Node: number[a.Node], Port: uint16(a.Port + 1)}
		at(d.start+s.From+spec.LossOfSignal, func() { m.agents.SetLink(end, false) })
		if s.Until < units.Forever {
			at(d.start+s.Until+spec.LossOfSignal, func() { m.agents.SetLink(end, true) })
		}
	}
	for _, t := range d.out.Turns {
		if t.Manager {
			at(d.start+t.At, func() {
				if h := m.master(); h != nil {
					h.ended = true
				}
			})
		}
	}
}

// patience is the time for which the control plane is simulated after the last fault: two light
// sweeps, and the time for which a standby waits for its master, and for the leases of its keys.
func (d *mending) patience(spec *scenario.Control) units.Time {
	s := &spec.SM
	t := spec.LossOfSignal + 2*s.Sweep
	if len(d.m.hosts) > 1 {
		t += 4 * (s.Poll + 4*(s.Timeout+d.m.compute))
		if s.StandbyMKey != 0 { // its sweeps start the leases, and later sweeps find them expired
			t += 2 * (s.MKeyLease + s.Sweep)
		}
	}
	return t
}

// turn computes the manager's actions from one turn to the next.
func (d *mending) turn(i int, spec *scenario.Control) results.Recovery {
	turns := d.out.Turns
	t := &turns[i]
	rec := newRecovery(t)
	if t.Manager && d.Graph.Planes > 1 {
		rec.What = fmt.Sprintf("%s of plane %d", rec.What, d.plane)
	}
	from, until := d.start+t.At, units.Forever
	if next := slices.IndexFunc(turns[i+1:], func(t network.Turn) bool { return d.concerns(&t) }); next >= 0 {
		until = d.start + turns[i+1+next].At
	}
	d.noticed(t, &rec, from, until, spec)
	routes := routing.NewDetours(d.Graph, t.Down)
	changed := map[int]bool{}
	adaptive := d.Fabric.Routing.Mode == scenario.Adaptive
	if seen := news(t, lasting(d.out.Outages, spec.LossOfSignal)); adaptive && !t.Repaired && len(seen.Cables) > 0 {
		d.exclude(&seen, &rec, changed, t.At+spec.LossOfSignal)
	}
	written := t.At + rec.Computed
	for j := range d.m.writes {
		if w := &d.m.writes[j]; w.at >= from && w.at < until {
			d.write(w, &rec, routes, changed)
			written = max(written, w.at-d.start)
		}
	}
	for j := range d.m.lanes {
		if w := &d.m.lanes[j]; w.at >= from && w.at < until {
			d.writeLanes(w, &rec)
		}
	}
	if adaptive && rec.Computed != results.Never {
		d.regroup(&rec, routes, changed, written)
	}
	rec.Switches = len(changed)
	return rec
}

// noticed fills in the times at which the manager knew of a turn, and of the resulting fabric.
func (d *mending) noticed(t *network.Turn, rec *results.Recovery, from, until units.Time, spec *scenario.Control) {
	l := &d.m.log
	if t.Manager {
		for _, at := range l.masters {
			if at >= from && at < until {
				rec.How, rec.Detected = "standby", at-from
				break
			}
		}
	}
	for i := range l.sweeps {
		s := &l.sweeps[i]
		if s.began == units.Forever || s.began < from || s.began >= until {
			continue
		}
		if rec.Detected == results.Never {
			rec.Detected, rec.How = s.began-from, "light sweep"
			if slices.ContainsFunc(l.traps, func(at units.Time) bool { return at >= from+spec.LossOfSignal && at <= s.began }) {
				rec.How = "trap"
			}
		}
		rec.Swept, rec.Computed, rec.Circle = s.found-from, s.computed-from, s.circle
		return
	}
}

// write applies a block of a table that a switch has received.
func (d *mending) write(w *tableWrite, rec *results.Recovery, routes *routing.Detours, changed map[int]bool) {
	sw := int(d.m.nodes[w.node]) - d.Graph.Endpoints
	for i, port := range w.ports {
		to, ok := d.dsts[units.LID(w.block*mad.LIDsPerBlock+i)]
		if !ok || !d.turnTo(sw, to, simPort(port)) {
			continue
		}
		ports := d.portsByLID(sw, to.dst)
		if ports == nil {
			ports = alternatives(routes, sw, to.dst, simPort(port))
		}
		d.change(w.at-d.start, sw, to.dst, ports, rec, changed)
	}
}

// alternatives are the ports that adaptive routing may choose besides the table's port: the ports
// with equally short paths.
func alternatives(r *routing.Detours, sw, dst int, port uint16) []uint16 {
	if port == routing.NoPort {
		return nil
	}
	if set := r.Set(sw, dst); slices.Contains(set, port) {
		return set
	}
	return []uint16{port}
}

// exclude makes the switches at the ends of failed cables remove their ports from the ports for
// adaptive routing, if others remain. They do so by themselves, without a manager.
func (d *mending) exclude(t *network.Turn, rec *results.Recovery, changed map[int]bool, at units.Time) {
	for _, sw := range d.rows() {
		cables := d.Graph.Nodes[d.Graph.Endpoints+sw].Cables
		dead := func(port uint16) bool { return t.Down[cables[port]] }
		for dst := range d.Tables.Endpoints {
			set := d.sets[sw*d.Tables.Endpoints+dst]
			if !slices.ContainsFunc(set, dead) {
				continue
			}
			if left := slices.DeleteFunc(slices.Clone(set), dead); len(left) > 0 {
				d.change(at, sw, dst, left, rec, changed)
			}
		}
	}
}

// regroup gives all switches the port groups for the new tables, when the last table is written.
func (d *mending) regroup(rec *results.Recovery, routes *routing.Detours, changed map[int]bool, at units.Time) {
	for _, sw := range d.rows() {
		for dst := range d.Tables.Endpoints {
			entry := sw*d.Tables.Endpoints + dst
			want := alternatives(routes, sw, dst, d.port[entry])
			if !slices.Equal(want, d.sets[entry]) {
				d.change(at, sw, dst, want, rec, changed)
			}
		}
	}
}

// change sets the ports of an entry of a switch. The table's port comes first, unless it is not
// among them.
func (d *mending) change(at units.Time, sw, dst int, ports []uint16, rec *results.Recovery, changed map[int]bool) {
	entry := sw*d.Tables.Endpoints + dst
	d.sets[entry] = ports
	c := fault.TableChange{At: at, Row: int32(sw), Dst: int32(dst), Ports: ports, Port: d.port[entry]}
	if len(ports) > 0 && !slices.Contains(ports, c.Port) {
		c.Port = ports[dst%len(ports)]
	}
	d.out.Changes = append(d.out.Changes, c)
	changed[sw] = true
	rec.Entries++
	noteTable(rec, at)
}
