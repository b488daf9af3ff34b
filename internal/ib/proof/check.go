package proof

import (
	"sync"

	"weft/internal/base/cores"
	"weft/internal/ib/subnet"
	"weft/units"
)

// Report is the result of a check.
type Report struct {
	Switches int `json:"switches"`
	Ends     int `json:"ends"` // ports of adapters and routers with a LID
	LIDs     int `json:"lids"` // LIDs that a port owns

	EndToEnd     Reach `json:"end_to_end"`    // from ends to LIDs of ends: data paths
	EndToSwitch  Reach `json:"end_to_switch"` // from ends to the LIDs of switches
	FromSwitches Reach `json:"from_switches"` // from switches to all LIDs
	// BetweenSwitches is the part of FromSwitches that leads to LIDs of switches. Only
	// LID-routed management that begins at a switch takes these paths.
	BetweenSwitches Reach `json:"-"`
	Lengths

	// Lanes is the number of virtual lanes that paths between ends use, at least 1. A path of one
	// cable holds no lane.
	Lanes int `json:"lanes"`
	// AnyLevel says that the tables have SL2VL maps but the service levels of paths are not known.
	// Each path then counts on every level, so some credit loops may not occur on the real levels.
	AnyLevel bool `json:"any_service_level,omitempty"`
	// Cycles is the shortest credit loop of each of the first strongly connected components of the
	// channel dependency graph. CreditLoops is the number of all components with a loop.
	Cycles      []Cycle `json:"-"`
	CreditLoops int     `json:"credit_loops"`

	Balance  Balance   `json:"-"`
	Patterns []Pattern `json:"-"`
	// Shifts are the shifts behind the sums in Patterns, by rising distance.
	Shifts   []Shift   `json:"-"`
	Findings []Finding `json:"-"`
}

// Options changes a check. The zero value is the usual check.
type Options struct {
	// Workers is the number of cores to use; 0 is all. The report does not depend on it.
	Workers int
	// Order is the order of the ends in patterns. Ends that are not in Order take no part. nil
	// means the order of node names.
	Order []subnet.End
	// Shifts is the most shifts that are walked, evenly spaced; 0: as many as fit into memory.
	Shifts int
	// Unsaid is a LID that the tables leave out; its paths are not judged. 0 means none.
	Unsaid units.LID
}

// Deadlocks reports whether paths between ends can deadlock.
func (r *Report) Deadlocks() bool { return r.CreditLoops > 0 }

// Proven reports whether the tables are correct: every port has its own LID, every path
// that the cables allow arrives, and no credit loop exists. Detours, poor balance, entries
// for LIDs without an owner, and missing paths between switches' own LIDs do not refute
// tables: see Warnings.
func (r *Report) Proven() bool { return len(r.Refutations()) == 0 }

// Check proves or refutes tables. It fails only for tables that were made for
// another subnet, and for subnets with LIDs that no port can have.
func Check(s *subnet.Subnet, t *subnet.Tables, o Options) (*Report, error) {
	if err := s.CheckPorts(); err != nil {
		return nil, err
	}
	if err := checkTables(s, t); err != nil {
		return nil, err
	}
	n := newNetwork(s)
	p := newPatterns(n, n.order(o.Order), o.Shifts)
	last := max(len(n.owner)-1, int(t.Top))
	blocks := (last + block) / block
	var mu sync.Mutex
	var all []*checker
	sum := newChecker(n, t, p)
	cores.EachOwning(blocks, o.Workers, func() func(int) {
		c := newChecker(n, t, p)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, c)
		return func(b int) { c.block(b*block, o.Unsaid) }
	})
	for _, c := range all {
		sum.merge(c)
	}
	sum.ports()
	return sum.report(), nil
}

// order is the numbers of the ends at the given ports.
func (n *network) order(given []subnet.End) []int32 {
	if given == nil {
		return nodeOrder(n)
	}
	byPort := make(map[subnet.End]int32, len(n.ends))
	for i, e := range n.ends {
		byPort[e.port] = int32(i)
	}
	var order []int32
	for _, e := range given {
		if i, ok := byPort[e]; ok {
			order = append(order, i)
			delete(byPort, e) // a port that is named twice keeps its first place
		}
	}
	return order
}

