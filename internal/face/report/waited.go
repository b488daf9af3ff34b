package report

import (
	"fmt"

	"weft/internal/sim/protocol"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// waitedShare is the share of a time that one retransmission timeout must have for the time to be
// recovery and not bandwidth.
const waitedShare = 0.05

// waitedSentences name the fabrics whose time is dominated by retransmission timeouts, or has waits
// for the rate of congestion control.
func (v *judgement) waitedSentences() (out []string) {
	for f := range v.fabrics {
		if text := v.pacedSentence(f); text != "" {
			out = append(out, text)
		}
	}
	for f := range v.fabrics {
		spec := v.spec(f)
		if spec == nil {
			continue
		}
		least, text := firstWait(spec)
		if text == "" {
			continue
		}
		most := results.Point{}
		for s := range v.sizes {
			if p := v.points[f][s]; p.Counts.Timeouts > most.Counts.Timeouts && float64(least) >= waitedShare*float64(p.Time) {
				most = p
			}
		}
		if most.Counts.Timeouts > 0 {
			out = append(out, fmt.Sprintf("%s waited for %s%s, %s: its time there depends on recovery by chance, not on bandwidth.",
				quoted(v.result(f).Name), plural(most.Counts.Timeouts, "retransmission timeout", "retransmission timeouts"), atSize(most.Bytes), text))
		}
	}
	return out
}

// firstWait is the minimum wait before the first repetition of a packet on an RDMA fabric, and the
// name of the wait; "" for other fabrics.
func firstWait(f *scenario.Fabric) (least units.Time, text string) {
	s := &f.NIC.Retransmission
	switch {
	case protocol.Of(f.Kind).OnTCP():
		return 0, ""
	case f.Transport.Retransmission == scenario.AdaptiveRetransmission:
		return s.Times[0], fmt.Sprintf("the first of a packet after %s to %s (a schedule measured on one adapter: weft catalog nic %s)",
			shortTime(s.Times[0]), shortTime(s.Times[s.First-1]), f.NIC.Model)
	}
	return f.Transport.Timeout, shortTime(f.Transport.Timeout) + " each"
}

// pacedSentence names the size at which the waits of packets for the rate of congestion control have
// the largest part of the time of a fabric's NICs; "" if that is small at every size.
func (v *judgement) pacedSentence(f int) string {
	spec := v.spec(f)
	if spec == nil {
		return ""
	}
	nics := float64(v.sc.Cluster.Nodes * v.sc.Cluster.Node.NICs)
	share, at := waitedShare, results.Point{}
	for s := range v.sizes {
		p := &v.points[f][s]
		if p.Counts.PaceWaits == 0 || p.Time == 0 {
			continue
		}
		if part := float64(p.Counts.PaceWait) / float64(p.Time) / nics; part >= share {
			share, at = part, *p
		}
	}
	if at.Counts.PaceWaits == 0 {
		return ""
	}
	text := fmt.Sprintf("%s held senders back%s: %s of a message in progress waited 10 us or more for the rate that congestion control (%s) allowed, %s in all; the time is %s.",
		v.name(f), atSize(at.Bytes), plural(at.Counts.PaceWaits, "packet", "packets"), scenario.ControlName(&spec.CC),
		shortTime(units.Time(at.Counts.PaceWait)), shortTime(at.Time))
	if period, ok := scenario.ValuesOf(&spec.CC)["increase-period"].(units.Time); ok {
		text += fmt.Sprintf(" A rate that was cut rises each %s (cc.increase-period), so that less traffic can take longer than more, whose queue lasts until then.", shortTime(period))
	}
	return text
}
