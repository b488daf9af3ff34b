package executor

import (
	"slices"

	"weft/internal/sim/fabric"
	"weft/internal/sim/runstore"
	"weft/units"
)

// carriage counts what the streams beside a foreground put on each link, so that a busy
// link is put down to who fills it. A stream's packets are those bound for an end of its
// queue pairs: data, answers and what is sent again.
type carriage struct {
	beside *besideRun
	names  []string      // of the streams, each once
	of     []int         // by stream: its name
	bytes  []units.Bytes // by link and name
}

// count has the streams' bytes on every link counted.
func (b *besideRun) count() {
	c := &carriage{beside: b}
	for i := range b.streams {
		name := b.streams[i].spec.Name
		at := slices.Index(c.names, name)
		if at < 0 {
			at = len(c.names)
			c.names = append(c.names, name)
		}
		c.of = append(c.of, at)
	}
	c.bytes = make([]units.Bytes, b.net.Links()*len(c.names))
	b.carried = c
	b.net.Follow(c)
}

// Sent counts a packet of a stream on a link.
func (c *carriage) Sent(s *fabric.Sighting) {
	if int(s.Dst) >= len(c.beside.at) || int(s.Flow) >= len(c.beside.at[s.Dst]) {
		return
	}
	stream := c.beside.at[s.Dst][s.Flow].stream
	c.bytes[int(s.Link)*len(c.names)+c.of[stream]] += s.Bytes
}

// Landed has nothing to add.
func (*carriage) Landed(*fabric.Sighting) {}

// attribute says of each busy link how much of it is the foreground's, which goes by the
// name job, and how much each stream's. Link control is counted with the foreground.
func (b *besideRun) attribute(hot []runstore.HotLink, links []int32, job string) {
	if b.carried == nil {
		return
	}
	c := b.carried
	for i, link := range links {
		rest := hot[i].Bytes
		var sources []runstore.LinkSource
		for k, name := range c.names {
			if own := int64(c.bytes[int(link)*len(c.names)+k]); own > 0 {
				sources = append(sources, runstore.LinkSource{Name: name, Bytes: own})
				rest -= own
			}
		}
		hot[i].Sources = append([]runstore.LinkSource{{Name: job, Bytes: rest}}, sources...)
	}
}
