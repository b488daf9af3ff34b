package validate

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// ibccCases compare InfiniBand's congestion control with its own arithmetic and with its goal: to
// spare a flow that only crosses the congestion.
func ibccCases() []*Case {
	return []*Case{
		{
			ID:    "ibcc/table",
			Claim: "The delay between packets follows the congestion control table: a BECN raises the index by CCTI_Increase up to CCTI_Limit, each CCTI_Timer lowers it by one down to CCTI_Min.",
			Reference: "IBA vol. 1, annex A10.2.2: after a packet of time t a queue pair waits t · m/2^s, so that it sends at line rate / (1 + m/2^s). The index is counted out here: " +
				"BECNs at 0, 1, 2 and 3 us (index 3, 6, 9, 9), then one less every 10 us from 10 us on, to 1 at 80 us.",
			Setting: "NDR; the table has delays of i²/4 packets for i = 0 to 9, CCTI_Increase 3, CCTI_Timer 10 us, CCTI_Min 1. The rate after each change, rounded down to a bit per second.",
			Run:     tableRows,
		},
		{
			ID:    "ibcc/victim",
			Claim: "Without congestion control a flow that shares a link with one of five senders of an incast gets a fifth of its rate, although its own receiver is idle; with it, the flow gets at least half of the bandwidth that the incast leaves free.",
			Reference: "400 Gb/s · 4096 / (4096 + 26). Without: the hot port serves its five inputs in turn, a fifth of the wire each; the victim and the contributor take turns for the credits of the link between the switches, so the victim gets as much as the contributor. " +
				"With: the contributor's fair share leaves four fifths of the link free. Half of that is weft's own bar: how near a setting comes is a matter of its parameters, which is why both are shown.",
			Setting: "Two switches and a link between them, all NDR, credits of 2048 blocks. On the first switch the victim and one contributor, on the second four contributors, the hot receiver and the victim's. Messages of 64 KiB without end; goodput from 1 to 4 ms. " +
				"With: threshold 8 KiB, one packet in nine marked, the table 7 i²/95²/0.218 of 128 entries, CCTI_Increase 1, CCTI_Timer 8.192 us.",
			Run: victimRows,
		},
	}
}

// tableRows drive the algorithm through a script, as a queue pair would.
func tableRows(e *Env) ([]Row, error) {
	p := &cc.IBCCParams{LineRate: 400 * units.Gbps, Timer: 10 * units.Microsecond, Increase: 3, Min: 1}
	for i := range uint16(10) {
		p.Table = append(p.Table, cc.TableEntry{Multiplier: i * i, Shift: 2})
	}
	e.change(Models{IBCC: p})
	r := Row{Name: "rate, first and last of the script", Unit: Gigabits, Tolerance: exact}
	c, a := cc.NewIBCC(p), cc.Allowance{}
	c.Start(0, &a)
	note := func(index int64) {
		r.Reference = append(r.Reference, float64(400_000_000_000*4/(4+index*index)))
		r.Weft = append(r.Weft, float64(a.Rate))
	}
	note(1)
	for i, index := range []int64{4, 7, 9, 9} {
		c.Notified(units.Time(i)*units.Microsecond, &a)
		note(index)
	}
	for index := int64(8); a.Wake != units.Forever && index > 0; index-- {
		c.Timer(a.Wake, &a)
		note(index)
	}
	return []Row{r}, nil
}

// The NICs of the network with a victim.
const (
	hotReceiver = iota
	victimReceiver
	victim
	farContributor
	firstNear
	victimNICs = firstNear + 4
)

func victimRows(e *Env) ([]Row, error) {
	full := 400e9 * 4096 / (4096 + 26)
	without, err := victimGoodput(e, "none")
	if err != nil {
		return nil, err
	}
	with, err := victimGoodput(e, "ib-cc")
	if err != nil {
		return nil, err
	}
	return []Row{
		one("the victim without congestion control", Gigabits, full/5, without[victimReceiver], within(0.01), ""),
		one("the incast without", Gigabits, full, without[hotReceiver], within(0.01), ""),
		one("the victim with it", Gigabits, full*4/5/2, with[victimReceiver], atLeast, "%.0f %% of the bandwidth that the incast's fair shares leave free", 100*with[victimReceiver]/(full*4/5)),
		one("the incast with it", Gigabits, full, with[hotReceiver], shown, "what congestion control costs the hot link"),
	}, nil
}

// victimGoodput is the goodput of each receiver, in bits per second, with a congestion control.
func victimGoodput(e *Env, control string) (map[int32]float64, error) {
	m, err := controlledInfiniBand("ndr", control)
	if err != nil {
		return nil, err
	}
	const message, from, until = 64 << 10, units.Millisecond, 4 * units.Millisecond
	got := map[int32]float64{}
	ends := [victimNICs]units.QPN{}
	next := func(p *fabric.Partition, nic int32) {
		if err := p.Post(nic, ends[nic], transport.WorkRequest{Op: transport.OpSend, Length: message}); err != nil {
			panic(fmt.Sprintf("validate: %v", err))
		}
	}
	n, err := m.build(e, victimNetwork(), &app{
		timer: func(p *fabric.Partition, source uint32) {
			for range 4 { // enough that the queue pair never waits for the application
				next(p, int32(source))
			}
		},
		complete: func(p *fabric.Partition, nic int32, c *transport.Completion) {
			switch {
			case !c.Recv:
				next(p, nic)
			case p.Now() >= from:
				got[nic] += message * 8 / (float64(until-from) / 1e12)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	for nic := int32(victim); nic < victimNICs; nic++ {
		to := int32(hotReceiver)
		if nic == victim {
			to = victimReceiver
		}
		if ends[nic], _, err = n.ConnectNICs(nic, to, 0, 0, 0); err != nil {
			return nil, err
		}
		n.Partition(nic).At(0, uint32(nic))
	}
	return got, run(e, n, until)
}

// victimNetwork has the victim and one contributor on one switch and all others
// on another.
func victimNetwork() topology.Spec {
	const near, far = victimNICs, victimNICs + 1 // the nodes of the switches
	links := []topology.ListedLink{{A: near, B: far}}
	for nic := range victimNICs {
		at := near
		if nic == victim || nic == farContributor {
			at = far
		}
		links = append(links, topology.ListedLink{A: nic, B: at})
	}
	return topology.Listed{Endpoints: victimNICs, Links: links}
}
