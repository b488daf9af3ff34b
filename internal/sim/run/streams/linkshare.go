package streams

import (
	"slices"

	"weft/internal/sim/fabric"
	"weft/results"
	"weft/units"
)

// linkBytes counts the bytes of streams on each link, to divide the load of a busy link. Packets
// bound for an end of a stream's queue pairs are the stream's: data, answers and retransmissions.
type linkBytes struct {
	streams *Streams
	names   []string      // names of the streams, each once
	of      []int         // by stream: index of its name
	bytes   []units.Bytes // by link and name
}

// countLinkBytes starts the counting of the streams' bytes on every link.
func (b *Streams) countLinkBytes() {
	c := &linkBytes{streams: b}
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
func (c *linkBytes) Sent(s *fabric.Sighting) {
	if int(s.Dst) >= len(c.streams.at) || int(s.Flow) >= len(c.streams.at[s.Dst]) {
		return
	}
	stream := c.streams.at[s.Dst][s.Flow].stream
	c.bytes[int(s.Link)*len(c.names)+c.of[stream]] += s.Bytes
}

// Landed does nothing.
func (*linkBytes) Landed(*fabric.Sighting) {}

// divide divides the load of each busy link into the application's, with the name job, and each
// stream's. Link control counts with the application.
func (b *Streams) divide(hot []results.HotLink, links []int32, job string) {
	if b.carried == nil {
		return
	}
	c := b.carried
	for i, link := range links {
		rest := hot[i].Bytes
		var sources []results.LinkSource
		for k, name := range c.names {
			if own := int64(c.bytes[int(link)*len(c.names)+k]); own > 0 {
				sources = append(sources, results.LinkSource{Name: name, Bytes: own})
				rest -= own
			}
		}
		hot[i].Sources = append([]results.LinkSource{{Name: job, Bytes: rest}}, sources...)
	}
}
