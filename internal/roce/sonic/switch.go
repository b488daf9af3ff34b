package sonic

import (
	"slices"

	"weft/units"
)

// Priorities is the number of priorities, traffic classes, priority groups and
// queues for unicast that matter for PFC (IEEE 802.1Qbb).
const Priorities = 8

// Switch is the meaning of a configuration for lossless Ethernet.
type Switch struct {
	File     string // file name; several are joined by commas
	parts    parts
	config   *Config // that this is the meaning of
	Hostname string
	HwSKU    string
	Role     string // in the fabric: ToRRouter, LeafRouter, SpineRouter and the like; "": not said
	Pools    []*Pool
	Profiles []*Profile
	WRED     []*WRED
	// Schedulers are those of SCHEDULER, in its order.
	Schedulers []*Scheduler
	Ports      []*Port // in the order of their names' numbers
	Watchdog   Watchdog
	// Hash is how the switch chooses among equally short paths.
	Hash Hash
	// BGP is what the tables of BGP say.
	BGP BGP
	// SmallPercent and LosslessMTU are the traffic that headroom is computed for
	// (LOSSLESS_TRAFFIC_PATTERN); the MTU is 0 if the table is missing.
	SmallPercent int
	LosslessMTU  units.Bytes
	// Dynamic says that the switch computes the profiles of lossless groups without a profile
	// (buffer_model), with the exponent DefaultTh. Oversubscribed is the ratio of promised headroom
	// to its pool; 0: each group has its own headroom.
	Dynamic        bool
	DefaultTh      int
	Oversubscribed int
	Version        string // version of the tables' format; "": unknown
	Newer          bool   // the format is newer than the known ones
	// Whole says that the configuration is a switch's whole one, and not a part such as qos.json.
	Whole bool
}

// Place is the file, and the line in it, for a line number of the switch's configuration, as in
// Pool, Profile and similar types.
func (s *Switch) Place(line int) (file string, own int) { return s.parts.at(line) }

// HasPort reports whether the switch has a port with this name.
func (s *Switch) HasPort(name string) bool {
	return slices.ContainsFunc(s.Ports, func(p *Port) bool { return p.Name == name })
}

// Pool is a share of the switch's buffer (BUFFER_POOL).
type Pool struct {
	Name string
	Size units.Bytes // 0: the switch decides
	Xoff units.Bytes // the headroom that ports share; 0: none
	Line int
	// Ingress says that packets take from it on arrival alone; otherwise they do on departure.
	Ingress bool
	// Static says that its profiles have thresholds in bytes, not shares of its free part.
	Static bool
}

// Profile is the part of a pool that one priority group or queue may take (BUFFER_PROFILE).
type Profile struct {
	Name      string
	Pool      *Pool
	Size      units.Bytes // reserved for the group or queue
	Xon       units.Bytes
	XonOffset units.Bytes
	Xoff      units.Bytes // the headroom; 0: the profile is not lossless
	// DynamicTh is the exponent of the threshold: alpha, 2^DynamicTh, times the free part of the
	// pool. It is used if StaticTh is 0.
	DynamicTh int
	StaticTh  units.Bytes
	Line      int
	// Computed says that the switch computes XON, XOFF and the size (headroom_type).
	Computed bool
}

// Lossless reports whether the profile makes a priority group lossless.
func (p *Profile) Lossless() bool { return p != nil && p.Xoff > 0 }

// Threshold is the maximum fill of a group before it pauses, including its reserved size, with the
// rest of the pool empty. ok is false if the switch decides the pool's size.
func (p *Profile) Threshold() (units.Bytes, bool) {
	if p.StaticTh > 0 {
		return p.Size + p.StaticTh, true
	}
	if p.Pool == nil || p.Pool.Size == 0 {
		return 0, false
	}
	num, den := p.Alpha()
	// held = alpha · (pool − held)
	return p.Size + units.Bytes(int64(p.Pool.Size)*num/(num+den)), true
}

// Alpha is the dynamic threshold as a fraction of the free part of the pool.
func (p *Profile) Alpha() (num, den int64) {
	if p.DynamicTh < 0 {
		return 1, 1 << -p.DynamicTh
	}
	return 1 << p.DynamicTh, 1
}

// WRED holds the thresholds at which a queue marks green packets (WRED_PROFILE). Without a policer
// all packets are green.
type WRED struct {
	Name     string
	Min, Max units.Bytes
	Percent  int // probability of a mark at Max
	ECN      bool
	Line     int
	// MinField, MaxField and ChanceField are the fields that Min, Max and Percent come from: marking
	// may have its own thresholds, apart from the thresholds for drops.
	MinField, MaxField, ChanceField string
	// Enabled says that WRED is on for green packets (wred_green_enable; SAI's default is off).
	Enabled bool
	// Unset says that Min or Max is missing: the chip's default is a full buffer (saiwred.h).
	Unset bool
	// Broken says that a value could not be read, so that the values mean nothing.
	Broken bool
	// Unknown is a field that the switch does not know, "" for none, in UnknownLine.
	Unknown     string
	UnknownLine int
}

// Scheduler is the scheduling of a queue (SCHEDULER).
type Scheduler struct {
	Name   string
	Strict bool
	Weight int // of DWRR or WRR, 1 to 100
}

// Queue is a port's queue.
type Queue struct {
	Scheduler *Scheduler // nil: none is configured
	WRED      *WRED      // nil: no marking
	Line      int        // line of the entry that names the WRED profile or scheduler
	Key       string     // key of that entry in QUEUE; it may name several queues
	// Profile is its part of the egress buffer, nil if BUFFER_QUEUE has no entry for it.
	Profile    *Profile
	ProfileAt  int    // line of that entry
	ProfileKey string // its key, which may name several queues
}

