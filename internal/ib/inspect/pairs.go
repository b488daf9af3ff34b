package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
)

// block is switches of two neighbouring levels, each pair of which is to have the same cables: a pod,
// or a whole tree of two levels.
type block struct{ lower, upper []int32 }

// usual is the number of cables of at least half of a block's pairs. If two numbers are as frequent it
// is the preferred one, else none.
func (b *block) usual(g *graph, preferred int) (each int, ok bool) {
	times := map[int]int{}
	for _, low := range b.lower {
		for _, up := range b.upper {
			times[g.cables(low, up)]++
		}
	}
	pairs := len(b.lower) * len(b.upper)
	if 2*times[preferred] >= pairs {
		return preferred, true
	}
	for cables, n := range times {
		if 2*n < pairs {
			continue
		}
		if ok {
			return 0, false
		}
		each, ok = cables, true
	}
	return each, ok
}

// blocksOf are the blocks of level l and the level above it. A cable that joins a switch to the
// peers of switches unlike it joins no blocks: it is crossed.
func blocksOf(g *graph, level []int, l int) []block {
	strange := strangeLinks(g, level, l)
	of, count := g.components(func(a, b int32) bool {
		return min(level[a], level[b]) == l && max(level[a], level[b]) == l+1 && !strange[pairOf(a, b)]
	})
	blocks := make([]block, count)
	for sw, i := range of {
		switch level[sw] {
		case l:
			blocks[i].lower = append(blocks[i].lower, int32(sw))
		case l + 1:
			blocks[i].upper = append(blocks[i].upper, int32(sw))
		}
	}
	return slices.DeleteFunc(blocks, func(b block) bool { return len(b.lower) == 0 || len(b.upper) == 0 })
}

// cabling reports pairs of switches with fewer or more cables than the other pairs of their block.
func (in *inspection) cabling(p *island) {
	for l := range top(p.level) {
		c := pairing{in: in, g: p.g, level: p.level, delta: map[[2]int32]int{}, block: map[int32]int{}}
		c.blocks = blocksOf(p.g, p.level, l)
		in.unplaced(p, l, c.blocks)
		c.twins(l)
		c.compare(l)
		if len(c.delta) <= maxDeltas {
			c.crossed()
		}
		c.lacking()
		if len(c.delta) <= maxDeltas {
			c.moved()
		}
		c.missing()
		c.extra()
	}
}

// unplaced tells the switches of level l whose cables up lead to no block.
func (in *inspection) unplaced(p *island, l int, blocks []block) {
	placed := map[int32]bool{}
	for i := range blocks {
		for _, sw := range blocks[i].lower {
			placed[sw] = true
		}
	}
	for sw := range p.g.near {
		if p.level[sw] == l && !placed[int32(sw)] && len(p.g.above(p.level, int32(sw))) > 0 {
			in.notJudged("the cables up from %s: each leads to switches of other peers", p.g.name(int32(sw)))
		}
	}
}

// maxDeltas is the largest number of unusual pairs among which crossed cables are looked for: all are
// tried with all.
const maxDeltas = 1000

// pairing compares the cables between two neighbouring levels.
type pairing struct {
	in     *inspection
	g      *graph
	level  []int
	blocks []block
	block  map[int32]int // by switch with a usual number of cables: index into blocks
	each   []int         // by block
	why    []string      // by block: how many pairs have the usual number
	// delta is the cables beyond the usual number by lower and upper switch; below 0 they lack.
	delta map[[2]int32]int
	lower []int32 // switches with a delta, rising
	pairs int
}

// preferred is the usual number of cables of most blocks, -1 if there is none.
func (c *pairing) preferred() int {
	var all []int
	for i := range c.blocks {
		if each, ok := c.blocks[i].usual(c.g, -1); ok && each > 0 {
			all = append(all, each)
		}
	}
	if each, ok := usual(all); ok {
		return each
	}
	return -1
}

