package sm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// office is a fabric that is up, and a port that queries its subnet administration.
type office struct {
	*world
	master *host
	asker  *host
}

// open brings a fabric up; the port that queries is on the last adapter.
func open(t *testing.T, spec topology.Spec, cfg sm.Config) *office {
	t.Helper()
	s := build(t, spec)
	w := newWorld(t, s)
	o := &office{world: w, master: w.manager("A", 0, cfg)}
	w.start(o.master)
	w.run(5 * units.Second)
	last := 0
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Adapter {
			last = i
		}
	}
	o.asker = &host{name: "asker", at: subnet.End{Node: int32(last), Port: 1}, m: sm.New(sm.Config{Route: minhop})}
	w.hosts = append(w.hosts, o.asker)
	return o
}

// lid is the LID of an adapter.
func (o *office) lid(node int) units.LID {
	return o.fabric.LID(subnet.End{Node: int32(node), Port: 1})
}

func (o *office) gid(node int) mad.GID {
	return mad.GID{Prefix: mad.DefaultPrefix, GUID: o.subnet.Nodes[node].Ports[1].GUID}
}

// ask sends a query to subnet administration and returns its answers.
func (o *office) ask(method mad.Method, attr mad.Attribute, mask uint64, r mad.Structure) []mad.MAD {
	o.t.Helper()
	m := mad.New(mad.SubnAdm, method, attr, 0, 42)
	m.SetComponentMask(mask)
	mad.Append(m.SAData()[:0], r)
	o.asker.answers = nil
	o.query(o.asker, o.lid(0), m)
	o.run(units.Second)
	for i := range o.asker.answers {
		if o.asker.answers[i].TID()&0xFFFFFFFF != 42 {
			o.t.Fatalf("an answer to transaction %#x", o.asker.answers[i].TID())
		}
	}
	return o.asker.answers
}

// one sends a query with one answer.
func (o *office) one(method mad.Method, attr mad.Attribute, mask uint64, r mad.Structure) *mad.MAD {
	o.t.Helper()
	all := o.ask(method, attr, mask, r)
	if len(all) != 1 {
		o.t.Fatalf("%d answers, want 1", len(all))
	}
	return &all[0]
}

func TestAPathRecordIsThePathOfTheTables(t *testing.T) {
	o := open(t, topology.TwoLevel{Endpoints: 8, Radix: 4}, sm.Config{})
	d := o.one(mad.Get, mad.AttrPathRecord, mad.PathSGID|mad.PathDGID, &mad.PathRecord{SGID: o.gid(7), DGID: o.gid(2)})
	var r mad.PathRecord
	_ = mad.Parse(d.SAData(), &r)
	want := mad.PathRecord{
		SGID: o.gid(7), DGID: o.gid(2), SLID: o.lid(7), DLID: o.lid(2), Reversible: true, PKey: mad.DefaultPKey,
		MTUSelector: mad.Exactly, MTU: 5, RateSelector: mad.Exactly, Rate: 17, LifetimeSelector: mad.Exactly, Lifetime: 18,
	}
	if d.Status() != mad.OK || r != want {
		t.Errorf("status %#x\n%+v, want\n%+v", d.Status(), r, want)
	}
}

