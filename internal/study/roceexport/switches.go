package roceexport

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weft/internal/base/topology"
	"weft/internal/roce/sonic"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
)

// usualMTU is the MTU of a SONiC port if the scenario has none for its switches: the largest (sonic-port.yang).
const usualMTU = 9216

// types are the types of switches in DEVICE_METADATA by level (sonic-device_metadata.yang).
var types = map[int8]string{1: "ToRRouter", 2: "LeafRouter", 3: "SpineRouter"}

// switchFiles writes a configuration for each switch, in a folder of its name, with its ports, its neighbours, and the settings that
// it and its ports have of their own. topology.file reads the folders.
func (p *Plan) switchFiles() (*Output, error) {
	g, err := p.shape.Build()
	if err != nil {
		return nil, err
	}
	limits, err := p.bgp(g)
	if err != nil {
		return nil, err
	}
	out := &Output{}
	seen := map[string]bool{}
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		n := &g.Nodes[i]
		if seen[n.Name] || strings.ContainsAny(n.Name, `/\`) || strings.HasPrefix(n.Name, ".") {
			return nil, fmt.Errorf("%q is no name for the folder of one switch", n.Name)
		}
		seen[n.Name] = true
		s := &switchWriter{Plan: p, graph: g, node: n, limits: limits, config: &sonic.Config{File: n.Name + "/config_db.json"}}
		if err := s.write(); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Name, err)
		}
		var b strings.Builder
		if err := s.config.Write(&b); err != nil {
			return nil, err
		}
		out.Files = append(out.Files, File{s.config.File, b.String()})
		if limits != nil {
			out.Files = append(out.Files, File{n.Name + "/frr.conf", s.frr()})
		}
	}
	if !p.Ethernet.PFC.Watchdog.Enabled {
		out.Notes = p.unwatched("sonic-switches")
	}
	out.Notes = append(out.Notes, p.pathNotes(g, limits)...)
	return out, nil
}

// switchWriter writes the configuration of one switch.
type switchWriter struct {
	*Plan
	graph  *topology.Graph
	node   *topology.Node
	limits *routing.Multipath // nil: BGP limits nothing
	config *sonic.Config
}

func (s *switchWriter) write() error {
	if err := s.devices(); err != nil {
		return err
	}
	cables := s.cables()
	for k, kind := range s.kinds() {
		own := s.as(kind.of)
		own.Ports = len(s.node.Cables)
		w := &sonicWriter{Plan: own, role: role{cables: cables}, config: s.config, only: kind.ports, names: sonicNames(s.node)}
		if k > 0 {
			w.suffix = fmt.Sprintf("_%d", k+1)
		}
		for _, step := range []func() error{w.buffers, w.groups, w.maps, w.marking, w.queues, w.ports} {
			if err := step(); err != nil {
				return err
			}
		}
	}
	_, err := sonic.Resolve(s.config)
	return err
}

// kind is the ports of a switch, counted from 0, that have the same settings.
type kind struct {
	of    *scenario.Fabric
	ports []int
}

// kinds are the kinds of ports: first the usual ones of the switch.
func (s *switchWriter) kinds() []kind {
	all := []kind{{of: s.fabric.OfSwitch(s.node.Name), ports: []int{}}}
	differ := s.fabric.PortsOf(s.node.Name)
	for port := range s.node.Cables {
		if !slices.Contains(differ, port+1) {
			all[0].ports = append(all[0].ports, port)
			continue
		}
		of := s.fabric.OfPort(s.node.Name, port+1)
		k := slices.IndexFunc(all[1:], func(k kind) bool { return reflect.DeepEqual(k.of.Ethernet, of.Ethernet) })
		if k < 0 {
			all = append(all, kind{of, []int{port}})
			continue
		}
		all[k+1].ports = append(all[k+1].ports, port)
	}
	return all
}

// as is the plan with the settings of a switch or a port, to the byte as the simulator has them.
func (s *switchWriter) as(f *scenario.Fabric) *Plan {
	own := *s.Plan
	own.Ethernet, own.Buffer, own.Shared = f.Ethernet, f.Switch.Buffer, units.Bytes(network.SharedOf(s.fabric, s.resolved, s.node))
	own.asic = nil // the headroom is that of the scenario on each cable
	return &own
}

// cables are the lengths by port; a port without a cable has the longest of the switch.
func (s *switchWriter) cables() []units.Length {
	r := role{cables: make([]units.Length, len(s.node.Cables))}
	for port, c := range s.node.Cables {
		if c >= 0 {
			r.cables[port] = s.graph.Cables[c].Length
		}
	}
	r.fill()
	return r.cables
}

// devices writes the switch, its ports and its neighbours.
func (s *switchWriter) devices() error {
	w := &sonicWriter{Plan: s.Plan, config: s.config, names: sonicNames(s.node)}
	about := []string{"hostname", s.node.Name}
	if kind := types[s.node.Level]; kind != "" {
		about = append(about, "type", kind)
	}
	if s.limits != nil {
		about = append(about, "bgp_asn", fmt.Sprint(s.limits.ASN[s.number()]), "docker_routing_config_mode", "split-unified") // sonic-device_metadata.yang
	}
	if err := w.hash(&s.fabric.OfSwitch(s.node.Name).Routing); err != nil {
		return err
	}
	w.row("DEVICE_METADATA", "localhost", about...)
	type peer struct{ name, kind string }
	var peers []peer
	for port, c := range s.node.Cables {
		mtu := s.fabric.OfPort(s.node.Name, port+1).Switch.MTU
		if mtu == 0 {
			mtu = usualMTU
		}
		status, speed := "down", s.Speed
		if c >= 0 {
			status = "up"
			if rate := s.graph.Cables[c].Rate; rate > 0 {
				speed = rate
			}
		}
		w.row("PORT", w.port(port), "admin_status", status, "lanes", s.lanes(w.port(port)), "mtu", text(mtu), "speed", fmt.Sprint(int64(speed/units.Mbps)))
		if c < 0 {
			continue
		}
		name, at, kind := s.neighbour(s.graph.Cables[c])
		w.row("DEVICE_NEIGHBOR", w.port(port), "name", name, "port", at)
		if !slices.Contains(peers, peer{name, kind}) {
			peers = append(peers, peer{name, kind})
		}
	}
	for _, p := range peers {
		if p.kind != "" {
			w.row("DEVICE_NEIGHBOR_METADATA", p.name, "type", p.kind)
		}
	}
	return nil
}

// neighbour is the other end of a cable: the device, its port and its type.
func (s *switchWriter) neighbour(c topology.Cable) (name, port, kind string) {
	end := c.A
	if &s.graph.Nodes[end.Node] == s.node {
		end = c.B
	}
	n := &s.graph.Nodes[end.Node]
	if n.Kind == topology.Endpoint {
		host, nic, _ := strings.Cut(n.Name, "/")
		return host, nic, "Server"
	}
	w := &sonicWriter{Plan: s.Plan, names: sonicNames(n)}
	return n.Name, w.port(int(end.Port)), types[n.Level]
}

// lanes are the lanes of a port of the chip, counted from 1. A name of SONiC has the number of the first one, counted from 0.
func (s *switchWriter) lanes(port string) string {
	first, _ := strconv.Atoi(strings.TrimPrefix(port, "Ethernet"))
	var all []string
	for lane := range max(1, s.Lanes) {
		all = append(all, fmt.Sprint(first+lane+1))
	}
	return strings.Join(all, ",")
}

var sonicPort = regexp.MustCompile(`^Ethernet\d{1,6}$`)

// sonicNames are the site's names of the ports of a switch, if all are names of SONiC.
func sonicNames(n *topology.Node) []string {
	if slices.ContainsFunc(n.PortNames, func(name string) bool { return !sonicPort.MatchString(name) }) {
		return nil
	}
	return n.PortNames
}