// compare fills delta.
func (c *pairing) compare(l int) {
	c.each, c.why = make([]int, len(c.blocks)), make([]string, len(c.blocks))
	preferred := c.preferred()
	for i := range c.blocks {
		b := &c.blocks[i]
		pairs := len(b.lower) * len(b.upper)
		each, ok := b.usual(c.g, preferred)
		if !ok || each == 0 || pairs < 2 {
			if pairs > 1 {
				c.in.notJudged("the cables between the %d switches around %s: no number of cables is usual", len(b.lower)+len(b.upper), c.g.name(b.lower[0]))
			}
			continue
		}
		c.in.report.PairsJudged += pairs
		c.each[i], c.pairs = each, c.pairs+pairs
		for _, sw := range slices.Concat(b.lower, b.upper) {
			c.block[sw] = i
		}
		like := pairs
		for _, low := range b.lower {
			for _, up := range b.upper {
				if d := c.g.cables(low, up) - each; d != 0 {
					c.delta[[2]int32{low, up}] = d
					like--
				}
			}
		}
		c.why[i] = fmt.Sprintf("%d of %d such pairs have %s", like, pairs, plural(each, "cable"))
	}
	for sw, i := range c.block {
		if c.level[sw] != l {
			continue
		}
		for _, n := range c.g.near[sw] {
			if j, known := c.block[n.to]; known && j != i && c.level[n.to] == l+1 {
				c.delta[[2]int32{sw, n.to}] = len(n.ports)
			}
		}
	}
	for _, pair := range c.sorted() {
		if len(c.lower) == 0 || c.lower[len(c.lower)-1] != pair[0] {
			c.lower = append(c.lower, pair[0])
		}
	}
}