// A path has the rate and MTU of its slowest link.
func TestAPathIsAsSlowAsItsSlowestLink(t *testing.T) {
	for _, slow := range []int{0, 1, 2} {
		s := &subnet.Subnet{Origin: subnet.None}
		var switches []int32
		for i := range 2 {
			switches = append(switches, s.Add(subnet.Node{Kind: subnet.Switch, GUID: units.GUID(0x10 + i), Name: "switch"}, 2))
			s.Nodes[i].Ports[0].GUID = s.Nodes[i].GUID
		}
		link := func(i int) subnet.Link {
			if i == slow {
				return subnet.Link{Width: 4, Speed: subnet.QDR}
			}
			return subnet.Link{Width: 4, Speed: subnet.NDR}
		}
		for i, sw := range switches {
			host := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: units.GUID(0x20 + 16*i), Name: "host"}, 1)
			s.Nodes[host].Ports[1].GUID = s.Nodes[host].GUID + 1
			s.Connect(subnet.End{Node: sw, Port: 1}, subnet.End{Node: host, Port: 1}, link(2*i))
		}
		s.Connect(subnet.End{Node: 0, Port: 2}, subnet.End{Node: 1, Port: 2}, link(1))
		w := newWorld(t, s)
		o := &office{world: w, master: w.manager("A", 2, sm.Config{})}
		o.asker = o.master
		w.start(o.master)
		w.run(units.Second)
		m := mad.New(mad.SubnAdm, mad.Get, mad.AttrPathRecord, 0, 42)
		m.SetComponentMask(mad.PathSGID | mad.PathDGID)
		r := mad.PathRecord{SGID: o.gid(2), DGID: o.gid(3)}
		mad.Append(m.SAData()[:0], &r)
		w.query(o.master, o.lid(2), m)
		w.run(units.Second)
		if len(o.master.answers) != 1 {
			t.Fatalf("%d answers", len(o.master.answers))
		}
		_ = mad.Parse(o.master.answers[0].SAData(), &r)
		if r.Rate != 7 { // 40 Gb/s
			t.Errorf("link %d is slow: the path's rate has code %d, want 7", slow, r.Rate)
		}
	}
}

func TestQueriesThatCannotBeAnsweredSaySo(t *testing.T) {
	o := open(t, topology.SingleSwitch{Endpoints: 4}, sm.Config{})
	stranger := mad.GID{Prefix: mad.DefaultPrefix, GUID: 0xdead}
	for _, c := range []struct {
		name   string
		method mad.Method
		attr   mad.Attribute
		mask   uint64
		r      mad.Structure
		want   mad.Status
	}{
		{"a path to an unknown port", mad.Get, mad.AttrPathRecord, mad.PathSGID | mad.PathDGID, &mad.PathRecord{SGID: o.gid(1), DGID: stranger}, mad.NoRecords},
		{"several with Get", mad.Get, mad.AttrNodeRecord, 0, &mad.NodeRecord{}, mad.TooManyRecords},
		{"an unknown component", mad.Get, mad.AttrNodeRecord, 1 << 40, &mad.NodeRecord{}, mad.ReqInvalid},
		{"an unknown attribute", mad.Get, 0x7777, 0, &mad.NodeRecord{}, mad.BadAttribute},
		{"writing a node", mad.Set, mad.AttrNodeRecord, 0, &mad.NodeRecord{}, mad.BadMethod},
		{"a path too wide", mad.Get, mad.AttrPathRecord, mad.PathSGID | mad.PathDGID | mad.PathMTUSel | mad.PathMTU, &mad.PathRecord{SGID: o.gid(1), DGID: o.gid(2), MTUSelector: mad.Greater, MTU: 5}, mad.NoRecords},
		{"a path too fast", mad.Get, mad.AttrPathRecord, mad.PathSGID | mad.PathDGID | mad.PathRateSel | mad.PathRate, &mad.PathRecord{SGID: o.gid(1), DGID: o.gid(2), RateSelector: mad.Greater, Rate: 17}, mad.NoRecords},
		{"a group without its terms", mad.Set, mad.AttrMCMemberRecord, mad.MCMGID, &mad.MCMemberRecord{}, mad.MissingComponent},
	} {
		if d := o.one(c.method, c.attr, c.mask, c.r); d.Status() != c.want {
			t.Errorf("%s: status %#04x, want %#04x", c.name, uint16(d.Status()), uint16(c.want))
		}
	}
}

