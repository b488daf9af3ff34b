package scenario

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"weft/internal/sim/protocol"
)

// Idle is fields that a scenario gives without an effect on a run of its workload.
type Idle struct {
	Paths []string
	Why   string
}

// Idle are the fields that the file, or an override of its last Resolve to r, gives and that have no effect on a run
// of the workload, whatever happens in it. A job of weft train or weft serve may use them.
func (f *File) Idle(r *Resolved) (out []Idle) {
	if r.Training.Given() || r.Serving.Given() {
		return nil
	}
	var given []string
	for at, place := range f.set {
		if place.given() {
			given = append(given, at)
		}
	}
	slices.Sort(given)
	for i := range idleRules {
		idle := Idle{Why: idleRules[i].why}
		for _, at := range given {
			if idleRules[i].covers(r, at) {
				idle.Paths = append(idle.Paths, at)
			}
		}
		if len(idle.Paths) > 0 {
			out = append(out, idle)
		}
	}
	return out
}

// idleRule is when some fields have no effect.
type idleRule struct {
	fields string // patterns of paths; those of a fabric are without fabrics[i], the node's NIC is the fabric's
	idle   func(*Resolved, *Fabric) bool
	why    string
}

// covers reports whether a field is idle: one of all fabrics on each of them.
func (i *idleRule) covers(r *Resolved, at string) bool {
	fabrics := r.Fabrics
	if rest, ok := strings.CutPrefix(at, "fabrics["); ok {
		number, field, _ := strings.Cut(rest, "].")
		n, err := strconv.Atoi(number)
		if err != nil || n >= len(fabrics) {
			return false
		}
		at, fabrics = field, fabrics[n:n+1]
	}
	at = strings.TrimPrefix(at, "fabric.")
	if field, ok := strings.CutPrefix(at, "cluster.node.nic."); ok {
		at = "nic." + field
	}
	matches := func(pattern string) bool {
		ok, _ := path.Match(pattern, at)
		return ok
	}
	return slices.ContainsFunc(strings.Fields(i.fields), matches) && !slices.ContainsFunc(fabrics, func(f Fabric) bool { return !i.idle(r, &f) })
}

