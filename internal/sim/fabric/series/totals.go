package series

import (
	"slices"

	"weft/internal/sim/fabric/counts"
)

// Port is the counters of a port of a NIC: now, and as they are shown during the run.
type Port struct {
	Link  int32
	Now   counts.Port
	shown counts.Port
}

// ShowPorts makes the recorder show the counters of ports at the end of each interval.
func (r *Recorder) ShowPorts(ports []*Port) { r.ports = ports }

// show makes the counters of the ports visible to other goroutines. The caller has locked the
// recorder, or the run is over.
func (r *Recorder) show() {
	for _, p := range r.ports {
		p.shown = p.Now
	}
}

// Totals has the counters of several networks with the same topology, added up.
type Totals struct {
	Lanes []Sample               // by link times classes, plus class; the sums of all intervals
	Ports map[int32]*counts.Port // of NICs, by link
}

// Clone is a copy to which more can be added.
func (t *Totals) Clone() Totals {
	own := Totals{Lanes: slices.Clone(t.Lanes), Ports: make(map[int32]*counts.Port, len(t.Ports))}
	for link, c := range t.Ports {
		c := *c
		own.Ports[link] = &c
	}
	return own
}

// AddTo adds what the recorder has counted, without the open interval. It may be called while the
// network runs.
func (r *Recorder) AddTo(t *Totals) {
	if t.Ports == nil {
		t.Ports = make(map[int32]*counts.Port)
	}
	if more := len(r.lanes) - len(t.Lanes); more > 0 {
		t.Lanes = append(t.Lanes, make([]Sample, more)...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.rows.n {
		s := r.rows.row(i)
		t.Lanes[s.Lane].merge(s)
	}
	for _, p := range r.ports {
		if t.Ports[p.Link] == nil {
			t.Ports[p.Link] = new(counts.Port)
		}
		t.Ports[p.Link].Add(&p.shown)
	}
}
