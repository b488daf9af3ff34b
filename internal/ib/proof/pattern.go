package proof

import (
	"fmt"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
)

// Pattern is the load of one traffic pattern on the cables between switches: every end
// sends at once to its partner, or to all in turn, over the path of the partner's base
// LID.
type Pattern struct {
	Name string `json:"name"`
	// Contention is the number of flows on the most loaded directed cable. For
	// all-to-all it is divided by the number of flows on an end's own cable, so 1 is the
	// least possible value.
	Contention float64 `json:"contention"`
	// Bandwidth is the share that the slowest end gets of the rate at which its own cable and that of its partner can
	// carry. Cables between switches count with their rates; in an all-to-all each end counts with the rate of most ends.
	Bandwidth float64 `json:"bandwidth"`
	// Worst is the most loaded directed cable.
	Worst subnet.End `json:"-"`
}

// patterns is the loads of traffic patterns for one order of the ends.
type patterns struct {
	n      *network
	rank   []int32 // by end: its place in the order
	end    []int32 // by place: the end
	shifts []int   // distances that are walked
	flows  []uint16
	speeds *speeds  // nil: all cables are alike
	load   []uint32 // if they are not: the rates of the flows, as flows has their number
}

// newPatterns prepares the ring, its reverse, and as many evenly spaced shifts as fit into memory, at most limit if it
// is not 0.
func newPatterns(n *network, order []int32, limit int) *patterns {
	p := &patterns{n: n, end: order, rank: make([]int32, len(n.ends)), speeds: speedsOf(n)}
	for i := range p.rank {
		p.rank[i] = -1
	}
	for r, e := range order {
		p.rank[e] = int32(r)
	}
	ends := len(order)
	if ends < 2 {
		return p
	}
	most := max(maxShiftCounters/max(len(n.to), 1), 2)
	if limit > 0 {
		most = min(most, max(limit, 2))
	}
	if ends-1 <= most {
		for k := 1; k < ends; k++ {
			p.shifts = append(p.shifts, k)
		}
		return p
	}
	for i := range most {
		p.shifts = append(p.shifts, 1+int(int64(i)*int64(ends-2)/int64(most-1)))
	}
	return p
}

// fork is an empty copy for another worker.
func (p *patterns) fork() *patterns {
	q := *p
	q.flows = make([]uint16, len(p.shifts)*len(p.n.to))
	if p.speeds != nil {
		q.load = make([]uint32, len(q.flows))
	}
	return &q
}

// add walks the flows of all shifts to one end.
func (p *patterns) add(t *tree, dst int32) {
	r := int(p.rank[dst])
	if r < 0 {
		return
	}
	ends, channels := len(p.end), len(p.n.to)
	for i, k := range p.shifts {
		from := p.end[(r-k+ends)%ends]
		src := &p.n.ends[from]
		if src.sw < 0 || !t.reaches(src.sw) {
			continue
		}
		row := p.flows[i*channels : (i+1)*channels]
		for u := src.sw; u != t.root; u = t.next[u] {
			row[int(u)*p.n.stride+int(t.port[u])]++
		}
		if p.speeds == nil {
			continue
		}
		load, rate := p.load[i*channels:(i+1)*channels], min(p.speeds.end[from], p.speeds.end[dst])
		for u := src.sw; u != t.root; u = t.next[u] {
			load[int(u)*p.n.stride+int(t.port[u])] += rate
		}
	}
}

func (p *patterns) merge(q *patterns) {
	if p.flows == nil {
		p.flows, p.load = q.flows, q.load
		return
	}
	for i, f := range q.flows {
		p.flows[i] += f
	}
	for i, f := range q.load {
		p.load[i] += f
	}
}

// most is the most loaded channel in one shift.
func (p *patterns) most(shift int) (channel int32, flows uint16) {
	row := p.flows[shift*len(p.n.to) : (shift+1)*len(p.n.to)]
	for c, f := range row {
		if f > flows {
			channel, flows = int32(c), f
		}
	}
	return channel, flows
}

// list evaluates the patterns; pairs are the paths between base LIDs by channel.
func (p *patterns) list(pairs []int64) []Pattern {
	if len(p.shifts) == 0 {
		return nil
	}
	out := []Pattern{
		p.one("ring: each to the next", 0),
		p.one("ring: each to the one before", len(p.shifts)-1),
	}
	kind := "shift"
	if len(p.shifts) < len(p.end)-1 {
		kind = fmt.Sprintf("shift, %d evenly spaced", len(p.shifts))
	}
	worst := Pattern{Bandwidth: 1, Worst: subnet.None}
	mean := Pattern{Name: kind + ": mean", Worst: subnet.None}
	by := p.shifts[0]
	for i, k := range p.shifts {
		x := p.one("", i)
		mean.Contention += x.Contention // whole numbers, so means of equal loads are equal
		mean.Bandwidth += x.Bandwidth   // the sum of whole shares is exact
		if x.Bandwidth < worst.Bandwidth || x.Bandwidth == worst.Bandwidth && x.Contention > worst.Contention {
			worst, by = x, k
		}
	}
	mean.Contention /= float64(len(p.shifts))
	mean.Bandwidth /= float64(len(p.shifts))
	worst.Name = fmt.Sprintf("%s: worst (by %d)", kind, by)
	return append(out, worst, mean, p.allToAll(pairs))
}

func (p *patterns) one(name string, shift int) Pattern {
	c, flows := p.most(shift)
	x := Pattern{Name: name, Contention: float64(flows), Bandwidth: 1, Worst: subnet.None}
	if flows > 0 {
		x.Bandwidth, x.Worst = 1/float64(flows), p.n.channelAt(c)
	}
	if p.speeds != nil && flows > 0 {
		c, x.Bandwidth = p.scarcest(shift)
		x.Worst = p.n.channelAt(c)
	}
	return x
}

func (p *patterns) allToAll(pairs []int64) Pattern {
	x := Pattern{Name: "all-to-all", Bandwidth: 1, Worst: subnet.None}
	most := int64(0)
	for c, f := range pairs {
		if f > most {
			most, x.Worst = f, p.n.channelAt(int32(c))
		}
	}
	x.Contention = max(1, float64(most)/float64(len(p.end)-1))
	x.Bandwidth = 1 / x.Contention
	if p.speeds != nil {
		x.Bandwidth = 1
		for c, f := range pairs {
			if f == 0 {
				continue
			}
			if share := float64(p.speeds.channel[c]) / float64(p.speeds.usual) * float64(len(p.end)-1) / float64(f); share < x.Bandwidth {
				x.Bandwidth, x.Worst = share, p.n.channelAt(int32(c))
			}
		}
	}
	return x
}

// nodeOrder is the usual order of a job's ranks: by node name, with digits compared as numbers,
// then by port.
func nodeOrder(n *network) []int32 {
	order := make([]int32, len(n.ends))
	for i := range order {
		order[i] = int32(i)
	}
	sorting.StableFunc(order, func(a, b int32) int {
		x, y := n.ends[a].port, n.ends[b].port
		if c := subnet.CompareNames(n.s.Nodes[x.Node].Name, n.s.Nodes[y.Node].Name); c != 0 {
			return c
		}
		return int(n.ends[a].lid) - int(n.ends[b].lid)
	})
	return order
}