// An answer of many records comes in segments, each acknowledged by the querier.
func TestAnAnswerOfManyRecordsComesInPieces(t *testing.T) {
	o := open(t, topology.TwoLevel{Endpoints: 24, Radix: 8}, sm.Config{})
	all := o.ask(mad.GetTable, mad.AttrNodeRecord, 0, &mad.NodeRecord{})
	if len(all) != 1 || !all[0].RMPP().First || all[0].RMPP().Last {
		t.Fatalf("%d segments before the first acknowledgement, the first %+v", len(all), all[0].RMPP())
	}
	stride := all[0].RecordStride()
	records := append([]byte(nil), all[0].SAData()...)
	total := int(all[0].RMPP().Length)
	for next := uint32(2); ; {
		ack := mad.New(mad.SubnAdm, mad.GetTable, mad.AttrNodeRecord, 0, all[0].TID())
		ack.SetRMPP(mad.RMPP{Version: 1, Type: mad.RMPPAck, Active: true, Segment: next - 1, Length: next + 2})
		o.asker.answers = nil
		o.query(o.asker, o.lid(0), ack)
		o.run(units.Millisecond)
		last := false
		for i := range o.asker.answers {
			d := &o.asker.answers[i]
			if d.RMPP().Segment != next {
				t.Fatalf("segment %d, want %d", d.RMPP().Segment, next)
			}
			next++
			records = append(records, d.SAData()[:d.Records()]...)
			last = d.RMPP().Last
		}
		if last {
			if total != len(records)+20*int(next-1) {
				t.Errorf("the first segment says %d bytes, but there are %d and %d headers of 20", total, len(records), next-1)
			}
			break
		}
		if len(o.asker.answers) == 0 {
			t.Fatal("no further segment comes")
		}
	}
	if len(records) != stride*len(o.subnet.Nodes) {
		t.Fatalf("%d bytes of records of %d, want %d records", len(records), stride, len(o.subnet.Nodes))
	}
	guids := map[units.GUID]bool{}
	for i := 0; i < len(records); i += stride {
		var r mad.NodeRecord
		_ = mad.Parse(records[i:], &r)
		guids[r.Info.NodeGUID] = true
	}
	if len(guids) != len(o.subnet.Nodes) {
		t.Errorf("%d nodes, want %d", len(guids), len(o.subnet.Nodes))
	}
}

func TestRecordsOfPortsAndLinks(t *testing.T) {
	o := open(t, topology.TwoLevel{Endpoints: 8, Radix: 4}, sm.Config{MKey: sm.MKey{Key: 7, Level: 1}})
	d := o.one(mad.Get, mad.AttrPortInfoRecord, mad.PortRecLID|mad.PortRecPort, &mad.PortInfoRecord{LID: o.lid(3), Port: 1})
	var p mad.PortInfoRecord
	_ = mad.Parse(d.SAData(), &p)
	if p.Info.LID != o.lid(3) || p.Info.State != mad.PortActive || p.Info.MKey != 0 {
		t.Errorf("PortInfoRecord of LID %d, %v, key %#x", p.Info.LID, p.Info.State, p.Info.MKey)
	}
	d = o.one(mad.Get, mad.AttrLinkRecord, mad.LinkRecFromLID, &mad.LinkRecord{FromLID: o.lid(3)})
	var l mad.LinkRecord
	_ = mad.Parse(d.SAData(), &l)
	leaf := o.subnet.Nodes[3].Ports[1].Peer
	if want := (mad.LinkRecord{FromLID: o.lid(3), FromPort: 1, ToPort: uint8(leaf.Port), ToLID: o.fabric.LID(leaf)}); l != want {
		t.Errorf("LinkRecord %+v, want %+v", l, want)
	}
}

func TestAServiceIsFoundUntilItsLeaseEnds(t *testing.T) {
	o := open(t, topology.SingleSwitch{Endpoints: 4}, sm.Config{})
	s := mad.ServiceRecord{ID: 0x99, GID: o.gid(3), Lease: 30}
	copy(s.Name[:], "storage")
	mask := mad.ServiceRecID | mad.ServiceRecGID
	if d := o.one(mad.Set, mad.AttrServiceRecord, mask, &s); d.Status() != mad.OK {
		t.Fatalf("announced: status %#x", d.Status())
	}
	find := func() *mad.MAD { return o.one(mad.Get, mad.AttrServiceRecord, mad.ServiceRecName, &s) }
	var got mad.ServiceRecord
	_ = mad.Parse(find().SAData(), &got)
	if got != s {
		t.Errorf("found %+v, announced %+v", got, s)
	}
	o.run(40 * units.Second)
	if d := find(); d.Status() != mad.NoRecords {
		t.Errorf("after its lease: status %#x", d.Status())
	}
	s.Lease = ^uint32(0)
	o.one(mad.Set, mad.AttrServiceRecord, mask, &s)
	o.run(1000 * units.Second)
	if d := find(); d.Status() != mad.OK {
		t.Errorf("a lease without end: status %#x", d.Status())
	}
	o.one(mad.Delete, mad.AttrServiceRecord, mask, &s)
	if d := find(); d.Status() != mad.NoRecords {
		t.Errorf("after it was withdrawn: status %#x", d.Status())
	}
}

