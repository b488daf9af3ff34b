package sm_test

import (
	"fmt"
	"math/rand/v2"
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

func TestAFabricComesUp(t *testing.T) {
	for _, c := range []struct {
		name string
		of   topology.Spec
	}{
		{"star", topology.SingleSwitch{Endpoints: 5}},
		{"two levels", topology.TwoLevel{Endpoints: 24, Radix: 8}},
		{"torus", topology.Torus{Dims: []int{3, 3}, SwitchEndpoints: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, build(t, c.of))
			h := w.manager("A", 0, sm.Config{})
			w.start(h)
			w.run(5 * units.Second)
			if h.m.State() != mad.SMMaster || !h.has(sm.SubnetUp) {
				t.Errorf("%v, events %v", h.m.State(), h.events)
			}
			w.checkUp(h)
		})
	}
}

// The tables in the switches equal the router's, entry by entry.
func TestSwitchesHoldTheTablesOfTheRouter(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 150, Radix: 24})
	w := newWorld(t, s)
	h := w.manager("A", 0, sm.Config{})
	w.start(h)
	w.run(5 * units.Second)
	w.checkTables(h)
}

// checkTables fails the test unless the switches have the tables of a manager.
func (w *world) checkTables(h *host) {
	t, s := w.t, w.subnet
	t.Helper()
	got, tables := h.m.Subnet(), h.m.Tables()
	if len(got.Nodes) != len(s.Nodes) {
		t.Fatalf("%d nodes, want %d", len(got.Nodes), len(s.Nodes))
	}
	for dense, at := range tables.Switch {
		var here int32
		for i := range s.Nodes {
			if s.Nodes[i].GUID == got.Nodes[at].GUID {
				here = int32(i)
			}
		}
		for block := 0; block*64 < len(tables.LFT[dense]); block++ {
			p := sma.Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Get, mad.AttrLinearFDB, uint32(block), 1, nil)}
			w.fabric.Carry(subnet.End{Node: here}, &p)
			for i, port := range p.MAD.SMPData() {
				want := uint8(subnet.NoPort)
				if lid := block*64 + i; lid < len(tables.LFT[dense]) {
					want = tables.LFT[dense][lid]
				}
				if port != want {
					t.Fatalf("switch %v sends LID %d to port %d, the router said %d", got.Nodes[at].GUID, block*64+i, port, want)
				}
			}
		}
	}
}

// Another manager was master for a while, and wrote other tables: the first manager, master again,
// writes its own.
func TestAManagerThatIsMasterAgainWritesItsTablesAnew(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 12, Radix: 8})
	w := newWorld(t, s)
	first := w.manager("first", 0, sm.Config{Priority: 1})
	w.start(first)
	w.run(5 * units.Second)
	second := w.manager("second", 7, sm.Config{Priority: 9, Route: func(s *subnet.Subnet) (*subnet.Tables, string, error) {
		tables, instead, err := minhop(s)
		for _, lft := range tables.LFT {
			slices.Reverse(lft[1:]) // of no use, but other
		}
		return tables, instead, err
	}})
	w.start(second)
	w.run(60 * units.Second)
	if second.m.State() != mad.SMMaster {
		t.Fatalf("the second manager is %v: %v", second.m.State(), second.events)
	}
	second.dead = true
	w.fabric.SetManager(second.at, false)
	w.run(120 * units.Second)
	if first.m.State() != mad.SMMaster {
		t.Fatalf("the first manager is %v: %v", first.m.State(), first.events)
	}
	w.checkTables(first)
	w.checkUp(first)
}

func TestLIDsSurviveARestart(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 12, Radix: 8})
	w := newWorld(t, s)
	first := w.manager("A", 0, sm.Config{})
	w.start(first)
	w.run(5 * units.Second)
	before := first.m.LIDs()
	// Another manager, started elsewhere on the same fabric after a power cut.
	w = newWorld(t, s)
	second := w.manager("B", 7, sm.Config{LIDs: before})
	w.start(second)
	w.run(5 * units.Second)
	after := second.m.LIDs()
	if len(after) != len(before) {
		t.Errorf("%d LIDs, before %d", len(after), len(before))
	}
	for guid, lid := range before {
		if after[guid] != lid {
			t.Errorf("port %v has LID %d, before %d", guid, after[guid], lid)
		}
	}
}

