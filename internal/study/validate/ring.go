package validate

import (
	"fmt"

	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/units"
)

// ringCases compare a ring all-reduce with the model of α and β.
func ringCases() []*Case {
	const formula = "2(n-1)(α + S/(n·B)). α is the latency of one packet without serialisation: 2·50.5 ns + switch + NIC 300 ns. "
	return []*Case{
		{
			ID:    "ring/infiniband",
			Claim: "A ring all-reduce on an uncontended fabric takes 2(n-1)(α + S/(n·B)), n = 2 to 256.",
			Reference: formula + "B = 50 GB/s · 4096 / (4096 + 26 data + 30 acknowledgement + 2·6 credit updates): every NIC sends, per packet of data, one acknowledgement of what it receives, " +
				"and the wire carries an update for each packet and for each acknowledgement that leaves a buffer at its end (fewer if they share a period).",
			Setting: "One switch, NDR, each rank one NIC; a step sends S/n = 256 KiB (64 packets) to the next rank as a SEND and begins when the SEND of the step before has arrived. No reduction time.",
			Slow:    true,
			Run:     func(e *Env) ([]Row, error) { return ringRows(e, true) },
		},
		{
			ID:        "ring/roce",
			Claim:     "The same on RoCE v2.",
			Reference: formula + "B = 50 GB/s · 4096 / (4096 + 82 data + 86 acknowledgement).",
			Setting:   "One cut-through switch, 400 GbE, as above.",
			Slow:      true,
			Run:       func(e *Env) ([]Row, error) { return ringRows(e, false) },
		},
	}
}

const ringChunk = 256 << 10

func ringRows(e *Env, ib bool) ([]Row, error) {
	ranks := []int{2, 4, 8, 16, 32, 64, 128, 256}
	if e.Short {
		ranks = ranks[:3]
	}
	rows := make([]Row, len(ranks))
	return rows, e.each(len(ranks), func(i int) error {
		n := ranks[len(ranks)-1-i] // the longest first
		m, err := roce("400g")
		perPacket, pipeline := 4096.0+82+86, 500_000.0
		if ib {
			m, err = infiniband("ndr")
			perPacket, pipeline = 4096+26+30+12, 130_000
		}
		if err != nil {
			return err
		}
		got, err := ring(e, m, n)
		if err != nil {
			return err
		}
		alpha := 2*50_500 + pipeline + 300_000
		want := 2 * float64(n-1) * (alpha + ringChunk/4096*perPacket*20)
		rows[len(rows)-1-i] = one(fmt.Sprintf("n = %d", n), Microseconds, want, float64(got), within(0.01), "")
		return nil
	})
}

// ring is the time until the last rank has its last chunk.
func ring(e *Env, m *testbed, ranks int) (units.Time, error) {
	step := make([]int, ranks) // chunks that have arrived
	to := make([]units.QPN, ranks)
	finished, last := 0, units.Time(0)
	steps := 2 * (ranks - 1)
	wr := transport.WorkRequest{Op: transport.OpSend, Length: ringChunk}
	n, err := m.star(e, ranks, &app{complete: func(p *fabric.Partition, nic int32, c *transport.Completion) {
		if !c.Recv {
			return
		}
		step[nic]++
		if step[nic] == steps {
			finished++
			last = p.Now()
			return
		}
		if err := p.Post(nic, to[nic], wr); err != nil {
			panic(fmt.Sprintf("validate: %v", err))
		}
	}})
	if err != nil {
		return 0, err
	}
	for i := range ranks {
		qp, _, err := n.Connect(int32(i), int32((i+1)%ranks), fabric.Connection{}, fabric.Connection{})
		if err != nil {
			return 0, err
		}
		to[i] = qp
	}
	for i := range ranks {
		if err := n.Partition(int32(i)).Post(int32(i), to[i], wr); err != nil {
			return 0, err
		}
	}
	if err := run(e, n, units.Second); err != nil {
		return 0, err
	}
	if finished != ranks {
		return 0, fmt.Errorf("%d of %d ranks finished", finished, ranks)
	}
	return last, nil
}