// Partitions keep ports apart, in their tables and in paths.
func TestPortsWithoutACommonPartitionHaveNoPath(t *testing.T) {
	o := open(t, topology.SingleSwitch{Endpoints: 5}, sm.Config{})
	guids := map[units.GUID]int{}
	for i := range 5 {
		guids[o.subnet.Nodes[i].Ports[1].GUID] = i
	}
	keys := [][]mad.PKey{{0xFFFF, 0x8001}, {0x7FFF, 0x8001}, {0x7FFF, 0x8002}, {0x7FFF, 0x0002}, {0x7FFF, 0x0002}}
	o = open(t, topology.SingleSwitch{Endpoints: 5}, sm.Config{Partitions: func(e sm.EndPort) []mad.PKey {
		if i, adapter := guids[e.GUID]; adapter {
			return keys[i]
		}
		return []mad.PKey{mad.DefaultPKey}
	}})
	for i := range 5 {
		table := o.fabric.PKeys(subnet.End{Node: int32(i), Port: 1})
		if table[0] != keys[i][0] || table[1] != keys[i][1] || table[2] != 0 {
			t.Errorf("adapter %d has keys %#x, want %#x", i, table[:3], keys[i])
		}
	}
	for _, c := range []struct {
		from, to int
		key      mad.PKey
	}{{0, 1, 0xFFFF}, {2, 3, 0x8002}, {1, 2, 0}, {3, 4, 0}} {
		o.asker.at.Node = int32(c.to)
		d := o.one(mad.Get, mad.AttrPathRecord, mad.PathSGID|mad.PathDGID, &mad.PathRecord{SGID: o.gid(c.from), DGID: o.gid(c.to)})
		var r mad.PathRecord
		_ = mad.Parse(d.SAData(), &r)
		if (d.Status() == mad.OK) != (c.key != 0) || r.PKey != c.key {
			t.Errorf("from %d to %d: status %#x, key %#04x, want key %#04x", c.from, c.to, d.Status(), r.PKey, c.key)
		}
	}
}

// A port learns only about ports of its partitions. As a limited member of the default
// partition it learns about the manager's port and switches, and about ports with which it
// shares another partition. With the SM_Key it learns about all.
func TestSubnetAdministrationTellsOfSharedPartitionsOnly(t *testing.T) {
	names := build(t, topology.SingleSwitch{Endpoints: 4})
	keys := map[units.GUID][]mad.PKey{}
	for i, table := range [][]mad.PKey{{0xFFFF}, {0x7FFF, 0x8001}, {0x7FFF, 0x8002}, {0x7FFF, 0x0002}} {
		keys[names.Nodes[i].Ports[1].GUID] = table
	}
	o := open(t, topology.SingleSwitch{Endpoints: 4}, sm.Config{SMKey: 7, Partitions: func(e sm.EndPort) []mad.PKey {
		if table, adapter := keys[e.GUID]; adapter {
			return table
		}
		return []mad.PKey{mad.DefaultPKey}
	}})
	for node, shared := range []bool{true, false, true, true} {
		for smKey, want := range map[uint64]bool{0: shared, 7: true, 8: shared} {
			m := mad.New(mad.SubnAdm, mad.Get, mad.AttrNodeRecord, 0, 42)
			m.SetSMKey(smKey)
			m.SetComponentMask(mad.NodeRecLID)
			r := mad.NodeRecord{LID: o.lid(node)}
			mad.Append(m.SAData()[:0], &r)
			o.asker.answers = nil
			o.query(o.asker, o.lid(0), m)
			o.run(units.Second)
			if got := len(o.asker.answers) == 1 && o.asker.answers[0].Status() == mad.OK; got != want {
				t.Errorf("adapter %d, SM_Key %d: answered is %v, want %v", node, smKey, got, want)
			}
		}
	}
}

