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

// losslessClasses holds two lossless and two lossy classes under one incast.
var losslessClasses = &Case{
	ID:    "pfc/classes",
	Claim: "Under one incast, DSCP 3 and 4 lose nothing, and 0 and 47 lose heavily.",
	Reference: "Behaviour: sonic-mgmt PR 25347, an incast on SONiC in which DSCP 3 and 4 lose no frame and 0 and 47 lose 230.67 million; its rates and time were not retrieved, so the share is a closed form. " +
		"Each of four classes gets 1/4 of the receiver's link. The lossless ones are paused to it, 1/8 of a link from each of two senders; the rest of their links, 3/8 for each lossy class, goes to the lossy ones: " +
		"3/4 of a link come for 1/4, and 2/3 are lost.",
	Setting: "Two NICs send to a third over one switch, in classes for DSCP 0, 3, 4 and 47, 20,000 packets of 4096 bytes in each, 400 GbE, unreliable connections. Deficit round robin of equal weights, shared buffer of 4 MiB, 3 and 4 lossless. " +
		"The tolerance of the share covers the packets in the buffer at the start and the end.",
	Run: classRows,
}

func classRows(e *Env) ([]Row, error) {
	const packets, senders = 20_000, 2
	m, err := roce("400g")
	if err != nil {
		return nil, err
	}
	const dscp3, dscp4, classes = 1, 2, 4 // 0 and 3 are DSCP 0 and 47
	m.Ethernet.Shared, m.Ethernet.EgressAlpha = 4<<20, scenario.Ratio{Num: 1, Den: 8}
	m.Ethernet.PFC.Priorities = []int{dscp3, dscp4}
	for class := range classes {
		m.Ethernet.Queues = append(m.Ethernet.Queues, scenario.Queue{Priority: class, Schedule: scenario.DWRR, Weight: 1})
	}
	m.prepare = func(p *network.Plan) {
		p.Class.Used = []int{0, dscp3, dscp4, 3}
		p.Amend = func(d *network.Devices) { d.NIC.Schedule = nil } // classes of a NIC take turns by packets
	}
	n, err := m.star(e, senders+1, &app{})
	if err != nil {
		return nil, err
	}
	for from := int32(1); from <= senders; from++ {
		for class := range uint8(classes) {
			c := fabric.Connection{Service: transport.UC, Class: class, Reply: class}
			if err := post(n, from, 0, c, transport.WorkRequest{Op: transport.OpSend, Length: packets * mtu}); err != nil {
				return nil, err
			}
		}
	}
	if err := run(e, n, units.Second); err != nil {
		return nil, err
	}
	s := n.Stats()
	if s.Pauses == 0 {
		return nil, fmt.Errorf("no pause")
	}
	lossy := float64(2 * senders * packets)
	return []Row{
		one("DSCP 3 and 4, lost", Plain, 0, float64(s.Dropped[counts.DropHeadroom]), exact, "%d pauses", s.Pauses),
		one("DSCP 0 and 47, lost", Percent, 2.0/3, float64(s.Dropped[counts.DropBuffer])/lossy, within(0.02),
			"%d of %.0f packets", s.Dropped[counts.DropBuffer], lossy),
	}, nil
}
