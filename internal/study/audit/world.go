package audit

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/topology"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/control"
	"weft/scenario"
)

// kind is a node's way to handle packets.
type kind uint8

const (
	endKind          kind = iota // a NIC, a management port or a host: the end of a path unless its machine forwards
	fabricSwitchKind             // a switch of the compute fabric
	switchKind                   // forwards within a VLAN
	routerKind                   // also within a VRF
)

// node is a device or a port of a machine. The fabric's nodes come first, with the numbers of its
// graph.
type node struct {
	name    string
	kind    kind
	machine string // its machine: node3, leaf0, a device's name
	device  *scenario.Device
	cables  []int // the world's cables, not the fabric's
	ports   int   // ports used by them
}

// cable is a cable outside the fabric.
type cable struct {
	ends  [2]int // nodes
	ports [2]int // from 1
	vlans []int
}

// other is the far side of a cable.
func (c *cable) other(node int) (side int) {
	if c.ends[0] == node {
		return 1
	}
	return 0
}

// segment is the VLAN and the VRF of a NIC on an Ethernet fabric.
type segment struct {
	vlan int
	vrf  string
}

// world is a fabric with the network beside it.
type world struct {
	scenario *scenario.Resolved
	fabric   *scenario.Fabric
	*control.Layout
	nodes    []node
	byName   map[string]int
	cables   []cable
	machines map[string][]int  // for each forwarding machine, the ports between which it forwards
	segments []segment         // by NIC; nil on InfiniBand
	vrfOf    map[int]string    // by VLAN of the fabric
	up       [][]uplink        // by NIC: its cables
	leaf     []int             // by NIC: the switch of its first cable, -1 if it has none
	used     map[string][]bool // traffic within a zone, computed on demand
}

// uplink is a cable of a NIC: the switch, as a row of the tables, and the cable in its direction.
type uplink struct {
	sw        int
	direction int32
}

func newWorld(r *scenario.Resolved, f *scenario.Fabric) (*world, error) {
	layout, err := control.LayoutOf(r, f)
	if err != nil {
		return nil, err
	}
	w := &world{scenario: r, fabric: f, Layout: layout, byName: map[string]int{}, machines: map[string][]int{}, used: map[string][]bool{}}
	for i := range w.Graph.Nodes {
		nd := &w.Graph.Nodes[i]
		n := node{name: nd.Name, kind: fabricSwitchKind, machine: nd.Name}
		if nd.Kind == topology.Endpoint {
			n.kind = endKind
			n.machine, _, _ = strings.Cut(nd.Name, "/")
		}
		w.add(n)
	}
	w.addUplinks()
	if err := w.devices(); err != nil {
		return nil, err
	}
	for i := range r.Isolation.Cables {
		if err := w.plug(i); err != nil {
			return nil, err
		}
	}
	w.addSegments()
	if err := w.joinPorts(); err != nil {
		return nil, err
	}
	return w, nil
}

// joinPorts finds the ports between which each machine forwards.
func (w *world) joinPorts() error {
	for i := range w.scenario.Isolation.Devices {
		d := &w.scenario.Isolation.Devices[i]
		if !d.Forwards {
			continue
		}
		for _, port := range scenario.Expand(d.Between) {
			at, known := w.byName[d.Name+"/"+port]
			if !known {
				return w.at(fmt.Sprintf("devices[%d].between", i), "%s has no port %s that has a cable", d.Name, port)
			}
			w.machines[d.Name] = append(w.machines[d.Name], at)
		}
		if len(d.Between) > 0 {
			continue
		}
		for at := range w.nodes {
			if w.nodes[at].machine == d.Name {
				w.machines[d.Name] = append(w.machines[d.Name], at)
			}
		}
	}
	return nil
}

