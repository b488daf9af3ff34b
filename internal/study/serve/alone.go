package serve

import (
	"slices"

	"weft/internal/sim/run/transfer"
	"weft/units"
)

// A lane whose packets share no link with another lane's does the same in every layer. Once it has
// taken the same time for three layers, it rests: the next layers are not simulated, and their bytes
// are counted. It ends its rest before the next time at which the scheduler may begin something, so a
// rest changes no time.

// rests are the rests of a courier's lanes.
type rests struct {
	quiet   func() units.Time // until when nothing new begins on the fabric
	users   map[int32]int     // lanes by link
	unknown int               // lanes whose links are not known
	resting []int             // lanes
	layers  int               // not simulated so far
}

// alone is what is known of a lane for its rests.
type alone struct {
	layer transfer.Traffic // of a layer
	known bool             // which links it uses
	began units.Time
	took  units.Time // by the last layer
	same  int        // layers that took as long as the one before
	sent  []int64    // by link: its bytes before these layers
	until units.Time // the end of the rest
	skips int        // layers of the rest; 0: the lane does not rest
}

const (
	sameLayers = 2 // after so many a lane rests
	leastRest  = 2 // layers
)

// enter notes the links of a new lane.
func (r *rests) enter(c *courier, number int) {
	if r == nil {
		return
	}
	l := &c.lanes[number]
	a := &l.alone
	a.known = true
	c.messages(l, func(m *transfer.Message) {
		links, known := c.board.Links(m)
		a.layer.Links, a.known = append(a.layer.Links, links...), a.known && known
		c.board.Add(&a.layer, m)
	})
	slices.Sort(a.layer.Links)
	a.layer.Links = slices.Compact(a.layer.Links)
	if !a.known {
		r.unknown++
	}
	for _, link := range a.layer.Links {
		r.users[link]++
	}
	a.sent, a.layer.Bytes = make([]int64, len(a.layer.Links)), make([]int64, len(a.layer.Links))
}

// leave forgets a lane that has ended.
func (r *rests) leave(l *lane) {
	if r == nil {
		return
	}
	if !l.alone.known {
		r.unknown--
	}
	for _, link := range l.alone.layer.Links {
		r.users[link]--
	}
}

// isAlone reports whether a lane shares no link.
func (r *rests) isAlone(a *alone) bool {
	shared := func(link int32) bool { return r.users[link] > 1 }
	return r.unknown == 0 && !slices.ContainsFunc(a.layer.Links, shared)
}

// begin begins a rest of a lane between two layers; false if the lane goes on.
func (r *rests) begin(c *courier, number int) bool {
	if r == nil {
		return false
	}
	l, now := &c.lanes[number], c.board.Now()
	a := &l.alone
	r.note(c, a, now)
	k := &c.sent[l.consignment]
	computed := k.at + units.Time(c.way.cache.Layers)*k.each
	if a.same < sameLayers || computed > now || !c.isUndisturbed(l) {
		return false
	}
	n := min(units.Time(l.end-l.layer-1), (r.quiet()-now-1)/a.took)
	if n < leastRest {
		return false
	}
	for i, link := range a.layer.Links { // the number of acknowledgements in a layer varies by one
		a.layer.Bytes[i] = (c.board.LinkBytes(link) - a.sent[i]) / int64(a.same)
	}
	a.skips, a.until = int(n), now+n*a.took
	r.resting = append(r.resting, number)
	c.board.At(a.until, tagOf(tagRest, number))
	return true
}

// isUndisturbed reports whether nothing that happened before has an effect on a lane.
func (c *courier) isUndisturbed(l *lane) bool {
	is := c.board.IsCalm()
	c.messages(l, func(m *transfer.Message) { is = is && c.board.IsSettled(m) })
	return is
}

// note compares the time of the layer that has ended with that of the one before.
func (r *rests) note(c *courier, a *alone, now units.Time) {
	took := now - a.began
	a.began = now
	if took == a.took && r.isAlone(a) {
		a.same++
		return
	}
	a.took, a.same = took, 0
	for i, link := range a.layer.Links {
		a.sent[i] = c.board.LinkBytes(link)
	}
}

// bound ends rests before a time at which something new may begin. The layer under way is not divided.
func (r *rests) bound(c *courier, at units.Time) {
	if r == nil {
		return
	}
	now := c.board.Now()
	r.resting = slices.DeleteFunc(r.resting, func(number int) bool {
		a := &c.lanes[number].alone
		if a.until < at {
			return false
		}
		from := a.until - units.Time(a.skips)*a.took
		n := max((now-from+a.took-1)/a.took, (at-1-from)/a.took)
		if n == 0 { // it has just begun
			c.board.At(now+c.way.kv.LayerTime, tagOf(tagLane, number))
			return true
		}
		a.skips, a.until = int(n), from+n*a.took
		c.board.At(a.until, tagOf(tagRest, number))
		return false
	})
}

// end ends the rest of a lane, if it is not over since.
func (r *rests) end(c *courier, number int) {
	l, now := &c.lanes[number], c.board.Now()
	a := &l.alone
	i := slices.Index(r.resting, number)
	if i < 0 || now < a.until {
		return
	}
	r.resting = slices.Delete(r.resting, i, i+1)
	c.board.Repeat(&a.layer, int64(a.skips))
	a.same += a.skips
	l.layer += a.skips
	r.layers += a.skips
	a.skips, a.began = 0, now
	c.board.At(now+c.way.kv.LayerTime, tagOf(tagLane, number))
}
