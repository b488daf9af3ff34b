package proof

import (
	"fmt"
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
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
	// Bandwidth is the share of its cable's rate that the slowest end gets
	// when all cables have one rate. With Options.Rates a flow on a slow cable counts as several on a cable of the rate
	// that most ends have, and Contention is a count of these.
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
	weight []float64 // by channel: the flows at the ends' rate that one flow is worth; nil: 1 each
}

// newPatterns prepares the ring, its reverse, and as many evenly spaced shifts as fit into memory, at most limit if it
// is not 0.
func newPatterns(n *network, order []int32, limit int) *patterns {
	p := &patterns{n: n, end: order, rank: make([]int32, len(n.ends))}
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
		src := &p.n.ends[p.end[(r-k+ends)%ends]]
		if src.sw < 0 || !t.reaches(src.sw) {
			continue
		}
		row := p.flows[i*channels : (i+1)*channels]
		for u := src.sw; u != t.root; u = t.next[u] {
			row[int(u)*p.n.stride+int(t.port[u])]++
		}
	}
}

func (p *patterns) merge(q *patterns) {
	if p.flows == nil {
		p.flows = q.flows
		return
	}
	for i, f := range q.flows {
		p.flows[i] += f
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
		if x.Contention > worst.Contention {
			worst, by = x, k
		}
	}
	mean.Contention /= float64(len(p.shifts))
	mean.Bandwidth /= float64(len(p.shifts))
	worst.Name = fmt.Sprintf("%s: worst (by %d)", kind, by)
	return append(out, worst, mean, p.allToAll(pairs))
}

func (p *patterns) one(name string, shift int) Pattern {
	x := Pattern{Name: name, Bandwidth: 1, Worst: subnet.None}
	if p.weight == nil {
		c, flows := p.most(shift)
		if x.Contention = float64(flows); flows > 0 {
			x.Bandwidth, x.Worst = 1/x.Contention, p.n.channelAt(c)
		}
		return x
	}
	for c, f := range p.flows[shift*len(p.n.to) : (shift+1)*len(p.n.to)] {
		if load := float64(f) * p.weight[c]; load > x.Contention {
			x.Contention, x.Worst = load, p.n.channelAt(int32(c))
			x.Bandwidth = min(1, 1/load)
		}
	}
	return x
}

// weigh gives each channel the weight of a flow: the rate that most ends have, over the cable's. A cable whose rate is not
// known weighs as one of that rate.
func (p *patterns) weigh() {
	count := map[units.Rate]int{}
	usual := units.Rate(0)
	for i := range p.n.ends {
		rate := p.n.s.Port(p.n.ends[i].port).Link.Rate()
		if count[rate]++; rate > 0 && (usual == 0 || count[rate] > count[usual]) {
			usual = rate
		}
	}
	p.weight = make([]float64, len(p.n.to))
	for c := range p.weight {
		p.weight[c] = 1
		if p.n.to[c] < 0 {
			continue
		}
		if rate := p.n.s.Port(p.n.channelAt(int32(c))).Link.Rate(); rate > 0 && usual > 0 {
			p.weight[c] = float64(usual) / float64(rate)
		}
	}
}

func (p *patterns) allToAll(pairs []int64) Pattern {
	x := Pattern{Name: "all-to-all", Bandwidth: 1, Worst: subnet.None}
	most := float64(0)
	for c, f := range pairs {
		load := float64(f)
		if p.weight != nil {
			load *= p.weight[c]
		}
		if load > most {
			most, x.Worst = load, p.n.channelAt(int32(c))
		}
	}
	x.Contention = max(1, most/float64(len(p.end)-1))
	x.Bandwidth = 1 / x.Contention
	return x
}

// nodeOrder is the usual order of a job's ranks: by node name, with digits compared as numbers,
// then by port.
func nodeOrder(n *network) []int32 {
	order := make([]int32, len(n.ends))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := n.ends[a].port, n.ends[b].port
		if c := subnet.CompareNames(n.s.Nodes[x.Node].Name, n.s.Nodes[y.Node].Name); c != 0 {
			return c
		}
		return int(n.ends[a].lid) - int(n.ends[b].lid)
	})
	return order
}
