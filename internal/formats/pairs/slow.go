package pairs

import (
	"cmp"
	"maps"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/base/stats"
)

// Tolerances of clusterkit (docs.nvidia.com/networking, HPC-X, Running ClusterKit): a bandwidth below 93 % is bad, and a
// latency above 2.1 times. Clusterkit takes them from the best pair; here they are from the typical node, so that one
// lucky pair accuses nobody.
const (
	leastBandwidth = 0.93
	mostLatency    = 2.1
	fewestPeers    = 2 // of a node that is judged: one pair does not say which end is slow
)

// Node is a node with what it has with its peers.
type Node struct {
	Name  string  `json:"name"`
	Peers int     `json:"peers"`
	Value float64 `json:"value"` // the median over its pairs: Gb/s or us
	Ratio float64 `json:"ratio"` // to the typical node
}

// Judged is the nodes and pairs of one quantity.
type Judged struct {
	Latency bool    `json:"latency,omitempty"`
	Pairs   int     `json:"pairs"`
	Typical float64 `json:"typical"` // Gb/s or us: the median node
	// Nodes are all of them, the worst first.
	Nodes []Node `json:"nodes"`
	// SlowNodes are slow with most of their peers.
	SlowNodes []Node `json:"slow_nodes,omitempty"`
	// SlowPairs are slower than both of their nodes are with others: a path between two healthy nodes. Their Ratio is to the
	// slower one of the two nodes.
	SlowPairs []Pair `json:"slow_pairs,omitempty"`
}

// fewestNodes is the number of nodes with enough peers below which none of them is called good: of two that differ, either can
// be the slow one.
const fewestNodes = 3

// Enough is the number of nodes with so many peers that they were judged; 0 if they are too few to be compared.
func (j *Judged) Enough() (n int) {
	for _, node := range j.Nodes {
		if node.Peers >= fewestPeers && len(j.Nodes) > fewestPeers {
			n++
		}
	}
	if n < fewestNodes {
		return 0
	}
	return n
}

// Judge finds slow nodes and slow pairs among the bandwidths, and among the latencies. Either is nil without pairs.
func (s *Set) Judge() (bandwidth, latency *Judged) { return s.judge(false), s.judge(true) }

// value is the measurement of a pair.
func (p *Pair) value(latency bool) float64 {
	if latency {
		return p.Micros
	}
	return p.Gbps
}

func (s *Set) judge(latency bool) *Judged {
	of := map[string][]float64{}
	peers := map[string]map[string]bool{}
	j := &Judged{Latency: latency}
	both := s.directions(latency)
	for i := range s.Pairs {
		p := &s.Pairs[i]
		x := p.value(latency)
		if x == 0 || p.together != both {
			continue
		}
		j.Pairs++
		for _, end := range [][2]string{{p.From, p.To}, {p.To, p.From}} {
			of[end[0]] = append(of[end[0]], x)
			if peers[end[0]] == nil {
				peers[end[0]] = map[string]bool{}
			}
			peers[end[0]][end[1]] = true
		}
	}
	if j.Pairs == 0 {
		return nil
	}
	var medians []float64
	for _, name := range slices.Sorted(maps.Keys(of)) {
		n := Node{Name: name, Peers: len(peers[name]), Value: median(of[name])}
		j.Nodes = append(j.Nodes, n)
		medians = append(medians, n.Value)
	}
	j.Typical = median(medians)
	j.nodes()
	j.pairs(s.Pairs, both)
	return j
}

// directions reports whether most pairs were measured in both directions at once: others are another quantity.
func (s *Set) directions(latency bool) bool {
	both, one := 0, 0
	for i := range s.Pairs {
		switch p := &s.Pairs[i]; {
		case p.value(latency) == 0:
		case p.together:
			both++
		default:
			one++
		}
	}
	return both > one
}

// bad reports whether a ratio is out of tolerance.
func (j *Judged) bad(ratio float64) bool {
	if j.Latency {
		return ratio > mostLatency
	}
	return ratio < leastBandwidth
}

// nodes judges the nodes.
func (j *Judged) nodes() {
	for i := range j.Nodes {
		n := &j.Nodes[i]
		if n.Ratio = n.Value / j.Typical; j.bad(n.Ratio) && n.Peers >= fewestPeers && len(j.Nodes) > fewestPeers {
			j.SlowNodes = append(j.SlowNodes, *n)
		}
	}
	worst := func(a, b Node) int {
		if j.Latency {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(a.Ratio, b.Ratio), cmp.Compare(a.Name, b.Name))
	}
	sorting.Func(j.Nodes, worst)
	sorting.Func(j.SlowNodes, worst)
}

// pairs judges the pairs by what their nodes have with others.
func (j *Judged) pairs(all []Pair, both bool) {
	node := map[string]Node{}
	for _, n := range j.Nodes {
		node[n.Name] = n
	}
	for _, p := range all {
		x := p.value(j.Latency)
		a, b := node[p.From], node[p.To]
		if x == 0 || p.together != both || a.Peers < fewestPeers || b.Peers < fewestPeers {
			continue
		}
		expected := min(a.Value, b.Value)
		if j.Latency {
			expected = max(a.Value, b.Value)
		}
		if p.Ratio = x / expected; j.bad(p.Ratio) {
			j.SlowPairs = append(j.SlowPairs, p)
		}
	}
	sorting.StableFunc(j.SlowPairs, func(a, b Pair) int {
		if j.Latency {
			a, b = b, a
		}
		return cmp.Compare(a.Ratio, b.Ratio)
	})
}

// median is the middle of values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return stats.Quantile(sorted, 0.5)
}
