package route

import (
	"fmt"
	"slices"

	"weft/units"
)

// grid is a torus or mesh, some of whose switches and cables may be missing.
type grid struct {
	f     *fabric
	radix [3]int
	open  [3]bool
	at    []int32      // switch by cell, -1 for none
	cell  []int        // cell of each switch, -1 for none
	near  [][]int32    // by switch: its neighbours
	ports [][6][]uint8 // by switch and direction (see heading): ports that lead there
}

// heading is 2*dimension, plus 1 towards lower coordinates.
type heading int

// coord is a cell's coordinate along a dimension.
func (g *grid) coord(cell, dim int) int {
	for d := range dim {
		cell /= g.radix[d]
	}
	return cell % g.radix[dim]
}

// move is the cell with another coordinate along a dimension.
func (g *grid) move(cell, dim, to int) int {
	step := 1
	for d := range dim {
		step *= g.radix[d]
	}
	return cell + (to-g.coord(cell, dim))*step
}

// step is the next cell in a direction; false at the end of a mesh. A dimension of two switches has
// one step between them, not two.
func (g *grid) step(cell int, dir heading) (int, bool) {
	dim, n := int(dir/2), g.radix[dir/2]
	to := g.coord(cell, dim) + 1 - 2*int(dir%2)
	if to < 0 || to >= n {
		if g.open[dim] || n <= 2 {
			return 0, false
		}
		to = (to + n) % n
	}
	return g.move(cell, dim, to), true
}

// cells is the number of cells of the grid.
func (g *grid) cells() int { return g.radix[0] * g.radix[1] * g.radix[2] }

// layOut finds the cell of each switch, beginning with a seed (placeSeed). It fails with a Refusal
// if the fabric is not the torus of the file.
func (f *fabric) layOut(c *TorusConf) (*grid, error) {
	refuse := func(format string, args ...any) error {
		return &Refusal{
			Engine: "torus-2QoS", Reason: fmt.Sprintf(format, args...),
			Remedy: "Check dimensions and seed links in torus-2QoS.conf against the cables, or use dfsssp or lash",
		}
	}
	g := &grid{f: f, radix: c.Radix, open: c.Open}
	g.at = make([]int32, g.cells())
	for i := range g.at {
		g.at[i] = -1
	}
	g.cell, g.near = make([]int, len(f.sw)), make([][]int32, len(f.sw))
	for i, around := range f.neighbours() {
		g.cell[i] = -1
		for _, v := range around {
			g.near[i] = append(g.near[i], v.sw)
		}
	}
	if !g.placeSeed(c.Seeds) {
		return nil, refuse("no seed of torus-2QoS.conf has all its switches and cables in the fabric")
	}
	if !g.spread() {
		return nil, refuse("its switches and cables fit into no grid of %d x %d x %d", g.radix[0], g.radix[1], g.radix[2])
	}
	for i := range g.cell {
		if g.cell[i] < 0 {
			return nil, refuse("no cable leads from the seed's switches to %s", f.nameOf(int32(i)))
		}
	}
	if a, b, ok := g.sortPorts(); !ok {
		return nil, refuse("a cable joins %s and %s, which are not neighbours in a grid of %d x %d x %d", f.nameOf(a), f.nameOf(b), g.radix[0], g.radix[1], g.radix[2])
	}
	return g, nil
}

func (g *grid) put(sw int32, cell int) { g.at[cell], g.cell[sw] = sw, cell }

// placeSeed places the first seed whose switches and cables the fabric has.
func (g *grid) placeSeed(seeds []TorusSeed) bool {
	byGUID := map[units.GUID]int32{}
	for i := range g.f.sw {
		byGUID[g.f.sw[i].guid] = int32(i)
	}
	for _, seed := range seeds {
		from, ok := byGUID[seed.From]
		if !ok {
			continue
		}
		origin := 0
		for dim := range 3 {
			n := g.radix[dim]
			origin = g.move(origin, dim, ((-seed.Dateline[dim])%n+n)%n)
		}
		placed := map[int]int32{origin: from}
		for dim := range 3 {
			for sign, guid := range []units.GUID{seed.Plus[dim], seed.Minus[dim]} {
				sw, known := byGUID[guid]
				cell, inside := g.stepRound(origin, heading(2*dim+sign))
				if guid == 0 {
					continue
				}
				if !known || !inside || !slices.Contains(g.near[from], sw) {
					ok = false
					break
				}
				placed[cell] = sw
			}
		}
		if !ok {
			continue
		}
		for cell, sw := range placed {
			g.put(sw, cell)
		}
		return true
	}
	return false
}

