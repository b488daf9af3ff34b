package scenario

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"weft/internal/roce"
	"weft/internal/sim/protocol"
	"weft/units"
)

// check finds inconsistencies. It skips a check if a value for it was itself wrong: one mistake,
// one error.
func (r *resolver) check() {
	if !r.broken("cluster") && !(clusterRules{r.rules}).check() {
		return // sums over the cluster would be wrong
	}
	for i := range r.Fabrics {
		if f := r.ofFabric(i); !r.broken(f.path) {
			f.check(i)
		}
	}
	if !r.broken("cluster", "workload") {
		workloadRules{r.rules}.check()
	}
	if !r.broken("faults") {
		faultRules{r.rules}.check()
		clusterRules{r.rules}.checkNCCL()
	}
	if !r.broken("cluster", "isolation") {
		zoneRules{r.rules}.check()
	}
	if !r.broken("fabrics", "tune") {
		tuneRules{r.rules}.check()
	}
	if !r.broken("cluster", "workload", "run", "fabrics") {
		workloadRules{r.rules}.checkMemory()
	}
}

// check reports values of the fabric, whose number is i, that do not fit together.
func (r *fabricRules) check(i int) {
	r.checkName(i)
	r.checkLink()
	r.checkProtocol()
	if protocol.Of(r.Kind).Ethernet() {
		ethernetRules{r}.check()
	} else {
		subnetRules{r}.check()
	}
	transport := transportRules{r}
	transport.checkCC()
	if !r.broken("cluster", "workload") {
		streamRules{r}.check()
		r.checkSlowLinks()
		r.checkRates()
	}
	transport.checkRecovery()
	transport.checkRetransmission()
	transport.checkOthers()
	if !r.broken("cluster", "topology") {
		r.topology().check()
	}
}

// over reports a·b > limit without overflow.
func over(a, b, limit int) bool {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return hi > 0 || lo > uint64(limit)
}

// maxEndpoints is the largest cluster that can be represented: ids are 32 bits wide, and memory
// runs out long before.
const maxEndpoints = 1 << 24

func (r clusterRules) check() bool {
	c := &r.Cluster
	if over(c.Nodes, c.Node.NICs, maxEndpoints) || over(c.Nodes, c.Node.GPUs, maxEndpoints) {
		r.complain("cluster.nodes", "%d nodes of %d GPUs and %d NICs are more than %d of either: take fewer", c.Nodes, c.Node.GPUs, c.Node.NICs, maxEndpoints)
		return false
	}
	if n := &c.Node; r.written["cluster.node.rails"] && n.Rails > 0 && n.NICs%n.Rails != 0 {
		r.complain("cluster.node.rails", "%d rails: a node has %d NICs, as many on each rail as on any other", n.Rails, n.NICs)
	}
	s := &c.Node.ScaleUp
	if c.Node.GPUs > 1 && s.Kind != ScaleUpNone && s.Rate() == 0 {
		r.complain("cluster.node.scale-up", "the scale-up network has no bandwidth: %d links of %s", s.Links, s.LinkRate.Exact())
	}
	if s.Kind == ScaleUpSwitch && s.Switches == 0 {
		r.complain("cluster.node.scale-up.switches", "a scale-up network of kind switch needs at least one switch")
	}
	if (s.Kind == ScaleUpPool) != (s.Devices > 0) {
		r.complain("cluster.node.scale-up.devices", "%d memory devices and a scale-up network of kind %s: a memory-pool has at least one, and no other kind has any", s.Devices, s.Kind)
	}
	if s.Multicast && s.Kind != ScaleUpSwitch {
		r.complain("cluster.node.scale-up.multicast", "only a scale-up network of kind switch can multicast: this one is of kind %s", s.Kind)
	}
	return true
}

func (r *fabricRules) checkName(i int) {
	f := &r.Fabrics[i]
	for j := range i {
		if r.Fabrics[j].Name == f.Name {
			r.complain("", "the fabric %q is given twice: leave one out, or tell them apart by name", f.Name)
			return
		}
	}
	if f.Name == "" {
		r.complain("name", "the name is empty: want a label for the tables")
	}
}

