package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/face/cli/exit"
	"weft/internal/study/latency"
	"weft/internal/test/golden"
)

// TestLatencyGolden: the output of weft latency. The scenario sets the switch latencies
// and cable lengths, so that the golden files do not depend on their defaults.
func TestLatencyGolden(t *testing.T) {
	const text = `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch, cables: {node-leaf: 5m}}
fabrics:
  - {preset: infiniband-ndr, switch: {latency: 150ns}}
  - {preset: roce-v2-400g, switch: {latency: 500ns}}
  - {preset: tcp-400g, switch: {latency: 500ns}}
`
	for name, args := range map[string][]string{
		"latency.txt":  {"latency", "-", "--details"},
		"latency.json": {"latency", "-", "--json", "--fabric", "infiniband-ndr,tcp-400g"},
	} {
		e := environment(args)
		e.Stdin = strings.NewReader(text)
		code, got, stderr := invoke(e)
		if code != exit.OK || stderr != "" {
			t.Fatalf("%s: exit code %d: %s", name, code, stderr)
		}
		golden.File(t, "testdata/"+name, got)
	}
}

// The printed terms sum to the printed latency, to the picosecond.
func TestLatencyColumnsSum(t *testing.T) {
	code, text, _ := invoke(environment([]string{"latency", "--json", "--hops", "3", "--bytes", "4K"}))
	var out latency.Record
	if err := json.Unmarshal([]byte(text), &out); code != exit.OK || err != nil {
		t.Fatalf("exit code %d: %v", code, err)
	}
	if len(out.Latencies) != 3 {
		t.Fatalf("%d latencies", len(out.Latencies))
	}
	for _, l := range out.Latencies {
		sum := int64(0)
		for _, x := range l.Terms {
			sum += x.Time
		}
		if sum != l.OneWay {
			t.Errorf("%s: the terms sum to %d ps of %d ps", l.Fabric, sum, l.OneWay)
		}
	}
}

// TestAnOverlayCountsForPresetsOfLatency: without a scenario, too, a file of fields changes every fabric.
func TestAnOverlayCountsForPresetsOfLatency(t *testing.T) {
	file := filepath.Join(t.TempDir(), "slow.yaml")
	if err := os.WriteFile(file, []byte("fabric: {switch: {latency: 5us}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	oneWays := func(more ...string) (times []int64) {
		code, text, stderr := invoke(environment(append([]string{"latency", "--json", "--fabric", "infiniband-ndr,roce-v2-400g"}, more...)))
		var out latency.Record
		if err := json.Unmarshal([]byte(text), &out); code != exit.OK || err != nil {
			t.Fatalf("exit code %d: %v: %s", code, err, stderr)
		}
		for _, l := range out.Latencies {
			times = append(times, l.OneWay)
		}
		return times
	}
	before, after := oneWays("--set", "fabrics[0].switch.latency=1us"), oneWays("--overlay", file)
	for i := range before {
		if got := after[i] - before[i]; got != 4_000_000 {
			t.Errorf("fabric %d: the overlay adds %d ps, want 4 us", i, got)
		}
	}
}
