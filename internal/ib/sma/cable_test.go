package sma

import (
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// A trace sends no packet: it moves no counter, draws no loss and raises no trap, even
// where a packet would.
func TestATraceLeavesNoTrace(t *testing.T) {
	f, other := told(t)
	sw := subnet.End{Node: 3}
	for p := range f.nodes[3].ports {
		f.nodes[3].ports[p].info.State = mad.PortActive
	}
	for i := range int32(3) {
		f.nodes[i].ports[1].info.State = mad.PortActive
	}
	f.nodes[3].sw.LinearFDBTop = 9
	f.nodes[3].lft[0] = &mad.LinearFDB{1: 1, 3: 3, 4: 0, 5: 0, 6: 2, 7: subnet.NoPort, 8: 200}
	f.nodes[3].ports[0].info.LID = 4
	f.SetLoss(other, 100, 0)
	f.nodes[2].ports[1].pkeys[0][0] = 0x8123 // does not match the sender's
	before := [2]counters{f.nodes[0].ports[1].counters, f.nodes[3].ports[3].counters}
	for _, c := range []struct {
		to   units.LID
		end  subnet.End
		hops int
		ok   bool
	}{
		{1, host, 0, true},
		{3, other, 2, true},
		{4, sw, 1, true},
		{5, sw, 1, false}, // the table says port 0, and the switch has another LID
		{6, subnet.End{Node: 1, Port: 1}, 2, false},
		{7, subnet.End{Node: 3, Port: 1}, 1, false},
		{8, subnet.End{Node: 3, Port: 1}, 1, false},
	} {
		if out, end, ok := f.Trace(host, c.to); len(out) != c.hops || end != c.end || ok != c.ok {
			t.Errorf("LID %d: %d hops to %v, reached %v; want %d to %v, %v", c.to, len(out), end, ok, c.hops, c.end, c.ok)
		}
	}
	after := [2]counters{f.nodes[0].ports[1].counters, f.nodes[3].ports[3].counters}
	for i := range before {
		if before[i].short != after[i].short || before[i].long != after[i].long {
			t.Errorf("counters %d moved: %+v", i, after[i].short)
		}
	}
	if sent := f.Traps(); len(sent) > 0 {
		t.Errorf("%d traps", len(sent))
	}
	f.nodes[3].ports[3].info.State = mad.PortArmed
	if _, end, ok := f.Trace(host, 3); ok || end != (subnet.End{Node: 3, Port: 3}) {
		t.Errorf("through a port in state Armed: %v, reached %v", end, ok)
	}
}

// A congestion log begins at byte 32, before the data of other attributes.
func TestACongestionLogIsWhereToolsReadIt(t *testing.T) {
	f := star(t)
	for kind, at := range map[byte]subnet.End{logOfSwitch: {Node: 3}, logOfAdapter: host} {
		m := mad.New(mad.Congestion, mad.Get, attrCongestionLog, 0, 1)
		if f.answer(at, &m); m.Status() != mad.OK || m[32] != kind {
			t.Errorf("%v: status %#x, type %d at offset 32, want %d", at, m.Status(), m[32], kind)
		}
	}
}
