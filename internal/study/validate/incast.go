package validate

import (
	"fmt"

	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/run/network"
	"weft/internal/sim/transport"
	"weft/scenario"
	"weft/units"
)

// incastCases compare k senders to one receiver with the bottleneck.
func incastCases() []*Case {
	const formula = "Latency of the first packet + (k · bytes on the wire - first packet) · 20 ps. Latency: 2·50.5 ns + switch + wire bytes · 20 ps + NIC 300 ns. "
	return []*Case{
		{
			ID:    "incast/infiniband",
			Claim: "k to 1 without congestion control ends when the last link has carried k messages, k = 2 to 64.",
			Reference: formula + "On the wire: 1 MiB + 256 · 26 B a message, and one credit update of 6 B for each acknowledgement that frees the switch's input from the receiver " +
				"(acknowledgements come more seldom than the update period of 50 ns: one each).",
			Setting: "One switch, NDR, one SEND of 1 MiB from each of k NICs to one at time 0, every packet acknowledged, credits of 2048 blocks, updates every 50 ns.",
			Run:     func(e *Env) ([]Row, error) { return incastRows(e, true) },
		},
		{
			ID:        "incast/roce",
			Claim:     "The same on RoCE v2 with PFC; with DCQCN it is shown beside it.",
			Reference: formula + "On the wire: 1 MiB + 256 · 82 B a message.",
			Setting: "One cut-through switch with a shared pool of 4 MiB, 400 GbE, as above; PFC pauses the senders. With congestion control: DCQCN, paper's parameters, ECN 50/2000 KB at 1 % (the paper's 5/200 KB at 40G, scaled with the rate), " +
				"which trades time for short queues; it is not scored.",
			Run: func(e *Env) ([]Row, error) { return incastRows(e, false) },
		},
	}
}

var incastFans = []int64{2, 4, 8, 16, 32, 64}

const incastBytes = 1 << 20

func incastRows(e *Env, ib bool) ([]Row, error) {
	var rows, controlled []Row
	for _, k := range incastFans {
		m, err := roce("400g")
		packet, pipeline, update := int64(4096+82), int64(500_000), int64(0)
		if ib {
			m, err = infiniband("ndr")
			packet, pipeline, update = 4096+26, 130_000, 6
		}
		if err != nil {
			return nil, err
		}
		if ib {
			m.IB.CreditUpdate = 50 * ns
		}
		m.Ethernet.Shared = 4 << 20
		got, s, err := incast(e, m, int(k))
		if err != nil {
			return nil, err
		}
		latency := 2*50_500 + pipeline + packet*20 + 300_000
		want := latency + (k*256*(packet+update)-packet)*20
		note := fmt.Sprintf("%d pauses", s.Pauses)
		if ib {
			note = fmt.Sprintf("%d stalls for credits", s.Stalls)
		}
		rows = append(rows, one(fmt.Sprintf("%d:1", k), Nanoseconds, float64(want), float64(got), within(0.005), note))
		if ib {
			continue
		}
		row, err := controlledIncast(e, k, float64(want))
		if err != nil {
			return nil, err
		}
		controlled = append(controlled, row)
	}
	return append(rows, controlled...), nil
}

// controlledIncast is the same with DCQCN.
func controlledIncast(e *Env, k int64, want float64) (Row, error) {
	m, err := controlledRoCE("400g", "dcqcn-paper")
	if err != nil {
		return Row{}, err
	}
	m.Ethernet.Shared = 4 << 20
	m.Ethernet.ECN = scenario.ECN{Enabled: true, Kmin: 50_000, Kmax: 2_000_000, Pmax: scenario.Ratio{Num: 1, Den: 100}}
	m.prepare = func(p *network.Plan) {
		p.Amend = func(d *network.Devices) { d.NIC.Transport.PacedOverhead = 0 } // the rate is of payload
	}
	got, s, err := incast(e, m, int(k))
	if err != nil {
		return Row{}, err
	}
	return one(fmt.Sprintf("%d:1 with DCQCN", k), Nanoseconds, want, float64(got), shown, "%d pauses, %d packets marked", s.Pauses, s.Marked), nil
}

// incast is the time at which the last message has arrived.
func incast(e *Env, m *testbed, k int) (units.Time, counts.Stats, error) {
	arrived, last := 0, units.Time(0)
	n, err := m.star(e, k+1, &app{complete: func(p *fabric.Partition, _ int32, c *transport.Completion) {
		if c.Recv {
			arrived++
			last = p.Now()
		}
	}})
	if err != nil {
		return 0, counts.Stats{}, err
	}
	for i := range k {
		if err := postControlled(n, int32(i+1), 0, transport.WorkRequest{Op: transport.OpSend, Length: incastBytes}); err != nil {
			return 0, counts.Stats{}, err
		}
	}
	if err := run(e, n, units.Second); err != nil {
		return 0, counts.Stats{}, err
	}
	if arrived != k {
		return 0, counts.Stats{}, fmt.Errorf("%d of %d messages arrived", arrived, k)
	}
	return last, n.Stats(), nil
}
