package sma

import (
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// told is a star whose adapters have LIDs and know that the manager is at the first.
func told(t *testing.T) (f *Fabric, victim subnet.End) {
	t.Helper()
	f = star(t)
	for i := range int32(3) {
		q := &f.nodes[i].ports[1].info
		q.LID, q.MasterSMLID = units.LID(i+1), 1
	}
	return f, subnet.End{Node: 2, Port: 1}
}

// violate has the victim discard a packet of a queue pair.
func violate(f *Fabric, victim subnet.End, qp units.QPN) {
	f.PKeyViolation(victim, true, 1, &mad.KeyNotice{LID1: 2, LID2: 3, Key: 0x8001, QP1: qp, QP2: 9})
}

// interval is the SubnetTimeOut of the ports, 4.096 µs × 2^18.
const interval = 1_073_741_824 * units.Nanosecond

func TestATrapIsRepeatedUntilItIsRepressed(t *testing.T) {
	f, victim := told(t)
	violate(f, victim, 7)
	first := f.Traps()
	if len(first) != 1 || f.NextTrap() != interval {
		t.Fatalf("%d traps, the next at %v; want 1 and %v", len(first), f.NextTrap(), interval)
	}
	f.SetNow(interval - 1)
	if early := f.Traps(); len(early) != 0 {
		t.Errorf("%d traps before SubnetTimeOut is over", len(early))
	}
	f.SetNow(interval)
	again := f.Traps()
	if len(again) != 1 || again[0] != first[0] {
		t.Fatalf("after SubnetTimeOut %+v, want the same trap again", again)
	}
	wrong, right := again[0].Packet.MAD, again[0].Packet.MAD
	for _, m := range []*mad.MAD{&wrong, &right} {
		m.SetMethod(mad.TrapRepress)
	}
	wrong.SetTID(right.TID() + 1)
	if f.repressed(victim, &wrong); f.TrapCounts().Repressed != 0 {
		t.Error("a TrapRepress of another transaction ended the repetition")
	}
	if f.repressed(victim, &right); f.NextTrap() != units.Forever {
		t.Errorf("once repressed the next trap is at %v", f.NextTrap())
	}
	if c, want := f.TrapCounts(), (TrapCounts{Raised: 1, Sent: 2, Repressed: 1}); c != want {
		t.Errorf("counts %+v, want %+v", c, want)
	}
}

func TestAPortKeepsItsRateWhenManyOffend(t *testing.T) {
	f, victim := told(t)
	for qp := range units.QPN(20) {
		violate(f, victim, qp)
		violate(f, victim, qp) // no new queue pair
	}
	var sent []units.QPN
	for f.NextTrap() < units.Forever {
		f.SetNow(f.NextTrap())
		for _, s := range f.Traps() {
			var n mad.Notice
			var k mad.KeyNotice
			_ = mad.Parse(s.Packet.MAD.SMPData(), &n)
			n.GetData(&k)
			sent = append(sent, k.QP1)
			if want := units.Time(len(sent)-1) * interval; f.now != want {
				t.Errorf("trap %d goes out at %v, want %v", len(sent), f.now, want)
			}
			s.Packet.MAD.SetMethod(mad.TrapRepress)
			f.repressed(victim, &s.Packet.MAD)
		}
	}
	if len(sent) != maxLetters || sent[0] != 0 || sent[maxLetters-1] != maxLetters-1 {
		t.Errorf("traps about queue pairs %v, want the first %d", sent, maxLetters)
	}
	c, want := f.TrapCounts(), TrapCounts{Raised: 16, Merged: 16, Lost: 8, Sent: 16, Repressed: 16}
	if c != want {
		t.Errorf("counts %+v, want %+v", c, want)
	}
	if v := f.Info(victim).PKeyViolations; v != 40 {
		t.Errorf("%d violations counted, want all 40", v)
	}
}