// checker is the state of one worker.
type checker struct {
	n  *network
	tb *subnet.Tables

	cols    *columns
	dist    *distances
	tree    *tree
	levels  *levels
	sources []uint32 // by switch: paths to the current LID that leave it
	weight  []uint32 // by switch: ends cabled to it

	found    findings
	endToEnd Reach
	endToSw  Reach
	fromSw   Reach
	swToSw   Reach
	paths    Lengths
	deps     *dependencies
	loads    []int64 // paths to all LIDs, by channel
	pairs    []int64 // paths to base LIDs; the same slice if all LMCs are 0
	patterns *patterns
}

func newChecker(n *network, t *subnet.Tables, p *patterns) *checker {
	c := &checker{
		n: n, tb: t,
		cols: newColumns(n), dist: newDistances(n), tree: newTree(n),
		sources: make([]uint32, len(n.sw)), weight: make([]uint32, len(n.sw)),
		deps: newDependencies(n), patterns: p.fork(),
		loads: make([]int64, len(n.to)),
	}
	if t.SL != nil || t.SL2VL != nil {
		c.levels = newLevels(n)
	}
	c.pairs = c.loads
	if n.wide {
		c.pairs = make([]int64, len(n.to))
	}
	for u, ends := range n.at {
		c.weight[u] = uint32(len(ends))
	}
	return c
}

// block checks 64 LIDs, except the LID that is not judged.
func (c *checker) block(first int, unsaid units.LID) {
	var roots [block]int32
	var ports [block]uint8
	for l := range roots {
		roots[l], ports[l] = c.n.root(first + l)
	}
	c.cols.read(c.n, c.tb, first)
	c.dist.search(c.n, &roots)
	for l := range roots {
		lid := first + l
		switch {
		case unsaid > 0 && lid == int(unsaid):
			c.found.add(Unsaid, c.n.owner[lid], lid)
		case lid >= len(c.n.owner) || !c.n.owner[lid].Exists():
			c.foreign(lid, c.cols.of(l))
		case roots[l] < 0:
			c.stranded(lid)
		default:
			c.tree.grow(c.n, c.cols.of(l), roots[l], ports[l])
			c.one(lid, c.dist.of(l), ports[l])
		}
	}
}

// foreign reports entries for a LID without an owner. LID 0 never has an owner, and its
// entry is never looked up.
func (c *checker) foreign(lid int, column []uint8) {
	if lid == 0 {
		return
	}
	for u, p := range column {
		if p != subnet.NoPort {
			c.found.add(ForeignLID, c.n.switchAt(int32(u), p), lid)
		}
	}
}

// stranded counts a LID if its owner is cabled to no switch.
func (c *checker) stranded(lid int) {
	own := c.n.owner[lid]
	for i := range c.n.ends {
		e := c.n.ends[i].port
		switch {
		case e == own:
		case c.n.s.Peer(e) == own: // back to back
			c.endToEnd.add(1, 0, 0)
		default:
			c.endToEnd.add(1, dead, farAway)
		}
	}
	c.fromSw.add(int64(len(c.n.sw)), dead, farAway)
}

// one checks the paths to one LID.
func (c *checker) one(lid int, least []uint16, rootPort uint8) {
	n, t := c.n, c.tree
	toEnd := n.dense[n.owner[lid].Node] < 0
	for u := range c.weight {
		ends := int64(c.weight[u])
		hops := t.hops[u]
		c.fromSw.add(1, hops, least[u])
		if !toEnd {
			c.swToSw.add(1, hops, least[u])
			c.endToSw.add(ends, hops, least[u])
		} else {
			if int32(u) == t.root {
				ends-- // the destination itself
			}
			c.endToEnd.add(ends, hops, least[u])
			if hops < states && ends > 0 {
				count(&c.paths.Hops, int(hops)+1, ends)
				count(&c.paths.Detour, int(hops)-int(least[u]), ends)
			}
		}
		if hops >= states {
			if k := n.fault(int32(u), t.port[u], t.root, rootPort); k != none && least[u] != farAway {
				c.found.add(k, n.switchAt(int32(u), t.port[u]), lid)
			}
		}
	}
	c.withoutSwitch(toEnd)
	for _, u := range t.loops {
		c.found.add(Loop, n.switchAt(u, t.port[u]), lid)
	}
	if !toEnd {
		return
	}
	c.load(lid)
	if c.levels == nil {
		c.deps.onOneLane(n, t, c.sources)
	} else {
		c.deps.onLanes(n, c.tb, t, c.levels, lid, &c.found)
	}
}

