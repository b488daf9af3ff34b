package workload

import (
	"cmp"

	"weft/internal/base/sorting"
	"weft/units"
)

// Account divides a rank's time between the beginning and the end of a timeline. The sum of
// Computing, Exposed, Waiting and Bubble is the whole.
type Account struct {
	Computing units.Time
	// Moving is the time in which communication of each purpose moved data, whether or not the rank
	// computed meanwhile.
	Moving [NumPurposes]units.Time
	// Exposed is the part of Moving without computation. If several purposes moved data at once,
	// the time counts for the first in their order.
	Exposed [NumPurposes]units.Time
	// Waiting is time without computation in a collective that another member had not yet entered.
	Waiting units.Time
	// Bubble is the rest: neither computation nor communication.
	Bubble units.Time
}

// Accounts are the accounts of all ranks.
func Accounts(g *Graph, t *Timeline) []Account {
	moved := movedAt(g, t)
	accounts := make([]Account, len(g.Ranks))
	for rank := range g.Ranks {
		accounts[rank] = accountOf(g.Ranks[rank], t.Spans[rank], moved[rank], t.End)
	}
	return accounts
}

// movedAt is the time at which the data of each operation began to move: for a collective when the
// last member entered, for a message when it was sent.
func movedAt(g *Graph, t *Timeline) [][]units.Time {
	moved := make([][]units.Time, len(g.Ranks))
	last := make([][]units.Time, len(g.Groups)) // by group and number
	numbers, count := g.Messages()
	sent := make([]units.Time, count)
	each := func(f func(rank, op, k int, o *Op)) {
		for rank, ops := range g.Ranks {
			entered := make(map[int32]int)
			for i := range ops {
				k := 0
				if ops[i].Kind == Collective {
					k = entered[ops[i].Group]
					entered[ops[i].Group]++
				}
				f(rank, i, k, &ops[i])
			}
		}
	}
	each(func(rank, op, k int, o *Op) {
		begin := t.Spans[rank][op].Begin
		switch o.Kind {
		case Collective:
			if k == len(last[o.Group]) {
				last[o.Group] = append(last[o.Group], 0)
			}
			last[o.Group][k] = max(last[o.Group][k], begin)
		case Send:
			sent[numbers[rank][op]] = begin
		}
	})
	for rank, ops := range g.Ranks {
		moved[rank] = make([]units.Time, len(ops))
	}
	each(func(rank, op, k int, o *Op) {
		begin := t.Spans[rank][op].Begin
		switch o.Kind {
		case Collective:
			begin = last[o.Group][k]
		case Recv:
			begin = max(begin, sent[numbers[rank][op]])
		}
		moved[rank][op] = begin
	})
	return moved
}

// The states of a rank in an account. Time counts for the first state that holds.
const (
	stateComputing = 0
	stateMoving    = 1 // followed by one for each purpose
	stateWaiting   = stateMoving + int(NumPurposes)
	numStates      = stateWaiting + 1
)

// edge is the beginning (+1) or the end (-1) of a state.
type edge struct {
	at    units.Time
	state int
	step  int
}

func accountOf(ops []Op, spans []Span, moved []units.Time, end units.Time) (a Account) {
	var edges []edge
	add := func(state int, from, to units.Time) {
		if to > from {
			edges = append(edges, edge{from, state, 1}, edge{to, state, -1})
		}
	}
	for i := range ops {
		o, s := &ops[i], spans[i]
		if s.End < 0 {
			continue
		}
		if o.Kind == Compute {
			add(stateComputing, s.Begin, s.End)
			continue
		}
		add(stateMoving+int(o.Purpose), moved[i], s.End)
		if o.Kind == Collective {
			add(stateWaiting, s.Begin, moved[i])
		}
	}
	sorting.Func(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	var open [numStates]int
	now := units.Time(0)
	for _, e := range append(edges, edge{at: end}) {
		a.count(&open, e.at-now)
		now = e.at
		open[e.state] += e.step
	}
	return a
}

// count adds a time to the first state that holds.
func (a *Account) count(open *[numStates]int, t units.Time) {
	for purpose, n := range open[stateMoving:stateWaiting] {
		if n > 0 {
			a.Moving[purpose] += t
		}
	}
	for state, n := range open {
		if n == 0 {
			continue
		}
		switch state {
		case stateComputing:
			a.Computing += t
		case stateWaiting:
			a.Waiting += t
		default:
			a.Exposed[state-stateMoving] += t
		}
		return
	}
	a.Bubble += t
}
