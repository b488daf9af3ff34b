package validate

import (
	"sort"

	"weft/scenario"
	"weft/units"
)

// cnpDelay is what a report adds at a NIC to see the pauses of a real switch.
const cnpDelay = 55 * units.Microsecond

func cnpCase() *Case {
	return &Case{
		ID:    "dcqcn/cnp-delay",
		Claim: "A switch pauses a sender whose receiver takes 55 us for a CNP, where it does not if the CNP takes no time.",
		Reference: "Reported without figures: aliyun/ns-3-alibabacloud issue 12: ib_write_bw of 50 MB from a port of 100 Gb/s to one of 25 Gb/s, ECN from 400 to 1,625 cells with 20 %; a real switch (Trident 3) pauses, a simulator only with 55 us added at the NIC (V). " +
			"Computed: until the first CNP has an effect the queue grows by the difference of the rates, so the least threshold without a pause is 75 Gb/s · 55 us = 515,625 B higher.",
		Setting: "Two NICs at one switch (preset roce-v2-100g), the receiver's cable at 25 Gb/s; one WRITE of 50 MiB; cells of 256 B (R); DCQCN as that simulator has it (preset dcqcn-ns3). " +
			"The report does not give the switch's threshold of PFC: the least static one without a pause is sought to 1 KiB, with the delay (nic.cnp-generation) and without. The pauses are those at the threshold halfway between.",
		Run: cnpRows,
	}
}

// The reserve and XON of a Broadcom chip, as the reported switch has one: from the table that SONiC
// ships for Dell's Z9864f.
const (
	broadcomSize   = 18796
	broadcomOffset = 3556
)

// pauses are those of a WRITE to a slower port at a threshold of PFC.
func (e *Env) pauses(threshold units.Bytes, delay units.Time) (int64, error) {
	s := scenario.Scenario{
		Cluster:  scenario.Cluster{Nodes: 2, Node: scenario.Node{Preset: "dgx-h100", GPUs: 1, NICs: 1}},
		Topology: scenario.Topology{Shape: scenario.SingleSwitch},
		Fabrics: []scenario.Fabric{{
			Preset:    "roce-v2-100g",
			SlowLinks: []scenario.SlowLink{{NICs: []string{"node1/nic0"}, Rate: 25 * units.Gbps}},
			NIC:       scenario.NIC{CNPGeneration: delay},
			CC:        scenario.CC{Preset: "dcqcn-ns3"},
			Ethernet: scenario.Ethernet{
				ECN: scenario.ECN{Kmin: 400 * 256, Kmax: 1625 * 256},
				PFC: scenario.PFC{XOFF: threshold, Reserve: broadcomSize, XONOffset: broadcomOffset},
			},
		}},
		Workload: scenario.Workload{Pattern: scenario.Flows, Flows: []scenario.Flow{{Src: 0, Dst: 1, Bytes: 50 * units.MiB}}},
	}
	p, err := e.firstPoint("cnp-delay", &s, nil)
	return p.Counts.Pauses, err
}

// calm is the least threshold of PFC without a pause.
func (e *Env) calm(delay units.Time) (units.Bytes, error) {
	var failed error
	kib := sort.Search(4096, func(kib int) bool {
		n, err := e.pauses(units.Bytes(kib+1)*units.KiB, delay)
		if err != nil {
			failed = err
		}
		return n == 0
	})
	return units.Bytes(kib+1) * units.KiB, failed
}

func cnpRows(e *Env) ([]Row, error) {
	without, err := e.calm(0)
	if err != nil {
		return nil, err
	}
	with, err := e.calm(cnpDelay)
	if err != nil {
		return nil, err
	}
	half := (without + with) / 2
	none, err := e.pauses(half, 0)
	if err != nil {
		return nil, err
	}
	some, err := e.pauses(half, cnpDelay)
	if err != nil {
		return nil, err
	}
	grows := 75e9 / 8 * cnpDelay.Seconds()
	return []Row{
		one("what the delay adds to the least threshold without a pause", Bytes, grows, float64(with-without), within(0.05), "%v without the delay, %v with it", without, with),
		one("pauses without the delay", Plain, 0, float64(none), exact, ""),
		one("pauses with it", Plain, 1, float64(some), atLeast, "at a threshold of %v", half),
	}, nil
}