// checkLink compares the link with the devices at its ends.
func (r *fabricRules) checkLink() {
	rate := r.Link.Rate()
	switch {
	case rate <= 0 || r.Link.Code.Cmp(1, 1) > 0:
		r.complain("link", "the link carries %s (code %s): want a rate above zero and a code of at most 1", rate.Exact(), r.Link.Code)
		return
	case rate > r.NIC.Rate:
		r.complain("link", "a link of %s is more than the %s of the NIC %s: take another NIC or a slower fabric", rate, r.NIC.Rate, r.NIC.Model)
	case rate > r.Switch.Rate:
		r.complain("link", "a link of %s is more than the %s of the switch %s: take another switch or a slower link", rate, r.Switch.Rate, r.Switch.Model)
	}
	ethernet := protocol.Of(r.Kind).Ethernet()
	if ethernet != (pauseQuanta(r.Link.Generation) > 0) {
		r.complain("link", "a fabric of kind %s does not run on %s links", r.Kind, r.Link.Generation)
	}
	if ethernet != (r.Switch.Cell > 0) {
		r.complain("switch", "a fabric of kind %s does not run on a switch %s", r.Kind, r.Switch.Model)
	}
	if r.Switch.MaxPorts < r.Switch.Ports {
		r.complain("switch.max-ports", "%d ports when split are fewer than the %d ports unsplit", r.Switch.MaxPorts, r.Switch.Ports)
	}
}

// checkProtocol checks the values that the description of the protocol bounds.
func (r *fabricRules) checkProtocol() {
	p := protocol.Of(r.Kind)
	if !p.MTU.Has(r.MTU) {
		wrong := "is out of range"
		if p.MTU.Only != nil {
			wrong = "does not exist"
		}
		r.complain("mtu", "%s MTU of %s %s: want %s", p.MTU.Name, r.MTU.Exact(), wrong, p.MTU.Want)
	}
	if p.Routing != nil && !slices.Contains(p.Routing, string(r.Routing.Mode)) {
		r.complain("routing.mode", "%s has no %s routing: want %s", p.Title, r.Routing.Mode, oneOf(p.Routing))
	}
}

func (r subnetRules) check() {
	ib := &r.IB
	// LRH 8, GRH 40, BTH 12, RETH 16, AtomicETH and the rest below 40, CRCs 6.
	packet := r.MTU + 128
	for _, b := range []struct {
		field string
		size  units.Bytes
	}{{"buffer", ib.Buffer}, {"nic-buffer", ib.NICBuffer}} {
		if b.size < packet {
			r.complain("ib."+b.field, "%s cannot hold one packet of MTU %s with its headers (%s): traffic would never move", b.size.Exact(), r.MTU.Exact(), packet.Exact())
		}
		if b.size%64 != 0 {
			r.complain("ib."+b.field, "%s is not a whole number of credit blocks of 64 bytes", b.size.Exact())
		}
	}
	if ib.CreditThreshold > min(ib.Buffer, ib.NICBuffer) {
		r.complain("ib.credit-threshold", "the threshold %s is more than the buffer %s: no credit would be returned early", ib.CreditThreshold.Exact(), min(ib.Buffer, ib.NICBuffer).Exact())
	}
	for sl, vl := range ib.SL2VL {
		if vl >= ib.VLs && vl != discardVL {
			r.complain(fmt.Sprintf("ib.sl2vl[%d]", sl), "service level %d goes to VL %d: there are VLs 0 to %d", sl, vl, ib.VLs-1)
			break
		}
	}
	r.checkArbitration()
	r.checkPartitions()
	r.checkServiceLevels()
	r.checkSHARP()
	if ib.Speedup.Cmp(1, 1) < 0 {
		r.complain("ib.speedup", "a speed-up of %s is below 1: the switch would be slower than its ports", ib.Speedup)
	}
}

