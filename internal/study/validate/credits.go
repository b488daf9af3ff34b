package validate

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/units"
)

// creditCases compare the throughput of a link whose buffer is below bandwidth × delay with
// buffer ÷ credit-loop time.
func creditCases() []*Case {
	const formula = "⌊credit blocks / blocks per packet⌋ · packet / loop. A packet takes ⌈wire bytes / 64⌉ blocks. loop = update latency + return + serialisation + signal + residence, and at least the period. The parts of the loop: " +
		"(1) An update arrives after the update latency, 50 ns, and the return (signal). The packet starts then. " +
		"(2) The packet's tail is at the receiver after serialisation (wire bytes · ps per byte) + signal. " +
		"(3) The packet leaves the buffer after the residence. (4) The update is sent at once, but a period after the update before at the earliest. " +
		"The formula holds if the updates of one loop do not wait for one another: packets · max(period, serialisation) ≤ loop."
	return []*Case{
		{
			ID:        "credits/nic",
			Claim:     "An InfiniBand link with a small buffer at its end moves a bufferful per loop of the credits.",
			Reference: formula + " The residence is the NIC's 300 ns.",
			Setting:   "NIC to NIC, NDR (20 ps/B), SENDs of one full packet each without acknowledgement.",
			Run: func(e *Env) ([]Row, error) {
				return creditRows(e, 1, 300_000, []creditCase{
					{4096, 65, 202 * 1000, 10},
					{4096, 65, 1000 * ns, 10},
					{4096, 130, 1000 * ns, 10},
					{4096, 130 + 64, 1000 * ns, 10},
					{4096, 5 * 65, 1000 * ns, 10},
					{1024, 17, 1000 * ns, 7},
					{1024, 40 * 17, 5000 * ns, 7},
					{256, 100, 500 * ns, 1},
					{256, 60 * 5, 2500 * ns, 1},
					{4096, 65, 1000 * ns, 400},
					{2048, 2 * 33, 1500 * ns, 997},
					{4096, 65, 202 * 1000, 2000},
					{4096, 2048, 50_000 * ns, 3},
				})
			},
		},
		{
			ID:        "credits/switch",
			Claim:     "The same at the input of a switch.",
			Reference: formula + " The residence is the time from the tail's arrival until it has left by the other side: the switch's 130 ns.",
			Setting:   "NIC to switch to NIC, the small buffer at the switch.",
			Run: func(e *Env) ([]Row, error) {
				return creditRows(e, 2, 130_000, []creditCase{
					{4096, 65, 1000 * ns, 10}, {4096, 3 * 65, 2000 * ns, 10}, {1024, 11 * 17, 1500 * ns, 7}, {256, 64, 800 * ns, 1},
				})
			},
		},
	}
}

// creditCase is a payload, a buffer in blocks, a signal time in ps, and an
// update period in ns.
type creditCase struct {
	payload, blocks int64
	signal          units.Time
	periodNs        int64
}

func creditRows(e *Env, links int, residence int64, cases []creditCase) ([]Row, error) {
	var rows []Row
	for _, c := range cases {
		const latency, perByte = 50_000, 20
		wire := c.payload + 8 + 12 + 4 + 2
		packets := c.blocks / ((wire + 63) / 64)
		signal, period := int64(c.signal), c.periodNs*1000
		loop := max(period, latency+signal+wire*perByte+signal+residence)
		got, err := creditRate(e, links, c, packets)
		if err != nil {
			return nil, err
		}
		want := float64(packets*wire*8) / float64(loop) * 1e12
		name := fmt.Sprintf("%d B, %d blocks, %v a way, update every %d ns", c.payload, c.blocks, c.signal, c.periodNs)
		rows = append(rows, one(name, Gigabits, want, got, within(0.001), "%d packets a loop of %d ns", packets, loop/1000))
	}
	return rows, nil
}

// creditRate is the rate on the wire in bits per second, measured between two packets a whole
// number of loops apart.
func creditRate(e *Env, links int, c creditCase, packets int64) (float64, error) {
	m, err := infiniband("ndr")
	if err != nil {
		return 0, err
	}
	m.MTU, m.IB.CreditUpdate = units.Bytes(c.payload), units.Time(c.periodNs)*ns
	m.setSignal(c.signal)
	buffer := &m.IB.Buffer
	if links == 1 {
		buffer = &m.IB.NICBuffer
	}
	*buffer = units.Bytes(c.blocks * 64)
	const from = 400
	count := from + 1 + 4000/packets*packets
	var seen int64
	var first, last units.Time
	n, err := m.build(e, topology.Chain{Switches: links - 1}, &app{complete: func(p *fabric.Partition, _ int32, done *transport.Completion) {
		if !done.Recv {
			return
		}
		switch seen {
		case from:
			first = p.Now()
		case count - 1:
			last = p.Now()
		}
		seen++
	}})
	if err != nil {
		return 0, err
	}
	qp, _, err := n.Connect(0, 1, unreliable, unreliable)
	if err != nil {
		return 0, err
	}
	for range count {
		wr := transport.WorkRequest{Op: transport.OpSend, Length: uint32(c.payload)}
		if err := n.Partition(0).Post(0, qp, wr); err != nil {
			return 0, err
		}
	}
	if err := run(e, n, units.Second); err != nil {
		return 0, err
	}
	if last <= first {
		return 0, fmt.Errorf("%d of %d packets arrived", seen, count)
	}
	wire := float64(c.payload + 26)
	return float64(count-1-from) * wire * 8 / float64(last-first) * 1e12, nil
}
