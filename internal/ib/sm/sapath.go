package sm

import (
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// pathRecords answers with paths between end ports.
type pathRecords struct {
	*access
	level func(mad.PKey) units.SL // of a partition's paths, unless routing chooses them; nil: 0
}

// answer answers with the paths from a port to others, or between all ports. Components that are
// equal for all of weft's paths are ignored.
func (x *pathRecords) answer(q *query) {
	var want mad.PathRecord
	_ = mad.Parse(q.data, &want)
	x.eachEndPort(func(from subnet.End, src *subnet.Port) bool {
		if !x.shows(q, from) || !wants(q, mad.PathSGID, want.SGID, mad.GID{Prefix: mad.DefaultPrefix, GUID: src.GUID}) ||
			!wants(q, mad.PathSLID, x.base(want.SLID), src.LID) {
			return true
		}
		goOn := true
		x.eachEndPort(func(to subnet.End, dst *subnet.Port) bool {
			if !x.shows(q, to) || !wants(q, mad.PathDGID, want.DGID, mad.GID{Prefix: mad.DefaultPrefix, GUID: dst.GUID}) ||
				!wants(q, mad.PathDLID, x.base(want.DLID), dst.LID) {
				return true
			}
			r, reachable := x.path(from, to, q, &want)
			if reachable && fits(q, &want, &r) {
				goOn = q.add(&r)
			}
			return goOn
		})
		return goOn
	})
}

// path follows the tables from one end port to another.
func (x *pathRecords) path(from, to subnet.End, q *query, want *mad.PathRecord) (mad.PathRecord, bool) {
	src, dst := x.sub.Port(from), x.sub.Port(to)
	r := mad.PathRecord{
		SGID: mad.GID{Prefix: mad.DefaultPrefix, GUID: src.GUID}, DGID: mad.GID{Prefix: mad.DefaultPrefix, GUID: dst.GUID},
		SLID: src.LID, DLID: dst.LID, Reversible: true,
		MTUSelector: mad.Exactly, RateSelector: mad.Exactly, LifetimeSelector: mad.Exactly,
	}
	if q.mask&mad.PathSLID != 0 {
		r.SLID = want.SLID
	}
	if q.mask&mad.PathDLID != 0 {
		r.DLID = want.DLID
	}
	key, shared := x.partitions.shared(from, to)
	if !shared {
		return r, false
	}
	r.PKey = key
	if x.tables.SL != nil {
		r.SL = x.tables.SL(r.SLID, r.DLID)
	} else if x.level != nil {
		r.SL = x.level(key)
	}
	slowest, ok := x.follow(from, to, r.DLID, &r.MTU)
	r.Rate = rateCode(slowest)
	if from != to {
		r.Lifetime = lifetime
	}
	return r, ok
}

// follow walks along the tables, and returns the slowest link and the least MTU.
func (x *pathRecords) follow(from, to subnet.End, lid units.LID, mtu *uint8) (subnet.Link, bool) {
	info := &x.behind[from.Node].ports[from.Port].info
	*mtu = info.MTUCap
	slowest := linkOf(info)
	at := from
	for range len(x.sub.Nodes) + 1 {
		if at == to || (at.Node == to.Node && x.sub.Nodes[at.Node].Kind == subnet.Switch && to.Port == 0) {
			return slowest, true
		}
		out := at
		if dense := x.tables.Dense[at.Node]; dense >= 0 {
			if int(lid) >= len(x.tables.LFT[dense]) {
				return slowest, false
			}
			out.Port = uint16(x.tables.LFT[dense][lid])
		} else if at != from {
			return slowest, false // adapters do not forward
		}
		if int(out.Port) >= len(x.sub.Nodes[out.Node].Ports) || !x.sub.Peer(out).Exists() {
			return slowest, false
		}
		link := x.sub.Port(out).Link
		if at == from || link.Rate() < slowest.Rate() {
			slowest = link
		}
		*mtu = min(*mtu, x.behind[out.Node].ports[out.Port].info.NeighborMTU)
		at = x.sub.Peer(out)
	}
	return slowest, false
}

// fits reports whether a path meets a query's P_Key, SL, MTU and rate.
func fits(q *query, want, r *mad.PathRecord) bool {
	if !wants(q, mad.PathPKey, want.PKey&0x7FFF, r.PKey&0x7FFF) || !wants(q, mad.PathSL, want.SL, r.SL) {
		return false
	}
	if q.mask&mad.PathMTU != 0 && !want.MTUSelector.Admits(int64(r.MTU), int64(want.MTU), q.mask&mad.PathMTUSel != 0) {
		return false
	}
	return q.mask&mad.PathRate == 0 || want.RateSelector.Admits(rateOf(r.Rate), rateOf(want.Rate), q.mask&mad.PathRateSel != 0)
}

// rates is the codes of link rates by speed, for widths of 1, 2, 4, 8 and 12 lanes (IBA vol. 1,
// 15.2.5.16, PathRecord.Rate); 0 stands for none.
var rates = map[subnet.Speed][5]uint8{
	subnet.SDR:   {2, 5, 3, 6, 4},
	subnet.DDR:   {5, 3, 6, 7, 8},
	subnet.QDR:   {3, 6, 7, 9, 10},
	subnet.FDR10: {3, 6, 7, 9, 10},
	subnet.FDR:   {11, 19, 12, 13, 14},
	subnet.EDR:   {15, 20, 16, 17, 18},
	subnet.HDR:   {20, 16, 17, 21, 22},
	subnet.NDR:   {16, 17, 21, 23, 24},
	subnet.XDR:   {17, 21, 23, 25, 0}, // 1600 Gb/s as Linux numbers it; no code for 12 lanes is known
}

// rateCode is the code of a link's rate; an unknown link gets the code of 1x SDR.
func rateCode(l subnet.Link) uint8 {
	for i, width := range [5]subnet.Width{1, 2, 4, 8, 12} {
		if codes, known := rates[l.Speed]; known && l.Width == width && codes[i] != 0 {
			return codes[i]
		}
	}
	return 2
}

// rateOf is the rate of a code in Mb/s, 0 for an unknown code. The order of codes is not the order
// of rates.
func rateOf(code uint8) int64 {
	best := int64(0)
	for speed, codes := range rates {
		for i, width := range [5]subnet.Width{1, 2, 4, 8, 12} {
			if codes[i] == code {
				best = max(best, int64(subnet.Link{Width: width, Speed: speed}.Rate()/units.Mbps))
			}
		}
	}
	return best
}

// lifetime is the code of a path's packet lifetime: 4.096 µs × 2^18, as OpenSM's.
const lifetime = 18