// A manager without earlier knowledge keeps the LIDs that it finds.
func TestLIDsThatPortsHaveAreKept(t *testing.T) {
	s := build(t, topology.SingleSwitch{Endpoints: 6})
	w := newWorld(t, s)
	first := w.manager("A", 0, sm.Config{})
	w.start(first)
	w.run(5 * units.Second)
	first.dead = true
	second := w.manager("B", 4, sm.Config{})
	w.start(second)
	w.run(60 * units.Second)
	for guid, lid := range first.m.LIDs() {
		if got := second.m.LIDs()[guid]; got != lid {
			t.Errorf("port %v has LID %d, before %d", guid, got, lid)
		}
	}
	w.checkUp(second)
}

// If a file gives two ports one LID, one port keeps it; an event names the other, which
// gets another LID.
func TestOfPortsThatClaimOneLIDOneKeepsItAndTheOtherIsNamed(t *testing.T) {
	s := build(t, topology.SingleSwitch{Endpoints: 4})
	a, b := s.Nodes[1].Ports[1].GUID, s.Nodes[2].Ports[1].GUID
	w := newWorld(t, s)
	h := w.manager("A", 0, sm.Config{LIDs: map[units.GUID]units.LID{a: 7, b: 7}})
	w.start(h)
	w.run(30 * units.Second)
	w.checkUp(h)
	lids := h.m.LIDs()
	if lids[a] == lids[b] || lids[a] != 7 && lids[b] != 7 {
		t.Fatalf("LIDs %d and %d, want 7 for one of the ports", lids[a], lids[b])
	}
	var named []string
	for _, e := range h.events {
		if e.Kind == sm.LIDNotKept {
			named = append(named, e.String())
			if e.LID != 7 || e.GUID != a && e.GUID != b || e.Now == 7 || e.Now != lids[e.GUID] {
				t.Errorf("%v, the LIDs are %v", e, lids)
			}
		}
	}
	if len(named) != 1 {
		t.Errorf("named are %q, expected one port, once", named)
	}
}

// A cable breaks at every moment of a sweep, in turn. In the end every reachable port
// works.
func TestAFabricThatSplitsMidSweepIsManagedAsFarAsItReaches(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 4, Radix: 4})
	var cables []subnet.End
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if s.Nodes[i].Kind == subnet.Switch && s.Nodes[i].Ports[p].Peer.Exists() {
				cables = append(cables, subnet.End{Node: int32(i), Port: uint16(p)})
			}
		}
	}
	w := newWorld(t, s)
	w.start(w.manager("A", 0, sm.Config{}))
	w.run(5 * units.Second)
	total := w.carried
	for at := 1; at <= total; at++ {
		cable := cables[at%len(cables)]
		w := newWorld(t, s)
		h := w.manager("A", 0, sm.Config{})
		w.before = func(n int) {
			if n == at {
				w.fabric.SetLink(cable, false)
			}
		}
		w.start(h)
		w.run(60 * units.Second)
		w.before = nil
		w.checkUp(h)
		if t.Failed() {
			t.Fatalf("cable %v broke at datagram %d: %v", cable, at, h.events)
		}
	}
}

func TestLostDatagramsAreRepeated(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t, build(t, topology.TwoLevel{Endpoints: 8, Radix: 4}))
		h := w.manager("A", 0, sm.Config{})
		w.lose = func(int) bool { return rng.IntN(5) == 0 }
		w.start(h)
		w.run(20 * units.Second)
		w.lose = nil
		w.run(60 * units.Second)
		w.checkUp(h)
		if !h.has(sm.SubnetUp) {
			t.Errorf("seed %d: %v", seed, h.events)
		}
	}
}

// Answers are cut at every length, one length per world: nothing hangs, and when
// answers are whole again the fabric comes up.
func TestAnswersCutAtEveryLengthDoNoLastingHarm(t *testing.T) {
	s := build(t, topology.SingleSwitch{Endpoints: 3})
	for length := range mad.Size {
		w := newWorld(t, s)
		h := w.manager("A", 0, sm.Config{})
		w.alter = func(n int, m *mad.MAD) {
			if n%2 == 0 {
				clear(m[length:])
			}
		}
		w.start(h)
		w.run(15 * units.Second)
		w.alter = nil
		w.run(120 * units.Second)
		if !h.has(sm.SubnetUp) {
			t.Errorf("length %d: %v", length, h.events)
		}
	}
}

