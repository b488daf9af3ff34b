package scenario

import "weft/units"

// PortRate is the rate of a port of the cluster's NICs: in a fabric of a file that of most of their cables, else the
// link's.
func (f *Fabric) PortRate(c *Cluster) units.Rate {
	usual, of := f.Link.Rate(), map[units.Rate]int{}
	for i := range f.Topology.Links {
		l := &f.Topology.Links[i]
		if min(l.Ends[0], l.Ends[1]) >= c.Endpoints() {
			continue
		}
		rate := l.Rate
		if rate == 0 {
			rate = f.Link.Rate()
		}
		of[rate] += max(1, l.Count)
		if of[rate] > of[usual] || of[rate] == of[usual] && rate > usual {
			usual = rate
		}
	}
	return usual
}
