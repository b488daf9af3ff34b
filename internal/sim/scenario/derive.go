package scenario

import (
	"reflect"
	"strconv"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/units"
)

// topologyFields lists the fields of each shape in addition to shape and cables.
var topologyFields = map[Shape][]string{
	SingleSwitch:  {"radix", "spare-ports"},
	FatTree:       {"radix", "levels", "oversubscription", "spine-oversubscription", "hosts-per-leaf", "spines", "cores", "spare-ports"},
	RailOptimised: {"radix", "oversubscription", "spine-oversubscription", "rails", "nodes-per-unit", "spines", "cores", "ufm", "spare-ports"},
	Dragonfly:     {"radix", "groups", "switches-per-group", "hosts-per-leaf", "global-links", "spare-ports"},
	DragonflyPlus: {"radix", "groups", "switches-per-group", "spines", "hosts-per-leaf", "global-links", "spare-ports"},
	Torus:         {"radix", "dims", "hosts-per-leaf", "links-per-dim", "spare-ports"},
	Listed:        {"radix", "links"},
}

// fieldsOf is topologyFields; a dual-plane has the fields of its planes.
func (t *Topology) fieldsOf() []string {
	if t.Shape == DualPlane {
		return append([]string{"planes", "plane-shape"}, topologyFields[t.PlaneShape]...)
	}
	return topologyFields[t.Shape]
}

// plane is the shape of the topology; for a dual-plane the shape of its planes.
func (t *Topology) plane() Shape {
	if t.Shape == DualPlane {
		return t.PlaneShape
	}
	return t.Shape
}

// derive computes the values that follow from the fabric alone.
func (r *fabricRules) derive() {
	ethernetRules{r}.deriveSONiC()
	if !r.stated("name") {
		r.Name = r.Preset
	}
	p := protocol.Of(r.Kind)
	tcp := p.OnTCP()
	for _, s := range []struct {
		name    string
		section reflect.Value
		applies bool
	}{
		{"ib", reflect.ValueOf(&r.IB).Elem(), !p.Ethernet()},
		{"ethernet", reflect.ValueOf(&r.Ethernet).Elem(), p.Ethernet()},
		{"transport", reflect.ValueOf(&r.Transport).Elem(), !tcp},
		{"cc", reflect.ValueOf(&r.CC).Elem(), !tcp},
		{"tcp", reflect.ValueOf(&r.TCP).Elem(), tcp},
	} {
		if s.applies {
			continue
		}
		if r.wrote(s.name) {
			r.complain(s.name, "this is a fabric of kind %s, which has no %s: take the section out", r.Kind, s.name)
		}
		s.section.SetZero()
	}
	if p.SubnetManager {
		if r.Topology.Shape == Torus && !r.wrote("routing.mode") {
			r.Routing.Mode = Deterministic // overrides the preset: adaptive routing has no lane to escape to
		}
		subnetRules{r}.derive()
	}
	transportRules{r}.deriveRetransmission()
	r.deriveInspection()
	if !p.RDMA() && r.TCP.Sockets > 1 && !r.wrote("tcp.threads") {
		r.TCP.Threads = threadsOf(r.TCP.Sockets)
	}
	if tcp && r.TCP.Variant == DCTCP && !r.wrote("ethernet.ecn.enabled") {
		r.Ethernet.ECN.Enabled = true // DCTCP needs marks
	}
	if p.CNPs && !r.Ethernet.ECN.Enabled && !r.wrote("cc") {
		r.CC = CC{Preset: "none", Algorithm: CCNone} // there would be no notifications
	}
	streamRules{r}.derive()
	transportRules{r}.deriveCC()
}

// mostThreads is NCCL's MAX_THREADS of a connection over sockets (src/transport/net_socket.cc).
const mostThreads = 16

// threadsOf is the maximum number of threads that divide the sockets evenly.
func threadsOf(sockets int) int {
	n := min(sockets, mostThreads)
	for sockets%n != 0 {
		n--
	}
	return n
}