// Requests and traps are cut at every length, and claim a greater length: none harms the
// manager, and it answers the next request.
func TestRequestsCutAtEveryLengthDoNoHarm(t *testing.T) {
	w := newWorld(t, build(t, topology.SingleSwitch{Endpoints: 3}))
	h := w.manager("A", 0, sm.Config{})
	w.start(h)
	w.run(5 * units.Second)
	for _, request := range []struct {
		class  mad.Class
		method mad.Method
		attr   mad.Attribute
	}{
		{mad.SubnAdm, mad.Get, mad.AttrPathRecord},
		{mad.SubnAdm, mad.GetTable, mad.AttrNodeRecord},
		{mad.SubnAdm, mad.Set, mad.AttrMCMemberRecord},
		{mad.SubnAdm, mad.Set, mad.AttrServiceRecord},
		{mad.SubnAdm, mad.Set, mad.AttrInformInfo},
		{mad.SubnLID, mad.Trap, mad.AttrNotice},
		{mad.SubnLID, mad.Set, mad.AttrSMInfo},
		{mad.SubnLID, mad.Get, mad.AttrSMInfo},
	} {
		for length := 24; length <= mad.Size; length++ {
			m := mad.New(request.class, request.method, request.attr, 0, uint64(length))
			for i := 24; i < length; i++ {
				m[i] = 0xff // lengths, masks and numbers of segments among them
			}
			w.call(h, func(out *sm.Batch) { h.m.Receive(w.now, &sm.Packet{DLID: 1, SLID: 2, MAD: m}, out) })
		}
		w.run(30 * units.Second)
	}
	if state := h.m.State(); state != mad.SMMaster {
		t.Errorf("the manager is %v", state)
	}
	w.checkUp(h)
}

// Answers have random bytes in them.
func TestAnswersFullOfNoiseAreSurvived(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 8, Radix: 4})
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		w := newWorld(t, s)
		h := w.manager("A", 0, sm.Config{Priority: uint8(seed % 16)})
		w.alter = func(_ int, m *mad.MAD) {
			for range rng.IntN(3) {
				m[24+rng.IntN(232)] = byte(rng.Uint32())
			}
		}
		w.start(h)
		w.run(30 * units.Second)
		w.alter = nil
		w.run(200 * units.Second)
	}
}

func TestTwoNodesOfOneGUIDAreReportedAndOneIsManaged(t *testing.T) {
	for _, twins := range [][2]int{{1, 2}, {1, 5}, {3, 6}} {
		s := build(t, topology.TwoLevel{Endpoints: 8, Radix: 4})
		a, b := &s.Nodes[twins[0]], &s.Nodes[twins[1]]
		b.GUID = a.GUID
		b.Ports[1].GUID = a.Ports[1].GUID
		w := newWorld(t, s)
		h := w.manager("A", 0, sm.Config{})
		w.start(h)
		w.run(30 * units.Second)
		if !h.has(sm.DuplicateGUID) {
			t.Errorf("twins %v: no event about two nodes with one GUID: %v", twins, h.events)
		}
		if got := len(h.m.Subnet().Nodes); got != len(s.Nodes)-1 {
			t.Errorf("twins %v: %d nodes are managed, want all but one of %d", twins, got, len(s.Nodes))
		}
	}
}

func TestTheHigherPriorityTakesOverAndGivesBack(t *testing.T) {
	w := newWorld(t, build(t, topology.TwoLevel{Endpoints: 8, Radix: 4}))
	low := w.manager("low", 0, sm.Config{Priority: 1})
	w.start(low)
	w.run(5 * units.Second)
	high := w.manager("high", 5, sm.Config{Priority: 9})
	w.change(func(*sma.Fabric) {}) // its trap 144 goes out
	w.start(high)
	w.run(60 * units.Second)
	if low.m.State() != mad.SMStandby || high.m.State() != mad.SMMaster {
		t.Fatalf("low is %v, high is %v:\n%v\n%v", low.m.State(), high.m.State(), low.events, high.events)
	}
	w.checkUp(high)
	high.dead = true
	w.fabric.SetManager(high.at, false)
	w.run(120 * units.Second)
	if low.m.State() != mad.SMMaster || !low.has(sm.MasterLost) {
		t.Errorf("after the master died low is %v: %v", low.m.State(), low.events)
	}
	w.checkUp(low)
}

