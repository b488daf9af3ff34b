package sma

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// outbox is the unrepressed traps of a port; a switch has one outbox, at port 0. The first trap is
// repeated until a manager represses it (IBA vol. 1, 13.4.9). The interval between two datagrams is
// at least PortInfo.SubnetTimeOut (14.2.5.6).
type outbox struct {
	letters []letter
	next    units.Time // earliest time of the next datagram
}

// letter is an unrepressed trap.
type letter struct {
	tid    uint64
	notice mad.Notice
	sent   bool
}

// TrapCounts counts the traps of a fabric by their fate.
type TrapCounts struct {
	Raised    int // traps, without those equal to a waiting trap
	Merged    int // equal to a trap that still waited
	Lost      int // because of a full outbox, or a port without a known manager
	Sent      int // datagrams, including repetitions
	Repressed int
}

// stateChanged notes that a link went down or came up. Only a switch reports it
// (IBA vol. 1, 14.2.5.1, trap 128).
func (f *Fabric) stateChanged(at subnet.End) {
	if f.sub.Nodes[at.Node].Kind != subnet.Switch {
		return
	}
	f.nodes[at.Node].sw.PortStateChange = true
	f.trap(at, mad.NoticeUrgent, mad.TrapLinkState, &mad.LinkStateNotice{LID: f.lidAt(at)})
}

// SetManager sets whether a Subnet Manager runs on a port. The change of the port's capabilities
// sends trap 144.
func (f *Fabric) SetManager(at subnet.End, runs bool) {
	q := &f.endport(at).info
	was := q.CapabilityMask
	q.CapabilityMask &^= mad.CapIsSM
	if runs {
		q.CapabilityMask |= mad.CapIsSM
	}
	if q.CapabilityMask != was {
		f.trap(at, mad.NoticeInfo, mad.TrapCapability, &mad.CapabilityNotice{LID: q.LID, CapabilityMask: q.CapabilityMask})
	}
}

// trap puts a trap into a port's outbox. A port without a known manager loses it.
func (f *Fabric) trap(at subnet.End, kind mad.NoticeType, number mad.TrapNumber, data mad.Structure) {
	if f.sub.Nodes[at.Node].Kind == subnet.Switch {
		at.Port = 0
	}
	q := f.endport(at)
	if q.info.MasterSMLID == 0 || q.info.LID == 0 {
		f.traps.Lost++
		return
	}
	notice := mad.Notice{Generic: true, Type: kind, Producer: uint32(f.sub.Nodes[at.Node].Kind), Number: number, IssuerLID: q.info.LID}
	notice.SetData(data)
	o := &q.outbox
	switch {
	case slices.ContainsFunc(o.letters, func(l letter) bool { return !l.sent && l.notice == notice }):
		f.traps.Merged++
		return
	case len(o.letters) >= maxLetters:
		f.traps.Lost++
		return
	}
	f.traps.Raised++
	f.lastTID++
	o.letters = append(o.letters, letter{tid: f.lastTID, notice: notice})
	if !slices.Contains(f.telling, at) {
		f.telling = append(f.telling, at)
	}
}

// Traps returns the due traps, and notes that they are sent.
func (f *Fabric) Traps() (due []Sent) {
	f.keepTelling()
	for _, at := range f.telling {
		q := f.endport(at)
		if o := &q.outbox; f.now >= o.next {
			o.next = f.now + 4096*units.Nanosecond<<q.info.SubnetTimeOut
			o.letters[0].sent = true
			f.traps.Sent++
			due = append(due, o.letters[0].from(at, &q.info))
		}
	}
	return due
}

// keepTelling keeps the ports with waiting traps and a known manager.
func (f *Fabric) keepTelling() {
	f.telling = slices.DeleteFunc(f.telling, func(at subnet.End) bool {
		q := f.endport(at)
		if q.info.MasterSMLID == 0 || q.info.LID == 0 {
			q.outbox.letters = nil
		}
		return len(q.outbox.letters) == 0
	})
}

// from is the datagram of a trap.
func (l *letter) from(at subnet.End, port *mad.PortInfo) Sent {
	s := Sent{From: at, Packet: Packet{DLID: port.MasterSMLID, SLID: port.LID, MAD: mad.New(mad.SubnLID, mad.Trap, mad.AttrNotice, 0, l.tid)}}
	mad.Append(s.Packet.MAD.SMPData()[:0], &l.notice)
	return s
}

// NextTrap is the time of the next due trap; Forever while no trap waits.
func (f *Fabric) NextTrap() units.Time {
	f.keepTelling()
	next := units.Forever
	for _, at := range f.telling {
		next = min(next, f.endport(at).outbox.next)
	}
	return next
}

// repressed ends the repetition of a port's trap. The upper half of a transaction ID
// belongs to the carrier of datagrams.
func (f *Fabric) repressed(at subnet.End, m *mad.MAD) {
	o := &f.endport(at).outbox
	if m.Attribute() != mad.AttrNotice || len(o.letters) == 0 || !o.letters[0].sent || uint32(o.letters[0].tid) != uint32(m.TID()) {
		return // too late, or for an unknown trap
	}
	f.traps.Repressed++
	o.letters = o.letters[1:]
}

// TrapCounts is the counts since New.
func (f *Fabric) TrapCounts() TrapCounts { return f.traps }

// Info is a port's answer to a Get(PortInfo).
func (f *Fabric) Info(at subnet.End) mad.PortInfo { return f.nodes[at.Node].ports[at.Port].info }

// LID is the LID of a port; a switch's ports have the LID of the switch.
func (f *Fabric) LID(at subnet.End) units.LID { return f.lidAt(at) }

// NodeInfo is a port's answer to a Get(NodeInfo).
func (f *Fabric) NodeInfo(at subnet.End) mad.NodeInfo {
	return *f.nodeInfo(&request{at: at, n: &f.nodes[at.Node], of: &f.sub.Nodes[at.Node]})
}

// PKeys is the first block of a port's partition keys.
func (f *Fabric) PKeys(at subnet.End) mad.PKeyTable { return f.nodes[at.Node].ports[at.Port].pkeys[0] }
