package preload

import (
	"fmt"
	"regexp"
	"testing"
)

// With the fabric's time an unmodified program prints the fabric's rate: without it, a machine that is 2,000 times slower
// carries less than 0.3 Gb/s.
func TestAProgramPrintsTheRateOfItsFabric(t *testing.T) {
	need(t, "ibv_rc_pingpong")
	const text = `
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [{preset: roce-v2-400g}]
workload: {pattern: incast, fan-in: 1, sizes: [1MiB]}
`
	emulated(t, text, 2000, nil)
	port := freePort(t)
	argv := []string{"ibv_rc_pingpong", "-g", "0", "-s", "65536", "-n", "40", "-p", port}
	t.Setenv("WEFT_NIC", "node0/nic0")
	s := startAs(t, Program{FabricTime: true}, argv...)
	s.listens(t, port)
	t.Setenv("WEFT_NIC", "node1/nic0")
	out := startAs(t, Program{FabricTime: true}, append(argv, "127.0.0.1")...).end(t)
	s.end(t)
	var rate float64
	if m := regexp.MustCompile(`= ([\d.]+) Mbit/sec`).FindStringSubmatch(out); m != nil {
		_, _ = fmt.Sscan(m[1], &rate)
	}
	if t.Logf("%.0f Mb/s", rate); rate < 1000 || rate > 800_000 { // both ways of 400 Gb/s
		t.Errorf("it prints %.0f Mb/s, want the fabric's:\n%s", rate, out)
	}
}
