package validate

import (
	"fmt"

	"weft/internal/sim/transport/cc"
	"weft/units"
)

// ccCases compare the congestion controls that use acknowledgements with their goals.
func ccCases() []*Case {
	return []*Case{{
		ID:    "cc/fairness",
		Claim: "With Swift and HPCC two and eight long flows that start one after the other share a 100 Gb/s link fairly, Jain's index > 0.95, and fill it to 90 %, without a single pause; TIMELY is shown beside them.",
		Reference: "Jain's index is (Σx)²/(k·Σx²) of the flows' goodputs; full goodput is 100 Gb/s · 1024 / (1024 + 82), HPCC's with 42 bytes of telemetry more in each packet. HPCC aims at 95 % of a link (Li et al., SIGCOMM 2019). The bars are weft's own. " +
			"TIMELY is not scored: it has no unique fixed point, so flows keep whatever shares they come to (Zhu et al., \"ECN or Delay\", CoNEXT 2016).",
		Setting: "k NICs to one over one switch of 100 GbE; base round trip 10 us; packets of 1024 B, each acknowledged; PFC on, ECN off. Flow i starts at i · 200 us; 20 ms in all, goodput over the last 10 ms. " +
			"Swift: target 20 us + 1 us a switch, 100 us more for windows of 0.1 to 100 packets, ai 1, β 0.8, at most half. HPCC: T 12 us, η 95 %, maxStage 5, W_AI 80 B. TIMELY: α 7/8, β 0.8, 50 and 500 us, minRTT 20 us, δ 100 Mb/s, segments of 16 KB.",
		Slow: true,
		Run:  controlRows,
	}}
}

func controlRows(e *Env) ([]Row, error) {
	const whole, us = 1 << 16, units.Microsecond
	swift := &cc.SwiftParams{
		Packet: 1024, BaseTarget: 20 * us, HopTarget: us, Increase: whole, Beta: whole * 8 / 10, MaxDecrease: whole / 2,
		FlowRange: 100 * us, FlowMin: whole / 10, FlowMax: 100 * whole, MinWindow: whole / 100, MaxWindow: 1000 * whole,
	}
	hpcc := &cc.HPCCParams{
		LineRate: 100 * units.Gbps, MinRate: 100 * units.Mbps, BaseRTT: 12 * us, Utilisation: whole * 95 / 100, MaxStage: 5, Increase: 80,
	}
	timely := &cc.TimelyParams{
		LineRate: 100 * units.Gbps, MinRate: 100 * units.Mbps, Weight: whole * 7 / 8, Beta: whole * 8 / 10, Low: 50 * us, High: 500 * us,
		MinRTT: 20 * us, AdditiveRate: 100 * units.Mbps, HyperAfter: 5, Segment: 16_000,
	}
	var rows []Row
	for _, c := range []struct {
		name     string
		overhead units.Bytes
		scored   bool
		make     func() cc.Algorithm
	}{
		{"Swift", 82, true, func() cc.Algorithm { return cc.NewSwift(swift) }},
		{"HPCC", 82 + 42, true, func() cc.Algorithm { return cc.NewHPCC(hpcc) }},
		{"TIMELY", 82, false, func() cc.Algorithm { return cc.NewTimely(timely) }},
	} {
		for _, k := range []int{2, 8} {
			goodput, pauses, err := controlled(e, k, c.overhead, c.make)
			if err != nil {
				return nil, err
			}
			index, sum := fairness(goodput)
			fair, filled, still := atLeast, atLeast, exact
			if !c.scored || e.Short {
				fair, filled, still = shown, shown, shown
			}
			full := 100e9 * 1024 / float64(1024+c.overhead)
			rows = append(rows,
				flowsRow(c.name, k, "Jain's index", Plain, 0.95, index, fair),
				flowsRow(c.name, k, "goodput", Gigabits, 0.9*full, sum, filled),
				flowsRow(c.name, k, "pauses", Plain, 0, float64(pauses), still))
		}
	}
	return rows, nil
}

// fairness is Jain's index of goodputs, and their sum.
func fairness(goodput []float64) (index, sum float64) {
	squares := 0.0
	for _, x := range goodput {
		sum += x
		squares += x * x
	}
	return sum * sum / (float64(len(goodput)) * squares), sum
}

// flowsRow is a row of an algorithm with a number of flows.
func flowsRow(algorithm string, k int, what string, u Unit, want, got float64, t Tolerance) Row {
	return one(fmt.Sprintf("%s, %d flows, %s", algorithm, k, what), u, want, got, t, "")
}

// controlled are the flows' goodputs in bits per second over the last half, and
// the pauses.
func controlled(e *Env, k int, overhead units.Bytes, algorithm func() cc.Algorithm) ([]float64, int64, error) {
	m, err := roce("100g")
	if err != nil {
		return nil, 0, err
	}
	end := 20 * units.Millisecond
	if e.Short {
		end = 4 * units.Millisecond
	}
	m.Propagation = 2_040_400
	m.Transport.PathMTU, m.Transport.CNPInterval, m.Transport.PacedOverhead = 1024, units.Forever, overhead
	for op := range m.NIC.Overhead {
		m.NIC.Overhead[op] += uint16(overhead - 82)
	}
	flows := streams{senders: k, depth: 8, stagger: 200 * units.Microsecond, end: end, window: end / 2}
	got, n, err := flows.run(e, m, algorithm)
	if err != nil {
		return nil, 0, err
	}
	return got, n.Stats().Pauses, nil
}
