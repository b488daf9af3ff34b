package sma

import (
	"testing"

	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// A switch counts discarded packets by direction; the counters stop at their maximum.
func TestASwitchCountsConstraintErrors(t *testing.T) {
	f := star(t)
	hub := int32(-1)
	for i := range f.sub.Nodes {
		if f.sub.Nodes[i].Kind == subnet.Switch {
			hub = int32(i)
		}
	}
	at := subnet.End{Node: hub, Port: 1}
	f.PKeyViolation(at, true, 3, &mad.KeyNotice{})
	f.PKeyViolation(at, true, 4, &mad.KeyNotice{})
	f.PKeyViolation(at, false, 300, &mad.KeyNotice{})
	if c := f.nodes[hub].ports[1].counters.short; c.RcvConstraint != 7 || c.XmitConstraint != 255 {
		t.Errorf("%d packets in and %d out, want 7 and 255", c.RcvConstraint, c.XmitConstraint)
	}
	if traps := f.Traps(); len(traps) != 0 || f.TrapCounts().Lost != 3 {
		t.Errorf("%d traps, and the switch knows no manager", len(traps))
	}
}

// A performance query is a datagram of general services. An adapter counts and traps a
// query whose key is not in its table, and answers the others by its own key.
func TestAnAdapterChecksTheKeysOfGeneralServices(t *testing.T) {
	f, victim := told(t)
	f.nodes[3].sw.LinearFDBTop = 63
	f.nodes[3].lft[0] = &mad.LinearFDB{0: subnet.NoPort, 1: 1, 2: 2, 3: 3}
	for i := range f.nodes {
		for p := range f.nodes[i].ports {
			f.nodes[i].ports[p].info.State = mad.PortActive
		}
	}
	f.nodes[0].ports[1].pkeys[0] = mad.PKeyTable{0xFFFF, 0x8001}
	f.nodes[2].ports[1].pkeys[0] = mad.PKeyTable{0x7FFF, 0x0001}
	for _, c := range []struct {
		key     mad.PKey
		outcome Outcome
		answer  mad.PKey // as it arrives: an entry of the asker's table
	}{{0, Answered, 0xFFFF}, {0x8001, Answered, 0x8001}, {0x8002, Lost, 0}} {
		p := Packet{DLID: 3, PKey: c.key, MAD: mad.New(mad.Perf, mad.Get, mad.AttrClassPortInfo, 0, 1)}
		_, outcome := f.Carry(host, &p)
		if outcome != c.outcome || outcome == Answered && p.PKey != c.answer {
			t.Errorf("with P_Key %#x: outcome %v with %#x, want %v with %#x", c.key, outcome, p.PKey, c.outcome, c.answer)
		}
	}
	if n := f.Info(victim).PKeyViolations; n != 1 || f.TrapCounts().Raised != 1 {
		t.Errorf("%d violations counted and %d traps raised, want 1 and 1", n, f.TrapCounts().Raised)
	}
}
