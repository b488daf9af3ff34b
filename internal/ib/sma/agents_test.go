package sma

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
	"weft/units"
	"weft/wire/mad"
)

// star is a switch (node 3) with three adapters, all ports Init.
func star(t testing.TB) *Fabric {
	t.Helper()
	s := routetest.Build(t, topology.SingleSwitch{Endpoints: 3}, subnet.Link{Width: 4, Speed: subnet.EDR})
	f, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var host = subnet.End{Node: 0, Port: 1} // the port from which the tests send

// ask sends a directed-route request and returns its answer.
func ask(t testing.TB, f *Fabric, method mad.Method, attr mad.Attribute, mod uint32, value mad.Structure, path ...uint8) *mad.MAD {
	t.Helper()
	p := Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(method, attr, mod, 9, path)}
	if value != nil {
		mad.Append(p.MAD.SMPData()[:0], value)
	}
	if _, outcome := f.Carry(host, &p); outcome != Answered {
		t.Fatalf("attribute %#x along %v: outcome %d", attr, path, outcome)
	}
	if p.MAD.TID() != 9 || p.MAD.Method() != mad.Get|mad.Response || !p.MAD.Returning() || p.MAD.HopPointer() != 0 {
		t.Fatalf("an answer with method %#x, returning %v, hop pointer %d", p.MAD.Method(), p.MAD.Returning(), p.MAD.HopPointer())
	}
	return &p.MAD
}

// set writes a PortInfo of the switch's port 2, changed by a function.
func set(t testing.TB, f *Fabric, change func(*mad.PortInfo)) mad.Status {
	t.Helper()
	var p mad.PortInfo
	_ = mad.Parse(ask(t, f, mad.Get, mad.AttrPortInfo, 2, nil, 1).SMPData(), &p)
	p.State, p.PhysState = mad.PortNop, mad.PhysNop
	change(&p)
	return ask(t, f, mad.Set, mad.AttrPortInfo, 2, &p, 1).Status()
}

func TestStatesFollowTheirMachine(t *testing.T) {
	const peerArmed = mad.PortState(0xF) // in the table: not a state of this port
	f := star(t)
	state := func() mad.PortState { return f.Info(subnet.End{Node: 3, Port: 2}).State }
	for i, c := range []struct {
		to     mad.PortState
		status mad.Status
		then   mad.PortState
	}{
		{mad.PortActive, mad.BadField, mad.PortInit},
		{mad.PortInit, mad.BadField, mad.PortInit}, // software cannot set Init
		{mad.PortArmed, mad.OK, mad.PortArmed},
		{mad.PortArmed, mad.OK, mad.PortArmed},
		{mad.PortActive, mad.BadField, mad.PortArmed}, // the other end is Init
		{peerArmed, mad.OK, mad.PortArmed},
		{mad.PortActive, mad.OK, mad.PortActive},
		{mad.PortArmed, mad.BadField, mad.PortActive},
		{mad.PortNop, mad.OK, mad.PortActive},
		{mad.PortDown, mad.OK, mad.PortInit}, // the link trains again
	} {
		if c.to == peerArmed {
			armed := mad.PortInfo{State: mad.PortArmed}
			if d := ask(t, f, mad.Set, mad.AttrPortInfo, 1, &armed, 1, 2); d.Status() != mad.OK {
				t.Errorf("the other end, to Armed: status %#x", d.Status())
			}
			continue
		}
		if status := set(t, f, func(p *mad.PortInfo) { p.State = c.to }); status != c.status || state() != c.then {
			t.Errorf("step %d, to %v: status %#x and %v, want %#x and %v", i, c.to, status, state(), c.status, c.then)
		}
	}
	if set(t, f, func(p *mad.PortInfo) { p.PhysState = mad.PhysDisabled }); state() != mad.PortDown {
		t.Errorf("disabled it is %v", state())
	}
	if far := f.Info(subnet.End{Node: 1, Port: 1}); far.State != mad.PortDown || far.PhysState != mad.PhysPolling {
		t.Errorf("the other end of a disabled port is %v, %d", far.State, far.PhysState)
	}
	if set(t, f, func(p *mad.PortInfo) { p.PhysState = mad.PhysPolling }); state() != mad.PortInit {
		t.Errorf("polling it is %v", state())
	}
}

