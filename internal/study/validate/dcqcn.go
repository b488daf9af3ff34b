package validate

import (
	"fmt"

	"weft/internal/sim/transport/cc"
	"weft/scenario"
	"weft/units"
)

// dcqcnCases compare DCQCN with its goals, and with its own equations.
func dcqcnCases() []*Case {
	return []*Case{
		{
			ID:    "dcqcn/fairness",
			Claim: "Two and eight long flows that start one after the other share a 40 Gb/s link fairly and fill it: Jain's index > 0.95, goodput ≥ 95 %, over the last 100 ms.",
			Reference: "Jain's index is (Σx)²/(k·Σx²) of the flows' goodputs; full goodput is 40 Gb/s · 1024 / (1024 + 82). The thresholds are weft's own bar for DCQCN; " +
				"Zhu et al., SIGCOMM 2015, section 6 show the same in figures only.",
			Setting: "k NICs to one over one switch; base round trip 10 us (2.04 us a cable, one way, 0.5 us in the switch and 0.3 us in the NIC each way, serialisation); DCQCN, paper: g 1/256, cut at each CNP, alpha and timer 55 us, byte counter 10 MB, F 5, 40 Mb/s, 200 Mb/s, " +
				"CNPs at least 50 us apart; ECN 5 KB to 200 KB, 1 % (Zhu et al.; see the preset's source for what is recalled); PFC on. Flow i starts at i · 10 ms; 400 ms in all.",
			Slow: true,
			Run:  fairnessRows,
		},
		{
			ID:    "dcqcn/equations",
			Claim: "The reaction point's rate follows the published equations.",
			Reference: "Zhu et al., SIGCOMM 2015, section 3.1: at a CNP R_T = R_C, R_C = R_C (1 - α/2), α = (1-g) α + g; without one for 55 us α = (1-g) α; every 55 us R_C = (R_T + R_C)/2, from the 5th on with R_T = R_T + 40 Mb/s. " +
				"Computed in floating point; weft's fixed point must stay within 1 kb/s + 0.0001 %.",
			Setting: "40 Gb/s, CNPs at 0, 20, 60, 400, 410 and 5000 us, the rate 1 us after each timer up to 12 ms (and after each CNP).",
			Run:     equationRows,
		},
		cnpCase(),
	}
}

func fairnessRows(e *Env) ([]Row, error) {
	var rows []Row
	for _, k := range []int{2, 8} {
		goodput, err := shares(e, k)
		if err != nil {
			return nil, err
		}
		index, sum := fairness(goodput)
		t := atLeast
		if e.Short {
			t = shown
		}
		full := 40e9 * 1024 / (1024 + 82)
		rows = append(rows,
			one(fmt.Sprintf("%d flows, Jain's index", k), Plain, 0.95, index, t, ""),
			one(fmt.Sprintf("%d flows, goodput", k), Gigabits, 0.95*full, sum, t, "%.2f %% of the full goodput", 100*sum/full))
	}
	return rows, nil
}

// shares are the flows' goodputs in bits per second over the last 100 ms.
func shares(e *Env, k int) ([]float64, error) {
	m, err := controlledRoCE("40g", "dcqcn-paper")
	if err != nil {
		return nil, err
	}
	end, window, stagger := 400*units.Millisecond, 100*units.Millisecond, 10*units.Millisecond
	if e.Short {
		end, window, stagger = 30*units.Millisecond, 10*units.Millisecond, units.Millisecond
	}
	m.setSignal(2_040_400)
	m.MTU = 1024
	m.Ethernet.ECN = scenario.ECN{Enabled: true, Kmin: 5_000, Kmax: 200_000, Pmax: scenario.Ratio{Num: 1, Den: 100}}
	flows := streams{senders: k, depth: 4, stagger: stagger, end: end, window: window}
	got, _, err := flows.run(e, m)
	return got, err
}

// equationRows drive the algorithm through a script, as a queue pair would.
func equationRows(e *Env) ([]Row, error) {
	m, err := controlledRoCE("40g", "dcqcn-paper")
	if err != nil {
		return nil, err
	}
	p := cc.DCQCNOf(scenario.ControlLink(m.Fabric), scenario.ValuesOf(&m.CC))
	e.change(Models{DCQCN: &p})
	const us = int64(units.Microsecond)
	cnps := []int64{0, 20 * us, 60 * us, 400 * us, 410 * us, 5000 * us}
	r := Row{Name: "rate, first and last of the script", Unit: Gigabits, Tolerance: within(1e-6)}
	d, a := cc.NewDCQCN(&p, 0), cc.Allowance{}
	d.Start(0, &a)
	rate, target, alpha := 40e9, 40e9, 1.0
	stage, alphaAt, riseAt := 0, int64(1)<<62, int64(1)<<62
	for i, end := 0, 12000*us; ; {
		now := min(alphaAt, riseAt)
		if i < len(cnps) && cnps[i] < now {
			now = cnps[i]
		}
		if now > end {
			break
		}
		for a.Wake <= units.Time(now) {
			d.Timer(a.Wake, &a)
		}
		switch {
		case i < len(cnps) && cnps[i] == now:
			i++
			target, rate, alpha = rate, rate*(1-alpha/2), (1-1.0/256)*alpha+1.0/256
			stage, alphaAt, riseAt = 0, now+55*us, now+55*us
			d.Notified(units.Time(now), &a)
		case alphaAt == now:
			alpha *= 1 - 1.0/256
			alphaAt += 55 * us
			continue
		default:
			if stage >= 5 {
				target = min(40e9, target+40e6)
			}
			rate = (rate + target) / 2
			stage++
			riseAt += 55 * us
		}
		r.Reference = append(r.Reference, rate)
		r.Weft = append(r.Weft, float64(d.Rate()))
	}
	return []Row{r}, nil
}
