package report

import (
	"fmt"

	"weft/internal/sim/protocol"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// waitedShare is the share of a time that one retransmission timeout must have for the time to be
// recovery and not bandwidth.
const waitedShare = 0.05

// waitedSentences name the fabrics whose time is dominated by retransmission timeouts.
func (v *judgement) waitedSentences() (out []string) {
	for f := range v.fabrics {
		spec := v.spec(f)
		if spec == nil {
			continue
		}
		least, text := firstWait(spec)
		if text == "" {
			continue
		}
		most := runstore.Point{}
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