// pfcBytes are the constants of the headroom formula that do not depend on
// the fabric.
const (
	portMTU     = 9216 // bytes: jumbo frames of the ports
	macPHY      = 819  // bytes: 0.8 KiB
	tileBytes   = 120  // bytes per 8 Gb/s: the tile of Spectrum-4 and 5
	losslessMTU = 1024 // bytes: packets whose cells are counted
	kib         = int64(units.KiB)
)

// derivePFC sets PFC's response time from the link's generation and the headroom from the vendor's
// formula for the longest cable (sonic-swss buffer_headroom_mellanox.lua with small packets only,
// as in the SN5600's shipped table).
func (r ethernetRules) derivePFC() {
	if !protocol.Of(r.Kind).Ethernet() {
		return
	}
	pfc := &r.Ethernet.PFC
	quanta := pauseQuanta(r.Link.Generation)
	rate := int64(r.Link.Rate())
	if !r.stated("ethernet.pfc.response") && rate > 0 {
		// 512 bit times each, in picoseconds.
		pfc.Response = units.Time(Ratio{Num: quanta * 512, Den: 1}.Mul(Ratio{Num: int64(units.Second), Den: rate}).Of(1))
	}
	if !r.stated("ethernet.pfc.headroom") {
		pfc.Headroom = r.headroom(quanta)
	}
	r.deriveWatchdog()
	for i := range pfc.Receivers {
		if x := &pfc.Receivers[i]; x.Buffer == 0 && x.Drain > 0 {
			x.Buffer = 2 * pfc.Headroom
		}
		if x := &pfc.Receivers[i]; x.Headroom == 0 {
			x.Headroom = x.Buffer / 2
		}
	}
}

// headroom is the result of the vendor's formula for the longest cable.
func (r ethernetRules) headroom(quanta int64) units.Bytes {
	rate := int64(r.Link.Rate())
	cell := max(1, int64(r.Switch.Cell))
	// Cable: 2 · length · rate / 198e6 m/s, in bytes; a length is in mm.
	cable := Ratio{Num: 2 * int64(r.LongestCable(r.Fabric)), Den: 1000}.Reduced().Mul(Ratio{Num: rate, Den: 198_000_000 * 8}.Reduced()).Of(1)
	occupancy := (cell + 63) / 64 // bytes in cells over the bytes of packets of 64
	if cell <= 128 {
		occupancy = 2
	}
	prop := int64(portMTU) + cable + macPHY + quanta*512/8
	if cell == 192 { // Spectrum-4 and 5
		prop += rate / int64(units.Gbps) * tileBytes / 8
	}
	return units.Bytes(ceilTo(losslessMTU+prop*occupancy, kib))
}

// LongestCable is the longest cable of a fabric's topology, which determines its headroom.
func (r *Resolved) LongestCable(f *Fabric) units.Length {
	t, c := &f.Topology, f.Topology.Cables
	switch t.plane() {
	case SingleSwitch:
		return c.NodeLeaf
	case Dragonfly:
		return max(c.NodeLeaf, c.Local, c.Global)
	case DragonflyPlus:
		return max(c.NodeLeaf, c.LeafSpine, c.Global)
	case Torus:
		return max(c.NodeLeaf, c.Local)
	case Listed:
		return t.longestLink()
	case RailOptimised:
		if !r.needsCores(t) {
			return max(c.NodeLeaf, c.LeafSpine)
		}
	case FatTree:
		if t.Levels == 2 {
			return max(c.NodeLeaf, c.LeafSpine)
		}
	}
	return max(c.NodeLeaf, c.LeafSpine, c.SpineCore)
}

// needsCores reports whether a rail-optimised fabric has a third level: its spines have fewer ports
// than there are leaves.
func (r *Resolved) needsCores(t *Topology) bool {
	trays := max(1, r.Cluster.Node.NICs/max(1, t.Rails)) // checkRails refuses more rails than NICs
	return ceilDiv(r.Cluster.Nodes*trays+ceilDiv(t.SparePorts, max(1, t.Rails)), max(1, t.unit(trays)))*t.Rails > t.Radix
}

