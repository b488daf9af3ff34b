package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/units"
)

// Each function returns the variants of a hypothesis for a task, or the reason why there are none.
// It uses the task's own scenario, so that every variant is a change.

// fewerRails tries two reactions of NCCL: with the channels that it finds for the remaining NICs,
// some of which carry more than others, and with the load spread evenly. A tree in the NVSwitches
// needs a NIC for each GPU, so the second has none.
func fewerRails(c *Cluster, t *Task) (out []variant, why string) {
	nics := t.base.Cluster.Node.NICs
	var scales []float64
	for _, left := range fewer(nics, nics-1, nics*3/4, nics/2, nics/4, 1) {
		scales = append(scales, float64(left))
	}
	whole := func(left float64) int { return min(nics-1, max(1, int(math.Round(left)))) }
	out = graded("rails", float64(nics), func(left float64) variant {
		n := whole(left)
		return one(fmt.Sprintf("%d of %d NICs of each node in use", n, nics), "cluster.node.nics", fmt.Sprint(n))
	}, scales...)
	lane := t.base.Fabrics[0].Link.LaneRate
	out = append(out, graded("spread", 0, func(left float64) variant {
		n := whole(left)
		v := one(fmt.Sprintf("%d of %d NICs of each node in use, evenly", n, nics), c.path(".link.lane-rate"), share(lane, float64(n)/float64(nics)).Exact())
		if t.base.Cluster.Node.ScaleUp.Multicast {
			v = v.with("cluster.node.scale-up.multicast", "false")
		}
		return v
	}, scales...)...)
	for i := range out {
		out[i].grade.odds = func(left float64) float64 { return missingOdds(float64(nics) - left) }
	}
	return out, "a node has one NIC"
}