// The master disappears at every moment of the other manager's first minute, in turn: in
// the end there is one master.
func TestAMasterLostMidSweepIsReplaced(t *testing.T) {
	s := build(t, topology.SingleSwitch{Endpoints: 4})
	for step := range 40 {
		w := newWorld(t, s)
		a := w.manager("A", 0, sm.Config{Priority: 5})
		b := w.manager("B", 1, sm.Config{Priority: 3})
		w.start(a)
		w.start(b)
		w.run(units.Time(step) * 30 * units.Microsecond)
		a.dead = true
		w.fabric.SetManager(a.at, false)
		w.run(200 * units.Second)
		if b.m.State() != mad.SMMaster {
			t.Fatalf("step %d: B is %v: %v", step, b.m.State(), b.events)
		}
		w.checkUp(b)
	}
}

func TestTwoManagersThatStartTogetherAgree(t *testing.T) {
	for step := range 40 {
		w := newWorld(t, build(t, topology.TwoLevel{Endpoints: 8, Radix: 4}))
		a := w.manager("A", 0, sm.Config{Priority: 3})
		b := w.manager("B", 6, sm.Config{Priority: 3})
		w.start(a)
		w.run(units.Time(step) * 50 * units.Microsecond)
		w.start(b)
		w.run(120 * units.Second)
		states := fmt.Sprint(a.m.State(), b.m.State())
		if states != fmt.Sprint(mad.SMMaster, mad.SMStandby) && states != fmt.Sprint(mad.SMStandby, mad.SMMaster) {
			t.Errorf("started %d steps apart: %s", step, states)
		}
	}
}

func TestAnMKeyKeepsOthersOut(t *testing.T) {
	w := newWorld(t, build(t, topology.SingleSwitch{Endpoints: 4}))
	h := w.manager("A", 0, sm.Config{MKey: sm.MKey{Key: 0xabc, Level: 1}})
	w.start(h)
	w.run(5 * units.Second)
	w.checkUp(h)
	info := w.fabric.Info(subnet.End{Node: 2, Port: 1})
	other := info
	other.LID = 77
	p := sma.Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Set, mad.AttrPortInfo, 1, 9, nil)}
	mad.Append(p.MAD.SMPData()[:0], &other)
	if _, outcome := w.fabric.Carry(subnet.End{Node: 2, Port: 1}, &p); outcome != sma.Lost {
		t.Errorf("a Set without the key: %v", outcome)
	}
	if got := w.fabric.Info(subnet.End{Node: 2, Port: 1}).LID; got != info.LID {
		t.Errorf("the LID is %d, was %d", got, info.LID)
	}
	w.change(func(*sma.Fabric) {})
	w.run(units.Second)
	if !h.has(sm.TrapReceived) {
		t.Errorf("no trap about a wrong key: %v", h.events)
	}
}

func TestAMendedCableIsTakenIn(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 8, Radix: 4})
	w := newWorld(t, s)
	h := w.manager("A", 0, sm.Config{})
	far := s.Nodes[7].Ports[1].Peer
	w.fabric.SetLink(far, false)
	w.start(h)
	w.run(5 * units.Second)
	if got := len(h.m.Subnet().Nodes); got != len(s.Nodes)-1 {
		t.Errorf("%d nodes, want all but one of %d", got, len(s.Nodes))
	}
	w.change(func(f *sma.Fabric) { f.SetLink(far, true) })
	w.run(15 * units.Second)
	if got := len(h.m.Subnet().Nodes); got != len(s.Nodes) {
		t.Errorf("after the cable is mended %d nodes, want %d: %v", got, len(s.Nodes), h.events)
	}
	w.checkUp(h)
}

// FuzzReceive receives any datagram, at any moment.
func FuzzReceive(f *testing.F) {
	seed := mad.New(mad.SubnAdm, mad.GetTable, mad.AttrPathRecord, 0, 1)
	f.Add(uint16(10), seed[:])
	f.Fuzz(func(t *testing.T, when uint16, b []byte) {
		w := newWorld(t, build(t, topology.SingleSwitch{Endpoints: 3}))
		h := w.manager("A", 0, sm.Config{})
		w.start(h)
		w.run(units.Time(when) * 10 * units.Microsecond)
		for len(b) > 0 {
			var m mad.MAD
			b = b[copy(m[:], b):]
			w.call(h, func(out *sm.Batch) { h.m.Receive(w.now, &sm.Packet{DLID: 1, SLID: 2, MAD: m}, out) })
		}
		w.run(30 * units.Second)
	})
}