func (r ethernetRules) check() {
	e := &r.Ethernet
	at := func(field string) string { return "ethernet." + field }
	p := protocol.Of(r.Kind)
	if p.OneSegment {
		r.checkRoCEv1()
	}
	if p.Unordered {
		r.checkUltraEthernet()
	}
	if e.IPVersion == 5 {
		r.complain(at("ip-version"), "5 is not a version of IP: want 4 or 6")
	}
	served := map[int]bool{}
	for i, q := range e.Queues {
		if served[q.Priority] {
			r.complain(fmt.Sprintf("%s[%d]", at("queues"), i), "priority %d is given twice", q.Priority)
		}
		served[q.Priority] = true
		if q.Schedule == DWRR && q.Weight == 0 {
			r.complain(fmt.Sprintf("%s[%d].weight", at("queues"), i), "a dwrr queue needs a weight: priority %d would never be served", q.Priority)
		}
	}
	for _, x := range []struct {
		field    string
		priority int
	}{{"data-priority", e.DataPriority}, {"ack-priority", e.AckPriority}, {"cnp-priority", e.CNPPriority}} {
		if !served[x.priority] {
			r.complain(at(x.field), "no queue serves priority %d: add it to queues", x.priority)
		}
	}
	for i, p := range e.PFC.Priorities {
		if e.PFC.Enabled && !served[p] {
			r.complain(fmt.Sprintf("%s[%d]", at("pfc.priorities"), i), "no queue serves priority %d: add it to queues, or take it out", p)
		}
	}
	r.checkBuffer()
	if e.ECN.Enabled && e.ECN.Kmin > e.ECN.Kmax {
		r.complain(at("ecn.kmin"), "kmin %s is more than kmax %s", e.ECN.Kmin.Exact(), e.ECN.Kmax.Exact())
	}
	if e.ECN.Pmax.Cmp(1, 1) > 0 {
		r.complain(at("ecn.pmax"), "a probability of %s is more than 1", e.ECN.Pmax)
	}
	if e.ECN.Enabled && e.ECN.Kmin > r.Switch.Buffer {
		r.complain(at("ecn.kmin"), "kmin %s is more than the switch's buffer of %s: nothing would be marked", e.ECN.Kmin.Exact(), r.Switch.Buffer.Exact())
	}
	if p.OnTCP() {
		r.checkTCP()
	}
}

// checkBuffer checks that thresholds and headroom fit the switch.
func (r ethernetRules) checkBuffer() {
	pfc := &r.Ethernet.PFC
	at := func(field string) string { return "ethernet.pfc." + field }
	if r.Switch.Buffer < 2*r.MTU {
		r.complain("switch.buffer", "a buffer of %s cannot hold two packets of MTU %s", r.Switch.Buffer.Exact(), r.MTU.Exact())
		return
	}
	if !pfc.Enabled {
		r.checkUnpaused(pfc)
		return
	}
	if len(pfc.Priorities) == 0 {
		r.complain(at("priorities"), "PFC is enabled and no priority is lossless: give priorities, or enabled: false")
	}
	if pfc.XOFF > 0 && pfc.XONOffset > pfc.XOFF {
		r.complain(at("xon-offset"), "XON would be below zero: the offset %s is more than XOFF %s", pfc.XONOffset.Exact(), pfc.XOFF.Exact())
	}
	if pfc.XOFF == 0 && pfc.Alpha.Num == 0 {
		r.complain(at("alpha"), "neither alpha nor xoff is given: every packet would pause its sender")
	}
	r.checkXON()
	r.checkWatchdog(&pfc.Watchdog)
	r.checkReceivers(pfc)
	r.checkStops(pfc)
	ports := max(r.Topology.Radix, 1)
	private := (int64(pfc.Headroom) + int64(pfc.Reserve)) * int64(ports) * int64(len(pfc.Priorities))
	if pfc.HeadroomPool > 0 {
		private = int64(pfc.HeadroomPool) + int64(pfc.Reserve)*int64(ports)*int64(len(pfc.Priorities))
		if pfc.HeadroomPool < pfc.Headroom {
			r.complain(at("headroom-pool"), "a pool of %s is less than the headroom of one port, %s: give at least that, or leave headroom-pool out", pfc.HeadroomPool.Exact(), pfc.Headroom.Exact())
		}
	}
	if private >= int64(r.Switch.Buffer) {
		r.complain(at("headroom"), "%d ports with %s of headroom and %s of reserve for %d priorities need %s: the switch %s has %s",
			ports, pfc.Headroom.Exact(), pfc.Reserve.Exact(), len(pfc.Priorities), units.Bytes(private), r.Switch.Model, r.Switch.Buffer)
	}
}

// checkXON checks that a pause ends below the queue length at which it begins: at most the queue of
// a single paused sender, with the whole pool free.
func (r ethernetRules) checkXON() {
	pfc := &r.Ethernet.PFC
	pool := roce.Buffer{
		Shared: r.Switch.Buffer, Reserve: pfc.Reserve, Xoff: pfc.XOFF,
		AlphaNum: pfc.Alpha.Num, AlphaDen: pfc.Alpha.Den,
	}
	if r.Ethernet.Shared > 0 {
		pool.Shared = r.Ethernet.Shared
	}
	if xoff := pool.Threshold(1); pfc.XON > xoff {
		r.complain("ethernet.pfc.xon", "XON %s is above XOFF: a queue alone pauses at %s at the most, and the pause would end as it begins", pfc.XON.Exact(), xoff)
	}
}