func TestWhatAPortCannotDoIsRefusedWhole(t *testing.T) {
	f := star(t)
	before := f.Info(subnet.End{Node: 3, Port: 2})
	for name, change := range map[string]func(*mad.PortInfo){
		"an MTU that is too large":     func(p *mad.PortInfo) { p.NeighborMTU = 6; p.HOQLife = 3 },
		"lanes that are not there":     func(p *mad.PortInfo) { p.OperationalVLs = 5; p.HOQLife = 3 },
		"a width that is not there":    func(p *mad.PortInfo) { p.LinkWidthEnabled = 8; p.HOQLife = 3 },
		"a speed that is not there":    func(p *mad.PortInfo) { p.LinkSpeedEnabled = 8; p.HOQLife = 3 },
		"a state that does not follow": func(p *mad.PortInfo) { p.State = mad.PortActive; p.HOQLife = 3 },
	} {
		if status := set(t, f, change); status != mad.BadField {
			t.Errorf("%s: status %#x", name, status)
		}
		if after := f.Info(subnet.End{Node: 3, Port: 2}); after != before {
			t.Errorf("%s changed the port", name)
		}
	}
	lid := mad.PortInfo{LID: 5, LMC: 2}
	if d := ask(t, f, mad.Set, mad.AttrPortInfo, 1, &lid); d.Status() != mad.BadField || f.LID(host) != 0 {
		t.Errorf("LID 5 with LMC 2: status %#x, LID %d", d.Status(), f.LID(host))
	}
}

// doubled is a switch (node 0) with two ports each of an adapter (node 1) and a router (node 2), and
// an adapter with one port (node 3), from which the tests send.
func doubled(t testing.TB) (*Fabric, subnet.End) {
	t.Helper()
	s := &subnet.Subnet{Origin: subnet.None}
	s.Add(subnet.Node{Kind: subnet.Switch, GUID: 0x10}, 5)
	port := uint8(1)
	for i, kind := range []subnet.Kind{subnet.Adapter, subnet.Router, subnet.Adapter} {
		n := s.Add(subnet.Node{Kind: kind, GUID: units.GUID(0x100 * (i + 1))}, 2)
		for p := uint8(1); p <= 2 && port <= 5; p++ {
			s.Nodes[n].Ports[p].GUID = s.Nodes[n].GUID + units.GUID(p)
			s.Connect(subnet.End{Node: 0, Port: uint16(port)}, subnet.End{Node: n, Port: uint16(p)}, subnet.Link{Width: 4, Speed: subnet.EDR})
			port++
		}
	}
	f, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return f, subnet.End{Node: 3, Port: 1}
}

// Each port of an adapter or a router has its own agent: what a request says and writes concerns
// the port at which it arrives, and a Set of another port is refused, as by ibsim.
func TestAPortOfAnAdapterAnswersForItselfAlone(t *testing.T) {
	f, from := doubled(t)
	send := func(method mad.Method, attr mad.Attribute, mod uint32, out uint8, value mad.Structure) *mad.MAD {
		p := Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(method, attr, mod, 9, []uint8{1, out})}
		if value != nil {
			mad.Append(p.MAD.SMPData()[:0], value)
		}
		if _, outcome := f.Carry(from, &p); outcome != Answered {
			t.Fatalf("attribute %#x at port %d: outcome %d", attr, out, outcome)
		}
		return &p.MAD
	}
	for _, node := range []struct {
		number int32
		out    uint8 // the switch's port to port 2
	}{{1, 2}, {2, 4}} {
		before := f.Info(subnet.End{Node: node.number, Port: 1})
		lid := mad.PortInfo{LID: 5, MKey: 7}
		if d := send(mad.Set, mad.AttrPortInfo, 1, node.out, &lid); d.Status() != mad.BadField {
			t.Errorf("node %d: PortInfo of port 1 is written through port 2: status %#x", node.number, d.Status())
		}
		keys, lanes, weights := mad.PKeyTable{0x8022}, mad.SLToVL{3, 3}, mad.VLArb{{VL: 1, Weight: 9}}
		for _, port := range []uint32{0, 1, 2} { // what the modifier says about the port has no meaning
			send(mad.Set, mad.AttrPKeyTable, port<<16, node.out, &keys)
			send(mad.Set, mad.AttrSLToVL, port, node.out, &lanes)
			send(mad.Set, mad.AttrVLArb, 1<<16|port, node.out, &weights)
		}
		one, two := &f.nodes[node.number].ports[1], &f.nodes[node.number].ports[2]
		if one.info != before || one.pkeys[0] != (mad.PKeyTable{mad.DefaultPKey}) || one.vlarb[0] == weights {
			t.Errorf("node %d: port 1 has %+v, keys %#x and weights %v", node.number, one.info, one.pkeys[0][:2], one.vlarb[0])
		}
		if _, written := f.nodes[node.number].sl2vl[1]; written {
			t.Errorf("node %d: port 1 has another map of lanes", node.number)
		}
		if two.pkeys[0] != keys || two.vlarb[0] != weights || f.nodes[node.number].sl2vl[2] != lanes {
			t.Errorf("node %d: port 2 has keys %#x, weights %v", node.number, two.pkeys[0][:2], two.vlarb[0])
		}
		var info mad.PortInfo
		_ = mad.Parse(send(mad.Get, mad.AttrPortInfo, 1, node.out, nil).SMPData(), &info)
		if info.LocalPort != 2 {
			t.Errorf("node %d: the answer comes from port %d, want 2", node.number, info.LocalPort)
		}
	}
}

