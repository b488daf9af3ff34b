package network_test

import (
	"math"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
)

// TestEFASendsLostPacketsAgainAlone has four NICs send, without and with loss on the links. Without
// loss a long message fills the link but for the headers: 8928 bytes in frames of 9038 bytes of
// wire. With loss the lost packets are repeated, and few others.
func TestEFASendsLostPacketsAgainAlone(t *testing.T) {
	results := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 2, node: {preset: dgx-h100, nics: 4}}
topology: {shape: single-switch}
fabrics:
  - {preset: efa-100g}
  - {preset: efa-100g, name: lossy, link: {error-rate: 1/1000}}
workload: {pattern: flows, flows: [{src: 0, dst: 4, bytes: 32MiB}, {src: 5, dst: 1, bytes: 32MiB}]}`), 1)
	clean, lossy := &results.Fabrics[0].Points[0], &results.Fabrics[1].Points[0]
	const size, rate = 32 << 20, 100e9 / 8 / 1e12 // bytes, bytes a picosecond
	packets := math.Ceil(float64(size) / 8928)
	want := (size + packets*110) / rate
	if got := float64(clean.Time); got < want || got > want*1.02 || clean.Counts.Retransmissions != 0 {
		t.Errorf("32 MiB took %.0f ps with %d packets sent again, want %.0f, up to 2 %% more, and none", got, clean.Counts.Retransmissions, want)
	}
	lost, again := lossy.Counts.DroppedCorrupt, lossy.Counts.Retransmissions
	if lost < 5 || again == 0 || again > 3*lost {
		t.Errorf("%d packets were lost, acknowledgements too, and %d sent again: want some losses, and up to three repetitions for each", lost, again)
	}
	if lossy.Failure != "" {
		t.Errorf("the run with loss failed: %s", lossy.Failure)
	}
}
