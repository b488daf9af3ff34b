package workload

import (
	"cmp"
	"slices"
)

// channel is the common identity of a Send and its Recv.
type channel struct{ from, to, tag int32 }

// NoMessage is the number of an operation that is neither a Send nor a Recv.
const NoMessage = -1

// Messages numbers the messages of a checked graph: by rank and operation, the
// same number at both ends.
func (g *Graph) Messages() (number [][]int32, count int) {
	number = make([][]int32, len(g.Ranks))
	for rank, ops := range g.Ranks {
		number[rank] = make([]int32, len(ops))
		for i := range ops {
			number[rank][i] = NoMessage
		}
	}
	g.eachMessage(func(send, recv place) {
		number[send.rank][send.op], number[recv.rank][recv.op] = int32(count), int32(count)
		count++
	})
	return number, count
}

// place is an operation of a rank.
type place struct{ rank, op int32 }

// ends are the unmatched Sends and Recvs of a channel, in their order.
type ends struct{ sends, recvs []place }

// eachMessage calls f with the two ends of every message, and returns the unmatched ends. Messages
// come in no defined order.
func (g *Graph) eachMessage(f func(send, recv place)) map[channel]*ends {
	open := make(map[channel]*ends)
	for rank, ops := range g.Ranks {
		for i := range ops {
			o := &ops[i]
			at := place{int32(rank), int32(i)}
			switch o.Kind {
			case Send:
				e := endsOf(open, channel{at.rank, o.Peer, o.Tag})
				if len(e.recvs) > 0 {
					f(at, e.recvs[0])
					e.recvs = e.recvs[1:]
				} else {
					e.sends = append(e.sends, at)
				}
			case Recv:
				e := endsOf(open, channel{o.Peer, at.rank, o.Tag})
				if len(e.sends) > 0 {
					f(e.sends[0], at)
					e.sends = e.sends[1:]
				} else {
					e.recvs = append(e.recvs, at)
				}
			}
		}
	}
	return open
}

func endsOf(open map[channel]*ends, k channel) *ends {
	if open[k] == nil {
		open[k] = new(ends)
	}
	return open[k]
}

// at is the operation at a place.
func (g *Graph) at(p place) *Op { return &g.Ranks[p.rank][p.op] }

// messages checks that every message has two ends with the same length.
func (c *checker) messages() {
	open := c.g.eachMessage(func(send, recv place) {
		if s, r := c.g.at(send), c.g.at(recv); s.Bytes != r.Bytes {
			c.add(int(send.rank), int(send.op), "it sends %d bytes to rank %d with tag %d, which expects %d with its operation %d", s.Bytes, s.Peer, s.Tag, r.Bytes, recv.op)
		}
	})
	for rank, ops := range c.g.Ranks { // the list's order, not the map's
		for i := range ops {
			o := &ops[i]
			at := place{int32(rank), int32(i)}
			switch {
			case o.Kind == Send && unmet(open[channel{at.rank, o.Peer, o.Tag}].sends, at):
				c.add(rank, i, "it sends %d bytes to rank %d with tag %d, which that rank never receives", o.Bytes, o.Peer, o.Tag)
			case o.Kind == Recv && unmet(open[channel{o.Peer, at.rank, o.Tag}].recvs, at):
				c.add(rank, i, "it waits for %d bytes from rank %d with tag %d, which that rank never sends", o.Bytes, o.Peer, o.Tag)
			}
		}
	}
}

// unmet reports whether a place is in a list of places of one rank, in order.
func unmet(list []place, at place) bool {
	_, found := slices.BinarySearchFunc(list, at, func(a, b place) int { return cmp.Compare(a.op, b.op) })
	return found
}
