package sma

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
	"weft/wire/mad"
)

// retrain resets the switch's port 2 and returns its PortInfo.
func retrain(t testing.TB, f *Fabric, change func(*mad.PortInfo)) mad.PortInfo {
	t.Helper()
	if status := set(t, f, change); status != mad.OK {
		t.Fatalf("the write has status %#x", status)
	}
	if status := set(t, f, func(p *mad.PortInfo) { p.State = mad.PortDown }); status != mad.OK {
		t.Fatalf("the reset has status %#x", status)
	}
	return f.Info(subnet.End{Node: 3, Port: 2})
}

func TestALinkTrainsToTheBestThatBothEndsHaveEnabled(t *testing.T) {
	s := routetest.Build(t, topology.SingleSwitch{Endpoints: 3}, subnet.Link{Width: 4, Speed: subnet.NDR})
	f, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	narrow := retrain(t, f, func(p *mad.PortInfo) { p.LinkWidthEnabled, p.LinkSpeedExtOn = 1, 7 })
	if narrow.LinkWidthActive != 1 || narrow.LinkSpeedExtActive != 4 || narrow.LinkWidthSupported != 3 || narrow.LinkSpeedExtCap != 15 {
		t.Errorf("1x and HDR enabled: active %d and %d, supported %d and %d", narrow.LinkWidthActive, narrow.LinkSpeedExtActive, narrow.LinkWidthSupported, narrow.LinkSpeedExtCap)
	}
	if far := f.Info(subnet.End{Node: 1, Port: 1}); far.LinkWidthActive != 1 || far.LinkSpeedExtActive != 4 || far.LinkWidthEnabled != 3 {
		t.Errorf("the other end: active %d and %d, enabled %d", far.LinkWidthActive, far.LinkSpeedExtActive, far.LinkWidthEnabled)
	}
	if wide := retrain(t, f, func(p *mad.PortInfo) { p.LinkWidthEnabled, p.LinkSpeedExtOn = 0xFF, 0x1F }); wide.LinkWidthActive != 2 || wide.LinkSpeedExtActive != 8 {
		t.Errorf("all enabled again: active %d and %d", wide.LinkWidthActive, wide.LinkSpeedExtActive)
	}
	if slow := retrain(t, f, func(p *mad.PortInfo) { p.LinkSpeedEnabled, p.LinkSpeedExtOn = 1, 30 }); slow.State != mad.PortInit || slow.LinkSpeedExtActive != 8 {
		t.Errorf("a bit that is not supported: %+v", slow)
	}
	f.nodes[3].ports[2].info.LinkWidthEnabled, f.nodes[1].ports[1].info.LinkWidthEnabled = 1, 2
	if none := retrain(t, f, func(*mad.PortInfo) {}); none.State != mad.PortDown || none.PhysState != mad.PhysPolling {
		t.Errorf("without a common width the link is %v, %v", none.State, none.PhysState)
	}
}

// A link that a file shows as slow stays slow: its ports support more, and its cable carries no more.
func TestASlowLinkSupportsWhatItsPortsDoElsewhere(t *testing.T) {
	s := routetest.Build(t, topology.SingleSwitch{Endpoints: 3}, subnet.Link{Width: 4, Speed: subnet.NDR})
	for i := range 3 {
		s.Nodes[i].VendorID, s.Nodes[i].DeviceID = 0x2c9, 4129
	}
	at := subnet.End{Node: 3, Port: 2}
	s.Port(at).Link, s.Port(s.Peer(at)).Link = subnet.Link{Width: 2, Speed: subnet.HDR}, subnet.Link{Width: 2, Speed: subnet.HDR}
	f, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, restarted := range []bool{false, true} {
		for _, e := range []subnet.End{at, s.Peer(at)} {
			p := f.Info(e)
			if p.LinkWidthActive != 16 || p.LinkSpeedExtActive != 4 || p.LinkWidthSupported&2 == 0 || p.LinkSpeedExtCap != 15 || p.State != mad.PortInit {
				t.Errorf("restarted %v, node %d: active %d and %d, supported %d and %d, %v", restarted, e.Node,
					p.LinkWidthActive, p.LinkSpeedExtActive, p.LinkWidthSupported, p.LinkSpeedExtCap, p.State)
			}
		}
		f.Restart(3)
	}
}

// PortSelect 255 is the sum of all ports, and a write resets all of them.
func TestPort255IsAllPortsTogether(t *testing.T) {
	f := star(t)
	for p := uint8(1); p <= 3; p++ {
		c := &f.nodes[3].ports[p].counters
		c.short.SymbolErrors, c.long.XmitData, c.short.LocalIntegrity = 30000, 1<<40, 7
	}
	read := func(method mad.Method, attr mad.Attribute, data mad.Structure) *mad.MAD {
		m := mad.New(mad.Perf, method, attr, 0, 1)
		mad.Append(m.PerfData()[:0], data)
		if f.answer(subnet.End{Node: 3}, &m); m.Status() != mad.OK {
			t.Fatalf("attribute %#x: status %#x", attr, m.Status())
		}
		return &m
	}
	var short mad.PortCounters
	_ = mad.Parse(read(mad.Get, mad.AttrPortCounters, &mad.PortCounters{Port: 255}).PerfData(), &short)
	if short.SymbolErrors != 65535 || short.LocalIntegrity != 15 || short.Port != 255 {
		t.Errorf("sums that stop at the highest value: %+v", short)
	}
	var long mad.PortCountersExtended
	_ = mad.Parse(read(mad.Get, mad.AttrPortCountersExtended, &mad.PortCountersExtended{Port: 255}).PerfData(), &long)
	if long.XmitData != 3<<40 {
		t.Errorf("PortXmitData is %d", long.XmitData)
	}
	read(mad.Set, mad.AttrPortCounters, &mad.PortCounters{Port: 255, Select: 1})
	for p := range f.nodes[3].ports {
		if c := &f.nodes[3].ports[p].counters.short; c.SymbolErrors != 0 || p > 0 && c.LocalIntegrity != 7 {
			t.Errorf("port %d after a reset of its symbol errors: %+v", p, c)
		}
	}
}
