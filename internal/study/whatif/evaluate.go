package whatif

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"weft/internal/base/sorting"
	"weft/internal/ib/inspect"
	"weft/internal/ib/proof"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/study/many"
	"weft/units"
)

// Options are how parts are judged.
type Options struct {
	Engine  route.Name // auto: the engine that fits the whole fabric, for every part
	BySpeed bool       // the engine counts paths relative to the rates of cables; with auto it is updn
	Shifts  int        // the most shifts; 0: all
	Workers int        // cores; 0: all
	// Told is called after each part with the number of those that are done, if it is not nil. Calls do not overlap.
	Told func(done, total int)
	// Grouped puts parts that cost the same into one group: see Report.Groups.
	Grouped bool
	// Sharing shares the work with other processes; nil: this one does all.
	Sharing *many.Sharing
}

// State is what a fabric can do.
type State struct {
	Engine  route.Name `json:"engine"`           // that computed the tables; BGP on Ethernet
	Instead string     `json:"reason,omitempty"` // why it is not the one asked for
	// Pairs is the number of pairs of hosts' ports that a path joins, in one direction.
	Pairs int64 `json:"pairs"`
	// Shift is the bandwidth of the slowest host, in the mean of the shifts; WorstShift in the worst of them. 1 is the
	// rate that its own cable and that of its partner can carry. Cables between switches count with their rates. Both are 0
	// if hosts with a cable have no path to each other.
	Shift      float64 `json:"shift_bandwidth"`
	WorstShift float64 `json:"worst_shift_bandwidth"`
}

// Cost is what the failure of a part costs.
type Cost struct {
	Part   `json:"-"`
	Failed string `json:"failed"`
	Kind   string `json:"kind"` // switch, cable, or host cable
	State
	Unreachable int64  `json:"unreachable_pairs"` // pairs that no path joins any more
	Error       string `json:"error,omitempty"`   // why the fabric without the part cannot be routed
}

// Report is the cost of each part, the dearest first.
type Report struct {
	Whole  State  `json:"whole"`
	Shifts int    `json:"shifts"` // that each part was judged by
	Parts  int    `json:"parts"`  // that were to be judged; Costs has fewer if the work was stopped
	Costs  []Cost `json:"costs"`
	// Alike is the number of cables of hosts that are not in Costs: each cuts off its host and nothing else.
	Alike int `json:"host_cables_alike,omitempty"`

	grouped bool
}

// Alike is parts whose failures cost the same: Count of Costs, from First on.
type Alike struct{ First, Count int }

// Groups are the costs in groups of parts of one kind that cost the same; each on its own if they were not to be
// grouped.
func (r *Report) Groups() (groups []Alike) {
	for i := range r.Costs {
		if n := len(groups); r.grouped && n > 0 && r.Costs[i].like(&r.Costs[groups[n-1].First]) {
			groups[n-1].Count++
			continue
		}
		groups = append(groups, Alike{i, 1})
	}
	return groups
}

func (c *Cost) like(o *Cost) bool {
	return c.Kind == o.Kind && c.Unreachable == o.Unreachable && c.Shift == o.Shift && c.WorstShift == o.WorstShift && c.Error == o.Error
}

// fabric judges a fabric without one of its parts.
type fabric interface {
	// text is all that a judgement depends on, as a value for encoding.
	text() any
	ends() int // of shifts
	whole() (State, error)
	// prepare is called between whole and without.
	prepare(whole State, parts []Part)
	without(p Part) (State, error)
}

// Evaluate judges an InfiniBand fabric without each of some parts. The subnet gets LIDs if it has none.
func Evaluate(ctx context.Context, s *subnet.Subnet, parts []Part, o Options) (*Report, error) {
	s = s.Clone()
	if err := s.AssignLIDs(0); err != nil {
		return nil, err
	}
	return evaluate(ctx, &managed{s: s, o: o, roots: topmost(s), islands: islandsOf(s)}, parts, o)
}