// rails is the number of rails of the node's NICs: one for each NIC if the default number does not
// divide them.
func (n *Node) rails() int {
	if n.Rails > 0 && n.NICs%n.Rails == 0 {
		return n.Rails
	}
	return n.NICs
}

// unit is the number of machines that share their leaves: whole nodes if a leaf has the ports.
func (t *Topology) unit(trays int) int {
	down := t.downlinks()
	if t.NodesPerUnit > 0 {
		return min(down, t.NodesPerUnit*trays)
	}
	if down > trays {
		return down - down%trays
	}
	return down
}

func ceilTo(x, unit int64) int64 { return (x + unit - 1) / unit * unit }

// pauseQuanta is the standard's time to obey a pause, in quanta.
func pauseQuanta(generation string) int64 {
	e, err := catalog.Lookup(catalog.Link, generation)
	if err != nil {
		return 0
	}
	f, _ := e.Get("about.pause-quanta")
	quanta, _ := strconv.ParseInt(f.Value, 10, 32)
	return quanta
}

// deriveTopologies computes each fabric's topology. The default radix is the smallest switch's, so
// that the fabrics are cabled alike and the comparison is between fabrics.
func (r *resolver) deriveTopologies() {
	radix := 0
	for _, f := range r.Fabrics {
		if p := f.Switch.PortsAt(f.Link.Rate()); p > 0 && (radix == 0 || p < radix) {
			radix = p
		}
	}
	for i := range r.Fabrics {
		f := r.ofFabric(i)
		if r.broken(f.path) {
			continue
		}
		f.topology().derive(radix)
		ethernetRules{f}.derivePFC()
		transportRules{f}.deriveRoundTrip()
		ethernetRules{f}.deriveUltraEthernet()
	}
}

// derive computes a topology; radix is the number of ports of the smallest switch.
func (r topologyRules) derive(radix int) {
	t := &r.Topology
	if protocol.Of(r.Kind).OneSegment && !r.wrote("shape") && !r.written["topology.shape"] {
		t.Shape = SingleSwitch // its only topology
	}
	r.shapeOnly()
	if t.Radix == 0 {
		t.Radix = radix
	}
	r.deriveShape()
}

// shapeOnly clears fields that do not apply to the shape, and reports them if the user wrote them.
func (r topologyRules) shapeOnly() {
	t := &r.Topology
	if t.Shape == DualPlane && t.PlaneShape == "" {
		t.PlaneShape = RailOptimised
	}
	applies := map[string]bool{"shape": true, "cables": true}
	for _, f := range t.fieldsOf() {
		applies[f] = true
	}
	v := reflect.ValueOf(t).Elem()
	for i := range v.NumField() {
		name := yamlName(v.Type().Field(i))
		if applies[name] {
			continue
		}
		v.Field(i).SetZero()
		common := "topology." + name
		switch {
		case r.wrote(name):
			r.complain(name, "%s has no %s: its fields are %s", t.Shape, name, oneOf(t.fieldsOf()))
		case r.written[common] && !r.wrote("shape"):
			r.rules.complain(common, "%s has no %s: its fields are %s", t.Shape, name, oneOf(t.fieldsOf()))
		}
	}
}

