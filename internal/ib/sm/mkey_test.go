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
