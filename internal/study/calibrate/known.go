package calibrate

import (
	"cmp"
	"math"
	"sync"

	"weft/internal/sim/scenario"
	"weft/internal/study/measured"
)

// healthyTable is the errors of one operation on a healthy cluster: at each size the ratio of the
// measured time to the predicted one.
type healthyTable struct {
	cluster      string
	architecture scenario.Architecture
	op           scenario.Collective
	sizes        []int64
	ratios       []float64
}

// healthyTables are the rows of package measured that are scored, with weft's times by figures that
// were fitted without the cluster: they show the error on another cluster.
var healthyTables = sync.OnceValue(func() (out []healthyTable) {
	clusters := measured.Clusters()
	for i := range clusters {
		c := &clusters[i]
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
				out = append(out, healthyTable{cluster: c.ID, architecture: c.Architecture, op: r.Op})
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
	otherKind = .3   // weight of a table of another architecture, or of another operation
	unseen    = .15  // error of ln(measured / predicted) that a further table could show
	doubt     = .25  // weight of the prior that weft has no bias
)

// knownError is the known error for healthy clusters of that kind, as ln(measured / predicted): its
// mean, and the spread between tables and between the sizes of a table. One cluster can be left out.
func knownError(architecture scenario.Architecture, op scenario.Collective, bytes int64, without string) (bias, spread float64) {
	var means, within, weights []float64
	tables := healthyTables()
	for i := range tables {
		t := &tables[i]
		if t.cluster == without {
			continue
		}
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
