package route

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/base/cores"
	"weft/internal/ib/subnet"
	"weft/units"
)

// updn routes along the shortest paths that go up, towards the roots, then down, and never up
// again, so no credit loop can close.
func updn(j *job) error {
	roots, err := j.rootsOf("updn")
	if err != nil {
		return err
	}
	rank := j.ranks(roots)
	j.directed(func(from, to int32) direction {
		switch {
		case rank[from] == 0 && rank[to] == 0:
			return dirUp // up in both directions: hosts below roots with a cable between them need it
		case cmp.Or(cmp.Compare(rank[from], rank[to]), cmp.Compare(j.sw[from].guid, j.sw[to].guid)) > 0:
			return dirUp
		}
		return dirDown
	})
	return nil
}

// direction is the direction of a cable in a search from the destination: a path takes the
// cable the other way.
type direction uint8

const (
	dirNone  direction = iota // leads to no switch
	dirUp                     // first come steps up
	dirDown                   // then come steps down; no step up may follow
	dirLevel                  // may come before and after any step
)

// directed routes along the shortest paths that turn from up to down at most once.
func (j *job) directed(directionOf func(from, to int32) direction) {
	d := &directedPaths{f: j.fabric, steps: make([]direction, j.base[len(j.sw)])}
	for i := range j.sw {
		for p, l := range j.sw[i].ports {
			if l.sw >= 0 {
				d.steps[j.base[i]+p] = directionOf(int32(i), l.sw)
			}
		}
	}
	j.hops = d.columns
	n := len(j.sw)
	ports := make([]subnet.PortMask, n*n)
	cores.EachOwning(n, j.cores, func() func(int) {
		fill := d.columns()
		column := make([]uint8, j.base[n])
		return func(to int) {
			fill(int32(to), column)
			for from := range n {
				if from != to {
					ports[from*n+to] = least(column[j.base[from]:j.base[from+1]])
				}
			}
		}
	})
	j.balance(func(from int32, into []subnet.PortMask) { copy(into, ports[int(from)*n:]) }, false)
}

// least is the ports with the fewest hops in a row of a LID matrix.
func least(row []uint8) subnet.PortMask {
	var ports subnet.PortMask
	if row[0] == noPath {
		return ports
	}
	for p := 1; p < len(row); p++ {
		if row[p] == row[0] {
			ports.Add(uint8(p))
		}
	}
	return ports
}

// directedPaths is the paths that turn from up to down at most once.
type directedPaths struct {
	f     *fabric
	steps []direction // by base and port
}

// columns is the matrix of the directed paths.
//
// It searches as OpenSM does. A switch that is found again by another cable goes on in the
// direction of that step. On irregular fabrics that can give a switch a port to a neighbour
// whose path goes on in the other direction.
func (d *directedPaths) columns() func(to int32, column []uint8) {
	queue := make([]int32, 0, len(d.f.sw))
	came := make([]direction, len(d.f.sw)) // the step by which each was found last
	queued := make([]bool, len(d.f.sw))
	return func(to int32, column []uint8) {
		for i := range column {
			column[i] = noPath
		}
		column[d.f.base[to]] = 0
		queue = append(queue[:0], to)
		came[to], queued[to] = dirUp, true
		for head := 0; head < len(queue); head++ {
			u := queue[head]
			queued[u] = false
			base := d.f.base[u]
			hops := column[base] + 1
			for p, l := range d.f.sw[u].ports {
				next := d.steps[base+p]
				if next == dirNone || came[u] == dirDown && next == dirUp {
					continue
				}
				at := d.f.base[l.sw]
				if hops >= column[at+int(l.port)] {
					continue
				}
				column[at+int(l.port)] = hops
				column[at] = min(column[at], hops)
				if !queued[l.sw] {
					queued[l.sw], came[l.sw] = true, next
					queue = append(queue, l.sw)
				}
			}
		}
	}
}

// rootsOf is the switches that the user names as roots, or else the switches that
// detectRoots finds.
func (j *job) rootsOf(name Name) ([]int32, error) {
	if len(j.opt.Roots) == 0 {
		roots := j.detectRoots(j.shortestPaths())
		if len(roots) == 0 {
			return nil, &Refusal{
				Engine: name,
				Reason: "no switch has the same number of hops to nearly all hosts, so no switch can be recognised as the top",
				Remedy: "Name the switches at the top (--roots), or use an engine that needs none, as dfsssp",
			}
		}
		return roots, nil
	}
	roots := j.namedRoots()
	if len(roots) == 0 {
		return nil, &Refusal{
			Engine: name,
			Reason: fmt.Sprintf("none of the %d named roots is a switch of this subnet", len(j.opt.Roots)),
			Remedy: "Name roots by the NodeGUIDs of switches, or name none",
		}
	}
	return roots, nil
}

// namedRoots is the switches that the user names as roots. Other GUIDs are noted, not refused: the
// file still names a switch that is down.
func (j *job) namedRoots() []int32 {
	at := make(map[units.GUID]int32, len(j.sw))
	for i := range j.sw {
		at[j.sw[i].guid] = int32(i)
	}
	var roots []int32
	for _, guid := range j.opt.Roots {
		i, ok := at[guid]
		switch {
		case !ok:
			j.notes = append(j.notes, fmt.Sprintf("root %v is no switch of this subnet", guid))
		case !slices.Contains(roots, i):
			roots = append(roots, i)
		}
	}
	return roots
}

// detectRoots finds the switches with more than 90 % of the adapter ports at one distance and at
// most 5 % at each other distance.
func (j *job) detectRoots(m *shortest) []int32 {
	total := 0
	at := make([]int, len(j.sw))
	for i := range j.ends {
		if j.ends[i].sw >= 0 {
			at[j.ends[i].sw]++
			total++
		}
	}
	var roots []int32
	for _, i := range j.order {
		var hosts [noPath + 1]int
		for k, hops := range m.hops[i] {
			hosts[hops] += at[k]
		}
		most, many := 0, 0
		for _, n := range hosts {
			if n*10 > total*9 {
				most++
			}
			if n*20 > total {
				many++
			}
		}
		if most == 1 && many == 1 {
			roots = append(roots, i)
		}
	}
	return roots
}

// ranks is the hops from each switch to the nearest root.
func (j *job) ranks(roots []int32) []uint8 {
	rank := make([]uint8, len(j.sw))
	for i := range rank {
		rank[i] = noPath
	}
	queue := slices.Clone(roots)
	for _, r := range roots {
		rank[r] = 0
	}
	for head := 0; head < len(queue); head++ {
		u := queue[head]
		for _, l := range j.sw[u].ports {
			if l.sw >= 0 && rank[l.sw] == noPath && rank[u] < noPath-1 {
				rank[l.sw] = rank[u] + 1
				queue = append(queue, l.sw)
			}
		}
	}
	return rank
}
