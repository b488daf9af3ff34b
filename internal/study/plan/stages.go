package plan

import (
	"sort"

	"weft/internal/base/topology"
	"weft/scenario"
)

// Way is a way from the present network to the later one.
type Way struct {
	Name   string
	Stages []Stage
}

// The ways to a later network.
const (
	StartSmall = "start small"           // the fewest switches now; cables move when the switches are full
	AllLevels  = "all levels on day one" // spines and cores of the later network now; leaves come with the nodes
)

// Stage is the work that takes the network from one number of GPUs to another.
type Stage struct {
	From, To int    // GPUs: the first for which it is needed, and those that are there at its end
	Switches [3]int // at its end
	Added    []Line // what is bought
	Freed    []Line // what is left over
	Cables   []CableStep
	Power    Sum   // of the network at its end, milliwatts
	Cost     *Cost // of what is bought, without energy; nil without prices
}

// Counted is the number of cables with an action.
func (s *Stage) Counted(a Action) (n int) {
	for _, x := range s.Cables {
		if x.Action == a {
			n++
		}
	}
	return n
}

// mostStaged is the largest later network, in GPUs, with stages: its cables are listed one by one.
const mostStaged = 65536

// ways are the ways to the later network. They are nil if its manager has a place, since that place moves, and if the network
// is too large.
func (d *Design) ways(r *Request, prices *Prices) ([]Way, error) {
	g, c := d.Growth, d.choice
	if g == nil || g.Problem != "" || c.managed(r) || c.shape == scenario.Dragonfly || r.Later > mostStaged {
		return nil, nil
	}
	g.Holds = c.holds(r, d.Count)
	resolved, spec, _, err := g.choice.resolve(g.choice.text(r, r.Later))
	if err != nil {
		return nil, err
	}
	final, err := spec.Build()
	if err != nil {
		return nil, err
	}
	x := grower{r: r, prices: prices, now: c, later: g.choice, fabric: &resolved.Fabrics[0], final: final, per: c.machine.gpus}
	whole, err := x.way(AllLevels, 0)
	if err != nil || whole.Stages[0].Switches == d.Count.Switches {
		return []Way{whole}, err
	}
	small, err := x.way(StartSmall, g.Holds)
	return []Way{small, whole}, err
}

// grower makes the stages of a way.
type grower struct {
	r          *Request
	prices     *Prices
	now, later choice
	fabric     *scenario.Fabric // of the later network
	final      *topology.Graph
	per        int // GPUs of a node
}

// way is a way that has the switches of the present network up to some GPUs, and parts of the final
// network beyond.
func (x *grower) way(name string, holds int) (Way, error) {
	w := Way{Name: name}
	var cables []wire
	var bill []Line
	from := x.r.GPUs
	for _, to := range x.ends(holds) {
		g, of, err := x.graph(to, holds)
		if err != nil {
			return w, err
		}
		lines := of.bill(x.r, g, x.fabric)
		x.prices.powers(lines)
		s := Stage{From: from, To: to, Switches: topology.Tally(g).Switches}
		s.Cables, cables = recabled(cables, g)
		s.Added, s.Freed = difference(bill, lines)
		for _, l := range lines {
			s.Power.add(l.Quantity, l.Power)
		}
		s.Cost = x.prices.equipment(s.Added)
		w.Stages = append(w.Stages, s)
		bill, from = lines, to+x.per
	}
	return w, nil
}

// graph is the network for some GPUs, and the choice that it is of.
func (x *grower) graph(gpus, holds int) (*topology.Graph, choice, error) {
	if gpus > holds {
		return part(x.final, gpus/x.per, x.spare()), x.later, nil
	}
	_, spec, _, err := x.now.resolve(x.now.text(x.r, gpus))
	if err != nil {
		return nil, x.now, err
	}
	g, err := spec.Build()
	if err == nil {
		rename(g, x.final)
	}
	return g, x.now, err
}

// mostStages is the maximum number of stages of a way. Beyond, switches of several come together.
const mostStages = 4

// ends are the numbers of GPUs at the ends of the stages: now, when the present switches are full, and before each
// further switch.
func (x *grower) ends(holds int) (out []int) {
	out = append(out, x.r.GPUs)
	if holds > x.r.GPUs {
		out = append(out, holds)
	}
	var rest []int
	switches := func(gpus int) int { return len(used(x.final, gpus/x.per, x.spare())) }
	for at := max(holds, x.r.GPUs-x.per) + x.per; at <= x.r.Later; {
		n := switches(at)
		last := at + sort.Search((x.r.Later-at)/x.per, func(i int) bool { return switches(at+(i+1)*x.per) > n })*x.per
		if last > x.r.GPUs {
			rest = append(rest, last)
		}
		at = last + x.per
	}
	each := ceilDiv(len(rest), mostStages-len(out))
	for i, end := range rest {
		if (len(rest)-1-i)%max(1, each) == 0 {
			out = append(out, end)
		}
	}
	return out
}

// spare is the number of ports for other hosts that are kept free at any time.
func (x *grower) spare() int { return x.r.SparePorts + x.r.otherNICs() }
