package report

import (
	"fmt"
	"strings"

	"weft/internal/sim/protocol"
	"weft/results"
	"weft/scenario"
	"weft/units"
	"weft/wire"
)

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

// of is a sentence about a fabric at a size.
func (v *judgement) of(f, s int, clauses ...string) string {
	return upper(strings.TrimPrefix(v.at(s)+" ", " ")+v.name(f)+" "+strings.Join(clauses, "; it ")) + "."
}

// at is a size in a sentence, nothing for a pattern without sizes.
func (v *judgement) at(s int) string {
	if v.sizes[s] == 0 {
		return ""
	}
	return " at " + sizeText(v.sizes[s])
}

// span is a range of times; one when both read alike.
func span(lo, hi float64) string {
	a, b := shortTime(units.Time(lo)), shortTime(units.Time(hi))
	if a == b {
		return a
	}
	return a + " to " + b
}

// quiet reports whether the network carried packets without any other event.
func quiet(c results.Counts) bool {
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

// seen are the observations of each fabric at the largest size that is compared: links that are busy,
// queues and counters. They are no reasons.
func (v *judgement) seen() (out []string) {
	last := len(v.sizes) - 1
	for _, f := range v.order(last) {
		if text := v.observed(f, last); text != "" {
			out = append(out, text)
		}
		out = append(out, v.meanwhile(f, last)...)
	}
	return out
}

// observed is what was seen of a fabric at a size; "" if nothing stands out.
func (v *judgement) observed(f, s int) string {
	var own []string
	for _, clause := range []string{v.wire(f, s), v.queueing(f, s)} {
		if clause != "" {
			own = append(own, clause)
		}
	}
	if !quiet(v.points[f][s].Counts) {
		own = append(own, "counted "+v.trouble(f, s))
	}
	if len(own) == 0 {
		return ""
	}
	return v.of(f, s, own...)
}

// alone describes a single fabric.
func (v *judgement) alone() Verdict {
	last := len(v.sizes) - 1
	p, q := v.points[0][0], v.points[0][last]
	full := func(p results.Point) string {
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
	out := Verdict{Choice: []string{text + "."}, Notes: v.caveats(), Setting: v.setting()}
	if v.confined() {
		out.Where = []string{confinement}
		return out
	}
	if seen := v.observed(0, last); seen != "" {
		out.Where = append(out.Where, seen)
	}
	out.Where = append(out.Where, v.meanwhile(0, last)...)
	return out
}
