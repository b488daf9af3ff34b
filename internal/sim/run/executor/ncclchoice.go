package executor

import (
	"cmp"
	"fmt"

	"weft/internal/sim/collective"
	"weft/internal/sim/collective/nccl"
	"weft/scenario"
	"weft/units"
)

var operations = map[scenario.Collective]collective.Op{
	scenario.AllReduce: collective.AllReduce, scenario.AllGather: collective.AllGather,
	scenario.ReduceScatter: collective.ReduceScatter, scenario.Broadcast: collective.Broadcast,
	scenario.Reduce: collective.Reduce, scenario.Scatter: collective.Scatter, scenario.Gather: collective.Gather,
	scenario.AllToAll: collective.AllToAll, scenario.SendRecv: collective.SendRecv,
}

var algorithms = map[scenario.Algorithm]collective.Algo{
	scenario.AlgoRing: collective.Ring, scenario.AlgoTree: collective.Tree,
	scenario.AlgoHierarchical: collective.Hierarchical, scenario.AlgoHalvingDoubling: collective.HalvingDoubling,
	scenario.AlgoNVLS: collective.NVLS, scenario.AlgoNVLSTree: collective.NVLSTree, scenario.AlgoDirect: collective.Direct,
	scenario.AlgoCollNetDirect: collective.CollNetDirect, scenario.AlgoCollNetChain: collective.CollNetChain,
}

// ncclAlgo is NCCL's algorithm that corresponds to one of weft's; algorithms that NCCL does not
// have cost as much as its ring.
var ncclAlgo = map[collective.Algo]nccl.Algo{
	collective.Ring: nccl.Ring, collective.Tree: nccl.Tree, collective.NVLS: nccl.NVLS,
	collective.NVLSTree: nccl.NVLSTree, collective.Direct: nccl.Direct, collective.CollNetDirect: nccl.CollNetDirect,
	collective.CollNetChain: nccl.CollNetChain,
}

var protocols = map[scenario.Protocol]nccl.Proto{
	scenario.ProtoSimple: nccl.Simple, scenario.ProtoLL: nccl.LL, scenario.ProtoLL128: nccl.LL128,
}

var harnesses = map[scenario.Harness]nccl.Harness{
	scenario.Process: nccl.Process, scenario.Thread: nccl.Thread, scenario.ForAll: nccl.ForAll, scenario.Torch: nccl.Torch,
}

var generations = map[scenario.Architecture]nccl.GPU{
	scenario.Volta: nccl.Volta, scenario.Ampere: nccl.Ampere, scenario.Ada: nccl.Ampere,
	scenario.Hopper: nccl.Hopper, scenario.Blackwell: nccl.Blackwell, scenario.CDNA3: nccl.CDNA3,
}

var vendors = map[scenario.CPUVendor]nccl.CPU{
	scenario.IntelCPU: nccl.Intel, scenario.AMDCPU: nccl.AMD, scenario.OtherCPU: nccl.OtherCPU,
}

// gbps is a rate in GB/s, as NCCL counts.
func gbps(r units.Rate) float64 { return float64(r) / 8e9 }

// nvLinkGBps is NCCL's rate for the links that a GPU uses in an operation among some GPUs of a
// node, in GB/s; 0 for GPUs without such links. In a mesh these are the links to the others: a
// collective uses all, since NCCL's rings use different ones; an operation in which a GPU sends to
// one other uses one.
func nvLinkGBps(n *scenario.Node, release nccl.Release, gpus int, op collective.Op) float64 {
	if s := &n.ScaleUp; s.Kind == scenario.ScaleUpSwitch || s.Kind == scenario.ScaleUpMesh {
		return release.LinkGBps(generations[n.GPU.Architecture], gbps(s.LinkRate)) * float64(s.LinksTo(others(gpus, op)))
	}
	return 0
}

// others is the number of other GPUs of its node to which a GPU sends in an operation; at least 1,
// so that a single GPU has a link.
func others(gpus int, op collective.Op) int {
	if op == collective.SendRecv || op == collective.Send {
		return 1
	}
	return max(1, gpus-1)
}

// clusterOf is the cluster in NCCL's cost model, for an operation of all ranks on a fabric whose
// switches do not reduce.
func clusterOf(r *scenario.Resolved, f *scenario.Fabric, op collective.Op) nccl.Cluster {
	n := &r.Cluster.Node
	port := min(f.Link.Rate()*units.Rate(max(1, f.NIC.Ports)), n.PCIe.PeerRate)
	c := nccl.Cluster{
		Nodes: r.Cluster.Nodes, PerNode: n.GPUs, GPU: generations[n.GPU.Architecture], PCIeGBps: gbps(n.PCIe.PeerRate),
		NICs: n.NICs, NICGBps: gbps(port), CPU: vendors[n.CPU.Vendor], Reckoned: r.NCCL.Times == scenario.KernelsReckoned, Figures: r.NCCL.Figures(), NoPXN: !r.NCCL.PXN, Tuner: r.NCCL.Rules(),
	}
	if f.Kind == efa {
		stripe := stripeOf(&r.Cluster, f)
		c.Plugin = nccl.EFA(c.GPU, int(f.Link.Rate()/units.Gbps))
		c.NICs, c.NICGBps = n.NICs/stripe, min(gbps(f.Link.Rate()*units.Rate(stripe)), gbps(n.PCIe.PeerRate))
	}
	c.Release, _ = nccl.ParseRelease(r.NCCL.Version) // the scenario has checked it
	c.NVLinkGBps = nvLinkGBps(n, c.Release, n.GPUs, op)
	if n.ScaleUp.Kind == scenario.ScaleUpSwitch {
		c.NVSwitch, c.NVLS = true, n.ScaleUp.Multicast && n.GPUs <= maxLocals
	}
	return c
}

