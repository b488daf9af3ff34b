package many

import (
	"sync"

	"weft/internal/sim"
)

// Tally adds up the progress of simulations that a study runs by itself, some of them at the same time.
type Tally struct {
	tell func(sim.Progress) // nil: nobody is told

	mu      sync.Mutex   // guards the fields below, and is held during calls of tell
	ended   sim.Progress // sum of the simulations that have ended
	running map[int]sim.Progress
	work    []float64 // by simulation; nil: not estimated
	all     float64   // work of the simulations that are not known
	done    float64
}

// NewTally is for a total number of simulations. It calls tell, which may be nil, never concurrently.
func NewTally(total int, tell func(sim.Progress)) *Tally {
	return &Tally{tell: tell, ended: sim.Progress{Total: total}, running: make(map[int]sim.Progress)}
}

// Weigh gives the estimated work of each simulation, in any unit.
func (t *Tally) Weigh(work func(number int) float64) {
	for i := range t.ended.Total {
		t.work = append(t.work, work(i))
		t.all += t.work[i]
	}
}

// More adds a simulation that turns out to be necessary, with its estimated work, and gives it the next number.
func (t *Tally) More(work float64) (number int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	number = t.ended.Total
	t.ended.Total++
	t.work = append(t.work, work)
	t.all += work
	return number
}

// Of takes the progress of one of the simulations while it runs, on a fabric. It is nil if nobody is told.
func (t *Tally) Of(number int, fabric string) func(sim.Progress) {
	if t.tell == nil {
		return nil
	}
	return func(p sim.Progress) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.running[number] = p
		t.say(fabric)
	}
}

// Share notes the share of a simulation on a fabric that is done, for the share of the work.
func (t *Tally) Share(number int, fabric string, share float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.running[number]
	p.Share = share
	t.running[number] = p
	if t.tell != nil {
		t.say(fabric)
	}
}

// Ended counts a simulation that has ended, or whose result was known.
func (t *Tally) Ended(number int, fabric string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.running[number]
	known = known || p.Total > 0 && p.Known == p.Total
	t.ended.Done++
	if known {
		t.ended.Known++
	}
	if t.work != nil {
		t.weighed(t.work[number], known)
	}
	include(&t.ended, p)
	delete(t.running, number)
	if t.tell != nil {
		t.say(fabric)
	}
}

// weighed counts the work of a simulation that has ended. The caller has locked t.
func (t *Tally) weighed(work float64, known bool) {
	if known {
		t.all -= work
	} else {
		t.done += work
	}
}

// say tells the sum. The caller has locked t.
func (t *Tally) say(fabric string) {
	sum := t.ended
	done := t.done
	for number, p := range t.running {
		include(&sum, p)
		if t.work != nil {
			done += t.work[number] * p.Share
		}
	}
	if t.work != nil && t.all > 0 {
		sum.Share = min(1, done/t.all)
	}
	sum.Fabric = fabric
	t.tell(sum)
}

// include adds what another progress has simulated.
func include(p *sim.Progress, q sim.Progress) {
	p.Simulated += q.Simulated
	p.Events += q.Events
	p.Hops += q.Hops
	p.Skipped.Add(q.Skipped)
}
