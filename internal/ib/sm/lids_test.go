package sm

import (
	"maps"
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// pair is two adapters, joined by a cable, whose ports report LIDs, and the book that
// assigns LIDs to them.
func pair(first, second units.LID) (*lidBook, *Batch, *subnet.Subnet) {
	out := &Batch{}
	f := &fabric{}
	for i, lid := range []units.LID{first, second} {
		info := mad.NodeInfo{Type: uint8(subnet.Adapter), NumPorts: 1, LocalPort: 1, NodeGUID: units.GUID(10 + i)}
		f.nodes = append(f.nodes, &node{info: info, ports: []port{{peer: none}, {
			have: true, guid: units.GUID(1 + i), info: mad.PortInfo{LID: lid, State: mad.PortActive}, peer: end{int32(1 - i), 1},
		}}})
	}
	s, _ := f.build()
	return &lidBook{outbox: &outbox{out: out}, fabric: f, lids: map[units.GUID]units.LID{}}, out, s
}

func TestPortsKeepTheLIDsThatTheyHave(t *testing.T) {
	for _, c := range []struct {
		name          string
		book          map[units.GUID]units.LID
		reassign      bool
		first, second units.LID
		want          [2]units.LID
		lost          int
	}{
		{name: "none", want: [2]units.LID{1, 2}},
		{name: "their own", first: 7, second: 9, want: [2]units.LID{7, 9}},
		{name: "the book's before their own", book: map[units.GUID]units.LID{1: 5}, first: 7, second: 9, want: [2]units.LID{5, 9}},
		{name: "not their own", reassign: true, first: 7, second: 9, want: [2]units.LID{1, 2}},
		{name: "one for both", first: 7, second: 7, want: [2]units.LID{7, 1}, lost: 1},
	} {
		b, out, s := pair(c.first, c.second)
		b.reassign = c.reassign
		maps.Copy(b.lids, c.book)
		if err := b.assign(s, []int32{0, 1}); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		b.keep(s)
		if got := [2]units.LID{b.lids[1], b.lids[2]}; got != c.want {
			t.Errorf("%s: the ports have LIDs %v, want %v", c.name, got, c.want)
		}
		if len(out.Events) != c.lost {
			t.Errorf("%s: %d events, want %d of ports that lost theirs", c.name, len(out.Events), c.lost)
		}
	}
}
