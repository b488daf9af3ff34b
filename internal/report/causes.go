package report

import (
	"fmt"
	"math"
	"strings"

	"weft/internal/runstore"
	"weft/scenario"
	"weft/units"
	"weft/wire"
)

// why says of each fabric that is behind what the numbers show about it: in the
// range up to a size where latency decides, and from one where bandwidth does.
// Of the fastest it says whether a wire is its limit.
func (v *judgement) why(low, end, high, from int) []string {
	last := len(v.sizes) - 1
	var out []string
	if h, ok := hottest(v.points[high][last]); ok && from <= last && h.Busy >= busyLink {
		out = append(out, fmt.Sprintf("%s is at the limit of its wire: %s is busy %s of the time%s.", v.name(high), h.Name, percent(h.Busy), v.at(last)))
	}
	for _, f := range v.order(last) {
		var clauses []string
		if f != low && end >= 0 {
			if _, hi := v.ratios(f, low, 0, end); hi > 1+tie {
				clauses = append(clauses, v.gap(f, low, end)...)
			}
		}
		other := high
		if f == high {
			other = low
		}
		if f != other && v.behind(f, low, end, high, from) {
			clauses = append(clauses, v.path(f, other)...)
		}
		if f != high && from <= last {
			if _, hi := v.ratios(f, high, from, last); hi > 1+tie {
				clauses = append(clauses, v.bandwidthCauses(f, high, last)...)
			}
		}
		if len(clauses) > 0 {
			out = append(out, v.name(f)+" "+strings.Join(clauses, "; it ")+".")
		}
	}
	return out
}

// behind reports whether a fabric is slower than the winner of either range.
func (v *judgement) behind(f, low, end, high, from int) bool {
	if end >= 0 {
		if _, hi := v.ratios(f, low, 0, end); hi > 1+tie {
			return true
		}
	}
	last := len(v.sizes) - 1
	if from > last {
		return false
	}
	_, hi := v.ratios(f, high, from, last)
	return hi > 1+tie
}

// at is a size in a sentence, nothing for a pattern without sizes.
func (v *judgement) at(s int) string {
	if v.sizes[s] == 0 {
		return ""
	}
	return " at " + sizeText(v.sizes[s])
}

// gap says whether the distance is a constant one, which is a cost per message,
// or grows with size.
func (v *judgement) gap(f, w, end int) []string {
	if end == 0 {
		return nil
	}
	least, most := math.Inf(1), 0.0
	for s := 0; s <= end; s++ {
		d := v.time(f, s) - v.time(w, s)
		least, most = min(least, d), max(most, d)
	}
	if least <= 0 || most > steadyGap*least {
		return nil
	}
	return []string{fmt.Sprintf("is %s behind at every size up to %s: a cost per message, not one of bandwidth", span(least, most), sizeText(v.sizes[end]))}
}

// span is a range of times; one when both read alike.
func span(lo, hi float64) string {
	a, b := shortTime(units.Time(lo)), shortTime(units.Time(hi))
	if a == b {
		return a
	}
	return a + " to " + b
}

// path names a data path through the host that differs from the winner's.
func (v *judgement) path(f, w int) []string {
	own, other := v.spec(w), v.spec(f)
	if own == nil || other == nil || other.Host.Path == own.Host.Path {
		return nil
	}
	return []string{fmt.Sprintf("sends %s, where %s sends %s", pathText(other.Host), v.name(w), pathText(own.Host))}
}

// bandwidthCauses is what stands beside a lower bandwidth at a size: ports,
// headers, and what was counted.
func (v *judgement) bandwidthCauses(f, w, s int) []string {
	var out []string
	if a, b := v.result(f).Rate, v.result(w).Rate; a != 0 && b != 0 && a != b {
		out = append(out, fmt.Sprintf("has ports of %s against %s", a, b))
	}
	if text := v.headers(f, w, v.time(f, s)/v.time(w, s)); text != "" {
		out = append(out, text)
	}
	if text := v.uneven(f, w, s); text != "" {
		out = append(out, text)
	}
	p := v.points[f][s]
	h, busy := hottest(p)
	if quiet(v.result(f).Protocol, p.Counts) {
		switch {
		case busy && h.Busy >= busyLink:
			out = append(out, fmt.Sprintf("is at the limit of its own wire (%s is busy %s%s)", h.Name, percent(h.Busy), v.at(s)))
		case busy && h.Busy < idleLink:
			out = append(out, fmt.Sprintf("lost and held back nothing, and kept no link busier than %s%s: the wires are not its limit", percent(h.Busy), v.at(s)))
		}
		return out
	}
	text := "counted " + v.trouble(f, s) + v.at(s)
	if busy {
		text += fmt.Sprintf(", with the hottest link busy %s of the time", percent(h.Busy))
	}
	return append(out, text)
}

// uneven says that a fabric had to put more on its busiest link than the
// fastest on its own: the same load, spread worse.
func (v *judgement) uneven(f, w, s int) string {
	a, busy := hottest(v.points[f][s])
	b, known := hottest(v.points[w][s])
	if !busy || !known || b.Bytes == 0 || a.Busy < evenBusy {
		return ""
	}
	more := float64(a.Bytes) / float64(b.Bytes)
	if more < unevenLoad {
		return ""
	}
	return fmt.Sprintf("put %s times as many bytes on its busiest link (%s) as %s on its own: the load is spread unevenly", times(more), a.Name, v.name(w))
}

// quiet reports that the network did nothing but carry packets.
func quiet(protocol string, c runstore.Counts) bool {
	n, _, _ := holds(protocol, c)
	return n == 0 && c.Marks == 0 && c.CNPs == 0 && c.Retransmissions == 0 && c.Drops() == 0
}

