package workload

import (
	"fmt"
	"strings"
)

// circles checks that the graph can be executed to its end: it executes it without times. The
// remaining operations wait in a circle, and the problem names it.
//
// Here a collective holds its members together: each is over when all have entered. Every graph
// that the algorithms of weft can finish passes, except a graph in which the root of a broadcast
// runs ahead of its own receivers in a circle.
func (c *checker) circles() {
	s := newUntimed(c.g)
	for rank := range c.g.Ranks {
		s.progress[rank].First(func(op int32) { s.ready = append(s.ready, place{int32(rank), op}) })
	}
	for len(s.ready) > 0 {
		at := s.ready[len(s.ready)-1]
		s.ready = s.ready[:len(s.ready)-1]
		s.begin(at)
	}
	for rank := range s.progress {
		if !s.progress[rank].Done() {
			at, text := s.circle(int32(rank))
			c.add(int(at.rank), int(at.op), "the workload comes to a standstill: %s", text)
			return
		}
	}
}

// untimed executes a graph without times.
type untimed struct {
	g        *Graph
	progress []*Progress
	ready    []place
	begun    [][]bool            // by rank and operation: it has begun and has not ended
	peer     map[place]place     // peer of a Send or Recv
	sent     map[place]bool      // Recvs whose data has arrived
	meetings []map[int32][]place // by group and number: the members that have entered
	entered  []map[int32]int32   // by group and rank: the number of collectives that it has entered
}

func newUntimed(g *Graph) *untimed {
	s := &untimed{
		g: g, peer: make(map[place]place), sent: make(map[place]bool),
		meetings: make([]map[int32][]place, len(g.Groups)), entered: make([]map[int32]int32, len(g.Groups)),
	}
	for _, ops := range g.Ranks {
		s.progress = append(s.progress, NewProgress(ops))
		s.begun = append(s.begun, make([]bool, len(ops)))
	}
	for i := range g.Groups {
		s.meetings[i], s.entered[i] = make(map[int32][]place), make(map[int32]int32)
	}
	g.eachMessage(func(send, recv place) { s.peer[send], s.peer[recv] = recv, send })
	return s
}

func (s *untimed) begin(at place) {
	s.begun[at.rank][at.op] = true
	switch o := s.g.at(at); o.Kind {
	case Compute:
		s.over(at)
	case Send:
		to := s.peer[at]
		s.sent[to] = true
		s.over(at)
		if s.begun[to.rank][to.op] {
			s.over(to)
		}
	case Recv:
		if s.sent[at] {
			s.over(at)
		}
	case Collective:
		k := s.entered[o.Group][at.rank]
		s.entered[o.Group][at.rank]++
		s.meetings[o.Group][k] = append(s.meetings[o.Group][k], at)
		if in := s.meetings[o.Group][k]; len(in) == len(s.g.Groups[o.Group].Ranks) {
			delete(s.meetings[o.Group], k)
			for _, p := range in {
				s.over(p)
			}
		}
	}
}

func (s *untimed) over(at place) {
	s.begun[at.rank][at.op] = false
	s.progress[at.rank].Over(at.op, func(op int32) { s.ready = append(s.ready, place{at.rank, op}) })
}

// circle follows a rank's dependencies until they come round, and names the first operation of the
// circle.
func (s *untimed) circle(rank int32) (first place, text string) {
	seen := make(map[int32]int)
	var chain []string
	var at []place
	for {
		if from, again := seen[rank]; again {
			return at[from], strings.Join(chain[from:], "; ") + "; and so on round"
		}
		seen[rank] = len(chain)
		op, text, next := s.waitsFor(rank)
		chain, at = append(chain, text), append(at, place{rank, op})
		if next < 0 {
			return at[len(at)-1], strings.Join(chain, "; ")
		}
		rank = next
	}
}

// waitsFor finds a rank's blocked operation, its dependency, and the rank of that dependency.
func (s *untimed) waitsFor(rank int32) (op int32, text string, next int32) {
	for i := range s.g.Ranks[rank] { // the first that has begun
		if !s.begun[rank][i] {
			continue
		}
		at := place{rank, int32(i)}
		o := s.g.at(at)
		if o.Kind == Recv {
			return at.op, fmt.Sprintf("rank %d, operation %d waits for rank %d to send (its operation %d)", rank, i, o.Peer, s.peer[at].op), o.Peer
		}
		k := s.entered[o.Group][rank] - 1
		for _, r := range s.g.Groups[o.Group].Ranks {
			if s.entered[o.Group][r] <= k {
				return at.op, fmt.Sprintf("rank %d, operation %d waits for rank %d to enter collective %d of group %d (%s)", rank, i, r, k, o.Group, s.g.Groups[o.Group].Name), r
			}
		}
	}
	op = s.progress[rank].waiting()
	return op, fmt.Sprintf("rank %d, operation %d waits for operations of its own rank that depend on it", rank, op), -1
}
