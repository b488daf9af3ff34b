package randomtest

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"weft/internal/sim/run/control"
	"weft/internal/sim/run/executor"
	"weft/scenario"
)

// Scenario is a scenario that was drawn.
type Scenario struct {
	Seed     uint64             // the number that it was drawn from
	Calm     bool               // its run draws nothing at random
	Steady   bool               // and nothing in it keeps periods from being skipped
	Text     string             // the file
	Resolved *scenario.Resolved // what it resolves to
}

// calmEvery is the distance of the numbers of calm scenarios, of which every second one is steady.
const calmEvery = 3

// mostDraws bounds the draws for one scenario: about every tenth is refused by the planner of its
// fabric.
const mostDraws = 100

// New is the scenario of a number. It is always the same for one version of this package.
func New(seed uint64) *Scenario {
	for again := range uint64(mostDraws) {
		d := &draw{Rand: rand.New(rand.NewPCG(seed, again)), calm: seed%calmEvery == 0, steady: seed%(2*calmEvery) == calmEvery}
		if d.scenario(seed) {
			return &Scenario{Seed: seed, Calm: d.calm, Steady: d.steady, Text: d.text(), Resolved: d.resolved}
		}
	}
	panic(fmt.Sprintf("randomtest: no scenario for %d in %d draws", seed, mostDraws))
}

// scenario draws all parts, and reports whether the fabric can be built and routed.
func (d *draw) scenario(seed uint64) bool {
	d.sheet = d.with("name", fmt.Sprintf("random %d", seed), "run.seed", strconv.FormatUint(seed, 10))
	if !d.machines() {
		return false
	}
	d.scaleUp()
	d.cabling()
	d.workload()
	d.fields()
	d.engine()
	d.congestionControl()
	if !d.steady {
		d.beside()
	}
	d.lanes()
	d.slow()
	if !d.steady {
		d.faults()
	}
	d.order()
	return d.planned()
}

// planned reports whether the control plane brings the fabric up.
func (d *draw) planned() bool {
	p, err := control.NewPlan(d.resolved, d.fabric())
	return err == nil && executor.AllocateForAll(p, d.resolved) == nil
}
