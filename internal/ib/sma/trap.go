package sma

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// outbox is the traps of a port, of a switch's port 0, that no manager has
// repressed. The first is on its way: it goes out again and again until it is
// (IBA vol. 1, 13.4.9), and no two go out within the time that
// PortInfo.SubnetTimeOut says (14.2.5.6).
type outbox struct {
	letters []letter
	next    units.Time // when the next datagram may go
}

// letter is a trap that waits to be repressed.
type letter struct {
	tid    uint64
	notice mad.Notice
	sent   bool
}

// TrapCounts counts the traps of a fabric by their fate.
type TrapCounts struct {
	Raised    int // different ones, one after the other
	Merged    int // equal to a trap that still waited
	Lost      int // that found a full outbox, or a port that knows no manager
	Sent      int // datagrams, repetitions too
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

// SetManager says whether a Subnet Manager runs on a port: its capabilities then
// show it, which traps 144.
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

// trap puts a trap into a port's outbox. A port that knows no manager loses it.
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

// Traps returns the traps that are to go out by now, and notes that they have.
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

// keepTelling keeps the ports that have traps to send and know a manager.
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

// NextTrap is when Traps has something to return; Forever while no trap waits.
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
		return // too late, or of no trap
	}
	f.traps.Repressed++
	o.letters = o.letters[1:]
}

// TrapCounts are the counts since the agents were made.
func (f *Fabric) TrapCounts() TrapCounts { return f.traps }

// Info is a port's answer to a Get(PortInfo).
func (f *Fabric) Info(at subnet.End) mad.PortInfo { return f.nodes[at.Node].ports[at.Port].info }

// LID is the LID of a port: of a switch's, the switch's.
func (f *Fabric) LID(at subnet.End) units.LID { return f.lidAt(at) }

// NodeInfo is a port's answer to a Get(NodeInfo).
func (f *Fabric) NodeInfo(at subnet.End) mad.NodeInfo {
	return *f.nodeInfo(&request{at: at, n: &f.nodes[at.Node], of: &f.sub.Nodes[at.Node]})
}

// PKeys is the first block of a port's partition keys.
func (f *Fabric) PKeys(at subnet.End) mad.PKeyTable { return f.nodes[at.Node].ports[at.Port].pkeys[0] }