func TestQueriesOutOfRangeAreRefused(t *testing.T) {
	f := star(t)
	for _, c := range []struct {
		attr mad.Attribute
		mod  uint32
		path []uint8
		want mad.Status
	}{
		{mad.AttrPortInfo, 4, []uint8{1}, mad.BadField},
		{mad.AttrPortInfo, 3, []uint8{1}, mad.OK},
		{mad.AttrPortInfo, 1<<31 | 3, []uint8{1}, mad.OK}, // the sender knows extended speeds
		{mad.AttrPortInfo, 1<<8 | 3, []uint8{1}, mad.BadField},
		{mad.AttrVLArb, 1<<16 | 1<<8 | 1, []uint8{1}, mad.BadField},
		{mad.AttrLinearFDB, 767, []uint8{1}, mad.OK},
		{mad.AttrLinearFDB, 768, []uint8{1}, mad.BadField},
		{mad.AttrLinearFDB, 1 << 31, []uint8{1}, mad.BadField},
		{mad.AttrMulticastFDB, mad.MulticastBlock(31, 0), []uint8{1}, mad.OK},
		{mad.AttrMulticastFDB, mad.MulticastBlock(32, 0), []uint8{1}, mad.BadField},
		{mad.AttrMulticastFDB, mad.MulticastBlock(0, 1), []uint8{1}, mad.BadField},
		{mad.AttrPKeyTable, 2, nil, mad.BadField},
		{mad.AttrPKeyTable, 4 << 16, []uint8{1}, mad.BadField},
		{mad.AttrSLToVL, 4<<8 | 1, []uint8{1}, mad.BadField},
		{mad.AttrVLArb, 0, nil, mad.BadField},
		{mad.AttrVLArb, 5<<16 | 1, nil, mad.BadField},
		{mad.AttrGUIDInfo, 1, nil, mad.BadField},
		{mad.AttrLinearFDB, 0, nil, mad.BadAttribute},
		{mad.AttrSwitchInfo, 0, nil, mad.BadAttribute},
		{0x7777, 0, nil, mad.BadAttribute},
	} {
		if d := ask(t, f, mad.Get, c.attr, c.mod, nil, c.path...); d.Status() != c.want {
			t.Errorf("attribute %#x, modifier %#x: status %#x, want %#x", uint16(c.attr), c.mod, uint16(d.Status()), uint16(c.want))
		}
	}
}

func TestTablesAreReadAsTheyWereWritten(t *testing.T) {
	f := star(t)
	var lft mad.LinearFDB
	for i := range lft {
		lft[i] = uint8(i % 4)
	}
	ask(t, f, mad.Set, mad.AttrLinearFDB, 5, &lft, 1)
	var keys mad.PKeyTable
	keys[0], keys[31] = 0x7FFF, 0x8123
	ask(t, f, mad.Set, mad.AttrPKeyTable, 1, &keys, 1, 2)
	sl := mad.SLToVL{0: 3, 15: 15}
	ask(t, f, mad.Set, mad.AttrSLToVL, 1<<8|2, &sl, 1)
	mft := mad.MulticastFDB{0: 0xE, 31: 2}
	ask(t, f, mad.Set, mad.AttrMulticastFDB, 3, &mft, 1)
	arb := mad.VLArb{0: {VL: 1, Weight: 200}, 7: {VL: 3, Weight: 1}, 8: {VL: 4, Weight: 9}}
	ask(t, f, mad.Set, mad.AttrVLArb, 3<<16|1, &arb)
	arb[8] = mad.VLWeight{} // beyond the table

	var lft2 mad.LinearFDB
	_ = mad.Parse(ask(t, f, mad.Get, mad.AttrLinearFDB, 5, nil, 1).SMPData(), &lft2)
	var keys2 mad.PKeyTable
	_ = mad.Parse(ask(t, f, mad.Get, mad.AttrPKeyTable, 1, nil, 1, 2).SMPData(), &keys2)
	var sl2 mad.SLToVL
	_ = mad.Parse(ask(t, f, mad.Get, mad.AttrSLToVL, 1<<8|2, nil, 1).SMPData(), &sl2)
	var mft2 mad.MulticastFDB
	_ = mad.Parse(ask(t, f, mad.Get, mad.AttrMulticastFDB, 3, nil, 1).SMPData(), &mft2)
	var arb2 mad.VLArb
	_ = mad.Parse(ask(t, f, mad.Get, mad.AttrVLArb, 3<<16|1, nil).SMPData(), &arb2)
	if lft2 != lft || keys2 != keys || sl2 != sl || mft2 != mft || arb2 != arb {
		t.Errorf("read\n%v\n%v\n%v\n%v\n%v", lft2, keys2, sl2, mft2, arb2)
	}
}

