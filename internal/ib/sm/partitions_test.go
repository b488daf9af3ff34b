package sm

import (
	"testing"

	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// keyed is the partitions of two adapters with these keys.
func keyed(first, second []mad.PKey) *partitions {
	b, _, s := pair(1, 2)
	w := &writer{&requests{fabric: b.fabric, outbox: b.outbox}, &routed{sub: s, behind: b.nodes}}
	return &partitions{writer: w, keys: func(p EndPort) []mad.PKey {
		if p.GUID == 1 {
			return first
		}
		return second
	}}
}

// IBA vol. 1, 10.9.3: ports share a key of one partition, unless both are limited members.
func TestPortsShareAKeyOfOnePartition(t *testing.T) {
	a, b := subnet.End{Node: 0, Port: 1}, subnet.End{Node: 1, Port: 1}
	for _, c := range []struct {
		first, second []mad.PKey
		want          mad.PKey
		shared        bool
	}{
		{[]mad.PKey{0xFFFF}, []mad.PKey{0x7FFF}, 0xFFFF, true},
		{[]mad.PKey{0x7FFF}, []mad.PKey{0x7FFF}, 0, false},
		{[]mad.PKey{0x7FFF, 0x8001}, []mad.PKey{0x7FFF, 0x0001}, 0x8001, true},
		{[]mad.PKey{0x8001}, []mad.PKey{0x8002}, 0, false},
	} {
		if key, shared := keyed(c.first, c.second).shared(a, b); key != c.want || shared != c.shared {
			t.Errorf("ports with %#x and %#x share %#x (%v), want %#x (%v)", c.first, c.second, key, shared, c.want, c.shared)
		}
	}
}

func TestKeysAreWrittenInBlocksThatThePortHas(t *testing.T) {
	for _, c := range []struct{ keys, room, want int }{{1, 64, 1}, {33, 64, 2}, {33, 32, 1}, {0, 64, 1}, {100, 64, 2}} {
		k := keyed(make([]mad.PKey, c.keys), nil)
		k.nodes[0].info.PartitionCap = uint16(c.room)
		k.write(0, 1)
		if len(k.queue) != c.want {
			t.Errorf("%d keys in a table of %d: %d blocks, want %d", c.keys, c.room, len(k.queue), c.want)
		}
	}
}
