package serving

import (
	"weft/internal/sim/engine"
	"weft/units"
)

// Alone runs a job on a network that takes no time: what is left of a layer's transfer is the time of
// the library, layerTime, of one layer after the other. stop, if not nil, ends the run early when it
// reports true. It returns the scheduler with its records.
func Alone(j *Job, requests []Request, layerTime units.Time, stop func() bool) *Scheduler {
	w := newAlone(j, layerTime)
	s := NewScheduler(j, w, requests)
	s.Begin()
	for n := 0; len(w.due) > 0; n++ {
		if n%(1<<16) == 0 && stop != nil && stop() {
			break
		}
		e := w.due.Pop()
		w.now = e.at
		if e.shipment {
			s.Delivered(int(e.tag))
		} else {
			s.Timer(e.tag)
		}
	}
	return s
}

// alone is a world without a network.
type alone struct {
	job       *Job
	stages    [2][][]units.Time // when a stage of an instance is free, by pool
	layerTime units.Time
	now       units.Time
	due       engine.Heap[event, *event]
	order     uint64
	shipments uint64
}

func newAlone(j *Job, layerTime units.Time) *alone {
	w := &alone{job: j, layerTime: layerTime}
	for i, p := range []*Pool{&j.Prefill, &j.Decode} {
		w.stages[i] = make([][]units.Time, p.Instances)
		for k := range w.stages[i] {
			w.stages[i][k] = make([]units.Time, p.Stages)
		}
	}
	return w
}

// event is a call of the scheduler.
type event struct {
	at       units.Time
	order    uint64
	tag      uint64
	shipment bool
}

// Before orders by time, then by the order of asking.
func (e *event) Before(o *event) bool { return e.at < o.at || e.at == o.at && e.order < o.order }

func (w *alone) push(at units.Time, tag uint64, shipment bool) {
	w.due.Push(event{max(at, w.now+1), w.order, tag, shipment})
	w.order++
}

// Now implements World.
func (w *alone) Now() units.Time { return w.now }

// At implements World.
func (w *alone) At(at units.Time, tag uint64) { w.push(at, tag, false) }

// Iterate implements World.
func (w *alone) Iterate(k *Iteration, over, free uint64) {
	pool, p := inPrefill, &w.job.Prefill
	if k.Decode {
		pool, p = inDecode, &w.job.Decode
	}
	stages, at := w.stages[pool][k.Instance], w.now
	for i := range stages {
		if i > 0 && p.Between != nil {
			at += p.Between(k.Groups)
		}
		at = max(at, stages[i]) + k.Stage(i, len(stages))
		stages[i] = at
		if i == 0 && len(stages) > 1 {
			w.push(at, free, false)
		}
	}
	w.push(at, over, false)
}

// Ship implements World: the layers of each lane leave one after the other.
func (w *alone) Ship(s Shipment) {
	last, lanes := w.now, max(1, w.job.Lanes)
	for lane := range lanes {
		at := w.now
		for layer := lane * w.job.Layers / lanes; layer < (lane+1)*w.job.Layers/lanes; layer++ {
			at = max(at, s.At+units.Time(layer+1)*s.Each) + w.layerTime
		}
		last = max(last, at)
	}
	w.push(last, w.shipments, true)
	w.shipments++
}
