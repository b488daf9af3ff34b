package sm

import (
	"weft/wire/mad"
)

// otherManager is a Subnet Manager on another port.
type otherManager struct {
	info mad.SMInfo
	path []uint8 // to its port
}

// mastery is the manager's state and the SMInfo of the other Subnet Managers.
type mastery struct {
	*requests
	priority  uint8
	smKey     uint64
	state     mad.SMState
	actCount  uint32
	others    []otherManager // in the order of discovery
	master    int            // of others: the manager that a standby watches; -1: none
	successor int            // of others: the next master; -1: none
	lostPolls int            // consecutive polls without an answer
}

// enter changes the state.
func (s *mastery) enter(state mad.SMState) {
	if s.state != state {
		s.event(Event{Kind: Entered, State: state})
	}
	s.state = state
	s.actCount++
}

// watch makes the manager a standby of a master.
func (s *mastery) watch(master int) {
	s.master, s.successor, s.lostPolls = master, -1, 0
	s.enter(mad.SMStandby)
	s.claim()
}

// claim sends a trap 144 to a master that ranks below this manager: the master then sweeps and
// hands over (IBA vol. 1, 14.4.1). A port without a LID cannot send it.
func (s *mastery) claim() {
	if s.master < 0 || s.others[s.master].info.State != mad.SMMaster || s.before(&s.others[s.master]) {
		return
	}
	info := &s.portAt(s.own()).info
	if info.LID == 0 || info.MasterSMLID == 0 {
		return
	}
	notice := mad.Notice{Generic: true, Type: mad.NoticeInfo, Producer: uint32(s.nodes[0].info.Type), Number: mad.TrapCapability, IssuerLID: info.LID}
	notice.SetData(&mad.CapabilityNotice{LID: info.LID, OtherChanges: true, CapabilityMask: info.CapabilityMask, Priority: true})
	p := Packet{DLID: info.MasterSMLID, SLID: info.LID, MAD: mad.New(mad.SubnLID, mad.Trap, mad.AttrNotice, 0, uint64(s.newTID()))}
	mad.Append(p.MAD.SMPData()[:0], &notice)
	s.send(p)
}

// consult asks every other manager that discovery found for its SMInfo.
func (s *mastery) consult() {
	s.others = s.others[:0]
	own := s.own()
	for i, n := range s.nodes {
		for p := range n.ports {
			q := &n.ports[p]
			if (end{int32(i), uint8(p)}) == own || !q.have || q.info.CapabilityMask&mad.CapIsSM == 0 || q.guid == 0 {
				continue
			}
			s.others = append(s.others, otherManager{info: mad.SMInfo{GUID: q.guid}, path: n.agentOf(uint8(p)).path})
			s.askInfo(len(s.others) - 1)
		}
	}
}

func (s *mastery) askInfo(other int) {
	s.ask(request{method: mad.Get, attr: mad.AttrSMInfo, node: unmet, other: int16(other), path: s.others[other].path})
}

// before reports whether another manager should be master rather than this one: its priority is
// higher, or the priorities are equal and its GUID is lower (IBA vol. 1, 14.4.1).
func (s *mastery) before(o *otherManager) bool {
	if o.info.State == mad.SMNotActive {
		return false
	}
	if o.info.Priority != s.priority {
		return o.info.Priority > s.priority
	}
	return o.info.GUID < s.guid
}

// better compares two other managers.
func (s *mastery) better(a, b int) bool {
	x, y := &s.others[a].info, &s.others[b].info
	if x.Priority != y.Priority {
		return x.Priority > y.Priority
	}
	return x.GUID < y.GUID
}

// rank finds the best other master, and the best other manager that ranks before this one; -1
// stands for none.
func (s *mastery) rank() (master, best int) {
	master, best = -1, -1
	for i := range s.others {
		o := &s.others[i]
		if o.info.State == mad.SMMaster && (master < 0 || s.better(i, master)) {
			master = i
		}
		if s.before(o) && (best < 0 || s.better(i, best)) {
			best = i
		}
	}
	return master, best
}

// tell is a Set(SMInfo) to another manager.
func (s *mastery) tell(other int, modifier uint32) request {
	info := s.info()
	r := request{method: mad.Set, attr: mad.AttrSMInfo, modifier: modifier, node: unmet, other: int16(other), path: s.others[other].path}
	mad.Append(r.data[:0], &info)
	return r
}

// info is the manager's own SMInfo.
func (s *mastery) info() mad.SMInfo {
	return mad.SMInfo{GUID: s.guid, SMKey: s.smKey, ActCount: s.actCount, Priority: s.priority, State: s.state}
}

// known is the SMInfo of this manager and of the others.
func (s *mastery) known() []mad.SMInfo {
	all := []mad.SMInfo{s.info()}
	for i := range s.others {
		all = append(all, s.others[i].info)
	}
	return all
}

// reply sends the manager's own SMInfo to another manager.
func (s *mastery) reply(p *Packet, status mad.Status) {
	answer := *p
	info := s.info()
	clear(answer.MAD.SMPData())
	mad.Append(answer.MAD.SMPData()[:0], &info)
	answer.MAD.SetMethod(answer.MAD.Method().Answer())
	if answer.MAD.Class() == mad.SubnDirected {
		answer.MAD.SetReturning()
	} else {
		answer.DLID, answer.SLID = answer.SLID, answer.DLID
	}
	answer.MAD.SetStatus(status)
	s.send(answer)
}