// A datagram in a forwarding loop ends.
func TestALoopInTheTablesEnds(t *testing.T) {
	s := routetest.Build(t, topology.Torus{Dims: []int{3, 3}, SwitchEndpoints: 1}, subnet.Link{Width: 4, Speed: subnet.EDR})
	f := NewUnchecked(s)
	for i := range s.Nodes {
		if s.Nodes[i].Kind != subnet.Switch {
			continue
		}
		around := mad.LinearFDB{}
		for p := range s.Nodes[i].Ports {
			if peer := s.Nodes[i].Ports[p].Peer; peer.Exists() && s.Nodes[peer.Node].Kind == subnet.Switch {
				around[7] = uint8(p)
				break
			}
		}
		f.nodes[i].lft[0] = &around
		f.nodes[i].sw.LinearFDBTop = 10
	}
	p := Packet{DLID: 7, MAD: mad.New(mad.SubnLID, mad.Get, mad.AttrNodeInfo, 0, 1)}
	if _, outcome := f.Carry(host, &p); outcome != Lost {
		t.Errorf("outcome %d", outcome)
	}
}

// A port that is not Active carries subnet management and nothing else.
func TestOnlyActivePortsCarryMoreThanManagement(t *testing.T) {
	f := star(t)
	ask(t, f, mad.Set, mad.AttrPortInfo, 1, &mad.PortInfo{LID: 6}, 1, 2)
	ask(t, f, mad.Set, mad.AttrPortInfo, 1, &mad.PortInfo{LID: 5})
	lft := mad.LinearFDB{6: 2, 5: 1}
	ask(t, f, mad.Set, mad.AttrLinearFDB, 0, &lft, 1)
	ask(t, f, mad.Set, mad.AttrSwitchInfo, 0, &mad.SwitchInfo{LinearFDBTop: 10}, 1)
	arrives := func(class mad.Class) bool {
		p := Packet{DLID: 6, MAD: mad.New(class, mad.Get, mad.AttrPortInfo, 1, 1)}
		at, outcome := f.Carry(host, &p)
		return outcome != Lost && at == subnet.End{Node: 1, Port: 1}
	}
	if !arrives(mad.SubnLID) || arrives(mad.SubnAdm) {
		t.Errorf("Init: management %v, the rest %v", arrives(mad.SubnLID), arrives(mad.SubnAdm))
	}
	for _, state := range []mad.PortState{mad.PortArmed, mad.PortActive} {
		for _, c := range []struct {
			port uint32
			path []uint8
		}{{1, []uint8{1, 2}}, {1, nil}, {1, []uint8{1}}, {2, []uint8{1}}} {
			ask(t, f, mad.Set, mad.AttrPortInfo, c.port, &mad.PortInfo{State: state, LID: map[int]units.LID{0: 5, 2: 6}[len(c.path)]}, c.path...)
		}
		if got := arrives(mad.SubnAdm); got != (state == mad.PortActive) {
			t.Errorf("%v: a datagram arrives: %v", state, got)
		}
	}
}

