package sweep

import (
	"slices"

	"weft/internal/base/stats"
	"weft/scenario"
	"weft/units"
)

// Past is a simulation that was run: its work, and the seconds that it took one core.
type Past struct{ work, seconds float64 }

// PastOf is a run of a scenario as it was timed.
func PastOf(r *scenario.Resolved, coreSeconds float64) Past {
	return Past{workOf(r) * float64(max(1, len(r.Fabrics))), coreSeconds}
}

// Estimate is what the variants that are missing are expected to need.
type Estimate struct {
	Variants int `json:"variants"`
	Missing  int `json:"missing"`
	// CoreSeconds is the time of one core for all that are missing; 0 if no similar run is known.
	CoreSeconds float64 `json:"core_seconds,omitempty"`
	// LeastSeconds and MostSeconds are the same if each took as long as the fastest and the slowest of the similar
	// runs for its work.
	LeastSeconds float64 `json:"least_core_seconds,omitempty"`
	MostSeconds  float64 `json:"most_core_seconds,omitempty"`
	// Memory is the most that one simulation needs by its estimate, and Invalid the variants that cannot be
	// simulated, among the Looked ones.
	Memory  units.Bytes `json:"memory_bytes"`
	Looked  int         `json:"looked_at"`
	Invalid int         `json:"invalid"`
	// Past is the number of similar runs.
	Past int `json:"similar_runs"`
}

// looksAt bounds the variants that an estimate resolves, and the past runs that it reads.
const looksAt = 200

// Past are simulations that the folder has rows of.
func (t *Table) Past() (out []Past, err error) {
	file := t.Space.file.Copy()
	drawn := Sample(t.Counts[OK], looksAt)
	for line, err := range t.Lines() {
		if err != nil {
			return nil, err
		}
		if line.Status != OK || !drawn() {
			continue
		}
		if r, err := t.Space.Resolve(file, &line.Variant); err == nil {
			out = append(out, PastOf(r, line.WallSeconds))
		}
	}
	return out, nil
}

// Estimate looks at some of the missing variants, drawn at random, and takes their time from past runs.
func (t *Table) Estimate(past []Past) (*Estimate, error) {
	missing, err := t.Missing()
	if err != nil {
		return nil, err
	}
	e := &Estimate{Variants: t.Space.Len(), Missing: len(missing), Past: len(past)}
	file := t.Space.file.Copy()
	work := 0.0
	drawn := Sample(len(missing), looksAt)
	for _, i := range missing {
		if !drawn() {
			continue
		}
		v := t.Space.Variant(i)
		e.Looked++
		r, err := t.Space.Resolve(file, &v)
		if err != nil {
			e.Invalid++
			continue
		}
		work += workOf(r)
		e.Memory = max(e.Memory, r.Estimate().Memory)
	}
	if len(past) == 0 || e.Looked == 0 {
		return e, nil
	}
	var rates []float64
	for _, p := range past {
		rates = append(rates, p.seconds/p.work)
	}
	slices.Sort(rates)
	work *= float64(len(missing)) / float64(e.Looked)
	e.CoreSeconds, e.LeastSeconds, e.MostSeconds = work*stats.Quantile(rates, 0.5), work*rates[0], work*rates[len(rates)-1]
	return e, nil
}