// chosen is the configuration of a size.
type chosen struct {
	program  collective.Program
	choice   nccl.Choice
	overhead nccl.Overheads
	kernel   kernel
	algo     collective.Algo
	channels int
}

// choose picks algorithm, protocol and channels for a size: NCCL's choice by its cost model, unless
// the scenario overrides it. reduces is true if the ranks have trees of reductions in the network.
func choose(r *scenario.Resolved, f *scenario.Fabric, bytes units.Bytes, reduces bool) (chosen, error) {
	w := &r.Workload
	op := operations[w.Collective]
	c := clusterOf(r, f, op)
	c.Nodes, c.CollNet = r.Job().Nodes, reduces
	ch, spec, err := pick(c, w, op, int64(bytes))
	if err != nil {
		return chosen{}, err
	}
	spec.Root, spec.Elem = w.Root, elementSize(w, bytes)
	if w.Channels > 0 {
		spec.Channels, ch.Channels = w.Channels, w.Channels
	}
	if w.Chunk > 0 {
		spec.Chunk, ch.Chunk = int64(w.Chunk), int64(w.Chunk)
	}
	if w.Window > 0 {
		spec.Window = w.Window
	}
	out, err := configured(ch, spec, &r.NCCL)
	if err != nil {
		return chosen{}, fmt.Errorf("%s of %v on %s: %w", w.Collective, bytes, f.Name, err)
	}
	return out, nil
}

// configured is a choice with its program and its costs.
func configured(ch nccl.Choice, spec collective.Spec, factors *scenario.NCCL) (chosen, error) {
	prog, err := collective.New(spec)
	if err != nil {
		return chosen{}, err
	}
	over := scaled(ch.Overheads(nccl.ReferenceWire), factors)
	return chosen{prog, ch, over, kernelOf(&over, spec.Algo, ch.Blocks(prog.Channels())), spec.Algo, prog.Channels()}, nil
}

// scaled is the cost of a choice with the scenario's factors on NCCL's figures.
func scaled(o nccl.Overheads, n *scenario.NCCL) nccl.Overheads {
	for _, f := range []struct {
		time   *units.Time
		factor scenario.Ratio
	}{{&o.Base, n.Base}, {&o.PerStepIntra, n.StepLocal}, {&o.PerStepInter, n.StepNetwork}, {&o.Proxy, n.Proxy}, {&o.Turn.Fixed, n.Turn}, {&o.Turn.Trip, n.Turn}} {
		*f.time = units.Time(f.factor.Of(int64(*f.time)))
	}
	for _, rate := range []*float64{&o.Turn.SendGBps, &o.Turn.CopyGBps, &o.SwitchGBps, &o.HostGBps} {
		*rate *= n.Kernel.Float()
	}
	return o
}

// reported is the time that the scenario's harness reports for a collective.
func reported(r *scenario.Resolved, c *chosen, t units.Time) units.Time {
	return harnesses[r.NCCL.Harness].Reports(t, cmp.Or(r.NCCL.PerThread, r.Cluster.Node.GPUs), c.choice.LaunchItems())
}

// elementSize is the size of the datatype, or 1 if the size is not a whole number of elements.
func elementSize(w *scenario.Workload, bytes units.Bytes) int64 {
	e := w.Datatype.ElementBytes()
	if e == 0 || bytes%e != 0 {
		return 1
	}
	return int64(e)
}

// pick is the choice and the program's spec before the scenario's overrides. An algorithm that NCCL
// does not have for the operation costs as much as its ring.
func pick(c nccl.Cluster, w *scenario.Workload, op collective.Op, bytes int64) (nccl.Choice, collective.Spec, error) {
	proto, fixed := protocols[w.Protocol]
	algo, forced := algorithms[w.Algorithm]
	want, known := ncclAlgo[algo]
	if !known || !c.Has(op, want, bytes) {
		want = nccl.Ring
	}
	c.Only = func(a nccl.Algo, p nccl.Proto) bool { return (!fixed || p == proto) && (!forced || a == want) }
	ch, err := c.Choose(op, bytes)
	if err != nil {
		return ch, collective.Spec{}, fmt.Errorf("workload.algorithm %s, workload.protocol %s: %w", w.Algorithm, w.Protocol, err)
	}
	spec, err := ch.Spec()
	if err == nil && forced && spec.Algo != algo {
		spec.Algo, spec.Chunk, spec.Slices = algo, 0, 0
	}
	return ch, spec, err
}