// addUplinks notes the cables of each NIC.
func (w *world) addUplinks() {
	w.up, w.leaf = make([][]uplink, w.Graph.Endpoints), make([]int, w.Graph.Endpoints)
	for nic := range w.up {
		w.leaf[nic] = -1
		for port := range w.Graph.Nodes[nic].Cables {
			end := topology.End{Node: topology.NodeID(nic), Port: int32(port)}
			peer, c, ok := w.Graph.Peer(end)
			if !ok || int(peer.Node) < w.Graph.Endpoints {
				continue
			}
			if w.leaf[nic] < 0 {
				w.leaf[nic] = int(peer.Node)
			}
			w.up[nic] = append(w.up[nic], uplink{int(peer.Node) - w.Graph.Endpoints, direction(w.Graph, c, end)})
		}
	}
}

func (w *world) add(n node) int {
	w.byName[n.name] = len(w.nodes)
	w.nodes = append(w.nodes, n)
	return len(w.nodes) - 1
}

// devices adds the declared devices. A device with the name of a cluster node is that node.
func (w *world) devices() error {
	for i := range w.scenario.Isolation.Devices {
		d := &w.scenario.Isolation.Devices[i]
		if _, err := w.scenario.Cluster.NICs(d.Name); err == nil {
			if d.Kind != scenario.HostDevice {
				return w.at(fmt.Sprintf("devices[%d]", i), "%s is a node of the cluster, and that is a host", d.Name)
			}
			continue
		}
		if _, taken := w.byName[d.Name]; taken {
			return w.at(fmt.Sprintf("devices[%d]", i), "%s is a part of the fabric %s: give the device another name", d.Name, w.fabric.Name)
		}
		w.add(node{name: d.Name, machine: d.Name, device: d, kind: map[scenario.DeviceKind]kind{
			scenario.SwitchDevice: switchKind, scenario.RouterDevice: routerKind, scenario.HostDevice: endKind,
		}[d.Kind]})
	}
	return nil
}

// at is an error about a field of the isolation.
func (w *world) at(field, text string, args ...any) error {
	return &FieldError{Path: "isolation." + field, Err: fmt.Errorf(text, args...)}
}

// FieldError is an error with the path of its field.
type FieldError struct {
	Path string
	Err  error
}

func (e *FieldError) Error() string { return e.Path + ": " + e.Err.Error() }
func (e *FieldError) Unwrap() error { return e.Err }

// plug adds the cables of an entry of the list: if both sides are patterns, their names are paired;
// if one is, each of its names gets a cable.
func (w *world) plug(i int) error {
	c := &w.scenario.Isolation.Cables[i]
	field := fmt.Sprintf("cables[%d]", i)
	from, to := scenario.Expand([]string{c.From}), scenario.Expand([]string{c.To})
	n := max(len(from), len(to))
	if len(from) != 1 && len(from) != n || len(to) != 1 && len(to) != n {
		return w.at(field, "%s stands for %d names and %s for %d: want as many, or one", c.From, len(from), c.To, len(to))
	}
	for k := range n {
		var added cable
		added.vlans = c.VLANs
		for side, name := range []string{from[min(k, len(from)-1)], to[min(k, len(to)-1)]} {
			at, err := w.socket(name)
			if err != nil {
				return w.at(field, "%w", err)
			}
			port, err := w.takePort(at)
			if err != nil {
				return w.at(field, "%w", err)
			}
			added.ends[side], added.ports[side] = at, port
		}
		for _, at := range added.ends {
			w.nodes[at].cables = append(w.nodes[at].cables, len(w.cables))
		}
		w.cables = append(w.cables, added)
	}
	return nil
}

