package sm_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// intrude asks an adapter for its PortInfo with an unknown key once a second, and returns
// the time until it gets an answer; 0 without one.
func (w *world) intrude(at subnet.End, span units.Time) units.Time {
	w.t.Helper()
	for begin := w.now; w.now < begin+span; w.run(units.Second) {
		p := sma.Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Get, mad.AttrPortInfo, 1, 9, nil)}
		p.MAD.SetMKey(0xbad)
		outcome := sma.Lost
		w.change(func(f *sma.Fabric) { _, outcome = f.Carry(at, &p) })
		if outcome == sma.Answered {
			return w.now - begin
		}
	}
	return 0
}

// guarded is an M_Key that hides everything from others, with a lease of 10 s.
var guarded = sm.MKey{Key: 5, Level: 2, Lease: 10}

// While the manager shows its key every 5 s, no lease of 10 s ends.
func TestAManagerRenewsTheLeaseOfItsKey(t *testing.T) {
	w := newWorld(t, build(t, topology.TwoLevel{Endpoints: 8, Radix: 4}))
	h := w.manager("A", 0, sm.Config{MKey: guarded, Sweep: 1000 * units.Second})
	w.start(h)
	w.run(units.Second)
	victim := subnet.End{Node: 5, Port: 1}
	if after := w.intrude(victim, 100*units.Second); after != 0 {
		t.Errorf("the port tells a stranger after %v", after)
	}
	if p := w.fabric.Info(victim); p.MKey != 5 || p.MKeyProtect != 2 || p.MKeyLease != 10 {
		t.Errorf("the port has key %#x, protection %d and lease %d s; want 5, 2 and 10", p.MKey, p.MKeyProtect, p.MKeyLease)
	}
	w.run(60 * units.Second) // until the last trap is repressed
	before := w.carried
	w.run(50 * units.Second)
	if renewals := w.carried - before; renewals != 10*len(w.subnet.Nodes) {
		t.Errorf("%d datagrams in 50 s, want one to each of %d ports every 5 s", renewals, len(w.subnet.Nodes))
	}
}

// Once the manager is gone, the lease ends 10 s after the first request with a wrong key.
func TestALeaseEndsWithoutTheManager(t *testing.T) {
	w := newWorld(t, build(t, topology.TwoLevel{Endpoints: 8, Radix: 4}))
	h := w.manager("A", 0, sm.Config{MKey: guarded})
	w.start(h)
	w.run(units.Second)
	h.dead = true
	victim := subnet.End{Node: 5, Port: 1}
	if after := w.intrude(victim, 100*units.Second); after != 10*units.Second {
		t.Errorf("the port tells a stranger after %v, want 10 s", after)
	}
	if p := w.fabric.Info(victim); p.MKey != 5 || p.MKeyProtect != 0 {
		t.Errorf("the port has key %#x and protection %d, want 5 and none", p.MKey, p.MKeyProtect)
	}
}

// A standby that does not know the master's key takes the subnet over when the
// leases end, and never if they do not end.
func TestAStandbyWithAnotherKeyWaitsForTheLease(t *testing.T) {
	for _, c := range []struct {
		key   sm.MKey
		takes bool
	}{{guarded, true}, {sm.MKey{Key: 5, Level: 1, Lease: 10}, true}, {sm.MKey{Key: 5, Level: 2}, false}} {
		w := newWorld(t, build(t, topology.TwoLevel{Endpoints: 8, Radix: 4}))
		a := w.manager("A", 0, sm.Config{Priority: 1, MKey: c.key})
		b := w.manager("B", 7, sm.Config{MKey: sm.MKey{Key: 6, Level: 1}})
		w.start(a)
		w.start(b)
		w.run(30 * units.Second)
		a.dead = true
		w.change(func(f *sma.Fabric) { f.SetManager(a.at, false) })
		b.events = nil
		w.run(300 * units.Second)
		if got := b.has(sm.SubnetUp); got != c.takes {
			t.Errorf("%+v: taken over is %v, want %v: %v", c.key, got, c.takes, b.events)
		}
		want := c.key.Key
		if c.takes {
			want = 6
			w.checkUp(b)
		}
		for i := range w.subnet.Nodes {
			if p := w.fabric.Info(subnet.End{Node: int32(i), Port: w.subnet.Nodes[i].Base()}); p.MKey != want {
				t.Errorf("%+v: %s has key %#x, want %#x", c.key, w.subnet.Nodes[i].Name, p.MKey, want)
			}
		}
	}
}

