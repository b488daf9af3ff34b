package network_test

import (
	"strings"
	"testing"

	"weft/internal/test/runtest"
)

// TestAPoolIsWrittenAndRead compares a message between two GPUs through a pool of memory
// with its parts: written whole, then read, at the links' rate. Many messages at once are
// compared with the rate of the pool's devices.
func TestAPoolIsWrittenAndRead(t *testing.T) {
	const text = `
cluster:
  nodes: 1
  node:
    preset: dgx-h100
    scale-up: {generation: cxl-3-pool, links: 1, link-rate: 100GB/s, latency: 300ns, packet: 64B, overhead: 0B, devices: %DEV%}
fabrics: [infiniband-ndr]
nccl: {times: nccl} # only the wires
workload: {collective: send-recv, channels: 1, chunk: 64MiB, protocol: simple, sizes: [64MiB]}`
	at := func(devices string) float64 {
		return runtest.Point(t, strings.ReplaceAll(text, "%DEV%", devices)).Time.Seconds()
	}
	const bytes = 64 << 20
	// Eight GPUs send at once, each to the next. With eight devices every link carries a
	// message once each way, with two the pool's port carries eight.
	for devices, want := range map[string]float64{"8": 2 * bytes / 100e9, "2": bytes/25e9 + bytes/25e9} {
		if got := at(devices); got < want || got > 1.15*want {
			t.Errorf("%s devices: %.1f us, the parts take %.1f us", devices, got*1e6, want*1e6)
		}
	}
}
