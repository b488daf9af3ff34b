package report

import (
	"fmt"
	"math"
	"strings"

	"weft/internal/sim/protocol"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
	"weft/wire"
)

// why explains each slower fabric by the numbers: in the range up to a size where latency decides,
// and in the range where bandwidth does. For the fastest it reports whether a wire is its limit.
func (v *judgement) why(low, end, high, from int) []string {
	if v.confined() {
		return []string{confinement}
	}
	last := len(v.sizes) - 1
	var out []string
	if h, ok := hottest(v.points[high][last]); ok && from <= last && (h.Busy >= busyLink || collides(h)) {
		out = append(out, v.of(high, last, v.wire(high, last)))
	}
	for _, f := range v.order(last) {
		out = append(out, v.meanwhile(f, last)...)
	}
	if end >= 0 {
		out = append(out, v.hops(low, end)...)
	}
	for _, f := range v.order(last) {
		var clauses []string
		if f != low && end >= 0 && v.behind(f, low, 0, end) {
			clauses = append(clauses, v.gap(f, low, end)...)
		}
		other := high
		if f == high {
			other = low
		}
		if f != other && v.behindAnywhere(f, low, end, high, from) {
			clauses = append(clauses, v.path(f, other)...)
		}
		if len(clauses) > 0 {
			out = append(out, v.name(f)+" "+strings.Join(clauses, "; it ")+".")
		}
		if f != high && from <= last && v.behind(f, high, from, last) {
			out = append(out, v.slowness(f, high, last)...)
		}
	}
	return out
}

// confinement explains why fabrics cannot differ.
const confinement = "No message leaves a node: the fabrics carry nothing, and the times come from the network inside the node."

// confined reports whether no packet was forwarded between nodes, on any fabric and at any size.
func (v *judgement) confined() bool {
	for _, points := range v.points {
		for _, p := range points {
			if p.Counts.PacketHops > 0 || p.Flows.N > 0 {
				return false
			}
		}
	}
	return true
}

// slowness is the sentence about a fabric's distance to another at a size: its causes, or else the
// times of its messages; none if there is neither.
func (v *judgement) slowness(f, w, s int) []string {
	causes := v.bandwidthCauses(f, w, s)
	if len(causes) == 0 && len(v.path(f, w)) == 0 {
		causes = v.unexplained(f, w, s)
	}
	if len(causes) == 0 {
		return nil
	}
	return []string{v.of(f, s, causes...)}
}

// unexplained is the sentence for a distance without a cause in a wire or a counter.
func (v *judgement) unexplained(f, w, s int) []string {
	a, b := v.points[f][s].Flows, v.points[w][s].Flows
	h, known := hottest(v.points[f][s])
	if !known || b.N == 0 || a.Mean <= b.Mean {
		return nil
	}
	return []string{fmt.Sprintf("has no drops or pauses, and no link above %s busy: its messages took %s on average, and the messages of %s took %s",
		percent(h.Busy), shortTime(a.Mean), v.name(w), shortTime(b.Mean))}
}

// of is a sentence about a fabric at a size.
func (v *judgement) of(f, s int, clauses ...string) string {
	return upper(strings.TrimPrefix(v.at(s)+" ", " ")+v.name(f)+" "+strings.Join(clauses, "; it ")) + "."
}

// behindAnywhere reports whether a fabric is slower than the winner of either range.
func (v *judgement) behindAnywhere(f, low, end, high, from int) bool {
	last := len(v.sizes) - 1
	return end >= 0 && v.behind(f, low, 0, end) || from <= last && v.behind(f, high, from, last)
}

// at is a size in a sentence, nothing for a pattern without sizes.
func (v *judgement) at(s int) string {
	if v.sizes[s] == 0 {
		return ""
	}
	return " at " + sizeText(v.sizes[s])
}