// Any one datagram of a bring-up is lost: it is sent again, and nothing else
// happens.
func TestALostDatagramIsSentAgain(t *testing.T) {
	s := build(t, topology.SingleSwitch{Endpoints: 3})
	w := newWorld(t, s)
	w.start(w.manager("A", 0, sm.Config{}))
	w.run(units.Second)
	for lost := 1; lost <= w.carried; lost++ {
		w := newWorld(t, s)
		h := w.manager("A", 0, sm.Config{})
		w.lose = func(n int) bool { return n == lost }
		w.start(h)
		w.run(units.Second)
		if !h.has(sm.SubnetUp) || h.has(sm.Unanswered) {
			t.Errorf("without datagram %d: %v", lost, h.events)
		}
	}
}

// Only a light sweep can see this change: its trap is lost.
func TestALightSweepFindsWhatATrapDidNotTell(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 8, Radix: 4})
	w := newWorld(t, s)
	h := w.manager("A", 0, sm.Config{})
	w.start(h)
	w.run(5 * units.Second)
	w.fabric.SetLink(s.Nodes[7].Ports[1].Peer, false)
	w.fabric.Traps() // nobody carries them
	w.run(15 * units.Second)
	if got := len(h.m.Subnet().Nodes); got != len(s.Nodes)-1 {
		t.Errorf("%d nodes of %d, want all but the node that was cut off", got, len(s.Nodes))
	}
}

// A subnet that does not change is not written to.
func TestASecondSweepWritesNothing(t *testing.T) {
	w := newWorld(t, build(t, topology.TwoLevel{Endpoints: 24, Radix: 8}))
	h := w.manager("A", 0, sm.Config{MKey: sm.MKey{Key: 5, Level: 1}})
	w.start(h)
	w.run(5 * units.Second)
	w.seen = func(line string) {
		if strings.Contains(line, "> Set") {
			t.Errorf("it writes: %s", line)
		}
	}
	before := w.carried
	w.call(h, func(b *sm.Batch) { h.m.Sweep(w.now, b) })
	w.run(5 * units.Second)
	if w.carried < before+100 {
		t.Errorf("the second sweep has %d datagrams", w.carried-before)
	}
}

// A manager of higher priority starts at every moment of another's bring-up, in turn, also
// before its port has a LID. The master makes no periodic sweeps; in the end the manager of
// higher priority has the subnet.
func TestABetterManagerMakesItselfKnownWheneverItComes(t *testing.T) {
	for step := range 60 {
		w := newWorld(t, build(t, topology.TwoLevel{Endpoints: 12, Radix: 8}))
		low := w.manager("low", 0, sm.Config{Priority: 1, Sweep: units.Forever / 2})
		w.start(low)
		w.run(units.Time(step) * latency)
		high := w.manager("high", 1, sm.Config{Priority: 9})
		w.start(high)
		w.run(60 * units.Second)
		if low.m.State() != mad.SMStandby || high.m.State() != mad.SMMaster {
			t.Errorf("%d steps later: low is %v, high is %v:\n%v\n%v", step, low.m.State(), high.m.State(), low.events, high.events)
		}
		w.checkUp(high)
	}
}

// betweenSwitches are one port of each cable between two switches.
func betweenSwitches(s *subnet.Subnet) []subnet.End {
	var cables []subnet.End
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			peer := s.Nodes[i].Ports[p].Peer
			if s.Nodes[i].Kind == subnet.Switch && peer.Exists() && s.Nodes[peer.Node].Kind == subnet.Switch && peer.Node > int32(i) {
				cables = append(cables, subnet.End{Node: int32(i), Port: uint16(p)})
			}
		}
	}
	return cables
}

// Each cable breaks in the midst of the sweep that the break before it caused. No break
// waits for the next periodic sweep.
func TestAFaultDuringASweepStartsAnotherAtOnce(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 24, Radix: 8})
	cables := betweenSwitches(s)
	w := newWorld(t, s)
	h := w.manager("A", 0, sm.Config{})
	w.start(h)
	w.run(5 * units.Second)
	breaks := []int{0, 5, 10, 15, 3, 8, 13} // no leaf loses all its cables
	began := w.carried
	w.call(h, func(b *sm.Batch) { h.m.Sweep(w.now, b) })
	w.run(units.Second)
	sweep := w.carried - began
	started, n := w.carried, 0
	w.before = func(carried int) {
		if n < len(breaks) && carried >= started+n*sweep*9/10+sweep/3 {
			w.fabric.SetLink(cables[breaks[n]], false)
			n++
		}
	}
	w.change(func(f *sma.Fabric) { f.SetLink(cables[18], false) })
	w.run(4 * units.Second)
	if n < len(breaks) {
		t.Fatalf("%d cables of %d broke: the sweeps are shorter than the test expects", n, len(breaks))
	}
	w.checkUp(h)
	if t.Failed() {
		t.Log(h.events)
	}
}

