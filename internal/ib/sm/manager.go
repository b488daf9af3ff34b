package sm

import (
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// Router computes the tables of a subnet whose ports have LIDs. Where they are not what
// was asked of it, such as another engine's, it says why in instead; else that is empty.
type Router func(*subnet.Subnet) (tables *subnet.Tables, instead string, err error)

// Config is what a manager is told before it starts.
type Config struct {
	Priority uint8  // 0 to 15: the higher becomes master
	SMKey    uint64 // of this manager
	MKey     MKey   // protects ports from other managers
	LMC      uint8  // 0 to 7
	Route    Router
	// LIDs are those that ports had before a restart, by port GUID. Ports that
	// have a LID keep it too, unless Reassign is set.
	LIDs     map[units.GUID]units.LID
	Reassign bool
	// Partitions are the partition keys of an end port; nil is the default
	// partition for all.
	Partitions func(EndPort) []mad.PKey
	// QoS is how a port treats service levels; nil leaves all to routing.
	QoS func(kind subnet.Kind, port uint8) QoS

	Window  int        // requests under way; 0 is DefaultWindow
	Timeout units.Time // of a request; 0 is DefaultTimeout
	Retries int        // of a request, beyond the first; negative for none, 0 is DefaultRetries
	Sweep   units.Time // between light sweeps; 0 is DefaultSweep
	Poll    units.Time // between a standby's questions; 0 is DefaultPoll
}

// EndPort is a port that has a LID.
type EndPort struct {
	Kind subnet.Kind
	GUID units.GUID
	Self bool // the manager runs on it
}

// Packet is a management datagram and where it goes to or comes from. Directed
// routes have the permissive LID in both.
type Packet struct {
	DLID, SLID units.LID
	// PKey is, of what is not subnet management, the key of the manager's own port by
	// which it came or goes; 0 is the first of the port's table.
	PKey mad.PKey
	MAD  mad.MAD
}

// Batch is what a call leaves behind. Callers may use one again and again; calls
// append to it.
type Batch struct {
	Send   []Packet // in this order
	Events []Event
}

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() { b.Send, b.Events = b.Send[:0], b.Events[:0] }

// phase is what a sweep is about.
type phase uint8

const (
	idle phase = iota
	discover
	consult
	assign
	program
	arm
	activate
	light   // these three are no part of a heavy sweep
	regroup // multicast tables, after groups changed
	renew   // of the leases of M_Keys
)

// Manager is a Subnet Manager. Its zero value is not usable: see New.
type Manager struct {
	cfg   Config
	now   units.Time
	out   *Batch
	state mad.SMState
	phase phase
	guid  units.GUID // of the manager's port; 0 before its own node has answered

	// Requests (request.go).
	nextTID  uint32
	queue    []request // from head on
	head     int
	wire     []request // under way, at most the window
	givenUp  int       // of this sweep
	sweeping units.Time

	// What discovery found (discover.go).
	fabric
	// What subnet administration knows (sa.go).
	admin admin

	nextSweep   units.Time
	nextRenewal units.Time // of M_Keys' leases
	again       bool       // a trap told of a change during this sweep
	moved       bool       // a cable was found to lead elsewhere during this sweep
	changes     int        // sweeps that followed at once because of traps
	settled     bool       // the last sweep got to its end: nodes are those of sub
	repeats     int        // sweeps with gaps that followed at once
	actCount    uint32

	others   []otherManager // in the order in which they were met
	master   int            // of others, which a standby watches
	lostPoll int
	heir     int // of others, to whom mastery is handed over; -1 to none

	lids    map[units.GUID]units.LID // by port GUID, of all ports ever met
	written map[units.GUID]*written  // by node GUID
	cursor  cursor                   // of the phase program
	lanes   int                      // most that tables have needed so far
	instead string                   // why the tables are not what was asked for
}

// New makes a manager that has not started. It needs a Router.
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
	fallback(&cfg.Timeout, DefaultTimeout)
	fallback(&cfg.Sweep, DefaultSweep)
	fallback(&cfg.Poll, DefaultPoll)
	m := &Manager{
		cfg: cfg, state: mad.SMNotActive, nextSweep: units.Forever, nextRenewal: units.Forever, heir: -1, master: -1, nextTID: 1,
		lids: map[units.GUID]units.LID{}, written: map[units.GUID]*written{},
	}
	m.admin.groups = []*group{broadcastGroup()}
	for guid, lid := range cfg.LIDs {
		m.lids[guid] = lid
	}
	return m
}

