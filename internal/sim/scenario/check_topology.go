package scenario

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