// A cable breaks at every datagram of a sweep, in turn, and its trap is lost. The change
// bits of both switches were set before. The next light sweep finds the break: the sweep
// under way does not clear these bits after it has read the ports.
func TestAFaultDuringASweepWhoseTrapIsLostIsFoundByTheNextLightSweep(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 9, Radix: 6})
	cables := betweenSwitches(s) // three of each leaf
	total := 1
	for at := 0; at < total; at++ {
		w := newWorld(t, s)
		h := w.manager("A", 0, sm.Config{})
		w.start(h)
		w.run(5 * units.Second)
		w.mute = true
		w.change(func(f *sma.Fabric) { f.SetLink(cables[5], false); f.SetLink(cables[7], false) })
		began := w.carried
		w.before = func(n int) {
			if n == began+at+1 {
				w.fabric.SetLink(cables[4], false) // no path of the manager uses it
			}
		}
		w.call(h, func(b *sm.Batch) { h.m.Sweep(w.now, b) })
		w.run(units.Second)
		if at == 0 {
			total = w.carried - began
		}
		w.run(14 * units.Second)
		w.before = nil
		w.checkUp(h)
		if got, want := len(betweenSwitches(h.m.Subnet())), len(cables)-3; got != want {
			t.Errorf("the manager knows %d cables between switches, %d are left", got, want)
		}
		if t.Failed() {
			t.Fatalf("the cable broke at datagram %d of %d: %v", at+1, total, h.events)
		}
	}
	if total < 50 {
		t.Errorf("a sweep has %d datagrams", total)
	}
}

// A port that changes without end is swept without end, but with pauses: requests are
// answered in between, and the manager sees the last state.
func TestACableThatFlapsIsSweptWithPauses(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 24, Radix: 8})
	w := newWorld(t, s)
	h := w.manager("A", 0, sm.Config{})
	w.start(h)
	w.run(5 * units.Second)
	flaps, up := betweenSwitches(s)[0], true
	w.before = func(n int) {
		if n%50 == 0 {
			up = !up
			w.fabric.SetLink(flaps, up)
			// as often as the manager looks: each of its datagrams may find another trap
			w.call(h, func(b *sm.Batch) { h.m.Sweep(w.now, b) })
		}
	}
	before := w.carried
	w.run(20 * units.Second)
	if sent := w.carried - before; sent > 40_000 {
		t.Errorf("%d datagrams in 20 s", sent)
	}
	w.before = nil
	w.change(func(f *sma.Fabric) { f.SetLink(flaps, true) })
	w.run(15 * units.Second)
	w.checkUp(h)
}

func TestAFallbackIsToldOnceAndSoIsItsEnd(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 8, Radix: 4})
	w := newWorld(t, s)
	h := w.manager("A", 0, sm.Config{Route: func(s *subnet.Subnet) (*subnet.Tables, string, error) {
		tables, _, err := minhop(s)
		if len(s.Nodes) < len(w.subnet.Nodes) {
			return tables, "a node is missing", err
		}
		return tables, "", err
	}})
	told := func() (fell, asked int) {
		for _, e := range h.events {
			switch e.Kind {
			case sm.FellBack:
				if fell++; e.String() != "routing falls back: a node is missing" {
					t.Error(e)
				}
			case sm.RoutedAsAsked:
				asked++
			}
		}
		return fell, asked
	}
	w.start(h)
	w.run(5 * units.Second)
	far := s.Nodes[7].Ports[1].Peer
	w.change(func(f *sma.Fabric) { f.SetLink(far, false) })
	w.run(2 * units.Second)
	w.call(h, func(b *sm.Batch) { h.m.Sweep(w.now, b) })
	w.run(2 * units.Second)
	if fell, asked := told(); fell != 1 || asked != 0 {
		t.Errorf("%d events of a fallback and %d of its end: %v", fell, asked, h.events)
	}
	w.change(func(f *sma.Fabric) { f.SetLink(far, true) })
	w.run(5 * units.Second)
	if fell, asked := told(); fell != 1 || asked != 1 {
		t.Errorf("%d events of a fallback and %d of its end: %v", fell, asked, h.events)
	}
	w.checkUp(h)
}
