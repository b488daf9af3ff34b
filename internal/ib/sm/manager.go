package sm

import (
	"maps"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// Router computes the tables of a subnet whose ports have LIDs. If it used another engine than the
// configured one, instead says why; otherwise instead is empty.
type Router func(*subnet.Subnet) (tables *subnet.Tables, instead string, err error)

// Config is the configuration of a manager.
type Config struct {
	Priority uint8  // 0 to 15: the higher becomes master
	SMKey    uint64 // of this manager
	MKey     MKey   // of ports, against other managers
	LMC      uint8  // 0 to 7
	Route    Router
	// LIDs is the LIDs before a restart, by port GUID. A port outside LIDs keeps its LID, unless
	// Reassign is set.
	LIDs     map[units.GUID]units.LID
	Reassign bool
	// Shared hands out the owners of the LIDs that all managers at the port own have given out: an aggregated port is on
	// several planes, each with a manager. nil: the manager is alone.
	Shared func(own units.GUID, use func(owner map[units.LID]units.GUID))
	// Partitions are the partition keys of an end port; nil is the default
	// partition for all.
	Partitions func(EndPort) []mad.PKey
	// Groups are the multicast groups that exist without members. The manager chooses their LIDs. nil
	// is the broadcast group of IP over InfiniBand in the default partition.
	Groups []mad.MCMemberRecord
	// Level is the service level of paths with a partition key, unless routing needs others; nil is 0
	// for all.
	Level func(mad.PKey) units.SL
	// Settings are the values for all ports; nil is DefaultSettings.
	Settings *Settings
	// QoS is the treatment of service levels at a port; nil leaves all to routing.
	QoS func(kind subnet.Kind, port uint8) QoS

	Window  int        // outstanding requests; 0 is DefaultWindow
	Timeout units.Time // of a request; 0 is DefaultTimeout
	Retries int        // repeats of a request; negative for none, 0 is DefaultRetries
	Sweep   units.Time // between light sweeps; 0 is DefaultSweep
	Poll    units.Time // between a standby's polls; 0 is DefaultPoll
	// LostPolls is the number of polls in a row without an answer after which a standby takes over;
	// 0 is DefaultLostPolls.
	LostPolls int
}

// Packet is a management datagram with its source and destination. Directed routes have the
// permissive LID in both.
type Packet struct {
	DLID, SLID units.LID
	// PKey is the datagram's partition key, from the table of the manager's port; 0 is the first
	// entry. Subnet management has none.
	PKey mad.PKey
	MAD  mad.MAD
}

// Batch is the output of a call. Calls append to it; callers may reuse it.
type Batch struct {
	Send   []Packet // in this order
	Events []Event
}

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() { b.Send, b.Events = b.Send[:0], b.Events[:0] }

// phase is the current part of a sweep.
type phase uint8

const (
	idle phase = iota
	discover
	consult
	assign
	program
	arm
	activate
	light   // the last three are not part of a heavy sweep
	regroup // multicast tables, after groups changed
	renew   // of the leases of M_Keys
)

// Manager is a Subnet Manager. Its zero value is not usable: see New.
//
// It runs the phases of a sweep (phases.go) and the states of a manager (states.go). Each duty is a
// type with its own state: see the package comment.
type Manager struct {
	cfg   Config
	phase phase

	outbox     outbox
	fabric     fabric
	requests   requests
	discovery  discovery
	mastery    mastery
	lids       lidBook
	routed     routed
	ports      portSetup
	delivery   delivery
	trees      trees
	protection protection
	admin      administration

	sweeping  units.Time // when the sweep began
	nextSweep units.Time
	again     bool   // the fabric changed during this sweep
	changes   int    // sweeps without a pause because of traps
	settled   bool   // the last sweep was finished: its nodes are the routed subnet's
	repeats   int    // consecutive sweeps with requests given up
	instead   string // why the router used another engine than configured
}

// New makes a manager that has not started. Config.Route must be set.
func New(cfg Config) *Manager {
	if cfg.Route == nil {
		panic("sm: a manager without a router")
	}
	fallback := func(field *units.Time, usual units.Time) {
		if *field == 0 {
			*field = usual
		}
	}
	if cfg.Window == 0 {
		cfg.Window = DefaultWindow
	}
	if cfg.Retries == 0 {
		cfg.Retries = DefaultRetries
	}
	if cfg.LostPolls == 0 {
		cfg.LostPolls = DefaultLostPolls
	}
	fallback(&cfg.Timeout, DefaultTimeout)
	fallback(&cfg.Sweep, DefaultSweep)
	fallback(&cfg.Poll, DefaultPoll)
	if cfg.Settings == nil {
		usual := DefaultSettings()
		cfg.Settings = &usual
	}
	m := &Manager{cfg: cfg, nextSweep: units.Forever}
	m.outbox.nextTID, m.fabric.maxVLs = 1, cfg.Settings.MaxVLs
	m.requests = requests{
		outbox: &m.outbox, fabric: &m.fabric,
		window: cfg.Window, timeout: cfg.Timeout, retries: cfg.Retries, mkey: cfg.MKey.Key,
	}
	m.discovery = discovery{requests: &m.requests}
	m.mastery = mastery{requests: &m.requests, priority: cfg.Priority, smKey: cfg.SMKey, state: mad.SMNotActive, master: -1, successor: -1}
	m.lids = lidBook{outbox: &m.outbox, fabric: &m.fabric, lids: map[units.GUID]units.LID{}, lmc: cfg.LMC, reassign: cfg.Reassign, shared: cfg.Shared}
	maps.Copy(m.lids.lids, cfg.LIDs)
	m.connectWriters()
	return m
}

// connectWriters makes the types that write to the routed subnet, and subnet
// administration.
func (m *Manager) connectWriters() {
	w := &writer{&m.requests, &m.routed}
	keys := &partitions{writer: w, keys: m.cfg.Partitions}
	access := &access{routed: &m.routed, partitions: keys, smKey: m.cfg.SMKey}
	subs := &subscriptions{outbox: &m.outbox, fabric: &m.fabric, routed: &m.routed}
	groups := &groups{all: permanentGroups(m.cfg.Groups), subscriptions: subs, access: access}
	written := ledger{}
	lanes := &laneTables{writer: w, qos: m.cfg.QoS, levels: m.cfg.Level != nil, written: written}
	m.trees = trees{writer: w, groups: groups, written: written}
	m.delivery = delivery{writer: w, trees: &m.trees, lanes: lanes, written: written, packetLife: m.cfg.Settings.PacketLife}
	m.ports = portSetup{writer: w, mkey: &m.cfg.MKey, settings: m.cfg.Settings, partitions: keys, lanes: lanes}
	m.protection = protection{writer: w, mkey: &m.cfg.MKey, next: units.Forever}
	m.admin = administration{
		routed: &m.routed, groups: groups, subscriptions: subs,
		services: &services{outbox: &m.outbox}, transfers: &transfers{outbox: &m.outbox},
		inventory: inventoryRecords{access}, paths: pathRecords{access, m.cfg.Level},
		tables: tableRecords{access: access, written: written, mastery: &m.mastery, subscriptions: subs},
	}
}

// State is the manager's state (IBA vol. 1, 14.4.1).
func (m *Manager) State() mad.SMState { return m.mastery.state }

// Subnet is the subnet of the last sweep that computed tables, with LIDs; nil before.
// Callers must not change it.
func (m *Manager) Subnet() *subnet.Subnet { return m.routed.sub }

// Tables are the tables that were written for Subnet.
func (m *Manager) Tables() *subnet.Tables { return m.routed.tables }

// Start begins the first sweep.
func (m *Manager) Start(now units.Time, out *Batch) {
	m.enter(now, out)
	m.becomeDiscovering()
	m.leave()
}

// NextTimeout is the time of the next call of Timeout, units.Forever if none is necessary.
func (m *Manager) NextTimeout() units.Time {
	return min(m.nextSweep, m.protection.next, m.requests.nextDeadline())
}

// Timeout tells the manager the time. A call too early or too late does no harm.
func (m *Manager) Timeout(now units.Time, out *Batch) {
	m.enter(now, out)
	m.expire()
	if now >= m.nextSweep {
		m.periodic()
	}
	if now >= m.protection.next {
		m.startRenewal()
	}
	m.leave()
}

// Receive takes a datagram that arrived at the manager's port.
func (m *Manager) Receive(now units.Time, p *Packet, out *Batch) {
	m.enter(now, out)
	if m.mastery.state != mad.SMNotActive || p.MAD.Attribute() == mad.AttrSMInfo {
		m.receive(p)
	}
	m.leave()
}

func (m *Manager) enter(now units.Time, out *Batch) {
	m.outbox.now, m.outbox.out = max(now, m.outbox.now), out
}

// leave sends as many requests as the window takes, and goes on to the next phase when
// no request of this phase is left.
func (m *Manager) leave() {
	for {
		m.requests.fill(m.more, m.gaveUp)
		if len(m.requests.wire) > 0 || m.phase == idle {
			break
		}
		m.advance()
	}
	m.outbox.out = nil
}

// more is the next request of a phase that makes its requests one at a time.
func (m *Manager) more() (request, bool) {
	if m.phase != program {
		return request{}, false
	}
	return m.delivery.next()
}

// receive handles a datagram: a request, a trap, or an answer.
func (m *Manager) receive(p *Packet) {
	d := &p.MAD
	switch {
	case d.Class() == mad.SubnAdm:
		if !d.Answers() && m.mastery.state == mad.SMMaster && m.admin.answer(p) {
			m.groupsChanged()
		}
	case !d.Class().Subnet():
	case d.Answers():
		m.answered(d)
	case d.Attribute() == mad.AttrSMInfo:
		m.askedSMInfo(p)
	case d.Method() == mad.Trap && d.Attribute() == mad.AttrNotice:
		m.trapped(p)
	}
}

// answered takes the answer to a request.
func (m *Manager) answered(d *mad.MAD) {
	r, waited := m.requests.answered(d)
	switch {
	case !waited:
	case d.Status() != mad.OK:
		m.outbox.complain(m.requests.about(&r, Refused, d.Status()))
		m.gaveUp(&r)
	default:
		m.take(&r, d)
	}
}

// expire gives up the requests without repeats left.
func (m *Manager) expire() {
	lost := m.requests.expire()
	for i := range lost {
		kind := Unanswered
		if m.requests.isBarred(&lost[i]) {
			kind = Protected
		}
		m.outbox.complain(m.requests.about(&lost[i], kind, mad.OK))
		m.gaveUp(&lost[i])
		if n := lost[i].node; n != unmet {
			m.fabric.nodes[n].agentOf(lost[i].port).silent = true
		}
	}
}

// take hands an answer to the phase that asked.
func (m *Manager) take(r *request, d *mad.MAD) {
	switch {
	case r.attr == mad.AttrSMInfo:
		m.tookSMInfo(r, d)
	case m.phase == discover:
		m.discovery.took(r, d)
	case m.phase == light:
		m.tookLight(d)
	case m.phase == renew:
		m.again = m.again || !m.protection.holds(d)
	case r.method == mad.Set && !r.holds(d, m.fabric.nodes[r.node]), r.attr == mad.AttrPKeyTable && !m.ports.partitions.took(r, d):
		m.outbox.complain(m.requests.about(r, NotTaken, mad.OK))
		m.gaveUp(r)
	case r.attr == mad.AttrPortInfo: // the answer to a Set, or about a standby's own port
		m.ports.took(r, d)
	case r.attr == mad.AttrLinearFDB:
		m.delivery.written[m.fabric.guidOf(r.node)].tookBlock(r)
	}
}

// gaveUp handles a request without a useful answer.
func (m *Manager) gaveUp(r *request) {
	switch {
	case r.attr == mad.AttrSMInfo:
		m.lostSMInfo(r)
		return
	case m.phase == light || m.phase == renew:
		m.again = true
		return
	}
	m.requests.givenUp++
	if w := m.delivery.written[m.fabric.guidOf(r.node)]; w != nil && m.phase != discover {
		w.forget() // the contents of the node's tables are unknown now
	}
}

// periodic begins the work that is due: a sweep, or a poll of the master.
func (m *Manager) periodic() {
	switch {
	case m.phase == regroup || m.phase == renew:
		m.nextSweep = m.outbox.now + m.cfg.Timeout // the current work will be over by then
	case m.phase != idle:
		m.nextSweep = units.Forever // the end of the sweep sets it
	case m.mastery.state == mad.SMStandby:
		m.pollMaster()
	case m.mastery.state == mad.SMMaster && m.repeats > 0:
		m.startSweep() // the last sweep had gaps
	case m.mastery.state == mad.SMMaster:
		m.startLight()
	default:
		m.becomeDiscovering()
	}
}

// changed starts a heavy sweep. A sweep that has written nothing yet starts again; a sweep that
// writes is finished first.
func (m *Manager) changed() {
	switch looks := m.phase == discover || m.phase == consult; {
	case m.mastery.state != mad.SMMaster:
	case m.phase == idle:
		m.startSweep()
	case looks && m.changes < maxChanges:
		m.changes++
		m.startSweep()
	default:
		m.again = true
	}
}