// block is the number of parts that one process judges at a time if several share the work.
const block = 16

func evaluate(ctx context.Context, f fabric, parts []Part, o Options) (*Report, error) {
	whole, err := f.whole()
	if err != nil {
		return nil, fmt.Errorf("the whole fabric cannot be routed: %w", err)
	}
	r := &Report{grouped: o.Grouped, Whole: whole, Shifts: o.Shifts, Parts: len(parts)}
	if ends := f.ends(); r.Shifts == 0 || r.Shifts > ends-1 {
		r.Shifts = max(0, ends-1)
	}
	f.prepare(whole, parts)
	pieces := slices.Collect(slices.Chunk(parts, 1))
	var piece string
	if o.Sharing != nil {
		pieces = slices.Collect(slices.Chunk(parts, block))
		if piece, err = pieceOf(f, o); err != nil {
			return nil, err
		}
	}
	var mu sync.Mutex
	done := make([][]Cost, len(pieces))
	count := 0
	many.Each(ctx, len(pieces), o.Workers, func(i int) {
		costs, failed := many.Share(ctx, o.Sharing, fmt.Sprintf("%s\n%+v", piece, pieces[i]), func() ([]Cost, error) {
			return costsOf(ctx, f, pieces[i], whole), nil
		})
		mu.Lock()
		defer mu.Unlock()
		if failed != nil && ctx.Err() == nil {
			err = failed
		}
		for k := range costs {
			costs[k].Part = pieces[i][k] // a shared outcome does not have it
		}
		done[i] = costs
		if count += len(costs); o.Told != nil {
			o.Told(count, len(parts))
		}
	})
	if err != nil {
		return nil, err
	}
	r.Costs = slices.Concat(done...)
	sorting.StableFunc(r.Costs, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(min(1, len(b.Error)), min(1, len(a.Error))), cmp.Compare(b.Unreachable, a.Unreachable), cmp.Compare(a.Shift, b.Shift), cmp.Compare(a.WorstShift, b.WorstShift), cmp.Compare(a.Kind, b.Kind))
	})
	return r, ctx.Err()
}

// costsOf are the costs of parts, fewer of them if ctx ends.
func costsOf(ctx context.Context, f fabric, parts []Part, whole State) (costs []Cost) {
	for _, p := range parts {
		if ctx.Err() != nil {
			return costs
		}
		c := Cost{Part: p, Failed: p.Name, Kind: kindOf(p)}
		state, err := f.without(p)
		if err != nil {
			c.Error = err.Error()
		}
		c.State = state
		c.Unreachable = whole.Pairs - c.Pairs
		costs = append(costs, c)
	}
	return costs
}

// pieceOf is all that the judgement of a fabric's parts depends on, short.
func pieceOf(f fabric, o Options) (string, error) {
	text, err := json.Marshal(f.text())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("what-if %x %s %d", sha256.Sum256(text), o.Engine, o.Shifts), nil
}

// managed is an InfiniBand fabric, which its Subnet Manager routes anew.
type managed struct {
	s       *subnet.Subnet // with LIDs
	o       Options
	roots   []units.GUID // of the whole fabric
	engines []route.Name
	islands islands
}

func (m *managed) text() any { return m.s }

func (m *managed) ends() int { return hostPorts(m.s) }

func (m *managed) whole() (State, error) { return m.judge(m.s, []route.Name{m.o.Engine}, 0) }

func (m *managed) prepare(whole State, parts []Part) { m.engines = m.enginesFor(whole, parts) }

func (m *managed) without(p Part) (State, error) { return m.judge(without(m.s, p), m.engines, 1) }

func kindOf(p Part) string {
	switch {
	case p.Node >= 0:
		return "switch"
	case p.Host:
		return "host cable"
	}
	return "cable"
}

// hostPorts is the number of ports of adapters with a cable.
func hostPorts(s *subnet.Subnet) (n int) {
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Switch {
			continue
		}
		for p := range s.Nodes[i].Ports {
			if s.Nodes[i].Ports[p].Peer.Exists() {
				n++
			}
		}
	}
	return n
}

