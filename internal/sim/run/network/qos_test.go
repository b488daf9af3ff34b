package network_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/test/runtest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// beside is the only result of a scenario with a file beside it.
func beside(t *testing.T, name, file, text string) results.Point {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{name: file, "s.yaml": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := scenario.Load(filepath.Join(dir, "s.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return runtest.Run(t, r, 1).Fabrics[0].Points[0]
}

// contend has two hosts send the same amount to a third, whose port is the
// bottleneck: the first on the fabric's service level, the second on level 2.
const contend = `
cluster: {nodes: 3, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics:
  - preset: infiniband-ndr
    ib: {opensm-conf: opensm.conf}
workload:
  pattern: flows
  flows: [{src: 0, dst: 2, bytes: 16MiB, sl: 1}, {src: 1, dst: 2, bytes: 16MiB, sl: 2}]
`

// Two classes share one port by their weights until the first is done; then the other has
// it alone. So the first takes the time of its own bytes divided by its share, and both
// together take the time of all bytes.
func TestWeightsShareAPortBetweenTwoClasses(t *testing.T) {
	const packets = 16 << 20 / 4096
	alone := units.Time(packets * (4096 + 8 + 12 + 4 + 2) * 20) // at 20 ps a byte, of one class with the port to itself
	for _, c := range []struct {
		name, keys string
		first      float64 // when the first is done, over alone
	}{
		{"one lane for both", "qos_vlarb_low 0:64,1:64,2:64\nqos_sl2vl 0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n", 2},
		{"equal weights", "qos_vlarb_low 0:64,1:64,2:64\n", 2},
		{"one to three", "qos_vlarb_low 0:64,1:64,2:192\n", 4.0 / 3},
		// 2,048 and 14,336 bytes: a turn goes on while any of it is left, so one
		// packet of 4,122 and four.
		{"one to seven in blocks is one to four in packets", "qos_vlarb_low 0:32,1:32,2:224\n", 5.0 / 4},
		{"three to one, the other way", "qos_vlarb_low 0:64,1:192,2:64\n", 4.0 / 3},
		{"high priority without limit", "qos_vlarb_low 0:64,1:64\nqos_vlarb_high 2:255\nqos_high_limit 255\n", 1},
		{"high priority of a packet at a time", "qos_vlarb_low 0:64,1:64\nqos_vlarb_high 2:255\nqos_high_limit 0\n", 2},
		{"high priority for 16 KiB", "qos_vlarb_low 0:64,1:64\nqos_vlarb_high 2:255\nqos_high_limit 4\n", 5.0 / 4},
	} {
		keys := "qos TRUE\nqos_max_vls 4\nqos_high_limit 0\nqos_vlarb_high 3:0\nqos_sl2vl 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3\n" + c.keys
		p := beside(t, "opensm.conf", keys, contend)
		if len(p.Levels) != 2 || p.Levels[1].SL != 2 {
			t.Fatalf("%s: levels %+v", c.name, p.Levels)
		}
		first, last := min(p.Levels[0].Flows.Max, p.Levels[1].Flows.Max), p.Flows.Max
		want := units.Time(float64(alone) * c.first)
		if !within(first, want, 0.02) || !within(last, 2*alone, 0.02) {
			t.Errorf("%s: one class is done after %v and the other after %v; want %v and %v", c.name, first, last, want, 2*alone)
		}
	}
}

func within(got, want units.Time, share float64) bool {
	d := float64(got - want)
	return d <= share*float64(want) && d >= -share*float64(want)
}

// A policy gives levels by partition and by port group. Pairs that no rule fits have the
// default level, and the fabric's table sends each level to its lane.
func TestAPolicyGivesServiceLevels(t *testing.T) {
	const policy = `
port-groups
    port-group
        name: Storage
        port-guid: 0x0200574500100021
    end-port-group
end-port-groups
qos-levels
    qos-level
        name: DEFAULT
        sl: 0
    end-qos-level
    qos-level
        name: Bulk
        sl: 2
    end-qos-level
end-qos-levels
qos-match-rules
    qos-match-rule
        source: Storage
        qos-level-name: Bulk
    end-qos-match-rule
end-qos-match-rules
`
	// The first host has the high priority, and the third, Storage, the remaining bandwidth.
	const text = `
cluster: {nodes: 3, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics:
  - preset: infiniband-ndr
    ib: {qos-policy: p.conf, high-limit: 255, vlarb-high: [{vl: 0, weight: 64}], vlarb-low: [{vl: 2, weight: 64}]}
workload:
  pattern: flows
  flows: [{src: 0, dst: 1, bytes: 4MiB}, {src: 2, dst: 1, bytes: 4MiB}]
`
	p := beside(t, "p.conf", policy, text)
	if first := p.Levels[0].Flows.Max; !within(first, p.Flows.Max/2, 0.02) {
		t.Errorf("the first class is done after %v of %v: it did not have the port to itself", first, p.Flows.Max)
	}
}

// Two classes of one NIC wait at its own port: they share it by the NIC's tables, whatever
// the tables of switches are.
func TestANICArbitratesByItsOwnTables(t *testing.T) {
	const text = `
cluster: {nodes: 3, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics:
  - preset: infiniband-ndr
    ib: {sl2vl: [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], TABLES}
workload:
  pattern: flows
  flows: [{src: 0, dst: 1, bytes: 16MiB, sl: 1}, {src: 0, dst: 2, bytes: 16MiB, sl: 2}]
`
	const even = "vlarb-high: [], vlarb-low: [{vl: 0, weight: 64}, {vl: 1, weight: 64}, {vl: 2, weight: 64}]"
	const packets = 16 << 20 / 4096
	alone := units.Time(packets * (4096 + 8 + 12 + 4 + 2) * 20)
	for _, c := range []struct {
		name, tables string
		first        float64 // when the first is done, over alone
	}{
		{"as at switches", even, 2},
		{"one to three", even + ", nic-vlarb: {low: [{vl: 0, weight: 64}, {vl: 1, weight: 64}, {vl: 2, weight: 192}]}", 4.0 / 3},
		{"high before low", even + ", nic-vlarb: {high: [{vl: 1, weight: 64}], low: [{vl: 0, weight: 64}, {vl: 2, weight: 64}], limit: 255}", 1},
	} {
		p := runtest.Point(t, strings.Replace(text, "TABLES", c.tables, 1))
		first, both := float64(p.Levels[0].Flows.Max), float64(p.Levels[1].Flows.Max)
		if first > both {
			first, both = both, first
		}
		if got := first / float64(alone); got < c.first*0.99 || got > c.first*1.01 {
			t.Errorf("%s: the first is done after %.3f times its time alone, want %.3f", c.name, got, c.first)
		}
		if got := both / float64(alone); got < 1.98 || got > 2.02 {
			t.Errorf("%s: both are done after %.3f times the time of one, want 2", c.name, got)
		}
	}
}