// protect gives a port an M_Key that no manager knows.
func (w *world) protect(at subnet.End, key sm.MKey) {
	w.t.Helper()
	info := w.fabric.Info(at)
	info.MKey, info.MKeyProtect, info.MKeyLease = key.Key, key.Level, key.Lease
	info.State, info.PhysState, info.LinkWidthEnabled, info.LinkSpeedEnabled = mad.PortNop, mad.PhysNop, 0, 0
	p := sma.Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Set, mad.AttrPortInfo, uint32(at.Port), 9, nil)}
	mad.Append(p.MAD.SMPData()[:0], &info)
	if _, outcome := w.fabric.Carry(at, &p); outcome != sma.Answered || p.MAD.Status() != mad.OK {
		w.t.Fatalf("the M_Key is not taken: %v, status %#x", outcome, p.MAD.Status())
	}
}

// A port has an M_Key that the manager does not know, from the start or after a bring-up: the
// manager says so once, goes on to manage the other ports, and does not say that the subnet is up.
func TestAPortWithAnUnknownMKeyIsNamedOnce(t *testing.T) {
	victim := subnet.End{Node: 5, Port: 1}
	for _, c := range []struct {
		level, own uint8
		late       bool
		want       string
	}{
		{1, 0, false, `"node5/nic0" port 1 at 0,1,3,3,2 is protected by another M_Key than this manager's`},
		{1, 6, false, `"node5/nic0" port 1 at 0,1,3,3,2 is protected by another M_Key than this manager's`},
		{1, 0, true, `"node5/nic0" port 1 at 0,1,3,3,2 is protected by another M_Key than this manager's`},
		{2, 0, false, "unanswered: NodeInfo of the port at 0,1,3,3,2: its link is up; the node hangs, or another M_Key of protection level 2 or 3 forbids an answer"},
		{3, 6, false, "unanswered: NodeInfo of the port at 0,1,3,3,2: its link is up; the node hangs, or another M_Key of protection level 2 or 3 forbids an answer"},
		{2, 0, true, "the port at 0,1,3,3,2 is protected by another M_Key than this manager's"},
	} {
		w := newWorld(t, build(t, topology.TwoLevel{Endpoints: 8, Radix: 4}))
		h := w.manager("A", 0, sm.Config{MKey: sm.MKey{Key: uint64(c.own), Level: 1}})
		strange := sm.MKey{Key: 0xbad, Level: c.level}
		if c.late {
			w.start(h)
			w.run(5 * units.Second)
			h.events = nil
			w.protect(victim, strange)
			w.call(h, func(b *sm.Batch) { h.m.Sweep(w.now, b) })
		} else {
			w.protect(victim, strange)
			w.start(h)
		}
		w.run(300 * units.Second)
		count := map[string]int{}
		for _, e := range h.events {
			count[e.String()]++
		}
		if c.late && c.level == 1 {
			// nothing is to be written: the port has all settings
			if !h.has(sm.SubnetUp) {
				t.Errorf("%+v: %v", c, h.events)
			}
			continue
		}
		notUp := 0
		for _, e := range h.events {
			if e.Kind == sm.SubnetNotUp {
				notUp++
			}
		}
		if count[c.want] != 1 || notUp != 1 || h.has(sm.SubnetUp) || len(h.events) > 6 {
			t.Errorf("%+v: %v", c, h.events)
		}
		for i := range 8 {
			if at := (subnet.End{Node: int32(i), Port: 1}); at != victim && w.fabric.Info(at).State != mad.PortActive {
				t.Errorf("%+v: node %d is %v", c, i, w.fabric.Info(at).State)
			}
		}
	}
}

// A stranger's request with a wrong key is not a fault of the port.
func TestATrapAboutAStrangersKeyIsNoFaultOfThePort(t *testing.T) {
	w := newWorld(t, build(t, topology.SingleSwitch{Endpoints: 4}))
	h := w.manager("A", 0, sm.Config{MKey: sm.MKey{Key: 5, Level: 1}})
	w.start(h)
	w.run(5 * units.Second)
	p := sma.Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Set, mad.AttrPortInfo, 1, 9, nil)}
	p.MAD.SetMKey(0xbad)
	w.change(func(f *sma.Fabric) { f.Carry(subnet.End{Node: 2, Port: 1}, &p) })
	w.run(30 * units.Second)
	if !h.has(sm.TrapReceived) || h.has(sm.Protected) {
		t.Errorf("%v", h.events)
	}
}

// A port that does not keep the M_Key is not protected: the manager says so.
func TestAPortThatDoesNotKeepTheMKeyIsNamed(t *testing.T) {
	w := newWorld(t, build(t, topology.SingleSwitch{Endpoints: 3}))
	h := w.manager("A", 0, sm.Config{MKey: sm.MKey{Key: 5, Level: 1}})
	w.before = func(int) { // the agent of node 2 loses its key
		if at := (subnet.End{Node: 2, Port: 1}); w.fabric.Info(at).MKey != 0 {
			w.fabric.Restart(2)
		}
	}
	w.start(h)
	w.run(units.Millisecond)
	w.before = nil
	if !h.has(sm.Unprotected) {
		t.Errorf("%v", h.events)
	}
}