// The answer is lost if the tables have no way back.
func TestAnAnswerNeedsAWayBack(t *testing.T) {
	f := star(t)
	ask(t, f, mad.Set, mad.AttrPortInfo, 1, &mad.PortInfo{LID: 6}, 1, 2)
	ask(t, f, mad.Set, mad.AttrPortInfo, 1, &mad.PortInfo{LID: 5})
	ask(t, f, mad.Set, mad.AttrSwitchInfo, 0, &mad.SwitchInfo{LinearFDBTop: 10}, 1)
	for _, c := range []struct {
		table mad.LinearFDB
		want  Outcome
	}{{mad.LinearFDB{6: 2}, Lost}, {mad.LinearFDB{6: 2, 5: 3}, Lost}, {mad.LinearFDB{6: 2, 5: 1}, Answered}} {
		ask(t, f, mad.Set, mad.AttrLinearFDB, 0, &c.table, 1)
		p := Packet{DLID: 6, MAD: mad.New(mad.SubnLID, mad.Get, mad.AttrNodeInfo, 0, 1)}
		if _, outcome := f.Carry(host, &p); outcome != c.want {
			t.Errorf("LID 5 to port %d: outcome %d, want %d", c.table[5], outcome, c.want)
		}
	}
}

// Requests and answers are counted at both ends of a cable.
func TestPortsCountBothWays(t *testing.T) {
	f := star(t)
	for range 3 {
		ask(t, f, mad.Get, mad.AttrNodeInfo, 0, nil, 1, 2)
	}
	for _, at := range []subnet.End{host, {Node: 3, Port: 1}, {Node: 3, Port: 2}, {Node: 1, Port: 1}} {
		c := &f.nodes[at.Node].ports[at.Port].counters
		if c.short.XmitPkts != 3 || c.short.RcvPkts != 3 || c.long.XmitData != 3*72 || c.long.RcvPkts != 3 {
			t.Errorf("port %d of node %d sent %d and received %d, want 3 and 3", at.Port, at.Node, c.short.XmitPkts, c.short.RcvPkts)
		}
	}
}

func TestDirectedRoutesThatLieAreLost(t *testing.T) {
	f := star(t)
	for name, change := range map[string]func(*mad.MAD){
		"more hops than there are":      func(m *mad.MAD) { m[7] = 64 },
		"all hops there can be":         func(m *mad.MAD) { m[7] = 255 },
		"a port that is not there":      func(m *mad.MAD) { m[7], m[128+1], m[128+2] = 2, 1, 200 },
		"port 0":                        func(m *mad.MAD) { m[7], m[128+1] = 1, 0 },
		"through an adapter":            func(m *mad.MAD) { m[7], m[128+1], m[128+2], m[128+3] = 3, 1, 2, 1 },
		"another port than its own":     func(m *mad.MAD) { m[7], m[128+1] = 1, 2 },
		"a hop pointer that is ahead":   func(m *mad.MAD) { m[7], m[6], m[128+1] = 1, 1, 1 },
		"on its way back, to nowhere":   func(m *mad.MAD) { m[4], m[7], m[192+1] = 0x80, 1, 9 },
		"back from more than there are": func(m *mad.MAD) { m[4], m[7] = 0x80, 200 },
	} {
		p := Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Get, mad.AttrNodeInfo, 0, 1, nil)}
		change(&p.MAD)
		if _, outcome := f.Carry(host, &p); outcome != Lost {
			t.Errorf("%s: outcome %d", name, outcome)
		}
	}
}

func TestDuplicateGUIDsAreRefused(t *testing.T) {
	s := star(t).Subnet().Clone()
	s.Nodes[2].GUID = s.Nodes[1].GUID
	if _, err := New(s); err == nil {
		t.Error("two nodes of one GUID were taken")
	}
}

// FuzzCarry sends any datagram from any port.
func FuzzCarry(f *testing.F) {
	get := mad.NewDirected(mad.Get, mad.AttrPortInfo, 1, 1, []uint8{1, 2})
	f.Add(uint16(0), uint16(0xFFFF), get[:])
	put := mad.New(mad.Perf, mad.Set, mad.AttrPortCounters, 0, 1)
	f.Add(uint16(1), uint16(3), put[:])
	f.Fuzz(func(t *testing.T, node, dlid uint16, b []byte) {
		fabric := star(t)
		from := subnet.End{Node: int32(node % 4), Port: 1}
		for len(b) > 0 {
			p := Packet{DLID: units.LID(dlid)}
			b = b[copy(p.MAD[:], b):]
			before := p.MAD
			if _, outcome := fabric.Carry(from, &p); outcome == Answered && p.MAD.TID() != before.TID() {
				t.Errorf("the answer is to transaction %#x, the request was %#x", p.MAD.TID(), before.TID())
			}
			fabric.Traps()
		}
	})
}