// Map is a table from a number to a number, -1 if an entry is missing.
type Map struct {
	Name string
	To   []int
	Line int
	at   []int // line of each entry
}

// Of is the number that n maps to, -1 if it has no entry.
func (m *Map) Of(n int) int {
	if m == nil || n < 0 || n >= len(m.To) {
		return -1
	}
	return m.To[n]
}

// LineOf is the line of the entry for a number, or else of the map.
func (m *Map) LineOf(n int) int {
	switch {
	case m == nil:
		return 0
	case n < 0 || n >= len(m.at) || m.at[n] == 0:
		return m.Line
	}
	return m.at[n]
}

// Port is a front port.
type Port struct {
	Name  string
	Speed units.Rate
	MTU   units.Bytes
	Lanes int
	Cable units.Length // 0: not in CABLE_LENGTH, or said to be none
	// CableLine is the line of its length in CABLE_LENGTH; 0: it has none.
	CableLine int
	Up        bool
	Line      int
	// FEC is the forward error correction: none, fc, rs or auto; "": the platform's default.
	FEC     string
	FECLine int
	// Asymmetric is the line that makes the port obey pauses of all priorities (pfc_asym); 0: it
	// obeys those of PFC.
	Asymmetric int
	// Inner says that the port leads to another part of the switch and has no cable.
	Inner bool
	// Routed and Tagged are the lines that make the port a routed port (INTERFACE) or a tagged
	// member of a VLAN (VLAN_MEMBER); 0: it is not.
	Routed, Tagged int

	// DSCP and Dot1p map a frame to its traffic class: by DSCP, or, without a DSCP map, by the
	// priority of the VLAN tag.
	DSCP, Dot1p *Map
	Group       *Map // priority group by traffic class
	Queue       *Map // queue by traffic class
	PFCQueue    *Map // queue that a pause of each PFC priority stops
	// PFC are the priorities on which the port sends and obeys pauses.
	PFC     []int
	PFCLine int
	// Watched are the priorities that the watchdog looks at.
	Watched     []int
	WatchedLine int
	// WatchAssumed says that Watched is missing and was taken from PFC, as a migration does.
	WatchAssumed bool
	Groups       [Priorities]*Profile
	GroupAt      [Priorities]int // line of the entry in BUFFER_PG
	GroupKey     [Priorities]string
	// Made are the profiles of groups that the switch completes: their Groups are nil.
	Made     [Priorities]*Profile
	Queues   [Priorities]Queue
	Detect   units.Time // of the watchdog; 0: it is off on this port
	Restore  units.Time
	Action   string // drop, forward or alert
	WDLine   int
	QoSLine  int // of its entry in PORT_QOS_MAP
	QoSKey   string
	hasQueue bool
}

// Watchdog is the setting of the watchdog for all ports (PFC_WD|GLOBAL).
type Watchdog struct {
	Poll units.Time
	Line int
	// Red is the line of BIG_RED_SWITCH if it is on: the switch drops all packets of priorities with
	// PFC, on every port, and watches for no storm; 0: it is off.
	Red int
}

// Class is the path of a packet on a port: traffic class, priority group and queue, -1 if a map has
// no entry.
type Class struct{ TC, Group, Queue int }

// ClassOf follows a port's maps. Without a DSCP map, every packet without a VLAN tag has priority
// 0. Without a priority map, its class is 0. Without maps of classes, group and queue have the
// number of the class (sonic-swss, qosorch).
func (p *Port) ClassOf(dscp int) Class {
	if p.DSCP == nil {
		return p.ClassOfTC(max(0, p.Dot1p.Of(0)))
	}
	return p.ClassOfTC(p.DSCP.Of(dscp))
}

// ClassOfTC is the path of packets of a traffic class.
func (p *Port) ClassOfTC(tc int) Class {
	return Class{TC: tc, Group: through(p.Group, tc), Queue: through(p.Queue, tc)}
}

func through(m *Map, n int) int {
	if m == nil {
		return n
	}
	return m.Of(n)
}

// Lossless reports whether a priority group is protected: the port pauses its priority, and the
// group has headroom. Without a configured profile, the switch makes one with headroom (sonic-swss,
// buffermgrd, for the priorities of pfc_enable).
func (p *Port) Lossless(group int) bool {
	if group < 0 || group >= Priorities || !slices.Contains(p.PFC, group) {
		return false
	}
	return p.Groups[group] == nil || p.Groups[group].Lossless()
}

// PFCQueueOf is the queue that a pause of a priority stops.
func (p *Port) PFCQueueOf(priority int) int { return through(p.PFCQueue, priority) }

// Unserved reports whether a queue has no scheduler on a port whose other queues have one. If no
// queue has one, the switch serves all alike.
func (p *Port) Unserved(queue int) bool {
	return p.hasQueue && p.Queues[queue].Scheduler == nil &&
		slices.ContainsFunc(p.Queues[:], func(q Queue) bool { return q.Scheduler != nil })
}

// Fills reports whether BUFFER_PG or BUFFER_QUEUE has entries of the port.
func (p *Port) Fills() (groups, queues bool) {
	for n := range Priorities {
		groups = groups || p.GroupKey[n] != ""
		queues = queues || p.Queues[n].ProfileKey != ""
	}
	return groups, queues
}

// Used reports whether the configuration sets the port's treatment of traffic; many ports of a
// switch are only listed.
func (p *Port) Used() bool { return p.QoSLine > 0 || p.hasQueue }
