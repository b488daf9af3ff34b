package sweep

import (
	"strings"

	"weft/internal/study/many"
	"weft/internal/study/quantity"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Status is what became of a variant.
type Status string

// The states of a variant.
const (
	OK       Status = "ok"
	Invalid  Status = "invalid"  // no scenario can have these values together
	Failed   Status = "failed"   // the simulation has no result
	Unstable Status = "unstable" // of a serving job: requests come faster than they can be answered
	Missing  Status = "missing"  // not run yet
)

// Row is the outcome of a variant.
type Row struct {
	Status Status    `json:"status"`
	Error  string    `json:"error,omitempty"`
	Fabric string    `json:"fabric,omitempty"` // its name
	Bytes  int64     `json:"size,omitempty"`
	Values []float64 `json:"values,omitempty"` // of every quantity of the kind of job, in their order

	// The circumstances, which differ between equal rows.
	Host        string  `json:"host"`
	WallSeconds float64 `json:"wall_s"`
}

// rowOf is the row of a simulation.
func rowOf(r *scenario.Resolved, outcome *results.Results, err error) *Row {
	row := &Row{Status: OK, Fabric: r.Fabrics[0].Name}
	if len(r.Workload.Sizes) == 1 {
		row.Bytes = int64(r.Workload.Sizes[0])
	}
	p, err := many.PointOf(outcome, err)
	if err != nil {
		row.Status, row.Error = Failed, oneLine(err.Error())
		return row
	}
	row.Values = quantity.Points.Filed(p)
	return row
}

// oneLine is a text without line breaks, for a table.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// workOf is a measure of the work of a simulation, for the estimate of its time: bytes over the network,
// with a minimum for each rank.
func workOf(r *scenario.Resolved) float64 {
	work := 4096.0
	if l := &r.Serving.Load; r.Serving.Given() {
		work += float64(l.Requests) * float64(l.Prompt) // tokens that cross the network
	}
	for _, size := range r.Workload.Sizes {
		work += float64(size)
	}
	for _, f := range r.Workload.Flows {
		work += float64(f.Bytes)
	}
	return work * float64(max(1, r.Cluster.Ranks())) * float64(max(1, units.Time(r.Run.Iterations+r.Run.Warmup)))
}
