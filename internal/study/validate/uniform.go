package validate

import (
	"fmt"
	"math/rand/v2"

	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/scenario"
	"weft/units"
)

// uniformCases compare the throughput of a saturated switch under uniform traffic
// with the known limit of its queueing.
func uniformCases() []*Case {
	const traffic = "64 NICs at line rate, each packet to one of the other 63 drawn anew (seeded), SENDs of 1024 B without acknowledgement, NDR, input buffers of 2048 blocks; " +
		"the bytes that arrive from 50 to 250 us, over what 64 links carry."
	return []*Case{
		{
			ID:        "uniform/voq",
			Claim:     "With virtual output queues and a speed-up of 2, a switch carries at least 95 % of uniform traffic.",
			Reference: "95 %, which vendors call non-blocking (validation.md, section A: perftest reaches 95 % of the line at its worst).",
			Setting:   traffic,
			Slow:      true,
			Run:       func(e *Env) ([]Row, error) { return uniformRows(e, false, "64 ports", 0.95, atLeast) },
		},
		{
			ID:        "uniform/fifo",
			Claim:     "With one queue per input, heads that wait for the same output hold up the packets behind them: 2 - √2 = 58.6 % of uniform traffic.",
			Reference: "Karol, Hluchyj and Morgan, IEEE Trans. Commun. 35(12), 1987 (R): heads of line per output are an M/D/1 queue with one packet in it on average, ρ + ρ²/(2(1-ρ)) = 1, for many ports.",
			Setting:   traffic + " One read port per input.",
			Slow:      true,
			Run: func(e *Env) ([]Row, error) {
				return uniformRows(e, true, "64 ports", 2-1.4142135623730951, within(0.02))
			},
		},
	}
}

func uniformRows(e *Env, fifo bool, name string, want float64, t Tolerance) ([]Row, error) {
	m, err := infiniband("ndr")
	if err != nil {
		return nil, err
	}
	if fifo {
		m.IB.Queueing, m.IB.Speedup = scenario.FIFO, scenario.Ratio{Num: 1, Den: 1}
	}
	end := 250 * units.Microsecond
	if e.Short {
		end = 100 * units.Microsecond
	}
	share, err := uniformShare(e, m, 50*units.Microsecond, end)
	if err != nil {
		return nil, err
	}
	return []Row{one(name, Percent, want, share, t, "")}, nil
}

// uniformShare is the part of the links' capacity that is used between two
// times.
func uniformShare(e *Env, m *testbed, from, to units.Time) (float64, error) {
	const ports, payload = 64, 1024
	m.MTU = payload
	arrived := 0
	random := make([]*rand.Rand, ports)
	ends := make([][]units.QPN, ports)
	send := func(p *fabric.Partition, nic int32) {
		i := random[nic].IntN(ports - 1)
		if err := p.Post(nic, ends[nic][i], transport.WorkRequest{Op: transport.OpSend, Length: payload}); err != nil {
			panic(fmt.Sprintf("validate: %v", err))
		}
	}
	a := &app{}
	a.complete = func(p *fabric.Partition, nic int32, c *transport.Completion) {
		if c.Recv {
			if p.Now() >= from && p.Now() < to {
				arrived++
			}
			return
		}
		if p.Now() < to { // the packet is on the wire: the next one gets ready
			send(p, nic)
		}
	}
	n, err := m.star(e, ports, a)
	if err != nil {
		return 0, err
	}
	for i := range ports {
		random[i] = rand.New(rand.NewPCG(7, uint64(i)))
		for j := range ports {
			if i == j {
				continue
			}
			qp, _, err := n.Connect(int32(i), int32(j), unreliable, unreliable)
			if err != nil {
				return 0, err
			}
			ends[i] = append(ends[i], qp)
		}
	}
	for i := range ports {
		send(n.Partition(int32(i)), int32(i))
	}
	if err := run(e, n, to); err != nil {
		return 0, err
	}
	wire := float64(arrived) * (1024 + 26) * 20
	return wire / (ports * float64(to-from)), nil
}
