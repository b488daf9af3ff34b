package validate

import (
	"fmt"

	"weft/scenario"
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
	var rows []Row
	for _, c := range []struct {
		name, preset string
		changes      []scenario.Override
		telemetry    float64
		scored       bool
	}{
		{"Swift", "swift", nil, 0, true},
		{"HPCC", "hpcc", []scenario.Override{{Path: "fabric.cc.base-rtt", Value: "12us"}, {Path: "fabric.cc.ai-rate", Value: "53360kbps"}}, 42, true},
		{"TIMELY", "timely", []scenario.Override{{Path: "fabric.cc.segment", Value: "16KB"}}, 0, false},
	} {
		for _, k := range []int{2, 8} {
			m, err := controlledRoCE("100g", c.preset, c.changes...)
			if err != nil {
				return nil, err
			}
			goodput, pauses, err := controlled(e, m, k)
			if err != nil {
				return nil, err
			}
			index, sum := fairness(goodput)
			fair, filled, still := atLeast, atLeast, exact
			if !c.scored || e.Short {
				fair, filled, still = shown, shown, shown
			}
			full := 100e9 * 1024 / (1024 + 82 + c.telemetry)
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
func controlled(e *Env, m *testbed, k int) ([]float64, int64, error) {
	end := 20 * units.Millisecond
	if e.Short {
		end = 4 * units.Millisecond
	}
	m.setSignal(2_040_400)
	m.MTU = 1024
	flows := streams{senders: k, depth: 8, stagger: 200 * units.Microsecond, end: end, window: end / 2}
	got, n, err := flows.run(e, m)
	if err != nil {
		return nil, 0, err
	}
	return got, n.Stats().Pauses, nil
}
