package route

import (
	"errors"
	"fmt"

	"weft/internal/ib/subnet"
	"weft/units"
)

// usualLanes is the default number of data lanes of switches.
const usualLanes = 8

// lanes is the number of data lanes.
func (j *job) lanes() int {
	if j.opt.Lanes <= 0 {
		return usualLanes
	}
	return j.opt.Lanes
}

// dfsssp routes as sssp does and then removes the credit loops. All paths begin on lane 0. From
// each loop in the dependency graph, the paths of the dependency with the fewest paths move up a
// lane, until the lane has no loop; then the next lane follows (Domke, Hoefler and Nagel,
// "Deadlock-free oblivious routing for arbitrary topologies", 2011, the offline algorithm). If that
// needs too many lanes, each path in turn takes the lowest lane on which it closes no loop (the
// online algorithm), which sometimes needs fewer.
//
// The service level of a path is its lane. Lanes that are not needed stay free.
func dfsssp(j *job) error {
	s := j.growTrees()
	err := j.freeOfLoops("dfsssp", newDeadlocks(s))
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		refusal.unpredictable = "OpenSM takes minhop in place of dfsssp if its lanes do not suffice, and minhop's tables after a failed dfsssp differ from minhop's tables alone. " + orderOfCycles
	case j.tab.Lanes > 1:
		j.unpredictable = fmt.Sprintf("if OpenSM's dfsssp needs more lanes than the switches have, OpenSM takes tables of minhop, and says so in its log only; weft's needs %d of %d here. %s",
			j.tab.Lanes, j.lanes(), orderOfCycles)
	}
	return err
}

// orderOfCycles is the reason why the lanes of OpenSM's dfsssp cannot be predicted if there
// is a cycle to break. After dfsssp has failed on a torus of 5x5x5, 12,930 of the 31,250
// entries of OpenSM's minhop tables differ from the tables of -R minhop. The state that dfsssp
// leaves behind is not known.
const orderOfCycles = "How many it needs depends on the order in which it looks for cycles, which is not documented"

// freeOfLoops puts the paths of the tables on lanes without loops.
func (j *job) freeOfLoops(engine Name, d *deadlocks) error {
	have := j.lanes()
	need := d.breakLoops(have)
	if need > have && !j.opt.AsOpenSM && d.online(have) { // OpenSM has no online algorithm
		need = d.used()
		j.notes = append(j.notes, fmt.Sprintf("breaking loops lane by lane needs more than %d virtual lanes; with the first free lane for each path, %d are enough", have, need))
	}
	if need > have {
		return &Refusal{
			Engine: engine,
			Reason: fmt.Sprintf("its paths need at least %d virtual lanes to be free of credit loops, and the switches have %d", need, have),
			Remedy: "Use lash, updn or dnup, or torus-2QoS if the fabric is a torus; or give the data more lanes if the switches have them",
		}
	}
	j.tab.Lanes = need
	if need > 1 {
		j.tab.SL = d.pathSL()
	}
	return nil
}

// deadlocks assigns paths to lanes. A path goes from a switch with ends to the LID of an end
// elsewhere; all ends of the switch share it.
type deadlocks struct {
	s      *spanner
	dst    []destination
	byLID  []int32   // one more than the index into dst
	source []int32   // switches that have ends
	number []int32   // inverse of source, -1 for others
	lane   [][]uint8 // by source, then by destination; nil: all on lane 0
}

type destination struct {
	lid  int
	root int32
}

func newDeadlocks(s *spanner) *deadlocks {
	d := &deadlocks{s: s, byLID: make([]int32, int(s.f.tab.Top)+1), number: make([]int32, len(s.f.sw))}
	for i := range s.f.ends {
		e := &s.f.ends[i]
		for k := 0; k < e.width && e.sw >= 0; k++ {
			d.dst = append(d.dst, destination{int(e.lid) + k, e.sw})
			d.byLID[int(e.lid)+k] = int32(len(d.dst))
		}
	}
	for u := range s.f.sw {
		d.number[u] = -1
		if s.ends[u] > 0 {
			d.number[u] = int32(len(d.source))
			d.source = append(d.source, int32(u))
		}
	}
	return d
}

