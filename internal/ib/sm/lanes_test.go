package sm_test

import (
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// read gets an attribute from the agent of a node.
func (w *world) read(node int32, port uint8, attr mad.Attribute, modifier uint32) []byte {
	p := sma.Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Get, attr, modifier, 1, nil)}
	if _, outcome := w.fabric.Carry(subnet.End{Node: node, Port: uint16(port)}, &p); outcome != sma.Answered || p.MAD.Status() != mad.OK {
		w.t.Fatalf("attribute %#x of node %d: outcome %d, status %#x", uint16(attr), node, outcome, uint16(p.MAD.Status()))
	}
	return p.MAD.SMPData()
}

// The switches get the lanes by which routing keeps a fabric free of deadlock, level by
// level, and every lane is in the arbitration tables.
func TestLanesOfRoutingAreWritten(t *testing.T) {
	for _, own := range []bool{true, false} { // tables of levels and lanes, or lane = level
		s := build(t, topology.Torus{Dims: []int{3, 3}, SwitchEndpoints: 1})
		w := newWorld(t, s)
		lane := func(in, out uint8, sl int) units.VL { return units.VL((int(in) + 3*int(out) + sl) % 4) }
		h := w.manager("A", 0, sm.Config{Route: func(s *subnet.Subnet) (*subnet.Tables, string, error) {
			tables, _, err := minhop(s)
			if err != nil {
				return nil, "", err
			}
			tables.Lanes = 4
			tables.SL = func(src, dst units.LID) units.SL { return units.SL((src + dst) % 4) }
			for _, at := range tables.Switch {
				if !own {
					break
				}
				m := subnet.NewSLMap(s.Nodes[at].NumPorts())
				for in := 0; in <= m.Ports; in++ {
					for out := 0; out <= m.Ports; out++ {
						for sl := range 16 {
							m.Set(uint8(in), uint8(out), units.SL(sl), lane(uint8(in), uint8(out), sl))
						}
					}
				}
				tables.SL2VL = append(tables.SL2VL, m)
			}
			return tables, "", nil
		}})
		w.start(h)
		w.run(5 * units.Second)
		w.checkUp(h)
		for i := range s.Nodes {
			for p := 1; p < len(s.Nodes[i].Ports); p++ {
				w.checkLanes(int32(i), uint8(p), func(in uint8, sl int) units.VL {
					if own && s.Nodes[i].Kind == subnet.Switch {
						return lane(in, uint8(p), sl)
					}
					return units.VL(sl % 8)
				})
			}
		}
		path := mad.New(mad.SubnAdm, mad.Get, mad.AttrPathRecord, 0, 7)
		path.SetComponentMask(mad.PathSLID | mad.PathDLID)
		src, dst := w.fabric.LID(h.at), w.fabric.LID(subnet.End{Node: 4, Port: 1})
		mad.Append(path.SAData()[:0], &mad.PathRecord{SLID: src, DLID: dst})
		w.query(h, src, path)
		w.run(units.Second)
		var r mad.PathRecord
		_ = mad.Parse(h.answers[0].SAData(), &r)
		if want := units.SL((src + dst) % 4); r.SL != want {
			t.Errorf("the path has level %d, routing says %d", r.SL, want)
		}
	}
}

// The lanes of the site's QoS are used only if routing needs none. An event says what a
// port cannot do.
func TestLanesOfTheSiteGiveWayToRouting(t *testing.T) {
	site := mad.SLToVL{0: 2, 1: 3}
	for _, c := range []struct {
		lanes int
		level func(sl int) units.VL
		told  bool
	}{
		{1, func(sl int) units.VL { return site[sl] }, false},
		{4, func(sl int) units.VL { return units.VL(sl % 8) }, false},
		{9, func(sl int) units.VL { return units.VL(sl % 8) }, true},
	} {
		s := build(t, topology.Torus{Dims: []int{3, 3}, SwitchEndpoints: 1})
		w := newWorld(t, s)
		h := w.manager("A", 0, sm.Config{
			Route: func(s *subnet.Subnet) (*subnet.Tables, string, error) {
				tables, _, err := minhop(s)
				if err == nil {
					tables.Lanes = c.lanes
				}
				return tables, "", err
			},
			QoS: func(subnet.Kind, uint8) sm.QoS {
				return sm.QoS{MaxVLs: 4, SL2VL: &site, Low: []mad.VLWeight{{VL: 0, Weight: 1}, {VL: 1, Weight: 1}, {VL: 2, Weight: 1}, {VL: 3, Weight: 1}}}
			},
		})
		w.start(h)
		w.run(5 * units.Second)
		for i := range s.Nodes {
			w.checkLanes(int32(i), 1, func(_ uint8, sl int) units.VL { return c.level(sl) })
		}
		if lost := h.told(sm.LevelsNotTaken); len(lost) != min(c.lanes-1, 1) {
			t.Errorf("routing needs %d lanes and the site has its own: %q", c.lanes, lost)
		} else if len(lost) > 0 && !strings.Contains(lost[0], "qos_sl2vl") {
			t.Errorf("lanes of service levels have no effect, and it says %q", lost[0])
		}
		if h.has(sm.LaneNotServed) != c.told {
			t.Errorf("routing needs %d lanes of 8, and arbitration serves 4: %v", c.lanes, h.events)
		}
		if h.has(sm.TooFewLanes) != c.told {
			t.Errorf("routing needs %d lanes, of which there are 8: %v", c.lanes, h.events)
		}
	}
}