// sorted is the pairs with a delta, by lower and then by upper switch.
func (c *pairing) sorted() [][2]int32 {
	pairs := make([][2]int32, 0, len(c.delta))
	for pair, d := range c.delta {
		if d != 0 {
			pairs = append(pairs, pair)
		}
	}
	sorting.Func(pairs, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return pairs
}

// crossed reports two cables that are exchanged: a lacks a cable to b and has one more to d, and c
// lacks one to d and has one more to b.
func (c *pairing) crossed() {
	pairs := c.sorted()
	for _, lack := range pairs {
		a, b := lack[0], lack[1]
		for _, more := range pairs {
			if more[0] != a || c.delta[more] <= 0 {
				continue
			}
			d := more[1]
			for _, other := range c.lower {
				n := min(-c.delta[lack], c.delta[more], -c.delta[[2]int32{other, d}], c.delta[[2]int32{other, b}])
				if n <= 0 {
					continue
				}
				c.delta[lack] += n
				c.delta[more] -= n
				c.delta[[2]int32{other, d}] += n
				c.delta[[2]int32{other, b}] -= n
				first, at := c.which(a, d, b, n)
				second, too := c.which(other, b, d, n)
				c.in.find(Warning, "crossed-cables", append(at, too...), "%s and %s are crossed: exchange them at one end; %s",
					first, second, c.why[c.block[a]])
			}
		}
	}
}

// moved reports cables that lead to another switch than those of their peers: at their upper or at
// their lower end.
func (c *pairing) moved() {
	pairs := c.sorted()
	for _, lack := range pairs {
		for _, more := range pairs {
			n := min(-c.delta[lack], c.delta[more])
			if n <= 0 || more[0] != lack[0] && more[1] != lack[1] {
				continue
			}
			c.delta[lack] += n
			c.delta[more] -= n
			said, at := c.which(more[0], more[1], lack[1], n)
			belongs := "to " + c.g.name(lack[1])
			if more[1] == lack[1] {
				said, at = c.which(more[1], more[0], lack[0], n)
				belongs = "to " + c.g.name(lack[0])
			}
			c.in.find(Warning, "moved-cable", at, "%s should lead %s: %s", said, belongs, c.why[c.block[lack[0]]])
		}
	}
}

// which names n of the cables from a to b that should lead elsewhere: the ports at which most of a's
// peers lead there. ends are their ports, nil if that does not tell them from the others.
func (c *pairing) which(a, b, should int32, n int) (text string, ends []subnet.End) {
	var odd []subnet.End
	for _, p := range c.g.ports(a, b) {
		there, here := 0, 0
		for other := range c.g.node {
			if c.level[other] != c.level[a] || int32(other) == a || int(p) >= len(c.g.s.Nodes[c.g.node[other]].Ports) {
				continue
			}
			switch far := c.g.s.Nodes[c.g.node[other]].Ports[p].Peer; {
			case !far.Exists():
			case far.Node == c.g.node[should]:
				there++
			case far.Node == c.g.node[b]:
				here++
			}
		}
		if there > here {
			odd = append(odd, subnet.End{Node: c.g.node[a], Port: p})
		}
	}
	if len(odd) != n {
		of := c.g.cables(a, b)
		if n == of {
			return fmt.Sprintf("%s between %s and %s", plural(n, "cable"), c.g.name(a), c.g.name(b)), nil
		}
		return fmt.Sprintf("%d of the %s between %s and %s", n, plural(of, "cable"), c.g.name(a), c.g.name(b)), nil
	}
	var names []string
	for _, e := range odd {
		names = append(names, fmt.Sprintf("from %s to %s", c.in.endName(e), c.in.endName(c.g.s.Peer(e))))
		ends = append(ends, e, c.g.s.Peer(e))
	}
	word := "the cable "
	if n > 1 {
		word = "the cables "
	}
	return word + list(names, 4), ends
}

// lacking reports switches that lack cables to more than a third of the others: each is one finding.
func (c *pairing) lacking() {
	lacks := map[int32][]int32{}
	for _, pair := range c.sorted() {
		if c.delta[pair] < 0 {
			lacks[pair[0]] = append(lacks[pair[0]], pair[1])
			lacks[pair[1]] = append(lacks[pair[1]], pair[0])
		}
	}
	for i := range c.blocks {
		b := &c.blocks[i]
		for _, side := range [2][2][]int32{{b.lower, b.upper}, {b.upper, b.lower}} {
			for _, sw := range side[0] {
				if to := lacks[sw]; len(to) > 1 && 3*len(to) > len(side[1]) {
					c.lonely(sw, to, len(side[1]), i)
				}
			}
		}
	}
}

// missing reports the other cables that lack.
func (c *pairing) missing() {
	for _, pair := range c.sorted() {
		if d := c.delta[pair]; d < 0 {
			c.in.missing(c.g, pair[0], pair[1], -d, c.why[c.block[pair[0]]])
		}
	}
}

// lonely reports a switch that lacks cables to many others, and forgets these.
func (c *pairing) lonely(sw int32, to []int32, of, block int) {
	cables := 0
	var names []string
	for _, other := range to {
		pair := [2]int32{sw, other}
		if c.level[sw] > c.level[other] {
			pair = [2]int32{other, sw}
		}
		if d := c.delta[pair]; d < 0 {
			cables -= d
			names = append(names, c.g.name(other))
		}
		delete(c.delta, pair)
	}
	if cables == 0 {
		return // found from the other side
	}
	c.in.find(Warning, "missing-cable", nil, "%s %s missing between %s and %d of the %d switches above or below it (%s): %s",
		plural(cables, "cable"), isAre(cables), c.g.name(sw), len(names), of, list(names, 4), c.why[block])
}

// extra reports pairs with more cables than most, if they are few.
func (c *pairing) extra() {
	pairs := c.sorted()
	pairs = slices.DeleteFunc(pairs, func(pair [2]int32) bool { return c.delta[pair] < 0 })
	if 10*len(pairs) > c.pairs {
		return
	}
	for _, pair := range pairs {
		c.in.find(Note, "extra-cable", ends(c.g, pair[0], pair[1]), "%s and %s have %s more than their peers: %s",
			c.g.name(pair[0]), c.g.name(pair[1]), plural(c.delta[pair], "cable"), c.why[c.block[pair[0]]])
	}
}

// missing reports cables that two switches lack, with their free ports.
func (in *inspection) missing(g *graph, a, b int32, cables int, why string) {
	text := fmt.Sprintf("%s %s missing between %s and %s: %s", plural(cables, "cable"), isAre(cables), g.name(a), g.name(b), why)
	freeA, freeB := g.freePorts(a), g.freePorts(b)
	if len(freeA) > 0 && len(freeB) > 0 {
		text += fmt.Sprintf("; free are %s and %s", freeText(g, a, freeA), freeText(g, b, freeB))
	}
	in.find(Warning, "missing-cable", nil, "%s", text)
}

func freeText(g *graph, sw int32, free []uint16) string {
	var ports []string
	for _, p := range free {
		ports = append(ports, fmt.Sprint(p))
	}
	word := "port"
	if len(free) > 1 {
		word = "ports"
	}
	return fmt.Sprintf("%s of %s", word+" "+list(ports, 4), g.name(sw))
}
