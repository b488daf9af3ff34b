package scenario

import (
	"fmt"
	"reflect"
	"slices"
)

// Isolation is the zones that are to be kept apart, and the devices beside the compute
// fabric. weft audit isolation proves or refutes it for every fabric.
type Isolation struct {
	// Zones are the parties: tenants, and the planes.
	Zones []Zone `yaml:"zones,omitzero"`
	// Apart are the pairs of zones that must be apart. Without any: tenants from
	// each other by forwarding; management and security planes by cables, from
	// each other and from everything else.
	Apart []Apart `yaml:"apart,omitzero"`
	// Devices are switches, routers and hosts of other planes than the compute fabric. A
	// node of the cluster stands here if it forwards.
	Devices []Device `yaml:"devices,omitzero"`
	// Cables join devices, management ports of nodes and switches (node0/bmc,
	// leaf3/mgmt), and ports of the compute fabric's own switches (leaf3).
	Cables []PlaneCable `yaml:"cables,omitzero"`
	// Segments are the VLAN and VRF of NICs on an Ethernet fabric. NICs without
	// one are in VLAN 1 of the VRF default.
	Segments []Segment `yaml:"segments,omitzero"`
	// Leaks are routes from one VRF of the compute fabric to another.
	Leaks []Leak `yaml:"leaks,omitzero"`
	// Inspection is a box whose cost the audit measures: the workload with the box in the
	// path of every NIC, against planes that are physically apart.
	Inspection Inspection `yaml:"inspection,omitzero"`
}

// Zone is a party of the cluster, such as a tenant, that is kept apart from others.
type Zone struct {
	// Name is the unique name of the zone.
	Name string `yaml:"name"`
	// Kind says which pairs must be apart by default.
	Kind ZoneKind `yaml:"kind"`
	// Members are its devices and ports: node[0-7] for all NICs of nodes,
	// node3/nic0 for one, node[0-7]/bmc for management ports, a device's or a
	// switch's name, fabric for all NICs and switches of the compute fabric.
	Members []string `yaml:"members"`
}

// Apart is a requirement that zones are kept apart.
type Apart struct {
	// Zones are two or more; each pair of them must be apart.
	Zones []string `yaml:"zones"`
	// By is how they are apart: by cables, forwarding (the default) or links.
	By Separation `yaml:"by,omitzero"`
}

// Device is a switch, router or host beside the compute fabric.
type Device struct {
	// Name is the unique name of the device.
	Name string `yaml:"name"`
	// Kind is switch, router or host.
	Kind DeviceKind `yaml:"kind"`
	// Forwards says that a host passes packets on between its ports: IP
	// forwarding, a bridge, a proxy.
	Forwards bool `yaml:"forwards,omitzero"`
	// Between are the ports of a node of the cluster that it forwards between:
	// nic[0-7], eth0. The default is all, with its management controller's.
	Between []string `yaml:"between,omitzero"`
	// VRFs are the routing tables of a router, which routes between the VLANs of each.
	// Without any it routes between all VLANs.
	VRFs []VRF `yaml:"vrfs,omitzero"`
	// Leaks are routes of a router from one of its VRFs to another.
	Leaks []Leak `yaml:"leaks,omitzero"`
}

// VRF is a routing table of a router and the VLANs that use it.
type VRF struct {
	// Name is the name of the table.
	Name string `yaml:"name"`
	// VLANs are the VLANs whose gateway is in it.
	VLANs []int `yaml:"vlans" range:"1..4094"`
}

// Leak is a route by which packets of one VRF get into another. The way back needs a
// leak of its own.
type Leak struct {
	// From is the VRF that sends.
	From string `yaml:"from"`
	// To is the VRF that is reached.
	To string `yaml:"to"`
}

// PlaneCable is a cable beside the compute fabric. If an end is a pattern, each name has
// a cable.
type PlaneCable struct {
	// From is one end, the name of a device.
	From string `yaml:"from"`
	// To is the other end: a device, node[0-7]/bmc, leaf0/mgmt, or leaf0.
	To string `yaml:"to"`
	// VLANs are the VLANs that the port carries; the default is 1.
	VLANs []int `yaml:"vlans,omitzero" range:"1..4094"`
}

// Segment is the VLAN and the VRF of NICs on an Ethernet compute fabric.
type Segment struct {
	// Members are NICs: node[0-3], node3/nic0.
	Members []string `yaml:"members"`
	// VLAN is the VLAN of the port.
	VLAN int `yaml:"vlan" range:"1..4094"`
	// VRF is the routing table of the VLAN's gateway.
	VRF string `yaml:"vrf"`
}

// DefaultVLAN and DefaultVRF are for ports without a declared VLAN or VRF.
const (
	DefaultVLAN = 1
	DefaultVRF  = "default"
)

// WholeFabric is the member that means all NICs and switches of the compute fabric.
const WholeFabric = "fabric"

// derive sets the default VLANs of cables and the default requirements.
func (r zoneRules) derive() {
	s := &r.Isolation
	for i := range s.Cables {
		if len(s.Cables[i].VLANs) == 0 {
			s.Cables[i].VLANs = []int{DefaultVLAN}
		}
	}
	for i := range s.Apart {
		if s.Apart[i].By == "" {
			s.Apart[i].By = ByForwarding
		}
	}
	if len(s.Apart) > 0 || len(s.Zones) > maxZones {
		return
	}
	for i := range s.Zones {
		for j := range i {
			if by := usualSeparation(s.Zones[j].Kind, s.Zones[i].Kind); by != "" {
				s.Apart = append(s.Apart, Apart{Zones: []string{s.Zones[j].Name, s.Zones[i].Name}, By: by})
			}
		}
	}
}

