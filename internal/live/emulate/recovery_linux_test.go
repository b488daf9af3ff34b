package emulate_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/internal/live/emulate"
	"weft/verbs"
)

// TestLostPacketsAreRecoveredAsTheScenarioSays loses packets of links. With selective repeat only those are sent again,
// with go-back-N all behind them.
func TestLostPacketsAreRecoveredAsTheScenarioSays(t *testing.T) {
	const size, messages = 4 << 20, 2
	again := map[string]uint64{}
	for _, recovery := range []string{"go-back-n", "selective-repeat"} {
		text := fmt.Sprintf(`
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [{preset: roce-v2-400g, transport: {recovery: %s}, link: {error-rate: 0.002}}]
workload: {pattern: incast, fan-in: 1, sizes: [1MiB]}
`, recovery)
		socket, end := start(t, text, emulate.Options{})
		a, b := open(t, socket, "node0/nic0", size), open(t, socket, "node1/nic0", size)
		connect(t, a, b)
		rand.NewChaCha8([32]byte{1}).Read(a.buf)
		for range messages {
			a.write(t, b)
			if wc := a.completion(t); wc.Status != verbs.Success {
				t.Fatalf("%s: the WRITE ended with %v", recovery, wc.Status)
			}
		}
		b.dev.Progress()
		if !bytes.Equal(a.buf, b.buf) {
			t.Errorf("%s: the bytes differ", recovery)
		}
		for _, d := range end().Devices {
			again[recovery] += uint64(d.Repeated)
		}
	}
	t.Log(again)
	if one, all := again["selective-repeat"], again["go-back-n"]; one == 0 || all < 4*one {
		t.Errorf("selective repeat sends %d packets again and go-back-N %d", one, all)
	}
}