// State is what the manager is among managers.
func (m *Manager) State() mad.SMState { return m.state }

// Subnet is the subnet of the last sweep that got as far as its tables, with
// LIDs; nil before. Callers must not change it.
func (m *Manager) Subnet() *subnet.Subnet { return m.sub }

// Tables are the tables that were written for Subnet.
func (m *Manager) Tables() *subnet.Tables { return m.tables }

// LIDs are the LIDs of all ports that were ever met, by port GUID: what a
// manager that starts later should be given.
func (m *Manager) LIDs() map[units.GUID]units.LID {
	all := make(map[units.GUID]units.LID, len(m.lids))
	for guid, lid := range m.lids {
		all[guid] = lid
	}
	return all
}

// Start begins the first sweep.
func (m *Manager) Start(now units.Time, out *Batch) {
	m.enter(now, out)
	m.becomeDiscovering()
	m.leave()
}

// Sweep begins a heavy sweep, or another after the one that is under way. A
// manager that is not master does nothing.
func (m *Manager) Sweep(now units.Time, out *Batch) {
	m.enter(now, out)
	m.changed()
	m.leave()
}

// NextTimeout is when Timeout must be called, units.Forever if it need not.
func (m *Manager) NextTimeout() units.Time {
	next := min(m.nextSweep, m.nextRenewal)
	for i := range m.wire {
		next = min(next, m.wire[i].deadline)
	}
	return next
}

// Timeout lets time pass. Too early or too late does no harm.
func (m *Manager) Timeout(now units.Time, out *Batch) {
	m.enter(now, out)
	m.expire()
	if now >= m.nextSweep {
		m.periodic()
	}
	if now >= m.nextRenewal {
		m.startRenewal()
	}
	m.leave()
}

// Receive takes a datagram that arrived at the manager's port.
func (m *Manager) Receive(now units.Time, p *Packet, out *Batch) {
	m.enter(now, out)
	if m.state != mad.SMNotActive || p.MAD.Attribute() == mad.AttrSMInfo {
		m.receive(p)
	}
	m.leave()
}

func (m *Manager) enter(now units.Time, out *Batch) { m.now, m.out = max(now, m.now), out }

// leave sends what the window has room for, and goes on to the next phase when
// nothing is left of this one.
func (m *Manager) leave() {
	for {
		m.fill()
		if len(m.wire) > 0 || m.phase == idle {
			break
		}
		m.advance()
	}
	m.out = nil
}

// receive tells answers from requests.
func (m *Manager) receive(p *Packet) {
	d := &p.MAD
	switch {
	case d.Class() == mad.SubnAdm:
		if !d.Answers() && m.state == mad.SMMaster {
			m.administer(p)
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

// periodic is what happens when the time of the next sweep has come.
func (m *Manager) periodic() {
	switch {
	case m.phase == regroup || m.phase == renew:
		m.nextSweep = m.now + m.cfg.Timeout // it will be over by then
	case m.phase != idle:
		m.nextSweep = units.Forever // the end of the sweep sets it
	case m.state == mad.SMStandby:
		m.pollMaster()
	case m.state == mad.SMMaster && m.repeats > 0:
		m.startSweep() // the last sweep had gaps
	case m.state == mad.SMMaster:
		m.startLight()
	default:
		m.becomeDiscovering()
	}
}

// changed starts a heavy sweep: now, also where one is under way that has only looked so
// far, and else after the one that is under way.
func (m *Manager) changed() {
	switch looks := m.phase == discover || m.phase == consult; {
	case m.state != mad.SMMaster:
	case m.phase == idle:
		m.startSweep()
	case looks && m.changes < maxChanges:
		m.changes++
		m.startSweep()
	default:
		m.again = true
	}
}