// idleRules are the fields that need another field, a kind of fabric or a workload.
var idleRules = []idleRule{
	{"nccl.* run.iterations run.warmup", func(r *Resolved, _ *Fabric) bool { return r.Workload.Collective == "" }, "the workload is no collective"},
	{"nccl.pxn", func(r *Resolved, _ *Fabric) bool { return r.Workload.Collective != AllToAll }, "only an all-to-all sends to GPUs of other rails"},
	{"cluster.node.gpu.* cluster.node.scale-up.*", func(r *Resolved, _ *Fabric) bool { return r.Workload.Pattern != "" }, "a pattern sends from NIC to NIC"},
	{
		"cluster.node.gpu.bf16 cluster.node.gpu.fp8 cluster.node.gpu.matrix-* cluster.node.gpu.attention cluster.node.gpu.sustained cluster.node.gpu.memory-rate cluster.node.gpu.multiprocessors",
		func(r *Resolved, _ *Fabric) bool { return r.Workload.Pattern == "" }, "only the jobs of weft train and weft serve compute",
	},
	{"cluster.node.cpu.vendor", func(r *Resolved, _ *Fabric) bool { return r.Workload.Collective == "" }, "only collectives have the CPU's proxy threads"},
	{"cluster.node.cpu.clock", func(*Resolved, *Fabric) bool { return true }, "only weft latency counts cycles"},
	{"cluster.node.cpu.cores", func(_ *Resolved, f *Fabric) bool { return f.Host.Path != PathCPU }, "CPUs copy on the path cpu alone"},
	{"cluster.node.cpu.memory-latency", func(_ *Resolved, f *Fabric) bool { return f.Host.Path == PathGPUDirectRDMA }, "on the path gpudirect-rdma data pass no host memory"},

	{"routing.adaptive-threshold", func(_ *Resolved, f *Fabric) bool { return f.Routing.Mode != Adaptive }, "routing.mode is not adaptive"},
	{"routing.hash", func(_ *Resolved, f *Fabric) bool { return f.Routing.Mode != ECMP && f.Routing.Mode != Flowlet }, "routing.mode is not ecmp or flowlet"},
	{"routing.hash-function", func(_ *Resolved, f *Fabric) bool { return f.Routing.Mode != ECMP && f.Routing.Mode != Flowlet }, "routing.mode is not ecmp or flowlet"},
	{"routing.max-paths", func(_ *Resolved, f *Fabric) bool {
		return !protocol.Of(f.Kind).Ethernet() || f.Routing.Mode == UpDown
	}, "the fabric has no BGP, or routing.mode up-down"},
	{"routing.asn", func(_ *Resolved, f *Fabric) bool { return !f.names("routing.asn") }, "with one number for all switches every path is of one system: write them in switches"},
	{"routing.multipath-relax", func(_ *Resolved, f *Fabric) bool { return !f.names("routing.asn") }, "no switch has a routing.asn of its own"},
	{"routing.lmc", func(_ *Resolved, f *Fabric) bool { return len(f.Routing.Forwarding) == 0 }, "it belongs to routing.forwarding, which the fabric does not have"},
	{"routing.lids", func(_ *Resolved, f *Fabric) bool { return f.Routing.LMC == 0 }, "the NICs have one LID each: several come from routing.tables with an LMC"},
	{"ib.by-speed", func(r *Resolved, f *Fabric) bool {
		return len(f.Routing.Forwarding) > 0 || f.IB.Engine.ofShape() || !f.Topology.mixedRates(r.Cluster.Endpoints()+f.Topology.Others)
	}, "it takes cables of several rates between switches, and an engine that counts paths: auto, minhop, updn, dnup, dor, sssp, dfsssp, lash or nue"},
	{"routing.flowlet-gap", func(_ *Resolved, f *Fabric) bool { return f.Routing.Mode != Flowlet }, "routing.mode is not flowlet"},
	{"nic.out-of-order", func(_ *Resolved, f *Fabric) bool {
		return f.Routing.Mode != Adaptive && f.Routing.Mode != Spray || protocol.Of(f.Kind).OnTCP() || protocol.Of(f.Kind).Unordered
	}, "packets of an RDMA connection stay in order unless routing.mode is adaptive or spray"},
	{
		"transport.ar-threshold transport.adaptive-routing",
		func(r *Resolved, f *Fabric) bool { return !f.OutOfOrder() || r.Workload.Collective == "" },
		"it divides messages of collectives, with adaptive routing or spraying to NICs with out-of-order",
	},
	{"nic.fence", func(r *Resolved, f *Fabric) bool {
		return protocol.Of(f.Kind).OnTCP() || r.Workload.Collective != "" && !(f.OutOfOrder() && f.Transport.AdaptiveRouting)
	}, "no message is divided: that takes transport.adaptive-routing, and adaptive routing or spraying to NICs with out-of-order"},
	{"nic.out-of-order-receives", func(_ *Resolved, f *Fabric) bool { return !f.Transport.OOORQ }, "transport.ooo-rq is false"},
	{"transport.split-data", func(r *Resolved, f *Fabric) bool {
		return f.Transport.QPsPerConnection == 1 || r.Workload.Collective == ""
	}, "it divides messages of collectives, with qps-per-connection of 2 or more"},
	{"transport.rnr-timer transport.rnr-retry", func(r *Resolved, _ *Fabric) bool { return r.Workload.ReceiveQueue == 0 }, "receives are always posted without workload.receive-queue"},
	{"nic.reads-in-flight", func(r *Resolved, f *Fabric) bool { return r.Workload.Operation != Read && len(f.Beside) == 0 }, "the workload has no RDMA READ"},
	{"nic.context-fetch nic.context-fetches", func(_ *Resolved, f *Fabric) bool { return f.NIC.Contexts == 0 }, "nic.contexts is 0: the NIC holds all"},
	{"nic.retransmission.*", func(_ *Resolved, f *Fabric) bool {
		return f.Transport.Retransmission != AdaptiveRetransmission || protocol.Of(f.Kind).OnTCP()
	}, "transport.retransmission is not adaptive"},
	{"nic.receive-buffer", func(r *Resolved, f *Fabric) bool {
		return f.NIC.ReceiveRate == 0 && f.NIC.Contexts == 0 && r.Cluster.Node.SharedSlot(f) == 0 || !protocol.Of(f.Kind).Ethernet()
	}, "it waits for nic.receive-rate, nic.contexts or a shared slot, on Ethernet"},
	{"nic.cnp-generation nic.cnp-reaction nic.cnp-jitter.*", func(_ *Resolved, f *Fabric) bool {
		return f.CC.Algorithm == "none" || protocol.Of(f.Kind).OnTCP() || protocol.Of(f.Kind).Unordered
	}, "no CNPs are sent"},
	{"nic.jitter.* nic.cnp-jitter.* host.jitter.* switch.jitter.*", func(r *Resolved, _ *Fabric) bool { return !r.Run.Jitter }, "run.jitter is false"},
	{"host.copies", func(_ *Resolved, f *Fabric) bool { return f.Host.CopyStart == 0 && f.Host.CopyRate == 0 }, "copies without copy-start and copy-rate take no time"},
	{"host.copy-start host.copy-rate", func(_ *Resolved, f *Fabric) bool { return f.Host.Copies == 0 && f.Host.Path != PathCPU }, "the host makes no copies"},
	{"host.interrupt host.per-segment host.syscall", func(_ *Resolved, f *Fabric) bool { return f.Host.Path != PathCPU }, "only the path cpu goes through the kernel"},
	{"link.fec link.fec-codewords link.llr", func(_ *Resolved, f *Fabric) bool { return !f.Link.HasErrors() }, "the link has no errors"},

	{"topology.cables.local topology.cables.global", func(_ *Resolved, f *Fabric) bool { return tiered(&f.Topology) }, "the topology has no such cables"},
	{"topology.cables.spine-core topology.cores topology.spine-oversubscription", func(_ *Resolved, f *Fabric) bool {
		return tiered(&f.Topology) && f.Topology.Levels < 3
	}, "the topology has no cores"},
	{"switch.streaming-aggregation ib.sharp-latency", func(_ *Resolved, f *Fabric) bool { return !f.IB.SHARP }, "the switches do not reduce: ib.sharp"},
	{"switch.forwarding switch.buffer switch.mtu", func(_ *Resolved, f *Fabric) bool { return !protocol.Of(f.Kind).Ethernet() }, "InfiniBand switches cut through, and their buffer is ib.buffer"},
	{
		"ethernet.pfc.headroom ethernet.pfc.headroom-pool ethernet.pfc.quanta ethernet.pfc.response ethernet.pfc.xon ethernet.pfc.xon-offset ethernet.pfc.link-pause ethernet.pfc.watchdog.*",
		func(_ *Resolved, f *Fabric) bool { return !f.Ethernet.PFC.Enabled }, "ethernet.pfc.enabled is false",
	},
	{"ethernet.pfc.watchdog.[adpr]*", func(_ *Resolved, f *Fabric) bool {
		return f.Ethernet.PFC.Enabled && !f.Ethernet.PFC.Watchdog.Enabled
	}, "ethernet.pfc.watchdog.enabled is false"},
	{"ethernet.ecn.kmin ethernet.ecn.kmax ethernet.ecn.pmax", func(_ *Resolved, f *Fabric) bool { return !f.Ethernet.ECN.Enabled }, "ethernet.ecn.enabled is false"},
	{"workload.operation", func(_ *Resolved, f *Fabric) bool { return !protocol.Of(f.Kind).RDMA() }, "sockets have no RDMA operations"},

	{"control.loss-of-signal", func(r *Resolved, _ *Fabric) bool { return len(r.Faults) == 0 }, "nothing fails during the run"},
	{"control.bgp.*", func(r *Resolved, f *Fabric) bool { return len(r.Faults) == 0 || !protocol.Of(f.Kind).Ethernet() }, "nothing fails during the run on Ethernet"},
	{"control.sm.*", func(r *Resolved, f *Fabric) bool { return len(r.Faults) == 0 || protocol.Of(f.Kind).Ethernet() }, "nothing fails during the run on InfiniBand"},

	{
		"workload.experts.channels workload.experts.chunk workload.experts.receive-tokens workload.experts.copy-rate",
		func(r *Resolved, _ *Fabric) bool { return r.Workload.Experts.Kernel != Throughput }, "only throughput kernels have it",
	},
	{
		"workload.experts.proxy-threads workload.experts.proxy-time workload.experts.completion-time",
		func(r *Resolved, _ *Fabric) bool { return r.Workload.Experts.Posting != PostingProxy }, "the GPU's kernel posts",
	},
}

// tiered reports whether a topology has levels of switches, or one switch.
func tiered(t *Topology) bool {
	return t.Shape == SingleSwitch || t.Shape == FatTree || t.Shape == RailOptimised
}