// algorithmsOf lists the algorithms for each operation.
var algorithmsOf = map[Collective][]Algorithm{
	AllReduce:     {AlgoRing, AlgoTree, AlgoHierarchical, AlgoHalvingDoubling, AlgoNVLS, AlgoNVLSTree, AlgoCollNetDirect, AlgoCollNetChain},
	AllGather:     {AlgoRing, AlgoHierarchical, AlgoNVLS, AlgoCollNetDirect},
	ReduceScatter: {AlgoRing, AlgoHierarchical, AlgoNVLS, AlgoCollNetDirect},
	Broadcast:     {AlgoRing, AlgoTree},
	AllToAll:      {AlgoDirect},
	SendRecv:      {AlgoDirect},
}

func (r workloadRules) check() {
	w, ranks, nics := &r.Workload, r.Job().Ranks(), r.Cluster.Endpoints()
	if w.Nodes > r.Cluster.Nodes {
		r.complain("workload.nodes", "the collective runs on %d nodes, the cluster has %d", w.Nodes, r.Cluster.Nodes)
		return
	}
	if w.Collective != "" && w.Pattern != "" {
		r.complain("workload.pattern", "give a collective or a pattern, not both")
		return
	}
	if len(w.Sizes) == 0 && w.Pattern != Flows {
		r.complain("workload.sizes", "no size is given: want a list such as [1KiB, 1MiB] or from, to and factor")
	}
	if len(w.Sizes) > maxSizes {
		r.complain("workload.sizes", "%d sizes are given: at most %d", len(w.Sizes), maxSizes)
	}
	switch {
	case w.Collective != "":
		r.checkCollective(ranks)
	case w.Pattern == Flows:
		r.checkFlows(nics)
	case w.Pattern == Incast:
		if over(w.FanIn, 1, nics-1) {
			r.complain("workload.fan-in", "a fan-in of %d needs %d NICs: the cluster has %d", w.FanIn, w.FanIn+1, nics)
		}
		if w.Receivers > nics {
			r.complain("workload.receivers", "%d receivers: the cluster has %d NICs", w.Receivers, nics)
		}
	case w.Pattern == Uniform:
		if w.Load.Num == 0 || w.Load.Cmp(1, 1) > 0 {
			r.complain("workload.load", "a load of %s: want more than 0 and at most 1", w.Load)
		}
	}
	if w.Pattern != "" && !r.broken("fabrics") {
		r.checkVerbs()
	}
	if w.Pattern != "" && nics < 2 {
		r.complain("workload.pattern", "%s needs at least two NICs: the cluster has %d", w.Pattern, nics)
	}
}

func (r workloadRules) checkCollective(ranks int) {
	w := &r.Workload
	valid := algorithmsOf[w.Collective]
	if w.Algorithm != AlgoAuto && !slices.Contains(valid, w.Algorithm) {
		r.complain("workload.algorithm", "there is no %s by %s: want %s", w.Collective, w.Algorithm, oneOf(append([]string{string(AlgoAuto)}, texts(valid)...)))
	}
	switch inside := w.Algorithm == AlgoNVLS || w.Algorithm == AlgoNVLSTree; {
	case inside && !r.Cluster.Node.ScaleUp.Multicast:
		r.complain("workload.algorithm", "%s needs a scale-up network that reduces: %s does not", w.Algorithm, r.Cluster.Node.ScaleUp.Generation)
	case inside && r.Cluster.Node.GPUs < 2:
		r.complain("workload.algorithm", "%s reduces inside a node: the nodes have one GPU", w.Algorithm)
	}
	if slices.Contains(valid, w.Algorithm) {
		r.checkReduction(w.Algorithm, valid)
	}
	if ranks < 2 {
		r.complain("cluster", "%s needs at least two GPUs: the cluster has %d", w.Collective, ranks)
	}
	if w.Root >= ranks {
		r.complain("workload.root", "the root is rank %d: the cluster has ranks 0 to %d", w.Root, ranks-1)
	}
	for i, s := range w.Sizes {
		if e := w.Datatype.ElementBytes(); s%e != 0 {
			r.complain(fmt.Sprintf("workload.sizes[%d]", i), "%s is not a whole number of %s elements of %d bytes", s.Exact(), w.Datatype, e)
			break
		}
	}
}

