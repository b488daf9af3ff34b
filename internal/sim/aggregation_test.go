package sim

import (
	"context"
	"strings"
	"testing"

	"weft/internal/sim/simtest"
)

// TestReductionsInTheSwitchesNeverBeatTheWire runs all-reduces that the switches of a
// rail reduce, with and without jitter: every byte of the vector goes once into the
// network and once out of it, on any number of nodes, so the time has a floor and the
// bus bandwidth a ceiling of twice the NICs'; and a large one comes near to it.
func TestReductionsInTheSwitchesNeverBeatTheWire(t *testing.T) {
	for _, c := range []struct {
		nodes, cluster, fabric, algo string
		rails                        float64
		rate                         float64 // of a NIC, bytes a second
	}{
		{"2", "dgx-h100", "infiniband-ndr", "nvls", 8, 50e9},
		{"5", "dgx-h100", "infiniband-ndr", "nvls", 8, 50e9},
		{"5", "dgx-a100", "infiniband-hdr", "collnet-direct", 8, 25e9},
		{"3", "dgx-a100", "infiniband-hdr", "collnet-chain", 8, 25e9},
		{"6", "{preset: dgx-h100, gpus: 1, nics: 1}", "infiniband-ndr", "collnet-direct", 1, 50e9},
	} {
		for _, jitter := range []string{"", jitterOn} {
			text := `
cluster: {nodes: ` + c.nodes + `, node: ` + c.cluster + `}
fabrics: [{preset: ` + c.fabric + `, ib: {sharp: true}}]
workload: {collective: all-reduce, algorithm: ` + c.algo + `, sizes: [4KiB, 64MiB]}` + jitter
			points := run(t, simtest.Resolve(t, text), 1).Fabrics[0].Points
			for _, p := range points {
				seconds := float64(p.Bytes) / c.rails / c.rate
				if p.Failure != "" || p.Time.Seconds() < seconds {
					t.Errorf("%s on %s nodes%s, %v: %v (%s), and the wire alone takes %.1f us", c.algo, c.nodes, jitter, p.Bytes, p.Time, p.Failure, seconds*1e6)
				}
				if p.Bytes > 1<<20 && p.Time.Seconds() > 4*seconds {
					t.Errorf("%s on %s nodes%s, %v: %v, %.1f times what the wire takes", c.algo, c.nodes, jitter, p.Bytes, p.Time, p.Time.Seconds()/seconds)
				}
			}
		}
	}
}

// TestReductionsWithinTheSwitchesLimits: a switch that streams one tree at a time
// cannot serve several rails.
func TestReductionsWithinTheSwitchesLimits(t *testing.T) {
	const text = `
cluster: {nodes: 2, node: {preset: dgx-a100, gpus: 2, nics: 2}}
topology: {shape: single-switch}
fabrics: [{preset: infiniband-hdr, ib: {sharp: true}}]
workload: {collective: all-reduce, sizes: [1MiB]}`
	_, err := Run(context.Background(), simtest.Resolve(t, text), Options{Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "rails 0 and 1 meet at") {
		t.Errorf("two rails at one Quantum switch: %v", err)
	}
}