// usualSeparation is the default requirement for zones of two kinds, "" for none.
func usualSeparation(a, b ZoneKind) Separation {
	plane := func(k ZoneKind) bool { return k == ManagementZone || k == SecurityZone }
	switch {
	case plane(a) || plane(b):
		return ByCables
	case a == TenantZone && b == TenantZone:
		return ByForwarding
	}
	return ""
}

// check checks that names are consistent. The switches are known only when a fabric is
// built: the audit checks their names.
func (r zoneRules) check() {
	s := &r.Isolation
	if len(s.Zones) > maxZones {
		r.complain("isolation.zones", "%d zones are given: at most %d", len(s.Zones), maxZones)
		return
	}
	pairs := 0
	for i := range s.Apart {
		pairs += len(s.Apart[i].Zones) * (len(s.Apart[i].Zones) - 1) / 2
	}
	if pairs > maxPairs {
		r.complain("isolation.apart", "%d pairs of zones are to be apart: at most %d", pairs, maxPairs)
		return
	}
	r.checkZones()
	r.checkDevices()
	for i := range s.Cables {
		c := &s.Cables[i]
		r.checkPatterns(fmt.Sprintf("isolation.cables[%d]", i), []string{c.From, c.To})
	}
	vrfs := map[string]bool{DefaultVRF: true}
	for i := range s.Segments {
		g := &s.Segments[i]
		at := fmt.Sprintf("isolation.segments[%d]", i)
		if g.VLAN == 0 || g.VRF == "" || len(g.Members) == 0 {
			r.complain(at, "a segment has members, a vlan and a vrf")
		}
		vrfs[g.VRF] = true
		r.checkNICs(at+".members", g.Members)
	}
	r.checkLeaks("isolation.leaks", s.Leaks, vrfs)
}

// checkZones checks that zones have distinct names and that requirements name them.
func (r zoneRules) checkZones() {
	s := &r.Isolation
	zones := make(map[string]bool)
	for i := range s.Zones {
		at := fmt.Sprintf("isolation.zones[%d]", i)
		z := &s.Zones[i]
		if z.Name == "" || zones[z.Name] {
			r.complain(at+".name", "the zone's name %q is empty or given twice", z.Name)
		}
		if z.Kind == "" {
			r.complain(at, "the zone has no kind: want %s", oneOf(choices(reflect.TypeFor[ZoneKind]())))
		}
		if len(z.Members) == 0 {
			r.complain(at, "the zone %s has no members: want some such as node[0-3]", z.Name)
		}
		zones[z.Name] = true
		r.checkPatterns(at+".members", z.Members)
	}
	for i := range s.Apart {
		at := fmt.Sprintf("isolation.apart[%d].zones", i)
		if len(s.Apart[i].Zones) < 2 {
			r.complain(at, "want at least two zones")
		}
		for j, name := range s.Apart[i].Zones {
			if !zones[name] {
				r.complain(fmt.Sprintf("%s[%d]", at, j), "there is no zone %q", name)
			}
			if slices.Index(s.Apart[i].Zones, name) < j {
				r.complain(fmt.Sprintf("%s[%d]", at, j), "the zone %s is given twice: a zone cannot be separate from itself", name)
			}
		}
	}
}

// checkDevices checks that devices have distinct names and the fields of their kind.
func (r zoneRules) checkDevices() {
	names := make(map[string]bool)
	for i := range r.Isolation.Devices {
		d := &r.Isolation.Devices[i]
		at := fmt.Sprintf("isolation.devices[%d]", i)
		switch {
		case d.Name == "" || names[d.Name]:
			r.complain(at+".name", "the device's name %q is empty or given twice", d.Name)
		case d.Kind == "":
			r.complain(at, "the device has no kind: want %s", oneOf(choices(reflect.TypeFor[DeviceKind]())))
		case d.Forwards && d.Kind != HostDevice:
			r.complain(at+".forwards", "a %s forwards in any case: forwards is for hosts", d.Kind)
		case len(d.Between) > 0 && !d.Forwards:
			r.complain(at+".between", "a host that does not forward has no ports to forward between: give forwards: true")
		case len(d.VRFs) > 0 && d.Kind != RouterDevice:
			r.complain(at+".vrfs", "a %s has no VRFs: they are a router's", d.Kind)
		}
		names[d.Name] = true
		r.checkPatterns(at+".between", d.Between)
		vrfs, of := make(map[string]bool), make(map[int]string)
		for j, v := range d.VRFs {
			for _, vlan := range v.VLANs {
				if other, known := of[vlan]; known {
					r.complain(fmt.Sprintf("%s.vrfs[%d]", at, j), "VLAN %d is in the VRFs %s and %s: it is in one", vlan, other, v.Name)
				}
				of[vlan] = v.Name
			}
			vrfs[v.Name] = true
		}
		r.checkLeaks(at+".leaks", d.Leaks, vrfs)
	}
}

func (r zoneRules) checkLeaks(path string, leaks []Leak, vrfs map[string]bool) {
	for i, l := range leaks {
		for _, name := range []string{l.From, l.To} {
			if !vrfs[name] {
				r.complain(fmt.Sprintf("%s[%d]", path, i), "there is no VRF %q here", name)
			}
		}
	}
}

// deriveInspection sets the link's rate for a middlebox that has only a latency.
func (r *fabricRules) deriveInspection() {
	if r.Inspection.Latency > 0 && r.Inspection.Rate == 0 {
		r.Inspection.Rate = r.Link.Rate()
	}
	if rate := r.Link.Rate(); r.Inspection.Rate > rate {
		r.complain("inspection.rate", "a middlebox rate of %s is more than the link's %s: packets cannot arrive faster", r.Inspection.Rate.Exact(), rate.Exact())
	}
}