// deriveShape chooses the parameters without which a shape cannot be built. The others follow
// the builder's rule.
func (r topologyRules) deriveShape() {
	t := &r.Topology
	if t.Shape == DualPlane && t.Planes == 0 {
		t.Planes = 2
	}
	ports := r.Cluster.Endpoints()*r.NIC.Ports + t.SparePorts
	switch t.plane() {
	case FatTree:
		if t.Levels == 0 {
			t.Levels = 2
			if ports > t.Radix*t.downlinks() {
				t.Levels = 3
			}
		}
	case RailOptimised:
		if t.Rails == 0 {
			t.Rails = r.Cluster.Node.rails()
		}
	case Dragonfly: // balanced: a = 2p = 2h within the radix (Kim et al. 2008)
		setZero(&t.HostsPerLeaf, max(1, (t.Radix+1)/4))
		setZero(&t.SwitchesPerGroup, 2*t.HostsPerLeaf)
		setZero(&t.GlobalLinks, t.HostsPerLeaf)
		setZero(&t.Groups, ceilDiv(ports, t.HostsPerLeaf*t.SwitchesPerGroup))
	case DragonflyPlus: // all ports used (Shpiner et al. 2017)
		setZero(&t.HostsPerLeaf, max(1, t.Radix/2))
		setZero(&t.SwitchesPerGroup, max(1, t.Radix/2))
		setZero(&t.Spines, max(1, t.Radix/2))
		setZero(&t.GlobalLinks, max(1, t.Radix/2))
		setZero(&t.Groups, ceilDiv(ports, t.HostsPerLeaf*t.SwitchesPerGroup))
	case Torus:
		setZero(&t.LinksPerDim, 1)
		if len(t.Dims) == 0 {
			setZero(&t.HostsPerLeaf, max(1, min(r.Cluster.Node.NICs, t.Radix-6)))
			t.Dims = cube(ceilDiv(ports, t.HostsPerLeaf))
		}
		setZero(&t.HostsPerLeaf, ceilDiv(ports, product(t.Dims)))
	}
}

// downlinks is the number of hosts of a leaf.
func (t *Topology) downlinks() int {
	if t.HostsPerLeaf > 0 {
		return t.HostsPerLeaf
	}
	o := t.Oversubscription
	if o.Num == 0 {
		o = Ratio{Num: 1, Den: 1}
	}
	return int(Ratio{Num: o.Num, Den: o.Num + o.Den}.Of(int64(t.Radix)))
}

// cube is the smallest three-dimensional torus, as even as possible, with n switches.
func cube(n int) []int {
	x := 2
	for x*x*x < n {
		x++
	}
	dims := []int{x, x, x}
	for i := range dims {
		for dims[i] > 2 && product(dims)/dims[i]*(dims[i]-1) >= n {
			dims[i]--
		}
	}
	return dims
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n = min(n*d, 1<<40)
	}
	return n
}

func setZero(x *int, v int) {
	if *x == 0 {
		*x = v
	}
}

func ceilDiv(a, b int) int { return (a + b - 1) / max(1, b) }

// derive sets the fields for the kind of workload and clears the others.
func (r workloadRules) derive() {
	w := &r.Workload
	if w.Collective == "" && w.Pattern == "" {
		w.Collective = AllReduce
	}
	fields := workloadFields[string(w.Collective)+string(w.Pattern)]
	applies := map[string]bool{"collective": true, "pattern": true}
	for _, f := range fields {
		applies[f] = true
	}
	v := reflect.ValueOf(w).Elem()
	for i := range v.NumField() {
		name := yamlName(v.Type().Field(i))
		if applies[name] {
			continue
		}
		if r.written["workload."+name] && (w.Collective == "" || w.Pattern == "") {
			r.complain("workload."+name, "a workload of %s has no %s: its fields are %s", string(w.Collective)+string(w.Pattern), name, oneOf(fields))
		}
		v.Field(i).SetZero()
	}
	if applies["sizes"] && len(w.Sizes) == 0 && !r.stated("workload.sizes") {
		w.Sizes = usualSizes(w)
	}
	if w.Pattern != "" {
		r.deriveVerbs()
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

// workloadFields lists the fields of a collective or pattern.
var workloadFields = map[string][]string{
	"all-reduce":     {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype"},
	"all-gather":     {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype"},
	"reduce-scatter": {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype"},
	"broadcast":      {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype", "root"},
	"all-to-all":     {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype"},
	"send-recv":      {"sizes", "nodes", "algorithm", "protocol", "channels", "chunk", "window", "datatype"},
	"permutation":    {"sizes", "transport", "operation", "receive-queue", "repost", "qkey"},
	"incast":         {"sizes", "fan-in", "receivers", "transport", "operation", "receive-queue", "repost", "qkey"},
	"uniform":        {"sizes", "load", "duration", "transport", "operation", "receive-queue", "repost", "qkey"},
	"flows":          {"flows", "transport", "operation", "receive-queue", "repost", "qkey"},
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