// trouble is what was counted on a fabric: given, not weighed.
func (v *judgement) trouble(f, s int) string {
	c, protocol := v.points[f][s].Counts, v.result(f).Protocol
	var parts []string
	add := func(n int64, one, many string) {
		if n > 0 {
			parts = append(parts, plural(n, one, many))
		}
	}
	add(c.Drops(), "drop", "drops")
	add(c.Retransmissions, "packet sent again", "packets sent again")
	if protocol == infiniband {
		add(c.CreditStalls, "credit stall", "credit stalls")
	} else {
		add(c.Pauses, "PFC pause", "PFC pauses")
	}
	add(c.Marks, "ECN mark", "ECN marks")
	if c.Marks == 0 {
		add(c.CNPs, "congestion notification", "congestion notifications")
	}
	return list(parts) + " in " + plural(c.Packets, "packet", "packets")
}

// headers says how much of a small distance the bytes around each payload
// explain.
func (v *judgement) headers(f, w int, ratio float64) string {
	a, b := v.spec(f), v.spec(w)
	if a == nil || b == nil || v.result(f).Rate != v.result(w).Rate {
		return ""
	}
	x, y := Framing(a), Framing(b)
	if x.Payload == 0 || y.Payload == 0 {
		return ""
	}
	loss := x.Overhead() / y.Overhead()
	share := math.Log(loss) / math.Log(ratio)
	if share < 0.4 || share > 1.25 {
		return "" // it explains something else, or next to nothing
	}
	part := fmt.Sprintf("%.1f of its %.1f %%", 100*(loss-1), 100*(ratio-1))
	if share > 0.9 {
		part = fmt.Sprintf("its %.1f %%", 100*(ratio-1))
	}
	return fmt.Sprintf("takes %d B on the cable for %d B of payload, where %s takes %d B for %d: that is %s",
		x.Wire, x.Payload, v.name(w), y.Wire, y.Payload, part)
}

// Packet is a full packet of a fabric: its payload and what it takes on the
// cable.
type Packet struct{ Payload, Wire int }

// Overhead is the bytes on the cable over those of payload.
func (p Packet) Overhead() float64 { return float64(p.Wire) / float64(p.Payload) }

// Framing is a fabric's full data packet.
func Framing(f *scenario.Fabric) Packet {
	mtu := int(f.MTU)
	eth := wire.EthernetFraming{VLAN: f.Ethernet.VLAN, IPv6: f.Ethernet.IPVersion == 6}
	switch f.Kind {
	case scenario.InfiniBandKind:
		return Packet{mtu, wire.InfiniBandBytes(wire.RCWriteMiddle, mtu, f.IB.GRH)}
	case scenario.RoCEv2Kind:
		return Packet{mtu, wire.RoCEv2Bytes(wire.RCWriteMiddle, mtu, eth)}
	case scenario.TCPKind:
		ip := wire.IPv4Bytes
		if eth.IPv6 {
			ip = wire.IPv6Bytes
		}
		payload := mtu - ip - wire.TCPBytes - wire.TCPTimestampBytes
		return Packet{payload, wire.TCPSegmentBytes(payload, eth)}
	}
	return Packet{}
}

// pathText is a host's data path in words.
func pathText(h scenario.Host) string {
	switch h.Path {
	case scenario.PathCPU:
		return "through the kernel and the CPU's copies"
	case scenario.PathRDMAHost:
		return "through host memory"
	case scenario.PathGPUDirectP2P:
		return "by GPUDirect P2P within a node and through host memory between nodes"
	case scenario.PathGPUDirectRDMA:
		return "from GPU memory to the NIC (GPUDirect RDMA)"
	}
	return string(h.Path)
}

// alone describes a single fabric.
func (v *judgement) alone() Verdict {
	last := len(v.sizes) - 1
	p, q := v.points[0][0], v.points[0][last]
	var text string
	switch start := v.bandwidthStart(); {
	case last == 0:
		text = fmt.Sprintf("%s takes %s%s", v.name(0), timeOf(p), v.at(0))
		if p.BusBW > 0 {
			text += ", " + busOf(p) + " of bus bandwidth"
		}
	case start <= last && q.BusBW > 0:
		text = fmt.Sprintf("%s takes %s at %s and reaches %s of bus bandwidth at %s; from %s on it is within %.0f %% of that",
			v.name(0), timeOf(p), sizeText(v.sizes[0]), busOf(q), sizeText(v.sizes[last]), sizeText(v.sizes[start]), 100*(1-bandwidthShare))
	default:
		text = fmt.Sprintf("%s takes %s at %s, and %s at %s", v.name(0), timeOf(p), sizeText(v.sizes[0]), timeOf(q), sizeText(v.sizes[last]))
	}
	var own []string
	h, busy := hottest(q)
	calm := quiet(v.result(0).Protocol, q.Counts)
	switch {
	case busy && h.Busy >= busyLink:
		own = append(own, fmt.Sprintf("Its hottest link (%s) is busy %s of the time%s: the wire is its limit.", h.Name, percent(h.Busy), v.at(last)))
	case busy && h.Busy < idleLink && calm:
		own = append(own, fmt.Sprintf("No link is busier than %s%s, and nothing was held back or lost: the wires are not its limit.", percent(h.Busy), v.at(last)))
	}
	if !calm {
		own = append(own, fmt.Sprintf("Counted%s: %s.", v.at(last), v.trouble(0, last)))
	}
	return Verdict{[]string{text + "."}, own, v.caveats()}
}
