package executor_test

import (
	"context"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
)

// TestReductionsInTheSwitchesNeverBeatTheWire runs all-reduces that the switches of a rail
// reduce, with and without jitter. Every byte of the vector goes once into the network and
// once out of it, on any number of nodes: so the time has a floor, and the bus bandwidth a
// ceiling of twice the NICs'. A large all-reduce comes near to it.
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
		for _, jitter := range []string{"", "\nrun: {jitter: true}"} {
			text := `
cluster: {nodes: ` + c.nodes + `, node: ` + c.cluster + `}
fabrics: [{preset: ` + c.fabric + `, ib: {sharp: true}}]
workload: {collective: all-reduce, algorithm: ` + c.algo + `, sizes: [4KiB, 64MiB]}` + jitter
			points := runtest.Run(t, simtest.Resolve(t, text), 1).Fabrics[0].Points
			for _, p := range points {
				seconds := float64(p.Bytes) / c.rails / c.rate
				if p.Failure != "" || p.Time.Seconds() < seconds {
					t.Errorf("%s on %s nodes%s, %v: %v (%s), and the wire alone takes %.1f us", c.algo, c.nodes, jitter, p.Bytes, p.Time, p.Failure, seconds*1e6)
				}
				if p.Bytes > 1<<20 && p.Time.Seconds() > 4*seconds {
					t.Errorf("%s on %s nodes%s, %v: %v, %.1f times the time of the wire", c.algo, c.nodes, jitter, p.Bytes, p.Time, p.Time.Seconds()/seconds)
				}
			}
		}
	}
}

// TestReductionsWithinTheSwitchesLimits: a switch that streams one tree at a time cannot
// serve several rails. NCCL then takes another algorithm, unless the scenario forces CollNet.
func TestReductionsWithinTheSwitchesLimits(t *testing.T) {
	const text = `
cluster: {nodes: 2, node: {preset: dgx-a100, gpus: 2, nics: 2}}
topology: {shape: single-switch}
fabrics: [{preset: infiniband-hdr, ib: {sharp: true}}]
workload: {collective: all-reduce, sizes: [1MiB]}`
	f := runtest.Run(t, simtest.Resolve(t, text), 1).Fabrics[0]
	if f.Reduction.Without != 1 || f.Reduction.Trees != 0 || f.Points[0].Time == 0 || strings.HasPrefix(f.Points[0].Algorithm, "collnet") {
		t.Errorf("two rails at one Quantum switch: %+v, by %s in %v", f.Reduction, f.Points[0].Algorithm, f.Points[0].Time)
	}
	forced := strings.Replace(text, "sizes", "algorithm: collnet-chain, sizes", 1)
	_, err := sim.Run(context.Background(), simtest.Resolve(t, forced), sim.Options{Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "one tree of streaming aggregation at a time") {
		t.Errorf("the same with CollNet asked for: %v", err)
	}
}

// TestShardsThroughTheSwitchesNeverBeatTheWire runs all-gathers and reduce-scatters that
// the switches of a rail copy or reduce, on adjacent nodes, on a torus, a dragonfly+ and two
// planes, with and without jitter. The kernels have NCCL's own times, of which little is seen at 24
// MiB. One direction of a NIC carries the rail's whole vector, so
// the time has a floor. A large collective comes near to it, and sizes that do not divide
// into equal shards arrive too.
func TestShardsThroughTheSwitchesNeverBeatTheWire(t *testing.T) {
	for _, c := range []struct {
		cluster, topology, nic, algo string
		rate                         float64 // of a node's NICs, bytes a second
	}{
		{"{nodes: 3, node: dgx-h100}", "rail-optimised", "", "nvls", 400e9},
		{"{nodes: 5, node: dgx-h100}", "rail-optimised", "", "collnet-direct", 400e9},
		{"{nodes: 3, node: dgx-h100}", "dual-plane", "nic: {ports: 2}, ", "collnet-direct", 400e9},
		{"{nodes: 9, node: {preset: dgx-h100, gpus: 1, nics: 1}}", "torus, dims: [3, 3]", "routing: {mode: deterministic}, ", "collnet-direct", 50e9},
		{"{nodes: 16, node: {preset: dgx-h100, gpus: 2, nics: 2}}", "dragonfly-plus, groups: 4", "", "collnet-direct", 100e9},
	} {
		for _, collect := range []string{"all-gather", "reduce-scatter"} {
			for _, jitter := range []string{"", "\nrun: {jitter: true}"} {
				text := `
cluster: ` + c.cluster + `
topology: {shape: ` + c.topology + `}
fabrics: [{preset: infiniband-ndr, ` + c.nic + `ib: {sharp: true}}]
nccl: {times: nccl}
workload: {collective: ` + collect + `, algorithm: ` + c.algo + `, datatype: int8, sizes: [1001B, 24MiB]}` + jitter
				f := runtest.Run(t, simtest.Resolve(t, text), 1).Fabrics[0]
				for _, p := range f.Points {
					floor := float64(p.Bytes) / c.rate
					if p.Failure != "" || p.Time.Seconds() < floor {
						t.Errorf("%s by %s on %s%s, %v: %v (%s), and the wire alone takes %.1f us", collect, c.algo, c.topology, jitter, p.Bytes, p.Time, p.Failure, floor*1e6)
					}
					if p.Bytes > 1<<20 && p.Time.Seconds() > 3*floor {
						t.Errorf("%s by %s on %s%s, %v: %v, %.1f times the time of the wire", collect, c.algo, c.topology, jitter, p.Bytes, p.Time, p.Time.Seconds()/floor)
					}
				}
			}
		}
	}
}

// The results of a reduction go to all members, so all have the key of one partition. The Subnet
// Manager's NIC, here the first, is also a full member of the default partition, which the others
// share only with it, and by which its stream goes.
func TestAReductionStaysInOnePartition(t *testing.T) {
	for _, beside := range []string{"", ", beside: [{src: 0, dst: 3, bytes: 16KiB}]"} {
		p := runtest.Point(t, `
cluster: {nodes: 12, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabric: {preset: infiniband-ndr, ib: {sharp: true, partitions: [{name: everybody, key: 0x6c2a, full: all}]}`+beside+`}
workload: {collective: all-reduce, algorithm: collnet-chain, sizes: [96KiB]}
run: {limit: {simulated-time: 5ms}}`)
		if p.Counts.DroppedPKey > 0 {
			t.Errorf("%d packets were dropped for their P_Key, want none", p.Counts.DroppedPKey)
		}
	}
}

// Without a partition in which all reach all, a reduction is refused, though each pair has one.
func TestAReductionWithoutACommonPartitionIsRefused(t *testing.T) {
	_, err := sim.Run(t.Context(), simtest.Resolve(t, `
cluster: {nodes: 3, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabric: {preset: infiniband-ndr, ib: {sharp: true, partitions: [{key: 1, full: "node[0-1]"}, {key: 2, full: "node[1-2]"}, {key: 3, full: [node0, node2]}]}}
workload: {collective: all-reduce, algorithm: collnet-chain, sizes: [96KiB]}`), sim.Options{Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "at most one is a limited member") {
		t.Errorf("%v, want a refusal that names the partitions", err)
	}
}
