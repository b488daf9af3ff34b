package tune

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/study/many"
	"weft/scenario"
	"weft/units"
)

// Problem is a scenario with its parameters to tune.
type Problem struct {
	Stands *scenario.Resolved // the scenario as it stands, all fabrics
	Fabric int                // the tuned fabric
	Axes   []scenario.Axis

	file      *scenario.File
	overrides []scenario.Override
	plan      plan
	limit     units.Time // of simulated time, once the time of the scenario as it stands is known
}

// Candidate is a value of each axis; nil is the scenario as it stands.
type Candidate []string

// separator stands before each value in a key.
const separator = "\x00"

// key identifies a candidate.
func (c Candidate) key() (key string) {
	for _, value := range c {
		key += separator + value
	}
	return key
}

// candidateOf is the candidate of a key.
func candidateOf(key string) Candidate { return strings.Split(key, separator)[1:] }

// New is the problem of a scenario's tune section, under overrides.
func New(file *scenario.File, overrides ...scenario.Override) (*Problem, error) {
	r, err := file.Resolve(overrides...)
	if err != nil {
		return nil, err
	}
	if len(r.Tune.Parameters) == 0 {
		return nil, fmt.Errorf("%s has no parameters to tune: add a section tune: {parameters: [{path: fabrics[0].ethernet.ecn.kmin, from: 50KB, to: 5MB}]}, or --param 'fabrics[0].ethernet.ecn.kmin=50KB..5MB'", file.Name)
	}
	p := &Problem{Stands: r, Fabric: r.TunedFabric(), Axes: scenario.Axes(r), file: file, overrides: overrides, limit: r.Run.Limit.SimulatedTime}
	if p.plan, err = planOf(&r.Tune, p.Axes); err != nil {
		return nil, err
	}
	return p, nil
}

// seeds are the seeds of the search, and the held-out ones.
func (p *Problem) seeds() (search, heldOut []uint64) {
	for i := range p.Stands.Tune.Seeds {
		search = append(search, p.Stands.Run.Seed+uint64(i))
	}
	for i := range p.Stands.Tune.HeldOut {
		heldOut = append(heldOut, p.Stands.Run.Seed+uint64(len(search)+i))
	}
	return search, heldOut
}

// Resolve is the scenario of a candidate and a seed, with only the tuned fabric, cabled as among
// all fabrics.
func (p *Problem) Resolve(c Candidate, seed uint64) (*scenario.Resolved, error) {
	r, err := p.file.Resolve(slices.Concat(p.overrides, many.Changes(p.Axes, c, seed))...)
	if err != nil {
		return nil, err
	}
	r.Fabrics = r.Fabrics[p.Fabric : p.Fabric+1]
	r.Tune = scenario.Tune{}
	return r, nil
}

// invalid is the reason why the candidate's values are impossible, "" if they are possible.
func (p *Problem) invalid(c Candidate) string {
	if _, err := p.Resolve(c, p.Stands.Run.Seed); err != nil {
		return err.Error()
	}
	return ""
}