// A datagram of general services reaches a port whose table has its key, and the answer
// goes back with the matching key. Subnet management has no keys.
func TestDatagramsOfAnotherPartitionDoNotReachTheAdministration(t *testing.T) {
	o := open(t, topology.SingleSwitch{Endpoints: 3}, sm.Config{Partitions: func(e sm.EndPort) []mad.PKey {
		return []mad.PKey{map[bool]mad.PKey{true: 0xFFFF, false: 0x7FFF}[e.Self || e.Kind == subnet.Switch], 0x8005}
	}})
	for _, c := range []struct {
		key      mad.PKey
		answered bool
	}{{0, true}, {0x7FFF, true}, {0x8005, true}, {0x8006, false}} {
		m := mad.New(mad.SubnAdm, mad.Get, mad.AttrClassPortInfo, 0, 42)
		o.asker.answers, o.master.events = nil, nil
		o.send(o.asker, sm.Packet{DLID: o.lid(0), PKey: c.key, MAD: m})
		o.run(2 * units.Second)
		if got := len(o.asker.answers) == 1; got != c.answered {
			t.Errorf("with P_Key %#x answered is %v, want %v", c.key, got, c.answered)
		}
		told := len(o.master.events) == 1 && o.master.events[0].Trap == mad.TrapSwitchPKey
		if told == c.answered {
			t.Errorf("with P_Key %#x the manager has events %v", c.key, o.master.events)
		}
	}
}

// A multicast packet reaches every member of its group once, and no other port.
func TestAMulticastGroupReachesItsMembersOnce(t *testing.T) {
	for _, spec := range []topology.Spec{
		topology.TwoLevel{Endpoints: 24, Radix: 8},
		topology.Torus{Dims: []int{3, 3}, SwitchEndpoints: 2},
	} {
		o := open(t, spec, sm.Config{})
		r := mad.MCMemberRecord{
			MGID: mad.GID{Prefix: 0xff12401bffff0000, GUID: 1}, QKey: 0xb1b, PKey: mad.DefaultPKey, JoinState: mad.JoinFull,
		}
		create := mad.MCMGID | mad.MCPortGID | mad.MCJoinState | mad.MCQKey | mad.MCTClass | mad.MCPKey | mad.MCSL | mad.MCFlowLabel
		members := []int{1, 5, 6, 16}
		lid := units.LID(0)
		for _, node := range members {
			r.PortGID = o.gid(node)
			d := o.one(mad.Set, mad.AttrMCMemberRecord, create, &r)
			var got mad.MCMemberRecord
			_ = mad.Parse(d.SAData(), &got)
			if d.Status() != mad.OK || got.MLID != units.FirstMulticastLID+1 {
				t.Fatalf("joined with status %#x, LID %#x", d.Status(), got.MLID)
			}
			lid = got.MLID
		}
		o.members(lid, members[1], members)
		r.PortGID = o.gid(5)
		o.one(mad.Delete, mad.AttrMCMemberRecord, create, &r)
		o.members(lid, 1, []int{1, 6, 16})
	}
}

// IP over InfiniBand joins this group without giving its MTU, rate and Q_Key.
func TestTheBroadcastGroupIsThereFromTheStart(t *testing.T) {
	o := open(t, topology.SingleSwitch{Endpoints: 4}, sm.Config{})
	r := mad.MCMemberRecord{MGID: mad.GID{Prefix: 0xff12401bffff0000, GUID: 0xffffffff}, PortGID: o.gid(3), JoinState: mad.JoinFull}
	mask := mad.MCMGID | mad.MCPortGID | mad.MCJoinState
	for range 2 { // it stays when its last member goes
		d := o.one(mad.Set, mad.AttrMCMemberRecord, mask, &r)
		var got mad.MCMemberRecord
		_ = mad.Parse(d.SAData(), &got)
		if d.Status() != mad.OK || got.MLID != units.FirstMulticastLID || got.QKey != 0xB1B || got.MTU != 4 {
			t.Errorf("status %#x: %+v", d.Status(), got)
		}
		o.one(mad.Delete, mad.AttrMCMemberRecord, mask, &r)
	}
}