// gap reports whether the distance is constant, which is a cost per message, or grows with size.
func (v *judgement) gap(f, w, end int) []string {
	if v.sizes[end] == 0 || v.sizes[end] < 2*v.sizes[0] {
		return nil // over no range does a constant differ from a growing distance
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

// path names a host data path that differs from the winner's.
func (v *judgement) path(f, w int) []string {
	own, other := v.spec(w), v.spec(f)
	if own == nil || other == nil || other.Host.Path == own.Host.Path {
		return nil
	}
	return []string{fmt.Sprintf("sends %s, while %s sends %s", pathText(other.Host), v.name(w), pathText(own.Host))}
}

// bandwidthCauses are the possible causes of a lower bandwidth at a size: ports, headers, links,
// queues, and counters.
func (v *judgement) bandwidthCauses(f, w, s int) []string {
	var out []string
	if a, b := v.result(f).Rate, v.result(w).Rate; a != 0 && b != 0 && a != b {
		out = append(out, fmt.Sprintf("has ports of %s against %s", a, b))
	}
	for _, text := range []string{v.headers(f, w, s), v.wire(f, s), v.idled(f, w, s), v.queueing(f, s)} {
		if text != "" {
			out = append(out, text)
		}
	}
	if !quiet(v.points[f][s].Counts) {
		out = append(out, "counted "+v.trouble(f, s))
	}
	return out
}

// quiet reports whether the network carried packets without any other event.
func quiet(c runstore.Counts) bool {
	return c.CreditStalls == 0 && c.Pauses == 0 && c.Marks == 0 && c.CNPs == 0 && c.Retransmissions == 0 && c.Drops() == 0
}

// trouble lists the counters of a fabric, without weighing them.
func (v *judgement) trouble(f, s int) string {
	c := v.points[f][s].Counts
	var parts []string
	add := func(n int64, one, many string) {
		if n > 0 {
			parts = append(parts, plural(n, one, many))
		}
	}
	add(c.Drops(), "drop", "drops")
	add(c.Trimmed, "trimmed packet", "trimmed packets")
	add(c.Retransmissions, "packet sent again", "packets sent again")
	add(c.Timeouts, "retransmission timeout", "retransmission timeouts")
	add(c.CreditStalls, "credit stall", "credit stalls")
	add(c.Pauses, "PFC pause", "PFC pauses")
	add(c.Marks, "ECN mark", "ECN marks")
	if c.Marks == 0 {
		add(c.CNPs, "congestion notification", "congestion notifications")
	}
	return list(parts) + " in " + plural(c.Packets, "packet", "packets")
}

// headers is the share of a small distance at a size that the bytes around each payload explain:
// for full packets, if a wire may be the limit.
func (v *judgement) headers(f, w, s int) string {
	a, b := v.spec(f), v.spec(w)
	if a == nil || b == nil || v.result(f).Rate != v.result(w).Rate {
		return ""
	}
	x, y := Framing(a), Framing(b)
	if x.Payload == 0 || y.Payload == 0 || v.sizes[s] < int64(max(x.Payload, y.Payload)) {
		return ""
	}
	if h, known := hottest(v.points[f][s]); known && h.Busy < idleLink {
		return ""
	}
	ratio := v.time(f, s) / v.time(w, s)
	loss := x.Overhead() / y.Overhead()
	share := math.Log(loss) / math.Log(ratio)
	if share < 0.4 || share > 1.25 {
		return "" // it explains something else, or almost nothing
	}
	part := fmt.Sprintf("%.1f of its %.1f %%", 100*(loss-1), 100*(ratio-1))
	if share > 0.9 {
		part = fmt.Sprintf("its %.1f %%", 100*(ratio-1))
	}
	return fmt.Sprintf("takes %d B on the cable for %d B of payload, while %s takes %d B for %d: that is %s",
		x.Wire, x.Payload, v.name(w), y.Wire, y.Payload, part)
}

// Packet is a full packet of a fabric: its payload and its length on the cable.
type Packet struct{ Payload, Wire int }

// Overhead is the bytes on the cable over the bytes of payload.
func (p Packet) Overhead() float64 { return float64(p.Wire) / float64(p.Payload) }

// Framing is a fabric's full data packet of a collective.
func Framing(f *scenario.Fabric) Packet {
	const chunk = 512 * units.KiB // of NCCL's Simple protocol
	op := wire.RCWriteMiddle
	if f.OutOfOrder() && f.Form(chunk) != scenario.FormOrdered {
		op = wire.RCWriteOnly
	}
	payload, wire := protocol.Of(f.Kind).FullPacket(op, int(f.MTU), scenario.Framing(f))
	return Packet{payload, wire}
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
	full := func(p runstore.Point) string {
		if p.BusBW == 0 {
			return timeOf(p)
		}
		return fmt.Sprintf("%s (%s of bus bandwidth)", timeOf(p), busOf(p))
	}
	var text string
	switch start := v.bandwidthStart(); {
	case last == 0:
		text = fmt.Sprintf("%s takes %s%s", v.name(0), full(p), v.at(0))
	case start > 0 && start < last && q.BusBW > 0:
		text = fmt.Sprintf("%s takes %s at %s and reaches %s of bus bandwidth at %s; from %s on it is within %.0f %% of that",
			v.name(0), timeOf(p), sizeText(v.sizes[0]), busOf(q), sizeText(v.sizes[last]), sizeText(v.sizes[start]), 100*(1-bandwidthShare))
	default:
		text = fmt.Sprintf("%s takes %s at %s, and %s at %s", v.name(0), timeOf(p), sizeText(v.sizes[0]), full(q), sizeText(v.sizes[last]))
	}
	if v.confined() {
		return Verdict{[]string{text + "."}, []string{confinement}, v.caveats(), v.setting()}
	}
	var own []string
	for _, clause := range []string{v.wire(0, last), v.queueing(0, last)} {
		if clause != "" {
			own = append(own, clause)
		}
	}
	if !quiet(q.Counts) {
		own = append(own, "counted "+v.trouble(0, last))
	}
	var why []string
	if len(own) > 0 {
		why = append(why, v.of(0, last, own...))
	}
	return Verdict{[]string{text + "."}, append(why, v.meanwhile(0, last)...), v.caveats(), v.setting()}
}