// stepRound is step, but takes a dimension of two switches as a ring.
func (g *grid) stepRound(cell int, dir heading) (int, bool) {
	dim := int(dir / 2)
	if g.radix[dim] == 2 {
		return g.move(cell, dim, 1-g.coord(cell, dim)), true
	}
	return g.step(cell, dir)
}

// maxGuesses bounds the number of tried switch positions. A whole torus needs a few, a torus with
// faults some tens.
const maxGuesses = 1 << 16

// spread places all switches so that each cable joins neighbours, and reports whether that is
// possible. The next switch is always the one with the fewest possible cells by its cables to
// placed switches; if it has several, spread tries each.
func (g *grid) spread() bool {
	type guess struct {
		sw    int32
		cells []int
	}
	var tried []guess
	for guesses := 0; guesses < maxGuesses; {
		sw, cells := g.tightest()
		if sw < 0 {
			return true // all are placed
		}
		for len(cells) == 0 { // the last guess was wrong
			if len(tried) == 0 {
				return false
			}
			last := &tried[len(tried)-1]
			g.at[g.cell[last.sw]], g.cell[last.sw] = -1, -1
			if sw, cells = last.sw, last.cells; len(cells) == 0 {
				tried = tried[:len(tried)-1]
				continue
			}
			tried = tried[:len(tried)-1]
		}
		if len(cells) > 1 {
			guesses++
		}
		g.put(sw, cells[0])
		tried = append(tried, guess{sw, cells[1:]})
	}
	return false
}

// tightest is the neighbour of placed switches with the fewest possible cells, and these cells;
// none if all reachable switches are placed.
func (g *grid) tightest() (int32, []int) {
	best, bestCells := int32(-1), []int(nil)
	var seen []int32
	for _, sw := range g.at {
		if sw < 0 {
			continue
		}
		for _, v := range g.near[sw] {
			if g.cell[v] >= 0 || slices.Contains(seen, v) {
				continue
			}
			seen = append(seen, v)
			cells := g.choices(v)
			if best < 0 || len(cells) < len(bestCells) {
				best, bestCells = v, cells
			}
			if len(cells) == 0 || len(cells) == 1 && len(bestCells) == 1 {
				return best, bestCells
			}
		}
	}
	return best, bestCells
}

// choices is the empty cells next to the cells of all placed neighbours of a switch.
func (g *grid) choices(sw int32) []int {
	var cells []int
	first := true
	for _, v := range g.near[sw] {
		if g.cell[v] < 0 {
			continue
		}
		around := g.emptyAround(g.cell[v])
		if first {
			cells, first = around, false
			continue
		}
		cells = slices.DeleteFunc(cells, func(c int) bool { return !slices.Contains(around, c) })
	}
	return cells
}

// emptyAround is the empty cells next to a cell.
func (g *grid) emptyAround(cell int) []int {
	var cells []int
	for dir := range heading(6) {
		if to, ok := g.step(cell, dir); ok && g.at[to] < 0 {
			cells = append(cells, to)
		}
	}
	return cells
}

// sortPorts sorts each switch's ports by direction. It fails with the ends of a
// cable that joins no neighbours.
func (g *grid) sortPorts() (a, b int32, ok bool) {
	g.ports = make([][6][]uint8, len(g.f.sw))
	for i := range g.f.sw {
		towards := map[int]heading{}
		for dir := range heading(6) {
			if to, ok := g.step(g.cell[i], dir); ok {
				towards[to] = dir
			}
		}
		for p, l := range g.f.sw[i].ports {
			if l.sw < 0 {
				continue
			}
			dir, ok := towards[g.cell[l.sw]]
			if !ok {
				return int32(i), l.sw, false
			}
			g.ports[i][dir] = append(g.ports[i][dir], uint8(p))
		}
	}
	return 0, 0, true
}