// Subscribers hear of ports and groups that come and go, and of switches' traps.
func TestSubscribersAreTold(t *testing.T) {
	o := open(t, topology.TwoLevel{Endpoints: 8, Radix: 4}, sm.Config{})
	all := mad.InformInfo{FirstLID: 0xFFFF, Generic: 1, Subscribe: 1, Type: 0xFFFF, Trap: 0xFFFF, Producer: 0xFFFFFF}
	if d := o.one(mad.Set, mad.AttrInformInfo, 0, &all); d.Status() != mad.OK {
		t.Fatalf("subscribed: status %#x", d.Status())
	}
	told := func() []mad.TrapNumber {
		var numbers []mad.TrapNumber
		for i := range o.asker.reports {
			var told mad.NoticeReport
			_ = mad.Parse(o.asker.reports[i].SAData(), &told)
			if !slices.Contains(numbers, told.Notice.Number) {
				numbers = append(numbers, told.Notice.Number)
			}
		}
		o.asker.reports = nil
		slices.Sort(numbers)
		return numbers
	}
	leaf := o.subnet.Nodes[2].Ports[1].Peer
	for _, c := range []struct {
		do   func(*sma.Fabric)
		want []mad.TrapNumber
	}{
		{func(f *sma.Fabric) { f.SetLink(leaf, false) }, []mad.TrapNumber{mad.TrapOutOfService, mad.TrapLinkState}},
		{func(f *sma.Fabric) { f.SetLink(leaf, true) }, []mad.TrapNumber{mad.TrapInService, mad.TrapLinkState}},
	} {
		o.change(c.do)
		o.run(2 * units.Second)
		if got := told(); !slices.Equal(got, c.want) {
			t.Errorf("reports %v, want %v", got, c.want)
		}
	}
	all.Subscribe = 0
	o.one(mad.Set, mad.AttrInformInfo, 0, &all)
	o.change(func(f *sma.Fabric) { f.SetLink(leaf, false) })
	o.run(2 * units.Second)
	if got := told(); len(got) != 0 {
		t.Errorf("reports after the end of the subscription: %v", got)
	}
}

// Managers are found by the capability of their ports.
func TestManagersAreFoundByCapability(t *testing.T) {
	o := open(t, topology.SingleSwitch{Endpoints: 4}, sm.Config{})
	m := mad.New(mad.SubnAdm, mad.GetTable, mad.AttrPortInfoRecord, mad.BitwiseCapability, 42)
	m.SetComponentMask(mad.PortRecCapability)
	want := mad.PortInfoRecord{Info: mad.PortInfo{CapabilityMask: mad.CapIsSM}}
	mad.Append(m.SAData()[:0], &want)
	o.query(o.asker, o.lid(0), m)
	o.run(units.Second)
	if len(o.asker.answers) != 1 || o.asker.answers[0].Records() != 72 {
		t.Fatalf("%d answers, want one of one record", len(o.asker.answers))
	}
	var got mad.PortInfoRecord
	_ = mad.Parse(o.asker.answers[0].SAData(), &got)
	if got.LID != o.lid(0) {
		t.Errorf("a manager at LID %d, want %d", got.LID, o.lid(0))
	}
}

// Routing fails after the fabric has shrunk. Subnet administration goes on with its last
// knowledge; the next successful sweep writes the groups that changed meanwhile.
func TestAGroupChangesWhileRoutingFails(t *testing.T) {
	fails := false
	o := open(t, topology.TwoLevel{Endpoints: 24, Radix: 8}, sm.Config{Route: func(s *subnet.Subnet) (*subnet.Tables, string, error) {
		if fails {
			return nil, "", errors.New("no")
		}
		return minhop(s)
	}})
	fails = true
	for _, node := range []int{8, 9, 10, 11} { // a leaf loses all its hosts
		o.change(func(f *sma.Fabric) { f.SetLink(o.subnet.Nodes[node].Ports[1].Peer, false) })
	}
	o.run(units.Second)
	if !o.master.has(sm.NotRouted) {
		t.Fatalf("no event of routing that failed: %v", o.master.events)
	}
	o.seen = func(line string) {
		if fails && strings.Contains(line, "Set MulticastFDB") {
			t.Errorf("it writes tables for a fabric that it could not route: %s", line)
		}
	}
	r := mad.MCMemberRecord{MGID: mad.GID{Prefix: 0xff12401bffff0000, GUID: 0xffffffff}, JoinState: mad.JoinFull}
	for _, node := range []int{1, 23} {
		r.PortGID = o.gid(node)
		if d := o.one(mad.Set, mad.AttrMCMemberRecord, mad.MCMGID|mad.MCPortGID|mad.MCJoinState, &r); d.Status() != mad.OK {
			t.Errorf("status %#x", d.Status())
		}
	}
	fails = false
	o.run(60 * units.Second)
	o.members(units.FirstMulticastLID, 1, []int{1, 23})
}

