package sm

import (
	"slices"
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

// numbered is keys of the partitions 1, 2 and so on.
func numbered(keys int) []mad.PKey {
	list := make([]mad.PKey, keys)
	for i := range list {
		list[i] = mad.PKey(1 + i)
	}
	return list
}

// A block is written if it differs from the keys of the port, and a block without keys if it has
// some of an earlier manager.
func TestBlocksThatDifferAreWrittenAndReadAgain(t *testing.T) {
	for _, c := range []struct {
		keys, room int
		have       []mad.PKey // in the port, before
		writes     int
	}{
		{keys: 1, room: 64, writes: 1},
		{keys: 33, room: 64, writes: 2},
		{keys: 33, room: 32, writes: 1},
		{keys: 0, room: 64, writes: 0},
		{keys: 0, room: 64, have: numbered(33), writes: 2},
		{keys: 1, room: 96, have: numbered(70), writes: 3},
		{keys: 32, room: 64, have: numbered(32), writes: 0},
	} {
		k := keyed(numbered(c.keys), nil)
		k.nodes[0].info.PartitionCap = uint16(c.room)
		have := slices.Concat(c.have, make([]mad.PKey, 128))
		k.readTables(0, 1)
		writes, reads := 0, 0
		for r, more := k.dequeue(); more; r, more = k.dequeue() {
			answer := mad.NewDirected(r.method.Answer(), r.attr, r.modifier, 1, r.path)
			table := (*mad.PKeyTable)(have[r.modifier*mad.PKeysPerBlock:])
			if r.method == mad.Set {
				writes++
				_ = mad.Parse(r.data[:], table)
			} else if r.again {
				reads++
			}
			mad.Append(answer.SMPData()[:0], table)
			if !k.took(&r, &answer) {
				t.Errorf("%+v: block %d is not taken", c, r.modifier)
			}
		}
		want := slices.Concat(numbered(min(c.keys, c.room)), make([]mad.PKey, 128))
		if writes != c.writes || reads != writes || !slices.Equal(have[:c.room], want[:c.room]) {
			t.Errorf("%+v: %d blocks written, %d read again, the port has %#x", c, writes, reads, have[:c.room])
		}
	}
}

// A port that says that it took a block, and holds another, is found.
func TestABlockThatReadsOtherThanWrittenIsNotTaken(t *testing.T) {
	k := keyed(numbered(3), nil)
	k.nodes[0].info.PartitionCap = 32
	k.readTables(0, 1)
	r, _ := k.dequeue()
	var other mad.PKeyTable
	answer := mad.NewDirected(mad.Get|mad.Response, mad.AttrPKeyTable, 0, 1, nil)
	mad.Append(answer.SMPData()[:0], &other)
	taken := []bool{k.took(&r, &answer)} // read: it differs
	r, _ = k.dequeue()
	taken = append(taken, k.took(&r, &answer)) // written
	r, _ = k.dequeue()
	taken = append(taken, k.took(&r, &answer)) // read again: it still differs
	if !slices.Equal(taken, []bool{true, true, false}) {
		t.Errorf("taken after the read, the write and the second read: %v", taken)
	}
}
