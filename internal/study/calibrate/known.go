package calibrate

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"weft/internal/sim/catalog"
	"weft/internal/study/measured"
	"weft/scenario"
)

// stack is the software that moves a collective's data, and its way between nodes. weft's errors on
// one stack say little about those on another.
type stack struct {
	rccl bool // RCCL, on AMD's GPUs; else NCCL
	// network is empty inside a node, verbs on InfiniBand and RoCE v2 (NCCL's net_ib), or the name of
	// another protocol.
	network scenario.FabricKind
}

const verbs scenario.FabricKind = "verbs"

func stackOf(gpu scenario.Architecture, nodes int, kind scenario.FabricKind) stack {
	s := stack{rccl: gpu == scenario.CDNA3}
	switch {
	case nodes == 1:
	case kind == scenario.InfiniBandKind || kind == scenario.RoCEv2Kind:
		s.network = verbs
	default:
		s.network = kind
	}
	return s
}

// healthyTable is the errors of one operation on a healthy cluster: at each size the ratio of the
// measured time to the predicted one.
type healthyTable struct {
	cluster      string
	stack        stack
	architecture scenario.Architecture
	op           scenario.Collective
	sizes        []int64
	ratios       []float64
}

// notHealthy are the clusters of package measured that are scored, and of which the source or figures
// beside the table say that they fall short, or not that they do not. weft's error on them is not
// that on a healthy cluster.
var notHealthy = []string{
	"A11", "A12", // others of their kind have twice the bandwidth
	"T1-default", // ib_write_bw has 40 to 45 of 50 GB/s
	"T1-tuned",   // what was tuned is not known
}

// healthyTables are the rows of package measured that are scored, with weft's times by figures that
// were fitted without the cluster: they show the error on another cluster.
var healthyTables = sync.OnceValue(func() (out []healthyTable) {
	clusters := measured.Clusters()
	for i := range clusters {
		c := &clusters[i]
		if slices.Contains(notHealthy, c.ID) {
			continue
		}
		tables := make(map[scenario.Collective]int)
		for j := range c.Rows {
			r := &c.Rows[j]
			if ok, _ := c.Scores(r); !ok || r.Predicted == 0 {
				continue
			}
			at, ok := tables[r.Op]
			if !ok {
				at = len(out)
				tables[r.Op] = at
				preset, _ := catalog.Lookup(catalog.Fabric, c.Fabric)
				kind, _ := preset.Get("kind")
				out = append(out, healthyTable{cluster: c.ID, stack: stackOf(c.Architecture, c.Nodes, scenario.FabricKind(kind.Value)), architecture: c.Architecture, op: r.Op})
			}
			t := &out[at]
			t.sizes, t.ratios = append(t.sizes, r.Bytes), append(t.ratios, float64(r.Time)/float64(cmp.Or(r.Without, r.Predicted)))
		}
	}
	return out
})

// The weights of a table for a size of another cluster: assumptions.
const (
	reach     = 2.08 // ln of the factor of sizes over which an error varies: 8
	isNear    = .5   // proximity of a size at which a table is evidence: within a factor of 11
	otherKind = .3   // weight of a table of another architecture, or of another operation
	unseen    = .15  // error of ln(measured / predicted) that a further table could show
	doubt     = .25  // weight of the prior that weft has no bias
)

// evidence are the tables for a size on a stack, without one cluster: of the first of three groups
// that has a size near it. The groups are the stack's own tables, those of the same place (inside
// a node, or between nodes), and all.
func evidence(of stack, bytes int64, without string) []*healthyTable {
	tables := healthyTables()
	for _, belongs := range []func(s stack) bool{
		func(s stack) bool { return s == of },
		func(s stack) bool { return (s.network == "") == (of.network == "") },
		func(stack) bool { return true },
	} {
		var out []*healthyTable
		found := false
		for i := range tables {
			if t := &tables[i]; t.cluster != without && belongs(t.stack) {
				_, _, near := t.at(bytes)
				out, found = append(out, t), found || near >= isNear
			}
		}
		if found {
			return out
		}
	}
	return nil
}

// knownError is the known error for healthy clusters of that kind, as ln(measured / predicted): its
// mean, and the spread between tables and between the sizes of a table. One cluster can be left out.
func knownError(of stack, architecture scenario.Architecture, op scenario.Collective, bytes int64, without string) (bias, spread float64) {
	var means, within, weights []float64
	for _, t := range evidence(of, bytes, without) {
		mean, scatter, near := t.at(bytes)
		if t.architecture != architecture {
			near *= otherKind
		}
		if t.op != op {
			near *= otherKind
		}
		means, within, weights = append(means, mean), append(within, scatter), append(weights, near)
	}
	sum, all := 0., doubt
	for i, w := range weights {
		sum, all = sum+w*means[i], all+w
	}
	bias = sum / all
	squares, n := unseen*unseen, 1.
	for i, w := range weights {
		squares, n = squares+w*((means[i]-bias)*(means[i]-bias)+within[i]), n+w
	}
	return bias, math.Sqrt(squares / n)
}

// worstError is the largest ln(measured / predicted) of a healthy cluster in the range of sizes of a message, and the
// cluster; one can be left out. Small messages are ruled by what NCCL, its plug-ins and its tuner choose, so tables of every
// network between nodes count: of one GPU, network, release and operation there are few. Longer ones are ruled by the
// network, and only tables of the same network count.
func worstError(of stack, bytes int64, without string) (worst float64, cluster string) {
	tables := healthyTables()
	for i := range tables {
		t := &tables[i]
		if t.cluster == without || (t.stack.network == "") != (of.network == "") || of.network != t.stack.network && measured.RangeOf(bytes) != measured.Small {
			continue
		}
		for j, size := range t.sizes {
			if off := math.Log(t.ratios[j]); off > worst && measured.RangeOf(size) == measured.RangeOf(bytes) {
				worst, cluster = off, t.cluster
			}
		}
	}
	return worst, cluster
}

// at is a table's error near a size, the mean square about it, and the proximity of its sizes: 1 at
// one of them.
func (t *healthyTable) at(bytes int64) (mean, scatter, near float64) {
	sum, squares, all := 0., 0., 0.
	for i, size := range t.sizes {
		apart := math.Log(float64(bytes)/float64(size)) / reach
		w, off := math.Exp(-apart*apart/2), math.Log(t.ratios[i])
		sum, squares, all, near = sum+w*off, squares+w*off*off, all+w, max(near, w)
	}
	if all == 0 {
		return 0, 0, 0
	}
	mean = sum / all
	return mean, max(0, squares/all-mean*mean), near
}