// Levels of partitions, and a number of lanes without a table of them, are named as well if routing
// overrides them, once for all sweeps. Without a site's QoS nothing is told.
func TestWhatRoutingOverridesIsNamedOnce(t *testing.T) {
	for _, c := range []struct {
		lanes   int
		qos, sl bool
		most    uint8
		want    string
	}{
		{lanes: 2, qos: true, sl: true, most: 4, want: "without effect: number of lanes (qos_max_vls), service levels of partitions (sl), because routing gives levels to paths against deadlock (lanes: 2)"},
		{lanes: 2, qos: true, sl: true, want: "without effect: service levels of partitions (sl), because"},
		{lanes: 2, qos: true},
		{lanes: 2},
		{lanes: 1, qos: true, sl: true, most: 4},
	} {
		s := build(t, topology.Torus{Dims: []int{3, 3}, SwitchEndpoints: 1})
		w := newWorld(t, s)
		cfg := sm.Config{Route: func(s *subnet.Subnet) (*subnet.Tables, string, error) {
			tables, _, err := minhop(s)
			if err == nil && c.lanes > 1 {
				tables.Lanes, tables.SL = c.lanes, func(src, _ units.LID) units.SL { return units.SL(src % 2) }
			}
			return tables, "", err
		}}
		if c.qos {
			cfg.QoS = func(subnet.Kind, uint8) sm.QoS { return sm.QoS{MaxVLs: c.most} }
		}
		if c.sl {
			cfg.Level = func(mad.PKey) units.SL { return 3 }
		}
		h := w.manager("A", 0, cfg)
		w.start(h)
		w.run(5 * units.Second)
		w.call(h, func(b *sm.Batch) { h.m.Sweep(w.now, b) })
		w.run(5 * units.Second)
		got := h.told(sm.LevelsNotTaken)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], c.want)) {
			t.Errorf("%+v: it says %q", c, got)
		}
	}
}

// Tables that need no lanes undo the lanes of earlier tables: level n takes lane n again.
// The lanes stay in arbitration, since connections keep their levels.
func TestLanesOfEarlierTablesAreUndone(t *testing.T) {
	s := build(t, topology.Torus{Dims: []int{3, 3}, SwitchEndpoints: 1})
	w := newWorld(t, s)
	h := w.manager("A", 0, sm.Config{Route: func(s *subnet.Subnet) (*subnet.Tables, string, error) {
		tables, _, err := minhop(s)
		if err != nil || len(s.Nodes) < len(w.subnet.Nodes) {
			return tables, "", err
		}
		tables.Lanes, tables.SL = 4, func(units.LID, units.LID) units.SL { return 0 }
		for _, at := range tables.Switch {
			tables.SL2VL = append(tables.SL2VL, subnet.NewSLMap(s.Nodes[at].NumPorts()))
		}
		return tables, "", nil
	}})
	w.start(h)
	w.run(5 * units.Second)
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Switch {
			w.checkLanes(int32(i), 1, func(uint8, int) units.VL { return 0 })
		}
	}
	cut := int32(len(s.Nodes) - 1)
	for s.Nodes[cut].Kind == subnet.Switch {
		cut--
	}
	leaf := s.Peer(subnet.End{Node: cut, Port: 1})
	w.change(func(f *sma.Fabric) { f.SetLink(leaf, false) })
	w.run(20 * units.Second)
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Switch && int32(i) != leaf.Node {
			w.checkLanes(int32(i), 1, func(_ uint8, sl int) units.VL { return units.VL(sl % 8) })
		}
	}
}

// checkLanes compares what a port holds with the lanes that it should use.
func (w *world) checkLanes(node int32, port uint8, want func(in uint8, sl int) units.VL) {
	w.t.Helper()
	n := &w.subnet.Nodes[node]
	ins := []int{0}
	if n.Kind == subnet.Switch {
		for in := 1; in < len(n.Ports); in++ {
			ins = append(ins, in)
		}
	}
	for _, in := range ins {
		modifier := uint32(in)<<8 | uint32(port)
		if n.Kind != subnet.Switch {
			modifier = 0
		}
		var t mad.SLToVL
		_ = mad.Parse(w.read(node, port, mad.AttrSLToVL, modifier), &t)
		for sl := range t {
			if t[sl] != want(uint8(in), sl) {
				w.t.Fatalf("%s from port %d to %d: level %d on lane %d, want %d", n.Name, in, port, sl, t[sl], want(uint8(in), sl))
			}
		}
	}
	var low mad.VLArb
	_ = mad.Parse(w.read(node, port, mad.AttrVLArb, 1<<16|uint32(port)), &low)
	served := map[units.VL]bool{}
	for _, e := range low {
		served[e.VL] = served[e.VL] || e.Weight > 0
	}
	for vl := range units.VL(4) {
		if !served[vl] {
			w.t.Errorf("%s port %d: lane %d has no weight in %v", n.Name, port, vl, low)
		}
	}
}