// all puts every path on lane 0.
func (d *deadlocks) all() *layer {
	l := newLayer(d.s)
	for _, dst := range d.dst {
		for _, src := range d.source {
			if src == dst.root || d.s.f.tab.LFT[src][dst.lid] == subnet.NoPort {
				continue
			}
			paths := d.s.ends[src]
			l.walk(src, dst.lid, dst.root, func(e int) { l.paths[e] += paths })
		}
	}
	return l
}

// breakLoops moves paths up lanes until no lane has a loop and returns the number of
// lanes. If it needs more than most lanes, it gives up and returns most+1.
func (d *deadlocks) breakLoops(most int) int {
	l := d.all()
	for lane := range uint8(most) {
		b := breaker{d: d, now: l, lane: lane, colour: make([]uint8, len(d.s.to))}
		b.run()
		if b.next == nil {
			return int(lane) + 1
		}
		l = b.next
	}
	return most + 1
}

// breaker removes the cycles of one lane by a depth-first search. The finished part of the search
// has no cycle and gets none, because dependencies are only removed.
type breaker struct {
	d      *deadlocks
	now    *layer
	next   *layer // the lane above, nil while it is empty
	lane   uint8
	colour []uint8
	stack  []descent
	below  []int32 // scratch: switches whose paths move
}

// descent is a channel on the stack and its next edge to follow.
type descent struct {
	c    int32
	edge int
}

const (
	white uint8 = iota // not seen
	grey               // on the stack
	black              // it leads to no loop
)

func (b *breaker) run() {
	for c := range b.colour {
		if b.colour[c] == white && b.d.s.to[c] >= 0 {
			b.push(int32(c))
			b.search()
		}
	}
}

func (b *breaker) push(c int32) {
	b.colour[c] = grey
	b.stack = append(b.stack, descent{c, int(c) * b.now.stride})
}

func (b *breaker) search() {
	for len(b.stack) > 0 {
		top := &b.stack[len(b.stack)-1]
		end := (int(top.c) + 1) * b.now.stride
		for top.edge < end && b.now.paths[top.edge] == 0 {
			top.edge++
		}
		if top.edge == end {
			b.colour[top.c] = black
			b.stack = b.stack[:len(b.stack)-1]
			continue
		}
		c := b.now.target(top.edge)
		switch b.colour[c] {
		case white:
			b.push(c)
		case black:
			top.edge++
		case grey:
			b.breakAt(c)
		}
	}
}

// breakAt breaks the loop on the stack from channel c on: the current edge of each step leads to
// the next step, the last one back to c.
func (b *breaker) breakAt(c int32) {
	from := len(b.stack) - 1
	for b.stack[from].c != c {
		from--
	}
	weakest := b.stack[from].edge
	for _, x := range b.stack[from+1:] {
		if b.now.paths[x.edge] < b.now.paths[weakest] {
			weakest = x.edge
		}
	}
	b.move(weakest)
	for i := range b.stack { // other edges may have lost all their paths too
		if b.now.paths[b.stack[i].edge] == 0 {
			for _, x := range b.stack[i+1:] {
				b.colour[x.c] = white
			}
			b.stack = b.stack[:i+1]
			return
		}
	}
}

// move puts all paths of this lane that have a dependency onto the next lane.
func (b *breaker) move(edge int) {
	if b.next == nil {
		b.next = newLayer(b.d.s)
		b.d.grid()
	}
	s, lft := b.d.s, b.d.s.f.tab.LFT
	c := int32(edge / b.now.stride)
	u, v := s.at[c], s.to[c]
	rowU, rowV := lft[u], lft[v]
	pu, pv := uint8(int(c)-s.f.base[u]), uint8(edge%b.now.stride)
	for i, dst := range b.d.dst {
		if rowU[dst.lid] == pu && rowV[dst.lid] == pv && v != dst.root && u != dst.root {
			b.moveBelow(u, i)
		}
	}
}