// enginesFor are the engines to try for each part, in order. For auto these are the engines that auto takes for the
// whole fabric and for the first part of each kind: it tries all of them each time, which thousands of parts would wait
// for.
func (m *managed) enginesFor(whole State, parts []Part) []route.Name {
	if m.o.Engine != route.Auto {
		return []route.Name{m.o.Engine}
	}
	engines := []route.Name{whole.Engine}
	seen := map[string]bool{}
	for _, p := range parts {
		kind := kindOf(p)
		if seen[kind] {
			continue
		}
		seen[kind] = true
		state, err := m.judge(without(m.s, p), []route.Name{route.Auto}, 0)
		if err == nil && !slices.Contains(engines, state.Engine) {
			engines = append(engines, state.Engine)
		}
	}
	return append(engines, route.Auto)
}

// judge routes a fabric by the first of some engines whose tables are proven, and proves them. With one engine its
// replacement is that of a Subnet Manager.
func (m *managed) judge(s *subnet.Subnet, engines []route.Name, workers int) (State, error) {
	if workers == 0 {
		workers = m.o.Workers
	}
	res, err := routed(s, engines, route.Options{Cores: workers, BySpeed: m.o.BySpeed}, m.roots)
	if err != nil {
		return State{}, err
	}
	ranked, err := proof.Check(s, res.Tables, proof.Options{Workers: workers, Shifts: m.o.Shifts})
	if err != nil {
		return State{}, err
	}
	st := State{Engine: res.Report.Used, Instead: res.Report.Reason, Pairs: ranked.EndToEnd.Arrive}
	if engines[len(engines)-1] == route.Auto {
		st.Instead = "" // no engine was asked for
	}
	if st.Pairs == m.islands.pairs(s) { // else some host gets nothing
		st.Shift, st.WorstShift = shifts(ranked)
	}
	return st, nil
}

// topmost are the switches at the top of a tree, by GUID; nil for a fabric of another family.
func topmost(s *subnet.Subnet) (roots []units.GUID) {
	l := inspect.Lay(s)
	if len(l.Report.Islands) != 1 || l.Report.Islands[0].Family != inspect.FatTree {
		return nil
	}
	highest := slices.Max(l.Level)
	for i := range s.Nodes {
		if l.Level[i] == highest {
			roots = append(roots, s.Nodes[i].GUID)
		}
	}
	return roots
}

// routed are the tables of the first engine whose tables are proven. The engines of trees get the roots of the whole
// fabric that are left: without them they refuse a tree that lacks a cable.
func routed(s *subnet.Subnet, engines []route.Name, o route.Options, roots []units.GUID) (*route.Result, error) {
	last := len(engines) - 1
	for _, name := range engines[:last] {
		own := o
		if name == "ftree" || name == "updn" {
			own.Roots = rootsIn(s, roots)
		}
		res, err := route.Proved(s, name, own)
		if refusal := (*route.Refusal)(nil); errors.As(err, &refusal) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if res.Report.Proof.Proven() {
			return res, nil
		}
	}
	return route.Installable(s, engines[last], o)
}

// rootsIn are the roots that a subnet has.
func rootsIn(s *subnet.Subnet, roots []units.GUID) (in []units.GUID) {
	for i := range s.Nodes {
		if slices.Contains(roots, s.Nodes[i].GUID) {
			in = append(in, s.Nodes[i].GUID)
		}
	}
	return in
}

// shifts are the bandwidths of the mean and the worst shift of a proof.
func shifts(p *proof.Report) (mean, worst float64) {
	for _, x := range p.Patterns {
		switch {
		case strings.HasSuffix(x.Name, ": mean"):
			mean = x.Bandwidth
		case strings.HasPrefix(x.Name, "shift"):
			worst = x.Bandwidth
		}
	}
	return mean, worst
}
