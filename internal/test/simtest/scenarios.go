package simtest

import (
	"fmt"
	"strings"
	"testing"

	"weft/scenario"
)

// LeafSpine has four leaves of eight hosts and eight spines: one cable from each
// leaf to each spine. Leaf 0's port 9 leads to spine 0.
const LeafSpine = `
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16, spines: 8}
workload: {pattern: permutation, sizes: [1MiB]}
control: {loss-of-signal: 10us}
`

// BothFabrics are InfiniBand with both kinds of routing, and RoCE.
const BothFabrics = `
fabrics:
  - {preset: infiniband-ndr, name: static, routing: {mode: deterministic}, transport: {timeout: 2ms}}
  - {preset: infiniband-ndr, name: adaptive, routing: {mode: adaptive}, transport: {timeout: 2ms}}
  - {preset: roce-v2-400g, name: roce, transport: {timeout: 268ms}} # BGP takes 1.03 s to bring a session back; 7 timeouts are 1.9 s
`

// Ringed is a scenario with a topology that is not a tree.
func Ringed(shape string) string {
	return `
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: ` + shape + `}
fabrics: [roce-v2-400g]
workload: {pattern: permutation, sizes: [1MiB]}
control: {loss-of-signal: 10us}`
}

// SmallDragonfly is a topology of five groups.
const SmallDragonfly = "dragonfly, hosts-per-leaf: 2, switches-per-group: 4, global-links: 2, groups: 5, radix: 16"

// LanesByPath is a scenario with a topology whose paths have service levels.
func LanesByPath(shape, engine, faults string) string {
	return strings.Replace(Ringed(shape), "roce-v2-400g",
		"{preset: infiniband-ndr, routing: {mode: deterministic}, ib: {engine: "+engine+"}, transport: {timeout: 2ms}}", 1) + "\nfaults: [" + faults + "]"
}

// Managed is a fat tree that is routed by the engine at the place of ENGINE.
const Managed = `
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [{preset: infiniband-ndr, routing: {mode: deterministic}, ib: {engine: ENGINE}}]
workload: {pattern: permutation, sizes: [4KiB]}
`

// FourNodes are 32 GPUs on rails.
const FourNodes = `
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [infiniband-ndr]
`

// OneFabric resolves a fabric preset, in a node whose PCIe supports it, and with
// a NIC that no link outruns.
func OneFabric(t *testing.T, preset, host, more string) (*scenario.Resolved, *scenario.Fabric) {
	t.Helper()
	r := Resolve(t, fmt.Sprintf("cluster: {nodes: 2, node: {preset: dgx-b300, nic: {rate: 800Gbps}}}\nfabrics: [{preset: %s, host: %s%s}]\n", preset, host, more))
	return r, &r.Fabrics[0]
}

// BrokenPlane is a fabric of two planes, in one of which a cable fails.
const BrokenPlane = `
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: dual-plane, radix: 16}
fabrics:
  - {preset: infiniband-ndr, name: static, routing: {mode: deterministic}, transport: {timeout: 2ms}, nic: {model: connectx-7, ports: 2}}
  - {preset: infiniband-ndr, name: adaptive, routing: {mode: adaptive}, transport: {timeout: 2ms}, nic: {model: connectx-7, ports: 2}}
  - {preset: roce-v2-400g, name: roce, transport: {timeout: 2ms}, nic: {model: connectx-7, ports: 2}}
workload: {pattern: permutation, sizes: [256KiB]}
control: {loss-of-signal: 10us}
faults: [{at: 5us, link: plane1/spine3 port 1}]
`

// AllFabrics is a fabric of each kind, RoCE with two ways of routing.
const AllFabrics = `
fabrics: [infiniband-ndr, roce-v2-400g, {preset: roce-v2-400g, name: spray, routing: {mode: spray}}, tcp-400g]
`

// TwoHosts is two NICs of 400 Gb/s on one switch, on a fabric.
func TwoHosts(fabric, workload string) string {
	return `
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [` + fabric + `]
workload: ` + workload
}

// Tenants are four hosts of one NIC on a switch; the first, which is the Subnet
// Manager's, and the second are of one partition, the others of another.
func Tenants(workload, more string) string {
	return `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics:
  - preset: infiniband-ndr
    ib: {partitions: [{name: a, key: 1, full: "node[0-1]"}, {name: b, key: 2, full: "node[2-3]"}]` + more + `}
workload: ` + workload
}
