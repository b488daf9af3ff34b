package workload

import (
	"fmt"
	"strings"

	"weft/internal/sim/collective"
)

// Problem is an error in a graph.
type Problem struct {
	// Rank and Op are its place; -1 if it does not concern one rank or operation.
	Rank, Op int
	What     string
}

func (p Problem) Error() string {
	switch {
	case p.Rank < 0:
		return p.What
	case p.Op < 0:
		return fmt.Sprintf("rank %d: %s", p.Rank, p.What)
	default:
		return fmt.Sprintf("rank %d, operation %d: %s", p.Rank, p.Op, p.What)
	}
}

// Problems are the errors that Check found, at most maxProblems.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].Error()
	}
	return strings.Join(lines, "\n")
}

// checker gathers problems.
type checker struct {
	g     *Graph
	found Problems
}

// Check finds the errors of a graph, as Problems; nil if the graph can be executed.
func (g *Graph) Check() error {
	c := checker{g: g}
	if len(g.Ranks) == 0 {
		c.add(-1, -1, "the workload has no rank")
	}
	if n := g.Ops(); n > MaxOps {
		c.add(-1, -1, "the workload has %d operations: weft takes at most %d", n, MaxOps)
	}
	c.groups()
	c.operations()
	if len(c.found) == 0 {
		c.collectives()
		c.messages()
	}
	if len(c.found) == 0 {
		c.circles()
	}
	if len(c.found) == 0 {
		return nil
	}
	return c.found
}

func (c *checker) add(rank, op int, format string, args ...any) {
	if len(c.found) < maxProblems {
		c.found = append(c.found, Problem{rank, op, fmt.Sprintf(format, args...)})
	}
}

func (c *checker) groups() {
	for i := range c.g.Groups {
		g := &c.g.Groups[i]
		seen := make(map[int32]bool, len(g.Ranks))
		if len(g.Ranks) == 0 {
			c.add(-1, -1, "group %d (%s) has no member", i, g.Name)
		}
		for _, r := range g.Ranks {
			switch {
			case r < 0 || int(r) >= len(c.g.Ranks):
				c.add(-1, -1, "group %d (%s): there is no rank %d: the ranks are 0 to %d", i, g.Name, r, len(c.g.Ranks)-1)
			case seen[r]:
				c.add(-1, -1, "group %d (%s) has rank %d twice", i, g.Name, r)
			}
			seen[r] = true
		}
	}
}

// operations checks each operation by itself.
func (c *checker) operations() {
	for rank, ops := range c.g.Ranks {
		c.computations(rank, ops)
		for i := range ops {
			o := &ops[i]
			for _, a := range o.After {
				if a < 0 || int(a) >= len(ops) {
					c.add(rank, i, "it is to begin after operation %d: the rank has operations 0 to %d", a, len(ops)-1)
				}
			}
			c.operation(rank, i, o)
		}
	}
}

// computations checks that computations that share the multiprocessors with communication take turns, as Contention
// expects it.
func (c *checker) computations(rank int, ops []Op) {
	var first *Op
	for i := range ops {
		o := &ops[i]
		switch {
		case o.Kind != Compute || c.g.Multiprocessors == 0:
		case first == nil:
			first = o
		case o.Unit != first.Unit || o.Unit == NoUnit && (o.Stream != first.Stream || o.Stream == Unordered):
			c.add(rank, i, "it may run beside an earlier computation: those that lose multiprocessors to communication take turns, on one stream or on the unit of the multiprocessors")
		}
	}
}

func (c *checker) operation(rank, i int, o *Op) {
	switch {
	case o.Kind >= numKinds:
		c.add(rank, i, "there is no kind %d of operation", o.Kind)
	case o.Kind == Compute && o.Time < 0:
		c.add(rank, i, "it computes for %v", o.Time)
	case o.Kind != Compute && (o.Bytes < 0 || o.Bytes > collective.MaxBytes):
		c.add(rank, i, "%v of %d bytes: valid are 0 to %d", o.Kind, o.Bytes, int64(collective.MaxBytes))
	case o.Kind == Send || o.Kind == Recv:
		switch {
		case o.Peer < 0 || int(o.Peer) >= len(c.g.Ranks):
			c.add(rank, i, "%v with rank %d, which is missing: the ranks are 0 to %d", o.Kind, o.Peer, len(c.g.Ranks)-1)
		case int(o.Peer) == rank:
			c.add(rank, i, "%v with itself", o.Kind)
		}
	case o.Kind == Collective:
		switch {
		case o.Group < 0 || int(o.Group) >= len(c.g.Groups):
			c.add(rank, i, "there is no group %d: the groups are 0 to %d", o.Group, len(c.g.Groups)-1)
		case o.Stream == Unordered:
			c.add(rank, i, "%v without a stream: a group's collectives take turns on one", o.Do)
		case !collective.Known(o.Do):
			c.add(rank, i, "there is no collective %v", o.Do)
		case o.Root < 0 || int(o.Root) >= max(1, len(c.g.Groups[o.Group].Ranks)):
			c.add(rank, i, "root %d of group %d (%s), which has %d members", o.Root, o.Group, c.g.Groups[o.Group].Name, len(c.g.Groups[o.Group].Ranks))
		}
	}
}

// entry is a collective of a group in a member's list.
type entry struct {
	rank, op int
	*Op
}

// collectives checks that the members of each group agree on its sequence.
func (c *checker) collectives() {
	first := make([][]entry, len(c.g.Groups))     // the sequence of each group's first member
	count := make([]map[int]int, len(c.g.Groups)) // by group and rank
	stream := make(map[[2]int]uint8)              // by rank and group
	for i := range count {
		count[i] = make(map[int]int, len(c.g.Groups[i].Ranks))
		for _, r := range c.g.Groups[i].Ranks {
			count[i][int(r)] = 0
		}
	}
	for rank, ops := range c.g.Ranks {
		for i := range ops {
			o := &ops[i]
			if o.Kind != Collective {
				continue
			}
			group := &c.g.Groups[o.Group]
			k, member := count[o.Group][rank]
			if !member {
				c.add(rank, i, "%s on group %d (%s), but it is not a member", o.Do, o.Group, group.Name)
				continue
			}
			count[o.Group][rank]++
			if at := [2]int{rank, int(o.Group)}; k == 0 {
				stream[at] = o.Stream
			} else if stream[at] != o.Stream {
				c.add(rank, i, "it is on stream %d, and an earlier collective of group %d (%s) on stream %d: a group's collectives take turns on one stream", o.Stream, o.Group, group.Name, stream[at])
			}
			if k == len(first[o.Group]) {
				first[o.Group] = append(first[o.Group], entry{rank, i, o})
				continue
			}
			if f := &first[o.Group][k]; f.Do != o.Do || f.Bytes != o.Bytes || f.Root != o.Root {
				c.add(rank, i, "collective %d of group %d (%s) is %v of %d bytes from %d here, and %v of %d bytes from %d at rank %d, operation %d", k, o.Group, group.Name, o.Do, o.Bytes, o.Root, f.Do, f.Bytes, f.Root, f.rank, f.op)
			}
		}
	}
	for i := range c.g.Groups {
		for _, r := range c.g.Groups[i].Ranks {
			if k := count[i][int(r)]; k < len(first[i]) {
				f := &first[i][k]
				c.add(int(r), -1, "it never enters collective %d of group %d (%s), %v of %d bytes, that rank %d enters with its operation %d", k, i, c.g.Groups[i].Name, f.Do, f.Bytes, f.rank, f.op)
			}
		}
	}
}
