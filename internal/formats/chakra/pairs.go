package chakra

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/formats/source"
	"weft/internal/sim/workload"
	"weft/units"
)

// unknownPeer is the peer of a message whose node names none, until it is found.
const unknownPeer = -1

// loose is a send or receive whose node does not name its peer.
type loose struct {
	t    *trace
	node *node
	op   int32
}

// looseKey identifies a message: both of its ends have the same.
type looseKey struct {
	group int32
	tag   int32
	bytes units.Bytes
}

// pair finds the other ends of messages that name none, as Chakra's converter of PyTorch
// writes them. Both ends are in the same process group, with the same tag and size. In a
// group of two the other end is the other rank. Else a rank's sends go to the only rank
// that waits for as many.
func (b *builder) pair() *source.Problem {
	ends := make(map[looseKey]*[2]map[int32][]loose) // sends and receives by rank
	for _, l := range b.loose {
		o := b.op(l)
		group, p := b.groupOf(l.t, l.node)
		if p != nil {
			return p
		}
		k := looseKey{group, o.Tag, o.Bytes}
		if ends[k] == nil {
			ends[k] = &[2]map[int32][]loose{{}, {}}
		}
		side := ends[k][boolOf(o.Kind == workload.Recv)]
		side[int32(l.t.rank)] = append(side[int32(l.t.rank)], l)
	}
	keys := sorting.Sorted(maps.Keys(ends), func(a, b looseKey) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.tag, b.tag), cmp.Compare(a.bytes, b.bytes))
	})
	for _, k := range keys {
		if p := b.pairAlike(k, ends[k]); p != nil {
			return p
		}
	}
	return nil
}

func boolOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (b *builder) op(l loose) *workload.Op { return &b.graph.Ranks[l.t.rank][l.op] }

// pairAlike finds the ends of the messages of a key.
func (b *builder) pairAlike(k looseKey, ends *[2]map[int32][]loose) *source.Problem {
	members := b.graph.Groups[k.group].Ranks
	if len(members) == 2 {
		for side := range ends {
			for rank, list := range ends[side] {
				b.join(list, members[boolOf(rank == members[0])])
			}
		}
		return nil
	}
	for found := true; found; {
		found = false
		for side := range ends {
			for _, rank := range slices.Sorted(maps.Keys(ends[side])) {
				if other, only := onlyOther(ends[1-side], rank); only && len(ends[1-side][other]) == len(ends[side][rank]) {
					b.join(ends[side][rank], other)
					b.join(ends[1-side][other], rank)
					delete(ends[side], rank)
					delete(ends[1-side], other)
					found = true
				}
			}
		}
	}
	for side := range ends {
		for _, rank := range slices.Sorted(maps.Keys(ends[side])) {
			l := ends[side][rank][0]
			return l.t.problem(l.node, fmt.Sprintf("the rank at the other end (comm_dst of a send, comm_src of a receive), or messages of %d bytes and tag %d of its process group that only one other rank can have", k.bytes, k.tag))
		}
	}
	return nil
}

// onlyOther is the only other rank that has ends left.
func onlyOther(ends map[int32][]loose, rank int32) (other int32, only bool) {
	n := 0
	for r := range ends {
		if r != rank {
			other, n = r, n+1
		}
	}
	return other, n == 1
}

// join gives operations their peer.
func (b *builder) join(list []loose, peer int32) {
	for _, l := range list {
		b.op(l).Peer = peer
		b.joined++
	}
}
