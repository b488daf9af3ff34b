package validate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/units"
)

// queueCases compare the wait in a queue with queueing theory.
func queueCases() []*Case {
	return []*Case{{
		ID:    "queue/md1",
		Claim: "Poisson arrivals of packets of one size wait in a port's queue as in M/D/1: the mean wait at loads 0.3, 0.6 and 0.9 is within 2 %.",
		Reference: "Pollaczek and Khinchine with a service of one length: ρ / (2 (1 - ρ)) · T, with T = (1024 + 82) B · 20 ps, and ρ = T / mean gap. The interval is 95 %, " +
			"from batch means (40 batches of equal length, the first half batch left out, Student's t 2.02).",
		Setting: "SENDs of 1024 B without acknowledgement, posted at Poisson times (gaps drawn to the picosecond from a seeded exponential distribution) into a NIC's port at 400 Gb/s; no ECN, no PFC. " +
			"Wait = arrival at the peer - posting - T - 50.5 ns - 300 ns. 2.4·10^7 packets at each load.",
		Slow: true,
		Run:  md1Rows,
	}}
}

func md1Rows(e *Env) ([]Row, error) {
	loads := []float64{0.3, 0.6, 0.9}
	count := 24_000_000
	if e.Short {
		count = 200_000
	}
	rows := make([]Row, len(loads))
	return rows, e.each(len(loads), func(i int) error {
		const service = (1024 + 82) * 20 // ps
		gap := math.Round(service / loads[i])
		mean, half, err := meanWait(e, gap, service, count, uint64(i+1))
		if err != nil {
			return err
		}
		rho := service / gap
		want := rho / (2 * (1 - rho)) * service
		t := within(0.02)
		if e.Short {
			t = within(max(0.02, 2*half/want))
		}
		rows[i] = one(fmt.Sprintf("load %.1f", loads[i]), Nanoseconds, want, mean, t, "±%.3f ns (%.2f %%) at 95 %%, %d packets", half/1000, 100*half/want, count)
		return nil
	})
}

// meanWait is the mean wait of a number of packets in picoseconds and half the width of its 95 %
// interval.
func meanWait(e *Env, gap float64, service, count int, seed uint64) (mean, half float64, err error) {
	m, err := roce("400g")
	if err != nil {
		return 0, 0, err
	}
	m.MTU = 1024
	const batches, t95 = 40, 2.02
	random := rand.New(rand.NewPCG(seed, 0x4d44))
	var posted [1 << 16]units.Time // a ring: the queue is shorter
	sent, got := 0, 0
	sums := make([]float64, batches)
	size := count / batches
	warm := size / 2
	a := &app{}
	n, err := m.pair(e, a)
	if err != nil {
		return 0, 0, err
	}
	qp, _, err := n.Connect(0, 1, unreliable, unreliable)
	if err != nil {
		return 0, 0, err
	}
	at := 0.0
	a.timer = func(p *fabric.Partition, _ uint32) {
		posted[sent&(len(posted)-1)] = p.Now()
		sent++
		wr := transport.WorkRequest{Op: transport.OpSend, Length: 1024, Unsignaled: true}
		if p.Post(0, qp, wr) != nil || sent-got > len(posted)/2 {
			panic("validate: the queue of M/D/1 has grown without bound")
		}
		if sent < warm+count {
			at += random.ExpFloat64() * gap
			p.At(max(units.Time(at), p.Now()+1), 0)
		}
	}
	a.complete = func(p *fabric.Partition, _ int32, c *transport.Completion) {
		if !c.Recv {
			return
		}
		wait := p.Now() - posted[got&(len(posted)-1)] - units.Time(service) - 50_500 - 300_000
		if i := (got - warm) / size; got >= warm && i < batches {
			sums[i] += float64(wait)
		}
		got++
	}
	n.Partition(0).At(0, 0)
	if err := run(e, n, units.Forever-1); err != nil {
		return 0, 0, err
	}
	for _, s := range sums {
		mean += s / float64(size) / batches
	}
	variance := 0.0
	for _, s := range sums {
		d := s/float64(size) - mean
		variance += d * d / (batches - 1)
	}
	return mean, t95 * math.Sqrt(variance/batches), nil
}
