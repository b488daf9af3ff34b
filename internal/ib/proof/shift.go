package proof

// Shift is the pattern in which each end sends to the end By places behind it in the order.
type Shift struct {
	By int // the distance
	// Flows is the most flows that share a directed cable between switches.
	Flows int
	// Least is a lower bound of Flows for any tables: the flows that leave or enter a switch,
	// shared evenly among its cables to other switches.
	Least int
}

// each is the walked shifts.
func (p *patterns) each() []Shift {
	cables := make([]int, len(p.n.sw))
	for c, to := range p.n.to {
		if to >= 0 && int(to) != c/p.n.stride {
			cables[c/p.n.stride]++
		}
	}
	out, in := make([]int, len(cables)), make([]int, len(cables))
	shifts := make([]Shift, len(p.shifts))
	for i, k := range p.shifts {
		_, flows := p.most(i)
		shifts[i] = Shift{By: k, Flows: int(flows), Least: p.least(k, cables, out, in)}
	}
	return shifts
}

// least is the lower bound for the shift by k; out and in are scratch space.
func (p *patterns) least(k int, cables, out, in []int) int {
	clear(out)
	clear(in)
	for r, e := range p.end {
		src, dst := p.n.ends[e].sw, p.n.ends[p.end[(r+k)%len(p.end)]].sw
		if src >= 0 && dst >= 0 && src != dst {
			out[src]++
			in[dst]++
		}
	}
	least := 0
	for sw, n := range cables {
		if n > 0 {
			least = max(least, (out[sw]+n-1)/n, (in[sw]+n-1)/n)
		}
	}
	return least
}