// Two ports join at every moment of a bring-up, in turn, once the administration answers.
func TestAJoinDuringASweepIsNotForgotten(t *testing.T) {
	taken := 0
	for step := range 60 {
		w := newWorld(t, build(t, topology.TwoLevel{Endpoints: 12, Radix: 8}))
		o := &office{world: w, master: w.manager("A", 0, sm.Config{})}
		o.asker = o.master
		w.start(o.master)
		w.run(units.Time(step) * latency)
		r := mad.MCMemberRecord{MGID: mad.GID{Prefix: 0xff12401bffff0000, GUID: 0xffffffff}, JoinState: mad.JoinFull}
		before := len(o.master.answers)
		for _, node := range []int{1, 9} {
			r.PortGID = o.gid(node)
			m := mad.New(mad.SubnAdm, mad.Set, mad.AttrMCMemberRecord, 0, 42)
			m.SetComponentMask(mad.MCMGID | mad.MCPortGID | mad.MCJoinState)
			mad.Append(m.SAData()[:0], &r)
			w.query(o.master, o.lid(0), m)
		}
		w.run(5 * units.Second) // before the next light sweep
		ok := 0
		for _, d := range o.master.answers[before:] {
			if d.Status() == mad.OK {
				ok++
			}
		}
		if ok < 2 {
			continue // too early: no answer
		}
		taken++
		o.members(units.FirstMulticastLID, 1, []int{1, 9})
		if t.Failed() {
			t.Fatalf("joined %v after the start", units.Time(step)*latency)
		}
	}
	if taken < 10 || taken == 60 {
		t.Errorf("only at %d of 60 moments the administration answered: the test checks nothing", taken)
	}
}

// members fails the test unless a packet from a node gets to all other members.
func (o *office) members(lid units.LID, from int, want []int) {
	o.t.Helper()
	got := map[int32]int{}
	type hop struct{ in subnet.End }
	for queue := []hop{{o.subnet.Nodes[from].Ports[1].Peer}}; len(queue) > 0; queue = queue[1:] {
		in := queue[0].in
		n := &o.subnet.Nodes[in.Node]
		if n.Kind == subnet.Adapter {
			got[in.Node]++
			continue
		}
		if len(queue) > 1000 {
			o.t.Fatal("the packet multiplies")
		}
		for p := 1; p < len(n.Ports); p++ {
			block := mad.MulticastBlock(uint16(lid-units.FirstMulticastLID)/32, uint8(p/16))
			ask := sma.Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Get, mad.AttrMulticastFDB, block, 1, nil)}
			o.fabric.Carry(subnet.End{Node: in.Node}, &ask)
			var t mad.MulticastFDB
			_ = mad.Parse(ask.MAD.SMPData(), &t)
			if t[(lid-units.FirstMulticastLID)%32]>>(p%16)&1 == 1 && uint16(p) != in.Port {
				queue = append(queue, hop{o.subnet.Peer(subnet.End{Node: in.Node, Port: uint16(p)})})
			}
		}
	}
	for _, node := range want {
		if node != from && got[int32(node)] != 1 {
			o.t.Errorf("member %d gets the packet %d times", node, got[int32(node)])
		}
		delete(got, int32(node))
	}
	if len(got) != 0 {
		o.t.Errorf("ports that are no members get it: %v", got)
	}
}