// moveBelow moves the paths of this lane to a destination that come through u.
func (b *breaker) moveBelow(u int32, dst int) {
	s, lid, root := b.d.s, b.d.dst[dst].lid, b.d.dst[dst].root
	lft := s.f.tab.LFT
	b.below = append(b.below[:0], u)
	for at := 0; at < len(b.below); at++ {
		w := b.below[at]
		if n := b.d.number[w]; n >= 0 && b.d.lane[n][dst] == b.lane {
			b.d.lane[n][dst]++
			paths := s.ends[w]
			b.now.walk(w, lid, root, func(e int) {
				b.now.paths[e] -= paths
				b.next.paths[e] += paths
			})
		}
		for c := s.f.base[w]; c < s.f.base[w+1]; c++ {
			if x := s.to[c]; x >= 0 && x != root && lft[x][lid] == s.in[c] {
				b.below = append(b.below, x)
			}
		}
	}
}

// grid makes room for the lanes of all paths.
func (d *deadlocks) grid() {
	if d.lane != nil {
		return
	}
	flat := make([]uint8, len(d.source)*len(d.dst))
	d.lane = make([][]uint8, len(d.source))
	for i := range d.lane {
		d.lane[i] = flat[i*len(d.dst) : (i+1)*len(d.dst)]
	}
}

// online gives each path the lowest lane on which it closes no loop, and
// reports whether the lanes suffice.
func (d *deadlocks) online(lanes int) bool {
	a := newAcyclic(d.s, lanes)
	for i, dst := range d.dst {
		for n, src := range d.source {
			if src == dst.root || d.s.f.tab.LFT[src][dst.lid] == subnet.NoPort {
				continue
			}
			lane, ok := a.first(func(l *layer, visit func(int)) { l.walk(src, dst.lid, dst.root, visit) })
			if !ok {
				return false
			}
			d.lane[n][i] = lane
		}
	}
	return true
}

// used is the number of lanes that paths have.
func (d *deadlocks) used() int {
	top := uint8(0)
	for _, row := range d.lane {
		for _, lane := range row {
			top = max(top, lane)
		}
	}
	return int(top) + 1
}

// pathSL returns the service level of each path. A path to a switch has the level of the path to
// the first end on it. Paths from or to a switch without ends are on level 0.
func (d *deadlocks) pathSL() subnet.PathSL {
	at := d.s.f.switchOf()
	model := make([]int32, len(d.byLID))
	copy(model, d.byLID)
	for i := range d.s.f.sw {
		if lid, ok := d.s.f.firstEnd(int32(i)); ok {
			for k := range d.s.f.sw[i].width {
				model[int(d.s.f.sw[i].lid)+k] = d.byLID[lid]
			}
		}
	}
	return func(src, dst units.LID) units.SL {
		if int(src) >= len(at) || int(dst) >= len(model) || at[src] < 0 || model[dst] == 0 {
			return 0
		}
		n := d.number[at[src]]
		if n < 0 {
			return 0
		}
		return units.SL(d.lane[n][model[dst]-1])
	}
}

// switchOf is the switch of each LID: its owner, or the switch to which its owner is cabled; -1 if
// there is none.
func (f *fabric) switchOf() []int32 {
	at := make([]int32, int(f.tab.Top)+1)
	for i := range at {
		at[i] = -1
	}
	for i := range f.sw {
		for k := range f.sw[i].width {
			at[int(f.sw[i].lid)+k] = int32(i)
		}
	}
	for i := range f.ends {
		for k := range f.ends[i].width {
			at[int(f.ends[i].lid)+k] = f.ends[i].sw
		}
	}
	return at
}
