package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"weft/internal/sim/collective"
	"weft/internal/sim/collective/nccl"
	"weft/internal/sim/protocol"
	"weft/units"
)

// workloadFields lists the fields of a collective, pattern or exchange.
var workloadFields = map[string][]string{
	"all-reduce":     {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype"},
	"all-gather":     {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype"},
	"reduce-scatter": {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype"},
	"broadcast":      {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype", "root"},
	"reduce":         {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype", "root"},
	"scatter":        {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype", "root"},
	"gather":         {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype", "root"},
	"all-to-all":     {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype"},
	"send-recv":      {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype"},
	"permutation":    {"sizes", "transport", "operation", "receive-queue", "repost", "qkey"},
	"incast":         {"sizes", "fan-in", "receivers", "transport", "operation", "receive-queue", "repost", "qkey"},
	"uniform":        {"sizes", "load", "duration", "transport", "operation", "receive-queue", "repost", "qkey"},
	"flows":          {"flows", "transport", "operation", "receive-queue", "repost", "qkey"},
	"moe-dispatch":   {"experts"},
	"moe-combine":    {"experts"},
}

// Name is the collective, pattern or exchange.
func (w *Workload) Name() string {
	return string(w.Collective) + string(w.Pattern) + string(w.Exchange)
}

// workloadsWith says which workloads have a field that another one lacks.
func workloadsWith(field string) string {
	names := having(workloadFields, field)
	switch {
	case slices.ContainsFunc(names, func(n string) bool { return n != names[0] && kindOf(n) != kindOf(names[0]) }):
		return ""
	case len(names) > 4:
		return ", which belongs to a " + kindOf(names[0])
	}
	return ", which belongs to " + kindOf(names[0]) + ": " + oneOf(names)
}

// kindOf is the field of a workload that has this name.
func kindOf(name string) string {
	switch {
	case slices.Contains(workloadFields[name], "experts"):
		return "exchange"
	case slices.Contains(workloadFields[name], "transport"):
		return "pattern"
	}
	return "collective"
}

// having are the names whose fields include one.
func having[K ~string](fields map[K][]string, field string) (names []string) {
	for name, has := range fields {
		if slices.Contains(has, field) {
			names = append(names, string(name))
		}
	}
	slices.Sort(names)
	return names
}

// several reports whether a workload is of more than one kind.
func (w *Workload) several() bool {
	n := 0
	for _, kind := range []string{string(w.Collective), string(w.Pattern), string(w.Exchange)} {
		if kind != "" {
			n++
		}
	}
	return n > 1
}

// usualSizes is the default sweep: a collective's sizes in training, a single megabyte for a
// pattern.
func usualSizes(w *Workload) []units.Bytes {
	if w.Pattern != "" {
		return []units.Bytes{units.MiB}
	}
	var sizes []units.Bytes
	for s := units.KiB; s <= 64*units.MiB; s *= 4 {
		sizes = append(sizes, s)
	}
	return sizes
}

// derive sets the fields for the kind of workload and clears the others.
func (r workloadRules) derive() {
	w := &r.Workload
	if w.Name() == "" {
		w.Collective = AllReduce
	}
	fields := workloadFields[w.Name()]
	applies := map[string]bool{"collective": true, "pattern": true, "exchange": true}
	for _, f := range fields {
		applies[f] = true
	}
	v := reflect.ValueOf(w).Elem()
	for i := range v.NumField() {
		name := yamlName(v.Type().Field(i))
		if applies[name] {
			continue
		}
		if r.written["workload."+name] && !w.several() {
			r.complain("workload."+name, "a workload of %s has no %s%s; its fields are %s", w.Name(), name, workloadsWith(name), oneOf(fields))
		}
		v.Field(i).SetZero()
	}
	if applies["sizes"] && len(w.Sizes) == 0 && !r.stated("workload.sizes") {
		w.Sizes = usualSizes(w)
	}
	if w.Pattern != "" {
		r.deriveVerbs()
	}
	if w.Exchange != "" && !w.several() {
		r.mixture().derive()
	}
	if w.Pattern == Incast {
		setZero(&w.FanIn, min(8, max(1, r.Cluster.Endpoints()-1)))
		setZero(&w.Receivers, 1)
	}
	if w.Pattern == Uniform {
		if w.Load == (Ratio{}) {
			w.Load = Ratio{Num: 1, Den: 2}
		}
		if w.Duration == 0 {
			w.Duration = 100 * units.Microsecond
		}
	}
}

// algorithmsOf lists the algorithms for each operation.
var algorithmsOf = map[Collective][]Algorithm{
	AllReduce:     {AlgoRing, AlgoTree, AlgoHierarchical, AlgoHalvingDoubling, AlgoNVLS, AlgoNVLSTree, AlgoCollNetDirect, AlgoCollNetChain, AlgoDirect},
	AllGather:     {AlgoRing, AlgoHierarchical, AlgoNVLS, AlgoCollNetDirect},
	ReduceScatter: {AlgoRing, AlgoHierarchical, AlgoNVLS, AlgoCollNetDirect},
	Broadcast:     {AlgoRing, AlgoTree},
	Reduce:        {AlgoRing},
	Scatter:       {AlgoDirect},
	Gather:        {AlgoDirect},
	AllToAll:      {AlgoDirect},
	SendRecv:      {AlgoDirect},
}

// Protocols lists the protocols of an algorithm for a collective (ncclTopoTuneModel, addP2pToPlan).
func Protocols(c Collective, a Algorithm) []Protocol {
	switch {
	case a == AlgoDirect || slices.Equal(algorithmsOf[c], []Algorithm{AlgoDirect}):
		return []Protocol{ProtoSimple, ProtoLL}
	case a == AlgoNVLS || a == AlgoNVLSTree || a == AlgoCollNetDirect || a == AlgoCollNetChain:
		return []Protocol{ProtoSimple}
	}
	return []Protocol{ProtoSimple, ProtoLL, ProtoLL128}
}

func (r workloadRules) check() {
	w, ranks, nics := &r.Workload, r.Job().Ranks(), r.Cluster.Endpoints()
	if w.Nodes > r.Cluster.Nodes {
		r.complain("workload.nodes", "the collective runs on %d nodes, the cluster has %d", w.Nodes, r.Cluster.Nodes)
		return
	}
	if w.several() {
		if w.Exchange != "" {
			r.complain("workload.exchange", "give a collective, a pattern or an exchange, not several")
		} else {
			r.complain("workload.pattern", "give a collective or a pattern, not both")
		}
		return
	}
	if w.Exchange != "" {
		r.mixture().check()
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
	if protocols := Protocols(w.Collective, w.Algorithm); w.Protocol != ProtoAuto && !slices.Contains(protocols, w.Protocol) {
		r.complain("workload.protocol", "NCCL has no %s by %s with %s: want %s", w.Collective, w.Algorithm, w.Protocol, oneOf(append([]string{string(ProtoAuto)}, texts(protocols)...)))
	}
	switch inside := w.Algorithm == AlgoNVLS || w.Algorithm == AlgoNVLSTree; {
	case inside && !r.Cluster.Node.ScaleUp.Multicast:
		r.complain("workload.algorithm", "%s needs a scale-up network that reduces: %s does not", w.Algorithm, r.Cluster.Node.ScaleUp.Generation)
	case inside && r.Cluster.Node.GPUs < 2:
		r.complain("workload.algorithm", "%s reduces inside a node: the nodes have one GPU", w.Algorithm)
	}
	if slices.Contains(valid, w.Algorithm) {
		r.checkReduction(w.Algorithm, valid)
		r.checkGPUs()
	}
	if ranks < 2 && !(r.Serving.Given() && !r.written["workload"]) { // a serving job may have one GPU
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

// checkReduction checks an algorithm that needs a reducing fabric; other algorithms depend on the
// collective alone.
func (r workloadRules) checkReduction(a Algorithm, others []Algorithm) {
	nodes := r.Cluster.Nodes
	switch {
	case a.BetweenNodes() && nodes == 1 && a != AlgoNVLS:
		r.complain("workload.algorithm", "%s reduces between nodes: the cluster has one", a)
	case a.BetweenNodes() && nodes > 1 && r.Workload.Collective != AllReduce && r.Cluster.Node.NICs < r.Cluster.Node.GPUs:
		r.complain("workload.algorithm", "%s by %s between nodes needs a NIC for each GPU, in NCCL too: the nodes have %d GPUs and %d NICs", r.Workload.Collective, a, r.Cluster.Node.GPUs, r.Cluster.Node.NICs)
	case a.BetweenNodes() && nodes > 1:
		var without []string
		for i := range r.Fabrics {
			if f := &r.Fabrics[i]; !f.IB.SHARP {
				without = append(without, f.Name)
			}
		}
		if len(without) == len(r.Fabrics) { // the other fabrics run and report this themselves
			r.complain("workload.algorithm", "%s between %d nodes needs a fabric that reduces (ib.sharp), which %s does not: take %s", a, nodes, strings.Join(without, ", "), oneOf(texts(slices.DeleteFunc(slices.Clone(others), Algorithm.BetweenNodes))))
		}
	}
}

// checkGPUs checks what an algorithm and a protocol need of the GPUs of a node and of NCCL's release (ncclTopoTuneModel). A
// tuner's lines may have NCCL take what it does not consider by itself.
func (r workloadRules) checkGPUs() {
	w, n := &r.Workload, &r.Cluster.Node
	if len(r.NCCL.Tuner) > 0 {
		return
	}
	direct, others := w.Algorithm == AlgoCollNetDirect, slices.DeleteFunc(slices.Clone(algorithmsOf[w.Collective]), Algorithm.BetweenNodes)
	switch {
	case direct && n.ScaleUp.Kind != ScaleUpSwitch:
		r.complain("workload.algorithm", "%s needs a scale-up network of kind %s, in NCCL too: this one is of kind %s: take %s", w.Algorithm, ScaleUpSwitch, n.ScaleUp.Kind, oneOf(texts(others)))
	case direct && n.GPUs > collNetGPUs:
		r.complain("workload.algorithm", "%s is for nodes of at most %d GPUs, in NCCL too: these have %d: take %s", w.Algorithm, collNetGPUs, n.GPUs, oneOf(texts(others)))
	}
	if w.Protocol == ProtoLL128 && n.GPUs > 1 && n.ScaleUp.Kind != ScaleUpSwitch && n.ScaleUp.Kind != ScaleUpMesh {
		r.complain("workload.protocol", "%s needs a scale-up network of kind %s or %s between the GPUs of a node: this one is of kind %s: take %s or %s", w.Protocol, ScaleUpSwitch, ScaleUpMesh, n.ScaleUp.Kind, ProtoSimple, ProtoLL)
	}
	if w.Collective != AllGather && w.Collective != ReduceScatter {
		return
	}
	release, err := nccl.ParseRelease(r.NCCL.Version)
	algo, reduces := map[Algorithm]nccl.Algo{AlgoNVLS: nccl.NVLS, AlgoCollNetDirect: nccl.CollNetDirect}[w.Algorithm]
	if err == nil && reduces && !release.Has(collective.AllGather, algo) {
		first := release
		for !first.Has(collective.AllGather, algo) {
			first++
		}
		r.complain("nccl.version", "NCCL %s has no %s by %s: want 2.%d or later, or another workload.algorithm", r.NCCL.Version, w.Collective, w.Algorithm, first)
	}
}

// collNetGPUs is the most GPUs of a node for which NCCL considers CollNetDirect.
const collNetGPUs = 8

func (r workloadRules) checkFlows(nics int) {
	w := &r.Workload
	if len(w.Flows) == 0 {
		r.complain("workload.flows", "no flow is given: want a list such as [{from: node0/nic0, to: node1/nic0, bytes: 1MiB}]")
	}
	for i, f := range w.Flows {
		at := fmt.Sprintf("workload.flows[%d]", i)
		switch {
		case f.named():
			r.checkNamed(at, &f)
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