// withoutSwitch counts ends without a switch as unable to reach a LID behind a switch.
func (c *checker) withoutSwitch(toEnd bool) {
	if toEnd {
		c.endToEnd.add(c.n.adrift, dead, farAway)
	} else {
		c.endToSw.add(c.n.adrift, dead, farAway)
	}
}

// load adds the paths to one LID to the loads of the cables.
func (c *checker) load(lid int) {
	n, t := c.n, c.tree
	copy(c.sources, c.weight)
	base := int(n.s.Port(n.owner[lid]).LID) == lid
	for i := len(t.order) - 1; i > 0; i-- {
		u := t.order[i]
		paths := c.sources[u]
		if paths == 0 {
			continue
		}
		at := int(u)*n.stride + int(t.port[u])
		c.loads[at] += int64(paths)
		if base && n.wide {
			c.pairs[at] += int64(paths)
		}
		if t.next[u] != t.root {
			c.sources[t.next[u]] += paths
		}
	}
	if base {
		c.patterns.add(t, n.endOf(lid))
	}
}

// endOf is the end that has a base LID. Ends are in the order of LIDs.
func (n *network) endOf(lid int) int32 {
	lo, hi := 0, len(n.ends)
	for lo < hi {
		if mid := (lo + hi) / 2; int(n.ends[mid].lid) < lid {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return int32(lo)
}

func (c *checker) merge(o *checker) {
	c.found.merge(&o.found)
	c.endToEnd.merge(&o.endToEnd)
	c.endToSw.merge(&o.endToSw)
	c.fromSw.merge(&o.fromSw)
	c.swToSw.merge(&o.swToSw)
	c.paths.merge(&o.paths)
	c.deps.merge(o.deps)
	c.patterns.merge(o.patterns)
	for i, x := range o.loads {
		c.loads[i] += x
	}
	if c.n.wide {
		for i, x := range o.pairs {
			c.pairs[i] += x
		}
	}
}

// ports reports ports that no path can reach.
func (c *checker) ports() {
	s := c.n.s
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			x := &s.Nodes[i].Ports[p]
			at := subnet.End{Node: int32(i), Port: uint16(p)}
			isSwitch := s.Nodes[i].Kind == subnet.Switch
			switch {
			case isSwitch != (p == 0):
			case x.LID == 0:
				if isSwitch || x.Peer.Exists() {
					c.found.add(NoLID, at, 0)
				}
			default:
				for l := int(x.LID); l < int(x.LID)+1<<x.LMC; l++ {
					if c.n.owner[l] != at {
						c.found.add(LIDClash, at, l)
					}
				}
			}
		}
	}
}

func (c *checker) report() *Report {
	r := &Report{
		Switches: len(c.n.sw), Ends: len(c.n.ends),
		EndToEnd: c.endToEnd, EndToSwitch: c.endToSw, FromSwitches: c.fromSw,
		BetweenSwitches: c.swToSw, Lengths: c.paths,
		AnyLevel: c.tb.SL == nil && c.tb.SL2VL != nil,
		Lanes:    max(len(c.deps.inUse()), 1), Balance: balance(c.n, c.loads),
		Patterns: c.patterns.list(c.pairs), Shifts: c.patterns.each(), Findings: c.found.list(),
	}
	for _, e := range c.n.owner {
		if e.Exists() {
			r.LIDs++
		}
	}
	r.Cycles, r.CreditLoops = c.deps.creditLoops(c.n)
	return r
}
