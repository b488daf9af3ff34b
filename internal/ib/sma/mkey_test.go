package sma

import (
	"testing"

	"weft/units"
	"weft/wire/mad"
)

const key = 0xabc

// locked is a star whose asking adapter has an M_Key with a lease of 10 s.
func locked(t *testing.T, protect uint8) *Fabric {
	t.Helper()
	f := star(t)
	f.SetNow(units.Second)
	p := f.Info(host)
	p.State, p.PhysState = mad.PortNop, mad.PhysNop
	p.MKey, p.MKeyProtect, p.MKeyLease = key, protect, 10
	if got := ask(t, f, mad.Set, mad.AttrPortInfo, 1, &p).Status(); got != mad.OK {
		t.Fatalf("status %#x", got)
	}
	return f
}

// read gets the adapter's PortInfo with an M_Key.
func read(f *Fabric, with uint64) (mad.PortInfo, Outcome) {
	p := Packet{DLID: units.PermissiveLID, MAD: mad.NewDirected(mad.Get, mad.AttrPortInfo, 1, 9, nil)}
	p.MAD.SetMKey(with)
	_, outcome := f.Carry(host, &p)
	var info mad.PortInfo
	_ = mad.Parse(p.MAD.SMPData(), &info)
	return info, outcome
}

func TestAProtectedKeyIsToldToThoseWhoKnowIt(t *testing.T) {
	for _, c := range []struct {
		protect uint8
		with    uint64
		outcome Outcome
		told    uint64
	}{
		{0, 0, Answered, key},
		{1, 0, Answered, 0},
		{1, key, Answered, key},
		{2, key, Answered, key},
		{2, 1, Lost, 0},
	} {
		info, outcome := read(locked(t, c.protect), c.with)
		if outcome != c.outcome || outcome == Answered && info.MKey != c.told {
			t.Errorf("protection %d, asked with key %#x: outcome %v with key %#x, want %v with %#x", c.protect, c.with, outcome, info.MKey, c.outcome, c.told)
		}
	}
}

func TestALeaseEndsWhenNobodyShowsTheKey(t *testing.T) {
	f := locked(t, 2)
	f.SetNow(100 * units.Second) // no lease runs before the first violation
	if _, outcome := read(f, 1); outcome != Lost {
		t.Fatalf("a wrong key: %v", outcome)
	}
	f.SetNow(109 * units.Second)
	if _, outcome := read(f, 1); outcome != Lost {
		t.Fatalf("a wrong key 9 s into a lease of 10: %v", outcome)
	}
	f.SetNow(110 * units.Second)
	if info, outcome := read(f, 1); outcome != Answered || info.MKey != key || info.MKeyProtect != 0 {
		t.Errorf("after the lease: outcome %v, key %#x, protection %d", outcome, info.MKey, info.MKeyProtect)
	}
}

func TestTheKeyStopsALease(t *testing.T) {
	f := locked(t, 2)
	read(f, 1)
	f.SetNow(10 * units.Second)
	read(f, key)
	f.SetNow(60 * units.Second)
	if _, outcome := read(f, 1); outcome != Lost {
		t.Errorf("a wrong key: %v, although the manager had shown the key", outcome)
	}
}