// fewer are the numbers that are less than all and at least one, each once.
func fewer(all int, of ...int) (out []int) {
	for _, n := range of {
		if n >= 1 && n < all && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// missingOdds is the prior odds of this number of missing NICs: an assumption. One missing NIC is
// more frequent than several.
func missingOdds(missing float64) float64 { return 1 / (missing * missing) }

// share is a fraction of a rate, to the Mb/s.
func share(rate units.Rate, of float64) units.Rate {
	return units.Rate(math.Round(float64(rate)*of/1e6)) * 1e6
}

// slowNIC tries two positions: with congestion control the position of the NIC matters.
func slowNIC(c *Cluster, t *Task) ([]variant, string) {
	first := "the first"
	if t.isSlowPeer {
		first = t.SlowPeers
	}
	out := slowCables(c, t, "node0/nic0", "one NIC, "+first+", at ")
	if t.kind == bandwidth || t.kind == copies {
		return out, "" // between the first NICs of two nodes
	}
	last := fmt.Sprintf("node%d/nic%d", t.Nodes-1, t.base.Cluster.Node.NICs-1)
	return append(out, slowCables(c, t, last, "one NIC, the last, at ")...), ""
}

func slowNode(c *Cluster, t *Task) ([]variant, string) {
	if t.base.Cluster.Node.NICs == 1 {
		return nil, "a node has one NIC: it is the hypothesis slow-nic"
	}
	return slowCables(c, t, "node0", "the NICs of one node at "), ""
}

// slowCables are the rates to which cables can fall.
func slowCables(c *Cluster, t *Task, who, label string) (out []variant) {
	f := &t.base.Fabrics[0]
	for _, s := range stepsBelow(f) {
		out = append(out, c.slowLink(label+s.label(f), who, s.rate))
	}
	return out
}

// slowLink has the links of some NICs carry a lower rate.
func (c *Cluster) slowLink(label, who string, rate units.Rate) variant {
	return one(label, c.path(".slow-links"), fmt.Sprintf("[{nics: [%s], rate: %s}]", who, rate.Exact()))
}

// thinLinks has all links carry a part of their rate; label has it and the whole.
func thinLinks(c *Cluster, t *Task, family, label string, parts ...float64) []variant {
	link := &t.base.Fabrics[0].Link
	return graded(family, 1, func(part float64) variant {
		return one(fmt.Sprintf(label, nominal(share(link.Rate(), part)), nominal(link.Rate())), c.path(".link.lane-rate"), share(link.LaneRate, part).Exact())
	}, parts...)
}

func linkRate(c *Cluster, t *Task) (out []variant, why string) {
	f := &t.base.Fabrics[0]
	for _, s := range stepsBelow(f) {
		out = append(out, one("all links at "+s.label(f), c.path(".link.lane-rate"), s.laneRate(f).Exact()))
	}
	return out, ""
}

// hostShares are the tried fractions of the rate of a copy to host memory. The copies of all GPUs
// share the host's memory, PCIe and the link between its processors, which the model leaves out.
var hostShares = []float64{1, .5, .25, .125}

func hostMemory(c *Cluster, t *Task) ([]variant, string) {
	host := t.base.Fabrics[0].Host
	if host.Path != scenario.PathGPUDirectRDMA {
		return nil, fmt.Sprintf("the data path is %s without it", host.Path)
	}
	through := one("", c.path(".host"), string(scenario.PathRDMAHost))
	staged, err := c.under(t, through.over)
	if err != nil {
		return nil, err.Error()
	}
	rate := staged.Fabrics[0].Host.CopyRate
	rated := func(part float64) variant {
		slow := share(rate, part)
		v := one(fmt.Sprintf("through host memory, %s a GPU", slow), c.path(".host"), string(scenario.PathRDMAHost))
		return v.with(c.path(".host.copy-rate"), slow.Exact())
	}
	out := graded("staged", 0, rated, hostShares...)
	if t.kind != bandwidth {
		return out, ""
	}
	for _, micros := range callMicros { // of programs that copy message by message, such as MPI's
		out = append(out, graded(fmt.Sprintf("called %g", micros), 0, func(part float64) variant {
			v := rated(part)
			v.label += fmt.Sprintf(", by a call of %v for each message", time(micros))
			return v.with(c.path(".host.copy-start"), time(micros).Exact())
		}, hostShares...)...)
	}
	return out, ""
}

// callMicros are the times of a call that copies a message between GPU and host memory, in us: assumptions about cudaMemcpy
// (openucx/ucx issue 9287: 11 us for a message of 16 KiB).
var callMicros = []float64{5, 10}

// peerShares are the fractions that redirection leaves of the rate between GPU and NIC: ACS halves
// it (nccl-tests issue 112, a maintainer), writes without relaxed ordering leave 16 of more than 40
// GB/s (openucx/ucx pull request 10955).
var peerShares = []float64{.75, .5, 1. / 3, .25, .2, .125}

func peerPath(_ *Cluster, t *Task) (out []variant, why string) {
	f := &t.base.Fabrics[0]
	if f.Host.Path != scenario.PathGPUDirectRDMA {
		return nil, fmt.Sprintf("the data path is %s", f.Host.Path)
	}
	rate := t.base.Cluster.Node.PCIe.PeerRate
	return graded("peer", 1, func(part float64) variant {
		slow := share(rate, part)
		return one(fmt.Sprintf("%s between GPU and NIC instead of %s", slow, rate), "cluster.node.pcie.peer-rate", slow.Exact())
	}, peerShares...), ""
}

// kernelTCP tries sockets over all NICs of a node, as NCCL does with IPoIB, and over one interface, the host's own
// or a bond: those of a server have 10, 25 or 100 Gb/s.
func kernelTCP(c *Cluster, t *Task) ([]variant, string) {
	f := &t.base.Fabrics[0]
	if !protocol.Of(f.Kind).RDMA() {
		return nil, "the fabric is TCP"
	}
	name := tcpPreset(nominal(f.Link.Rate()))
	if name == "" {
		return nil, fmt.Sprintf("the catalog has no TCP at %s", nominal(f.Link.Rate()))
	}
	whole, err := c.under(t, one("", c.path(""), overTCP(name, f)).over)
	if err != nil {
		return nil, err.Error()
	}
	rates := stackRates
	if t.byMPI() {
		rates = slices.Concat(flowRates, stackRates)
	}
	out := append([]variant{one("kernel TCP", c.path(""), overTCP(name, f))}, graded("rails", 0, func(gbps float64) variant {
		rate := units.Rate(math.Round(gbps)) * units.Gbps
		slow := share(whole.Fabrics[0].Link.LaneRate, float64(rate)/float64(f.Link.Rate()))
		return one(fmt.Sprintf("kernel TCP at %s a NIC", rate), c.path(""), overTCP(name, f)).with(c.path(".link.lane-rate"), slow.Exact(), c.path(".tcp"), tcpOf(guideThreads*guideSockets, guideThreads))
	}, rates...)...)
	single, err := c.under(t, one("", c.path(""), overTCP(singleTCP, f)).over)
	if err != nil || nominal(f.Link.Rate()) < singleRate {
		return out, ""
	}
	lane := single.Fabrics[0].Link.LaneRate
	return append(out, graded("interface", 0, func(gbps float64) variant {
		rate := units.Rate(math.Round(gbps)) * units.Gbps
		v := one(fmt.Sprintf("kernel TCP over one interface of %s", rate), c.path(""), overTCP(singleTCP, f))
		return v.with(
			c.path(".link.lane-rate"), share(lane, float64(rate)/float64(singleRate)).Exact(),
			"cluster.node.nics", "1",
		)
	}, interfaceRates...)...), ""
}

// singleTCP is the fabric of one interface, and singleRate its rate.
const (
	singleTCP  = "tcp-100g"
	singleRate = 100 * units.Gbps
)

// stackRates are rates in Gb/s that the kernel's TCP reaches on a faster NIC, by one core or several: assumptions.
var stackRates = []float64{10, 20, 40, 80}

// flowRates are lower ones of a single flow, such as of IPoIB with packets of 2 KiB: assumptions.
var flowRates = []float64{1, 2, 5}

// interfaceRates are the rates of a server's own interface in Gb/s.
var interfaceRates = []float64{10, 25, 100}

// overTCP is a fabric of a preset with the name of another one: the scenario may have a fabric of the preset's name.
func overTCP(preset string, f *scenario.Fabric) string {
	return fmt.Sprintf("{preset: %s, name: %s}", preset, f.Name)
}

// tcpPreset is the catalog's TCP of a rate; empty if there is none.
func tcpPreset(rate units.Rate) string {
	name := fmt.Sprintf("tcp-%dg", rate/units.Gbps)
	if !slices.Contains(catalog.Names(catalog.Fabric), name) {
		return ""
	}
	return name
}

// with is a variant with further changes: paths and their values in turn.
func (v variant) with(pairs ...string) variant {
	for i := 0; i+1 < len(pairs); i += 2 {
		v.over = append(v.over, scenario.Override{Path: pairs[i], Value: pairs[i+1], Origin: v.label})
	}
	return v
}

// nominal is the marketed rate: 400 Gb/s for 399.99.
func nominal(r units.Rate) units.Rate { return (r + units.Gbps/2) / units.Gbps * units.Gbps }

// busShares are the fractions of a slot's rate between GPUs of a node: a processor, its link to the
// other one, or a copy through host memory is in the path.
var busShares = []float64{1, .75, .5, .25, .125}

func noNVLink(c *Cluster, t *Task) ([]variant, string) {
	node := &t.base.Cluster.Node
	if t.GPUs == 1 || node.ScaleUp.Kind == scenario.ScaleUpPCIe {
		return nil, "nothing goes over NVLink"
	}
	name := "pcie-" + node.PCIe.Generation
	if !slices.Contains(catalog.Names(catalog.ScaleUp), name) {
		return nil, fmt.Sprintf("the catalog has no scale-up %s", name)
	}
	bus, err := c.under(t, one("", "cluster.node.scale-up", name).over)
	if err != nil {
		return nil, err.Error()
	}
	rate := bus.Cluster.Node.ScaleUp.LinkRate
	return graded("bus", 0, func(part float64) variant {
		slow := share(rate, part)
		return one(fmt.Sprintf("PCIe between the GPUs of a node, %s a GPU", slow), "cluster.node.scale-up", name).with("cluster.node.scale-up.link-rate", slow.Exact())
	}, busShares...), ""
}

func noNVLS(_ *Cluster, t *Task) ([]variant, string) {
	if t.GPUs == 1 || !t.base.Cluster.Node.ScaleUp.Multicast || t.Table.Op != string(scenario.AllReduce) && t.Nodes > 1 {
		return nil, "NCCL would not use it here"
	}
	return []variant{one("without NVLS", "cluster.node.scale-up.multicast", "false")}, ""
}

func otherAlgorithm(_ *Cluster, t *Task) (out []variant, why string) {
	if t.Table.Op != string(scenario.AllReduce) {
		return nil, "NCCL has one algorithm for it here"
	}
	for _, a := range []scenario.Algorithm{scenario.AlgoRing, scenario.AlgoTree} {
		out = append(out, one("always "+string(a), "workload.algorithm", string(a)))
	}
	return out, ""
}

func otherProtocol(_ *Cluster, t *Task) (out []variant, why string) {
	if !t.choosesProtocol() {
		return nil, "point-to-point operations choose none"
	}
	for _, p := range []scenario.Protocol{scenario.ProtoSimple, scenario.ProtoLL, scenario.ProtoLL128} {
		out = append(out, one("always "+string(p), "workload.protocol", string(p)))
	}
	return out, ""
}

func fewerChannels(*Cluster, *Task) (out []variant, why string) {
	for _, n := range []int{1, 2, 4, 8} {
		out = append(out, one(wording.Counted(n, "channel", "channels"), "workload.channels", fmt.Sprint(n)))
	}
	return out, ""
}

// smallerMTU tries the MTUs below the fabric's. If the log says its own, there is no other one.
func smallerMTU(c *Cluster, t *Task) (out []variant, why string) {
	f := &t.base.Fabrics[0]
	if !protocol.Of(f.Kind).RDMA() {
		return nil, "TCP's is not an RDMA MTU"
	}
	why, said := "there is no smaller one", units.Bytes(t.Table.MTU)
	if said > 0 {
		why = fmt.Sprintf("perftest ran with an MTU of %s, and the fabric has %s", said, f.MTU)
	}
	for _, mtu := range []units.Bytes{2048, 1024, 512, 256} {
		if mtu < f.MTU && (said == 0 || mtu == said) {
			out = append(out, one(fmt.Sprintf("MTU %s instead of %s", mtu, f.MTU), c.path(".mtu"), mtu.Exact()))
		}
	}
	return out, why
}

func packetLoss(c *Cluster, t *Task) (out []variant, why string) {
	if !protocol.Of(t.base.Fabrics[0].Kind).RDMA() {
		return nil, "TCP's losses are part of the model"
	}
	return graded("loss", 0, func(rate float64) variant {
		every := int(math.Round(1 / rate))
		return one(fmt.Sprintf("one packet in %d lost on each link", every), c.path(".link.error-rate"), fmt.Sprintf("1/%d", every))
	}, 1e-6, 1e-5, 1e-4, 1e-3), ""
}

func noPFC(c *Cluster, t *Task) ([]variant, string) {
	f := &t.base.Fabrics[0]
	if !protocol.Of(f.Kind).Settings || !f.Ethernet.PFC.Enabled {
		return nil, "the fabric has no PFC"
	}
	return []variant{one("PFC off", c.path(".ethernet.pfc"), "{enabled: false}")}, ""
}

func otherCC(c *Cluster, t *Task) (out []variant, why string) {
	f := &t.base.Fabrics[0]
	if f.CC.Algorithm != scenario.DCQCN {
		return nil, "the fabric does not run DCQCN"
	}
	for _, preset := range catalog.Names(catalog.CC) {
		if strings.HasPrefix(preset, "dcqcn-") && preset != f.CC.Preset {
			out = append(out, one(preset+" instead of "+f.CC.Preset, c.path(".cc"), preset))
		}
	}
	out = append(out, one("marking from the first packets on", c.path(".ethernet.ecn"), "{kmin: 5KB, kmax: 50KB}"))
	return out, ""
}

// hashSeeds is the number of hash seeds that are tried: the log of a slow run is likely one of the
// worst seeds.
const hashSeeds = 4

func collisions(c *Cluster, t *Task) (out []variant, why string) {
	f := &t.base.Fabrics[0]
	if f.Topology.Shape == scenario.SingleSwitch {
		return nil, "there is one switch, so no way to choose"
	}
	mode := scenario.ECMP
	if !protocol.Of(f.Kind).Ethernet() {
		mode = scenario.Deterministic
	}
	for seed := range hashSeeds {
		label := fmt.Sprintf("%s, way %d of %d", mode, seed+1, hashSeeds)
		way := []string{c.path(".routing.mode"), string(mode), c.path(".routing.hash-seed"), fmt.Sprint(int(f.Routing.HashSeed) + seed + 1)}
		out = append(out, variant{label: label}.with(way...))
		if t.kind == exchange { // a hash without the queue pair, or a library with one
			out = append(out, variant{label: label + ", one flow to a peer"}.with(append(way, "workload.experts.queue-pairs", "1")...))
		}
	}
	return out, ""
}

// meetings are the parts of a link's rate that a flow has where two, three or four meet.
var meetings = []float64{1. / 2, 1. / 3, 1. / 4}

// hiddenCollision has the flows of one NIC share a link with others. The nodes of a log are often a part of a fabric whose
// links between switches the description does not have, or has where these nodes do not need them.
func hiddenCollision(c *Cluster, t *Task) (out []variant, why string) {
	f := &t.base.Fabrics[0]
	for i, part := range meetings {
		rate := share(f.Link.Rate(), part)
		out = append(out, c.slowLink(fmt.Sprintf("%d flows of %s on one link", i+2, nominal(f.Link.Rate())), "node0/nic0", rate))
	}
	return out, ""
}

// oneQueuePair bounds the rate of perftest's one queue pair.
func oneQueuePair(c *Cluster, t *Task) ([]variant, string) {
	if set, ok := t.Table.Setting("Number of qps"); ok && set.Value != "1" {
		return nil, "the test has " + set.Value + " queue pairs"
	}
	return thinLinks(c, t, "queue-pair", "%s of %s by one queue pair", orderedShares...), ""
}

// forwardedShares are the parts of a slot's rate that processors leave of the data between GPUs: an all-to-all of four RTX
// 4090 has 2 of 28 GB/s (NVIDIA/nccl issue 1603).
var forwardedShares = []float64{.5, .25, .125, .0625}

// throughProcessors slows the paths between GPUs that have no NVLink.
func throughProcessors(_ *Cluster, t *Task) ([]variant, string) {
	node := &t.base.Cluster.Node
	if t.GPUs == 1 || node.ScaleUp.Kind != scenario.ScaleUpPCIe {
		return nil, "GPUs of a node have links of their own: it is the hypothesis nvlink-off"
	}
	rate := node.ScaleUp.LinkRate
	return graded("forwarded", 0, func(part float64) variant {
		slow := share(rate, part)
		return one(fmt.Sprintf("%s between GPUs instead of %s", slow, rate), "cluster.node.scale-up.link-rate", slow.Exact())
	}, forwardedShares...), ""
}

// throughNICs sends inside nodes through the NICs.
func throughNICs(_ *Cluster, t *Task) ([]variant, string) {
	switch x := &t.base.Workload.Experts; {
	case x.Kernel != scenario.LowLatency:
		return nil, "throughput kernels use NVLink in any case"
	case x.RDMAOnly:
		return nil, "the cluster as described does so"
	}
	return []variant{one("tokens inside a node go through NICs", "workload.experts.rdma-only", "true")}, ""
}

// proxied posts by a thread of the CPU, at several times for a request.
func proxied(_ *Cluster, t *Task) ([]variant, string) {
	x := &t.base.Workload.Experts
	threads := max(1, x.ProxyThreads)
	return graded("posting", 0, func(micros float64) variant {
		at := time(micros)
		v := one(fmt.Sprintf("%s of the CPU, %v for a request", wording.Counted(threads, "thread", "threads"), at), "workload.experts.posting", string(scenario.PostingProxy))
		return v.with("workload.experts.proxy-threads", fmt.Sprint(threads), "workload.experts.proxy-time", at.Exact())
	}, .25, .5, 1, 2, 4), ""
}

// hotExperts gives some experts more tokens than others.
func hotExperts(_ *Cluster, t *Task) ([]variant, string) {
	if t.base.Workload.Experts.Gating != scenario.GatingUniform {
		return nil, "the experts as described are not alike"
	}
	return graded("skew", 0, func(skew float64) variant {
		v := one(fmt.Sprintf("experts chosen by zipf with an exponent of %.3g", skew), "workload.experts.gating", string(scenario.GatingZipf))
		return v.with("workload.experts.skew", fmt.Sprintf("%.3g", skew))
	}, .1, .25, .5, 1), ""
}

func missingUplinks(c *Cluster, t *Task) (out []variant, why string) {
	topology := &t.base.Fabrics[0].Topology
	if topology.Oversubscription.Num == 0 {
		return nil, "the topology has no leaves and spines"
	}
	for _, by := range []int64{2, 4} {
		more := topology.Oversubscription.Mul(scenario.Ratio{Num: by, Den: 1})
		out = append(out, one(fmt.Sprintf("an oversubscription of %s instead of %s", more, topology.Oversubscription), c.path(".topology.oversubscription"), more.String()))
	}
	return out, ""
}

func slowPCIe(_ *Cluster, t *Task) (out []variant, why string) {
	node := &t.base.Cluster.Node
	for _, lanes := range []int{8, 4} {
		if lanes < node.PCIe.Lanes {
			out = append(out, one(fmt.Sprintf("%d lanes instead of %d", lanes, node.PCIe.Lanes), "cluster.node.pcie", fmt.Sprintf("{generation: %s, lanes: %d}", node.PCIe.Generation, lanes)))
		}
	}
	for _, g := range catalog.Names(catalog.PCIe) {
		if g < node.PCIe.Generation {
			out = append(out, one(fmt.Sprintf("PCIe %s instead of %s", g, node.PCIe.Generation), "cluster.node.pcie", g))
		}
	}
	return out, ""
}
