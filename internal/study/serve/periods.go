package serve

import (
	"maps"
	"math"
	"slices"

	"weft/internal/sim/run/transfer"
	"weft/internal/sim/state"
	"weft/scenario"
	"weft/units"
)

// The layers of a consignment are alike, so its transfer comes back to the same state, a layer on. Nothing else of the
// program is compared in detail: a state is another one after anything that the scheduler did or heard of.

// layersOf is the group of the layers of a GPU's lane.
func layersOf(lane int) state.Group { return 3<<60 | state.Group(lane) }

// lanesOf is the lanes of a consignment on its way.
func (c *courier) lanesOf(number int) (first, end int) {
	first = c.sent[number].first
	return first, first + c.way.posting().Tensor*c.way.posting().Pipeline
}

// beat tells the board when the first lane of the oldest consignment posts a layer.
func (c *courier) beat(lane int) {
	if lane == c.sent[c.going[0]].first {
		c.board.Beat()
	}
}

// WalkState implements transfer.Repeating.
func (c *courier) WalkState(w *state.Walk) {
	w.Part("consignments")
	w.Word(c.turn)
	w.Word(uint64(len(c.going)))
	for _, number := range c.going {
		k := &c.sent[number]
		w.Word(uint64(number))
		w.Word(uint64(k.left))
		first, end := c.lanesOf(number)
		for lane := first; lane < end; lane++ {
			l := &c.lanes[lane]
			computed, layer := k.at+units.Time(l.layer+1)*k.each, uint64(l.layer)
			if k.each == 0 {
				w.Until(&computed)
			} else {
				w.Time(&computed)
			}
			w.Word(uint64(l.open))
			w.Until(&l.until)
			w.Moved(layersOf(lane), &layer)
			l.layer = int(layer)
		}
	}
	w.Part("messages of lanes")
	for _, message := range slices.Sorted(maps.Keys(c.lane)) {
		w.Word(uint64(message))
		w.Word(uint64(c.lane[message]))
	}
	for i := range c.busy {
		w.Until(&c.busy[i])
	}
}

// FurtherPeriods implements transfer.Repeating: until a lane ends, or its layers are in another stage of a pool.
func (c *courier) FurtherPeriods(w *state.Walk) uint64 {
	times := math.MaxInt
	for _, number := range c.going {
		first, end := c.lanesOf(number)
		for lane := first; lane < end; lane++ {
			l := &c.lanes[lane]
			by := int(w.MovedBy(layersOf(lane)))
			if by == 0 {
				continue
			}
			for _, p := range []*scenario.Pool{c.way.prefill, c.way.decode} {
				begins, ends := c.way.layersLike(p, l.layer)
				if l.layer-by < begins {
					return 0
				}
				times = min(times, (ends-1-l.layer)/by)
			}
		}
	}
	if times == math.MaxInt {
		return 0 // nothing moves
	}
	return uint64(max(0, times))
}

// layersLike are the layers in the stage of a pool that has a layer: from the first to before the end.
func (w *way) layersLike(p *scenario.Pool, layer int) (first, end int) {
	stage := ((layer+1)*p.Pipeline - 1) / w.cache.Layers
	return stage * w.cache.Layers / p.Pipeline, (stage + 1) * w.cache.Layers / p.Pipeline
}

// anew says that the program's state will not come back.
func (c *courier) anew() {
	c.turn++
	c.board.Anew()
}

// Beats implements transfer.Repeating.
func (f *floor) Beats() int64 { return int64(f.consignments * f.way.cache.Layers) }

// Beats implements transfer.Repeating.
func (m *mover) Beats() int64 { return int64(m.requests * m.way.cache.Layers) }

var (
	_ transfer.Repeating = (*floor)(nil)
	_ transfer.Repeating = (*mover)(nil)
)
