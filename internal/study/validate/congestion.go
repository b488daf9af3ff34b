package validate

import (
	"fmt"
	"strings"

	"weft/internal/sim"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// lab is where the measured rows come from.
const lab = "One lab's records (ids 66287737998 and 66140094570 of a public index of files): BlueField-3, firmware 32.49.1014, USER_PROGRAMMABLE_CC = 0, from 200 Gb/s through one switch into 100 Gb/s, MTU 1500, PFC off, 60 s a run (V)."

// labSetting is how the lab's runs are simulated.
const labSetting = "Two NICs at one switch (sn4700 with the 61 MB of the record), the receiver's cable at 100 Gb/s; packets of 1024 B; 8 MiB in flight a queue pair, perftest's 128 messages of 64 KiB (R); ECN 108 KB to 396 KB, 20 %, PFC off. " +
	"Goodput between two lengths of the run, so that neither start nor end counts. Shown beside it: the other reading of the gain (dcqcn-firmware-averaged)."

// measuredBar is the tolerance of a measured rate, that of published steps.
var measuredBar = within(0.20)

// congestionCases compare congestion control at an incast with measurements.
func congestionCases() []*Case {
	return []*Case{
		{
			ID:        "congestion/queue-pairs",
			Claim:     "Queue pairs of a NIC that share a slower port have its goodput with DCQCN, and with selective repeat also without marks.",
			Reference: lab, Setting: labSetting + " With 16 queue pairs the first CNP sets each one's share of the port (first-rate), so that the start loses no packets.", Slow: true, Run: queuePairRows,
		},
		{
			ID:        "congestion/standing-marks",
			Claim:     "Under a queue that never empties, DCQCN's rate follows the speed of its recovery.",
			Reference: lab + " 16 queue pairs beside 16 TCP Cubic flows, which hold the queue above all thresholds: the sum of the 16, with rpg_time_reset, rpg_ai_rate and rpg_hai_rate at 1200 us, 1, 10; 300 us, 5, 50 (the defaults); 75 us, 50, 500 Mb/s.",
			Setting: strings.Replace(labSetting, "ECN 108 KB to 396 KB, 20 %", "every packet is marked, in place of the Cubic flows, and their delay of 3 ms is left out", 1) +
				" The first CNP sets 20 Mb/s (first-rate), so that the start is short.",
			Slow: true, Run: standingRows,
		},
		{
			ID:    "congestion/senders",
			Claim: "DCQCN of ConnectX's firmware keeps a port of 400 Gb/s full below ten flows.",
			Reference: "MRC paper (arXiv 2605.04333, fig. 22) by way of public id 59035598706: 15 to 1 at 400 Gb/s, the NIC maker's default profile holds the queue below ten flows, and the port is full (S). The NIC is a Broadcom Thor Ultra, whose parameters are not public, so no row is scored. " +
				"The row of RTTCC: two senders into 100 Gb/s with two other controllers on a BlueField-3, 88.53 (marks alone, cuts of a tenth) and 86.0 Gb/s (round trips and marks: NVIDIA's sample), of 92.6 (id 55862011968, V).",
			Setting: "n NICs to one at one switch, presets roce-v2-400g and roce-v2-100g; 256 MiB a sender; goodput until the last has sent all, of 400 Gb/s · 4096 / (4096 + 82).",
			Slow:    true, Run: senderRows,
		},
	}
}

// labText is the lab's scenario with a number of queue pairs and changes.
func labText(pairs int, bytes units.Bytes, changes ...string) (string, []scenario.Override) {
	text := fmt.Sprintf(`
cluster: {nodes: 2, node: {preset: dgx-a100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabric:
  preset: roce-v2-200g
  switch: {model: sn4700, buffer: 61MB}
  nic: bluefield-3
  mtu: 1KiB
  cc: dcqcn-firmware
  slow-links: [{nics: [node1/nic0], rate: 100Gbps}]
  ethernet: {pfc: {enabled: false}, ecn: {kmin: 108KB, kmax: 396KB, pmax: 20%%}, egress-alpha: 128}
  transport: {window: 8MiB, qps-per-connection: %d}
workload: {pattern: flows, flows: [{src: 0, dst: 1, bytes: %dB}]}
run: {limit: {simulated-time: 200s}}
`, pairs, bytes)
	var set []scenario.Override
	for _, c := range changes {
		path, value, _ := strings.Cut(c, "=")
		set = append(set, scenario.Override{Path: path, Value: value})
	}
	return text, set
}

// pointOf runs a scenario of one size on one fabric.
func (e *Env) pointOf(text string, set ...scenario.Override) (p results.Point, err error) {
	f, err := scenario.Decode("congestion", []byte(text))
	if err != nil {
		return p, err
	}
	r, err := f.Resolve(set...)
	if err != nil {
		return p, err
	}
	out, err := e.simulate(e.Ctx, r, sim.Options{Workers: 1})
	if err != nil {
		return p, err
	}
	if p = out.Fabrics[0].Points[0]; p.Failure != "" {
		return p, fmt.Errorf("the run of %s failed: %s", out.Fabrics[0].Name, p.Failure)
	}
	return p, nil
}

// labGoodput is the goodput of the lab's queue pairs in bits per second, between bytes and three times
// as many.
func (e *Env) labGoodput(pairs int, bytes units.Bytes, changes ...string) (float64, error) {
	if e.Short {
		bytes /= 8
	}
	var at [2]units.Time
	for i, n := range []units.Bytes{bytes, 3 * bytes} {
		text, set := labText(pairs, n, changes...)
		p, err := e.pointOf(text, set...)
		if err != nil {
			return 0, err
		}
		at[i] = p.Time
	}
	return float64(2*bytes) * 8 / (at[1] - at[0]).Seconds(), nil
}

// measuredRow is a row of a measured rate; a shortened run scores nothing.
func (e *Env) measuredRow(name string, want, got float64, scored bool, note string) Row {
	t := measuredBar
	if !scored || e.Short {
		t = shown
	}
	return one(name, Gigabits, want, got, t, note)
}

func queuePairRows(e *Env) ([]Row, error) {
	const selective, averaged = "fabric.transport.recovery=selective-repeat", "fabric.cc=dcqcn-firmware-averaged"
	const share, none, unmarked = "fabric.cc.first-rate=1/32", "fabric.cc=none", "fabric.ethernet.ecn.enabled=false"
	var rows []Row
	for _, c := range []struct {
		name    string
		pairs   int
		bytes   units.Bytes
		want    float64
		scored  bool
		changes []string
	}{
		{"one, DCQCN", 1, 512 * units.MiB, 92.5e9, true, nil},
		{"one, DCQCN, averaged gain", 1, 512 * units.MiB, 92.5e9, false, []string{averaged}},
		{"16, DCQCN, go-back-N", 16, units.GiB, 92.48e9, true, []string{share}},
		{"16, DCQCN, averaged gain, go-back-N", 16, units.GiB, 92.48e9, false, []string{averaged, share}},
		{"16, DCQCN, selective repeat", 16, units.GiB, 91.20e9, true, []string{share, selective}},
		{"16, no marks, selective repeat", 16, units.GiB, 91.20e9, true, []string{none, unmarked, selective}},
	} {
		got, err := e.labGoodput(c.pairs, c.bytes, c.changes...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		rows = append(rows, e.measuredRow(c.name, c.want, got, c.scored, ""))
	}
	return rows, nil
}

func standingRows(e *Env) ([]Row, error) {
	var rows []Row
	for _, preset := range []string{"dcqcn-firmware", "dcqcn-firmware-averaged"} {
		for _, c := range []struct {
			name, period, ai, hai string
			want                  float64
		}{
			{"slow recovery", "1200us", "1Mbps", "10Mbps", 0.06e9},
			{"default recovery", "300us", "5Mbps", "50Mbps", 0.34e9},
			{"fast recovery", "75us", "50Mbps", "500Mbps", 2.24e9},
		} {
			got, err := e.labGoodput(16, 32*units.MiB, "fabric.cc="+preset, "fabric.cc.first-rate=1/10000",
				"fabric.cc.increase-period="+c.period, "fabric.cc.ai-rate="+c.ai, "fabric.cc.hai-rate="+c.hai,
				"fabric.ethernet.ecn.kmin=1B", "fabric.ethernet.ecn.kmax=1B", "fabric.ethernet.ecn.pmax=1")
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			name, own := c.name, preset == "dcqcn-firmware"
			if !own {
				name += ", averaged gain"
			}
			rows = append(rows, e.measuredRow(name, c.want, got, own, "The record counts six marked packets for a CNP, which come in bursts; weft paces packets one by one, and each draws a CNP."))
		}
	}
	return rows, nil
}

func senderRows(e *Env) ([]Row, error) {
	bytes := 256 * units.MiB
	if e.Short {
		bytes /= 16
	}
	var rows []Row
	for _, c := range []struct {
		preset, node, cc string
		line             float64
		n                int
		want             float64
	}{
		{"roce-v2-400g", "dgx-h100", "dcqcn-firmware", 400e9, 2, 1},
		{"roce-v2-400g", "dgx-h100", "dcqcn-firmware", 400e9, 4, 1},
		{"roce-v2-400g", "dgx-h100", "dcqcn-firmware", 400e9, 8, 1},
		{"roce-v2-400g", "dgx-h100", "dcqcn-firmware-averaged", 400e9, 2, 1},
		{"roce-v2-400g", "dgx-h100", "dcqcn-firmware-averaged", 400e9, 4, 1},
		{"roce-v2-400g", "dgx-h100", "dcqcn-firmware-averaged", 400e9, 8, 1},
		{"roce-v2-100g", "dgx-1-v100", "rttcc", 100e9, 2, 86.0 / 92.6},
	} {
		p, err := e.pointOf(fmt.Sprintf(`
cluster: {nodes: %d, node: {preset: %s, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabric: {preset: %s, cc: %s}
workload: {pattern: incast, fan-in: %d, sizes: [%dB]}
`, c.n+1, c.node, c.preset, c.cc, c.n, bytes))
		if err != nil {
			return nil, err
		}
		full := c.line * 4096 / (4096 + 82)
		rows = append(rows, one(fmt.Sprintf("%d to 1, %s", c.n, c.cc), Percent, c.want, float64(c.n)*float64(bytes)*8/p.Time.Seconds()/full, shown, ""))
	}
	return rows, nil
}
