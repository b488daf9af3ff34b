package sma

import (
	"testing"

	"weft/internal/subnet"
	"weft/wire/mad"
)

// A switch counts what it keeps out by direction, and stops at the counters' end.
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
		t.Errorf("%d traps to a manager that nobody knows", len(traps))
	}
}