func (r workloadRules) checkFlows(nics int) {
	w := &r.Workload
	if len(w.Flows) == 0 {
		r.complain("workload.flows", "no flow is given: want a list such as [{src: 0, dst: 1, bytes: 1MiB}]")
	}
	for i, f := range w.Flows {
		at := fmt.Sprintf("workload.flows[%d]", i)
		switch {
		case f.Src >= nics || f.Dst >= nics:
			r.complain(at, "a flow from NIC %d to NIC %d: the cluster has NICs 0 to %d", f.Src, f.Dst, nics-1)
		case f.Src == f.Dst:
			r.complain(at, "a flow from NIC %d to itself", f.Src)
		case f.Bytes == 0:
			r.complain(at, "the flow has no bytes")
		}
		for k := range r.Fabrics {
			if g := &r.Fabrics[k]; f.Priority > 0 && !protocol.Of(g.Kind).ServiceLevels && !g.serves(f.Priority) {
				r.complain(at+".priority", "no queue of %s serves priority %d: add it to ethernet.queues", g.Name, f.Priority)
			}
		}
	}
}

// checkMemory estimates the simulation's memory before it is built.
func (r workloadRules) checkMemory() {
	e := r.Estimate()
	limit := r.Run.Limit.Memory
	if e.Memory <= limit {
		return
	}
	messages, instead := "", "a smaller cluster"
	if e.Messages > 0 {
		messages, instead = fmt.Sprintf(", and %d messages of %d B", e.Messages, bytesPerMessage), "a smaller cluster, larger messages or a shorter duration"
	}
	r.complain("run.limit.memory", "the simulation is estimated to need %s: %d endpoints of %s, %d ranks of %s and %d queue pair connections of %d B%s; the limit is %s: take %s, or raise run.limit.memory if the machine has it",
		e.Memory, e.Endpoints, bytesPerEndpoint.Exact(), e.Ranks, bytesPerRank.Exact(), e.Pairs, bytesPerPair, messages, limit.Exact(), instead)
}

// Estimate is the need of a simulation of one size on one fabric.
type Estimate struct {
	Endpoints int64
	Ranks     int64
	Pairs     int64 // connections that are open at the same time
	Messages  int64 // messages of uniform traffic, which are drawn before the run
	Memory    units.Bytes
}

// Estimate computes it from counts alone; nothing is allocated.
func (r *Resolved) Estimate() Estimate {
	c, w := r.Cluster, &r.Workload
	nodes, gpus := int64(c.Nodes), int64(c.Node.GPUs)
	e := Estimate{Endpoints: nodes * int64(c.Node.NICs), Ranks: nodes * gpus}
	qps, sockets := int64(1), int64(1)
	for _, f := range r.Fabrics {
		qps, sockets = max(qps, int64(f.Transport.QPsPerConnection)), max(sockets, int64(f.TCP.Sockets))
	}
	perRank := int64(2)
	switch {
	case w.Collective == AllToAll:
		perRank = max(0, e.Ranks-gpus)
	case w.Collective == SendRecv:
		perRank = 1
	case w.Collective != "":
		perRank = 2 * int64(cmp.Or(w.Channels, mostChannels)) / max(1, min(gpus, int64(c.Node.NICs)))
	case w.Pattern == Uniform:
		perRank = min(256, e.Endpoints)
	case w.Pattern == Flows:
		perRank = int64(len(w.Flows))/max(1, e.Ranks) + 1
	}
	pairs := saturating(saturating(e.Ranks, max(1, perRank)), max(qps, sockets))
	e.Pairs = pairs
	total := saturating(e.Endpoints, int64(bytesPerEndpoint)) + saturating(e.Ranks, int64(bytesPerRank))
	if w.Pattern == Uniform {
		e.Messages = r.uniformMessages(e.Endpoints)
	}
	total += saturating(e.Messages, bytesPerMessage)
	perPair := int64(bytesPerPair + w.ReceiveQueue*bytesPerReceive)
	e.Memory = units.Bytes(min(total+saturating(pairs, perPair), maxMemory))
	return e
}

// uniformMessages is the number of messages of uniform traffic with the smallest size on the
// fastest fabric.
func (r *Resolved) uniformMessages(endpoints int64) int64 {
	w := &r.Workload
	if len(w.Sizes) == 0 || slices.Min(w.Sizes) <= 0 {
		return 0
	}
	most := 0.0
	for i := range r.Fabrics {
		bytes := float64(r.Fabrics[i].Link.Rate()) / 8 * w.Load.Float() * w.Duration.Seconds()
		most = max(most, bytes/float64(slices.Min(w.Sizes)))
	}
	return int64(min(most*float64(endpoints), maxMemory))
}

// mostChannels is the maximum number of channels that NCCL opens.
const mostChannels = 32

// maxMemory keeps the sums of an estimate within 63 bits.
const maxMemory = 1 << 60

func saturating(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi > 0 || lo > maxMemory {
		return maxMemory
	}
	return int64(lo)
}
