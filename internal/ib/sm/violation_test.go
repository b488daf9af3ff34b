package sm_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// An HCA and a switch discard packets because of keys. They count them in the counters
// that the tools read, and the manager reports each trap with its fields.
func TestKeyViolationsAreCountedAndReported(t *testing.T) {
	s := build(t, topology.TwoLevel{Endpoints: 8, Radix: 4})
	w := newWorld(t, s)
	h := w.manager("A", 0, sm.Config{})
	w.start(h)
	w.run(5 * units.Second)
	victim := subnet.End{Node: 5, Port: 1}
	leaf := s.Port(victim).Peer
	notice := mad.KeyNotice{LID1: w.fabric.LID(subnet.End{Node: 2, Port: 1}), LID2: w.fabric.LID(victim), Key: 0x8001, SL: 3, QP1: 0x17, QP2: 0x18}
	for _, c := range []struct {
		violate func(*sma.Fabric)
		want    string
	}{
		{func(f *sma.Fabric) { f.PKeyViolation(victim, true, 5, &notice) }, "trap 257 from LID %v: bad P_Key 0x8001 from LID %a QP 23 to LID %v QP 24 on SL 3"},
		{func(f *sma.Fabric) { f.QKeyViolation(victim, 7, &notice) }, "trap 258 from LID %v: bad Q_Key 0x8001 from LID %a QP 23 to LID %v QP 24 on SL 3"},
		{func(f *sma.Fabric) { f.PKeyViolation(leaf, false, 300, &notice) }, "trap 259 from LID %s: bad P_Key 0x8001 from LID %a QP 23 to LID %v QP 24 on SL 3 at port %p of LID %s"},
	} {
		h.events = nil
		w.change(c.violate)
		w.run(units.Second)
		want := strings.NewReplacer("%v", fmt.Sprint(notice.LID2), "%a", fmt.Sprint(notice.LID1), "%s", fmt.Sprint(w.fabric.LID(leaf)), "%p", fmt.Sprint(leaf.Port)).Replace(c.want)
		if len(h.events) == 0 || h.events[0].String() != want {
			t.Errorf("%v, want %q", h.events, want)
		}
	}
	if info := w.fabric.Info(victim); info.PKeyViolations != 5 || info.QKeyViolations != 7 {
		t.Errorf("the adapter counts %d and %d violations, want 5 and 7", info.PKeyViolations, info.QKeyViolations)
	}
}
