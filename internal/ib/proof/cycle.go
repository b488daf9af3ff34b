package proof

import (
	"math/bits"

	"weft/internal/base/cycles"
	"weft/internal/ib/subnet"
	"weft/units"
)

// Hold is one step of a credit loop: packets wait at this port, on this lane, for credits of the
// next hold.
type Hold struct {
	Port subnet.End `json:"-"` // the sending side
	VL   units.VL   `json:"vl"`
}

// Cycle is a credit loop: each hold waits for the one after it, and the last
// for the first.
type Cycle struct {
	Holds []Hold `json:"-"`
	// Channels is the size of the strongly connected component, in pairs of port and lane.
	Channels int `json:"channels_in_knot"`
	// Shortest says that no shorter loop exists among these channels.
	Shortest bool `json:"shortest"`
}

// graph is the dependency graph for [cycles.Find]. Vertex i*channels+channel is a channel on lane
// used[i].
type graph struct {
	n        *network
	d        *dependencies
	channels int
	used     []int
}

// Len is the number of channels on all lanes in use.
func (g *graph) Len() int { return len(g.used) * g.channels }

// Next is the next channel that packets wait for. A position encodes a lane and a port.
func (g *graph) Next(v int32, at int) (successor int32, next int) {
	lane, c := g.used[int(v)/g.channels], int(v)%g.channels
	to := g.n.to[c]
	width := g.d.words * 64
	for l := at / width; l < len(g.used); l++ {
		plane := g.d.next[lane][g.used[l]]
		if plane == nil {
			at = (l + 1) * width
			continue
		}
		row := plane[c*g.d.words : (c+1)*g.d.words]
		for p := at - l*width; p < width; {
			w := row[p>>6] >> (p & 63)
			if w == 0 {
				p = (p | 63) + 1
				continue
			}
			p += bits.TrailingZeros64(w)
			return int32(l*g.channels + int(to)*g.n.stride + p), l*width + p + 1
		}
		at = (l + 1) * width
	}
	return -1, at
}

// creditLoops is the shortest credit loop of each of the first maxCycles strongly
// connected components, and the number of all such components.
func (d *dependencies) creditLoops(n *network) (loops []Cycle, components int) {
	g := &graph{n: n, d: d, channels: len(n.to), used: d.inUse()}
	found, components := cycles.Find(g, maxCycles, maxSearch)
	for _, x := range found {
		c := Cycle{Channels: x.Component, Shortest: x.Shortest}
		for _, v := range x.Vertices {
			lane, channel := g.used[int(v)/g.channels], v%int32(g.channels)
			c.Holds = append(c.Holds, Hold{n.channelAt(channel), units.VL(lane)})
		}
		loops = append(loops, c)
	}
	return loops, components
}
