package sim

import (
	"sync"

	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/units"
)

// allotment shares the cores among the simulations. As long as there are enough of them, they run
// side by side, one core each, because partitions cost a tenth of the time. A simulation is
// partitioned if it has several cores from the beginning, or if it is the last to begin and moves
// more than the simulations that run beside it: it will be left alone, and uses their cores when
// they are done.
type allotment struct {
	mu      sync.Mutex
	most    int // partitions
	each    int // cores of a simulation when it begins
	waiting int // simulations that have not begun
	running map[*job]units.Bytes
	spare   engine.Spare
}

func newAllotment(jobs, cores int) *allotment {
	a := &allotment{
		most: min(fabric.MaxPartitions, cores), each: min(fabric.MaxPartitions, max(1, cores/max(1, jobs))),
		waiting: jobs, running: make(map[*job]units.Bytes),
	}
	a.spare.Give(cores - a.each*min(jobs, cores))
	return a
}

// begin gives a simulation its share.
func (a *allotment) begin(j *job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j.Cores, j.Parts, j.Spare = a.each, a.each, &a.spare
	a.waiting--
	if a.waiting == 0 && a.outlasts(j) {
		j.Parts = a.most
	}
	a.running[j] = j.Bytes
}

// outlasts reports whether a simulation moves more than each that runs.
func (a *allotment) outlasts(j *job) bool {
	for _, bytes := range a.running {
		if bytes >= j.Bytes {
			return false
		}
	}
	return true
}

// end releases a simulation's share. A waiting simulation gets its core; if none waits, the core is
// spare.
func (a *allotment) end(j *job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.running, j)
	if a.waiting == 0 {
		a.spare.Give(a.each)
	}
}
