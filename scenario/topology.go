package scenario

import (
	"reflect"

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
	Listed:        {"radix", "links", "file", "devices", "others"},
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
		f.derivePlanePorts()
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
		common, shapes := "topology."+name, having(topologyFields, name)
		if len(shapes) == 0 {
			shapes = []string{string(DualPlane)}
		}
		switch {
		case r.wrote(name):
			r.complain(name, "%s has no %s, which belongs to %s; its fields are %s", t.Shape, name, oneOf(shapes), oneOf(t.fieldsOf()))
		case r.written[common] && !r.wrote("shape"):
			r.rules.complain(common, "%s has no %s, which belongs to %s; its fields are %s", t.Shape, name, oneOf(shapes), oneOf(t.fieldsOf()))
		}
	}
}

// deriveShape chooses the parameters without which a shape cannot be built. The others follow
// the builder's rule.
func (r topologyRules) deriveShape() {
	t := &r.Topology
	if t.Shape == DualPlane {
		setZero(&t.Planes, usualPlanes)
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

// check checks that the hosts fit the shape. The builder of the topology checks the rest
// when it builds; these checks report at once, for all fabrics, with the place in the file.
func (r topologyRules) check() {
	t := &r.Topology
	if t.Shape == DualPlane && !r.checkPlanes() {
		return
	}
	if t.Shape == Listed {
		r.checkLinks()
		return
	}
	ports := r.Switch.PortsAt(r.Link.Rate())
	if ports == 0 { // the link is faster than the switch; another check reports it
		return
	}
	if t.Radix > ports {
		r.complain("radix", "a radix of %d: the switch %s has %d ports at %s", t.Radix, r.Switch.Model, ports, r.Link.Rate())
		return
	}
	for _, x := range []struct {
		field string
		value Ratio
	}{{"oversubscription", t.Oversubscription}, {"spine-oversubscription", t.SpineOversubscription}} {
		if x.value.Den != 0 && x.value.Num == 0 {
			r.complain(x.field, "an oversubscription of 0: want 1, 2, 3:1 and so on")
			return
		}
	}
	shape, hosts := t.plane(), r.Cluster.Endpoints()+t.SparePorts
	if shape == RailOptimised && !r.checkRails() {
		return
	}
	if need, most, of := t.portsNeeded(); need > most {
		r.complain("", "%s needs %d ports and the radix is %d: take a larger switch or fewer links", of, need, most)
		return
	}
	if most := t.capacity(r.Cluster.Node.NICs); hosts > most {
		r.complain("", "%d nodes have %d NIC ports, and %s of %d-port switches (oversubscription %s) ends at %d: take %s",
			r.Cluster.Nodes, hosts, shape, t.Radix, ratioOr1(t.Oversubscription), most, t.wayOut())
	}
}

// checkRails checks that the NICs of a node can be assigned to the rails evenly, and that a switch
// can connect the rails.
func (r topologyRules) checkRails() bool {
	t, nics := &r.Topology, r.Cluster.Node.NICs
	switch {
	case t.Rails == 0 || nics%t.Rails != 0:
		r.complain("rails", "%d rails: a node has %d NICs, as many on each rail as on any other", t.Rails, nics)
	case t.Rails > t.Radix:
		r.complain("rails", "%d rails: a switch of %d ports cannot join more than %[2]d; deal the %[3]d NICs of a node to fewer rails (rails: 4 of a rack whose trays have four each), or take a fat-tree", t.Rails, t.Radix, nics)
	default:
		return true
	}
	return false
}

func (r topologyRules) checkPlanes() bool {
	t := &r.Topology
	switch t.PlaneShape {
	case SingleSwitch, FatTree, RailOptimised:
	default:
		r.complain("plane-shape", "a plane cannot be a %s: want single-switch, fat-tree or rail-optimised", t.PlaneShape)
		return false
	}
	if r.NIC.Ports != t.Planes {
		r.complain("planes", "%d planes: a NIC %s has %d ports in use, and needs one for each plane (nic: {model: %s, ports: %d})",
			t.Planes, r.NIC.Model, r.NIC.Ports, r.NIC.Model, t.Planes)
		return false
	}
	return true
}

func ratioOr1(o Ratio) Ratio {
	if o.Num == 0 || o.Den == 0 {
		return Ratio{Num: 1, Den: 1}
	}
	return o
}

// portsNeeded is the number of ports of the fullest switch of a direct shape.
func (t *Topology) portsNeeded() (need, most int, of string) {
	switch t.Shape {
	case Dragonfly:
		return t.HostsPerLeaf + t.SwitchesPerGroup - 1 + t.GlobalLinks, t.Radix, "a dragonfly's switch (hosts + group - 1 + global links)"
	case DragonflyPlus:
		return max(t.HostsPerLeaf+t.Spines, t.SwitchesPerGroup+t.GlobalLinks), t.Radix, "a dragonfly-plus's leaf (hosts + spines) or spine (leaves + global links)"
	case Torus:
		return t.HostsPerLeaf + 2*len(t.Dims)*t.LinksPerDim, t.Radix, "a torus's switch (hosts + two bundles per dimension)"
	}
	return 0, 1, ""
}

// capacity is the maximum number of NIC ports of the shape, for one plane.
func (t *Topology) capacity(nics int) int {
	down := t.downlinks()
	switch t.plane() {
	case SingleSwitch:
		return t.Radix
	case FatTree:
		if t.Levels == 3 {
			spine := Topology{Radix: t.Radix, Oversubscription: t.SpineOversubscription}
			return down * spine.downlinks() * t.Radix
		}
		return down * t.Radix
	case RailOptimised:
		// Rails by units of leaves; at three levels as a fat tree of leaves.
		spine := Topology{Radix: t.Radix, Oversubscription: t.SpineOversubscription}
		unit := t.unit(nics / max(1, t.Rails))
		return max(t.Radix/max(1, t.Rails)*unit*t.Rails, unit*spine.downlinks()*t.Radix)
	case Dragonfly:
		groups := min(t.Groups, t.SwitchesPerGroup*t.GlobalLinks+1)
		return t.HostsPerLeaf * t.SwitchesPerGroup * groups
	case DragonflyPlus:
		groups := min(t.Groups, t.Spines*t.GlobalLinks+1)
		return t.HostsPerLeaf * t.SwitchesPerGroup * groups
	}
	return t.HostsPerLeaf * product(t.Dims)
}

// wayOut is the change to make if the hosts do not fit.
func (t *Topology) wayOut() string {
	switch {
	case t.Shape == FatTree && t.Levels == 2:
		return "levels: 3, more oversubscription or larger switches"
	case t.Shape == SingleSwitch:
		return "a fat-tree or rail-optimised shape, or a larger switch"
	case t.Shape == Dragonfly || t.Shape == DragonflyPlus:
		return "more groups, switches per group or global links"
	case t.Shape == Torus:
		return "larger dims or more hosts per leaf"
	}
	return "more oversubscription or larger switches"
}