// socket is the node for a cable: a device, a switch of an Ethernet fabric, or a machine's own
// port, which it creates.
func (w *world) socket(name string) (int, error) {
	if at, known := w.byName[name]; known {
		switch {
		case at < w.Graph.Endpoints:
			return 0, fmt.Errorf("%s is a NIC of the fabric %s, which has its cables: name a port of its own, such as %s/eth0", name, w.fabric.Name, w.nodes[at].machine)
		case at < len(w.Graph.Nodes) && !protocol.Of(w.fabric.Kind).Ethernet():
			return 0, fmt.Errorf("%s is an InfiniBand switch of %s, into which nothing but its own HCAs and switches fits: its management port is %s/mgmt", name, w.fabric.Name, name)
		}
		return at, nil
	}
	machine, port, ok := cutLast(name)
	if !ok {
		return 0, fmt.Errorf("there is no %s: want a device, a switch of %s, or a port of a machine such as node0/bmc", name, w.fabric.Name)
	}
	if _, err := w.scenario.Cluster.NICs(machine); err != nil {
		if _, known := w.byName[machine]; !known {
			return 0, fmt.Errorf("there is no machine %s to have a port %s", machine, port)
		}
	}
	return w.add(node{name: name, kind: endKind, machine: machine}), nil
}

// cutLast cuts a name at its last slash.
func cutLast(name string) (before, after string, ok bool) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

// takePort is the number of a node's next free port.
func (w *world) takePort(at int) (int, error) {
	n := &w.nodes[at]
	if at >= len(w.Graph.Nodes) {
		n.ports++
		return n.ports, nil
	}
	for port := n.ports; port < len(w.Graph.Nodes[at].Cables); port++ {
		if w.Graph.Nodes[at].Cables[port] < 0 {
			n.ports = port + 1
			return port + 1, nil
		}
	}
	return 0, fmt.Errorf("%s has no free port: all %d have a cable", n.name, len(w.Graph.Nodes[at].Cables))
}

// addSegments gives each NIC of an Ethernet fabric its VLAN and VRF.
func (w *world) addSegments() {
	if !protocol.Of(w.fabric.Kind).Ethernet() {
		return
	}
	w.vrfOf = map[int]string{scenario.DefaultVLAN: scenario.DefaultVRF}
	for range w.Graph.Endpoints {
		w.segments = append(w.segments, segment{scenario.DefaultVLAN, scenario.DefaultVRF})
	}
	for i := range w.scenario.Isolation.Segments {
		s := &w.scenario.Isolation.Segments[i]
		w.vrfOf[s.VLAN] = s.VRF
		for _, name := range scenario.Expand(s.Members) {
			nics, _ := w.scenario.Cluster.NICs(name)
			for _, nic := range nics {
				w.segments[nic] = segment{s.VLAN, s.VRF}
			}
		}
	}
}

// members are the nodes of a zone, sorted.
func (w *world) members(zone int) ([]int, error) {
	z := &w.scenario.Isolation.Zones[zone]
	var all []int
	for _, name := range scenario.Expand(z.Members) {
		if name == scenario.WholeFabric {
			for i := range w.Graph.Nodes {
				all = append(all, i)
			}
			continue
		}
		if name == scenario.ManagerNIC {
			all = append(all, w.managers()...)
			continue
		}
		if at, known := w.byName[name]; known {
			all = append(all, at)
			continue
		}
		nics, err := w.scenario.Cluster.NICs(name)
		if err != nil {
			return nil, w.at(fmt.Sprintf("zones[%d].members", zone), "%s is no device, no part of the fabric %s, and no port that has a cable", name, w.fabric.Name)
		}
		all = append(all, nics...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// managers are the NICs of the fabric's management: the NICs that the topology reserves for it, or
// the NIC of the Subnet Manager.
func (w *world) managers() (nics []int) {
	if w.Graph.Services == 0 {
		return []int{w.Manager}
	}
	for nic := w.Graph.Compute(); nic < w.Graph.Endpoints; nic++ {
		nics = append(nics, nic)
	}
	return nics
}

// forwards reports whether a node's machine forwards packets that arrive there.
func (w *world) forwards(at int) bool { return slices.Contains(w.machines[w.nodes[at].machine], at) }

// portName is the display name of a port, from 1.
func (w *world) portName(at, port int) string {
	return fmt.Sprintf("%s port %d", w.nodes[at].name, port)
}
