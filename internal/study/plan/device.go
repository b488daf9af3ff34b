package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/units"
)

// machine holds the properties of a node that a design needs.
type machine struct {
	preset      string
	gpus, nics  int
	nic         string
	rate        units.Rate // of a NIC's port
	moduleLinks int        // links per cage of the node
	onBoard     bool       // its NICs are no cards that another could replace
	slot        units.Rate // of a NIC; 0 if unknown
}

// machine is the node of the request.
func (r *Request) machine() (machine, error) {
	e, err := catalog.Lookup(catalog.Node, r.Node)
	if err != nil {
		return machine{}, err
	}
	m := machine{preset: r.Node, gpus: number(e, "gpus"), nics: number(e, "nics"), moduleLinks: max(1, number(e, "about.module-links")), onBoard: number(e, "about.nics-on-board") > 0}
	m.nic = module(e, "nic")
	if bus, err := catalog.Lookup(catalog.PCIe, module(e, "pcie")); err == nil {
		m.slot = busRate(bus)
	}
	m.rate = rateOf(catalog.NIC, m.nic, "rate")
	if own, ok := e.Known("nic.rate"); ok {
		if m.rate, err = units.ParseRate(own.Value); err != nil {
			return machine{}, err
		}
	}
	return m, nil
}

// leastRate is the minimum rate of a port.
func (r *Request) leastRate(m machine) units.Rate {
	if r.Rate > 0 {
		return r.Rate
	}
	return m.rate
}

// rails is the number of NICs of a node that are cabled.
func (r *Request) rails(m machine) int {
	if r.Rails > 0 {
		return r.Rails
	}
	return m.nics
}

// number is a whole number of an entry, 0 if unknown.
func number(e catalog.Entry, field string) int {
	f, ok := e.Known(field)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(f.Value)
	if err != nil {
		return 0
	}
	return n
}

// rateOf is a rate of an entry, 0 if unknown.
func rateOf(kind catalog.Kind, name, field string) units.Rate {
	e, err := catalog.Lookup(kind, name)
	if err != nil {
		return 0
	}
	f, ok := e.Known(field)
	if !ok {
		return 0
	}
	rate, err := units.ParseRate(f.Value)
	if err != nil {
		return 0
	}
	return rate
}

// switchModel is a switch that can be ordered.
type switchModel struct {
	entry            catalog.Entry
	vendor, protocol string
	cages            int
	ports            scenario.Switch // its ports and rate
}

// switches are the switches that can be ordered, in the order of the catalog. Chips have no switch
// vendor.
func switches() (out []switchModel) {
	for _, e := range catalog.Entries(catalog.Switch) {
		vendor, ok := e.Known("about.vendor")
		if !ok {
			continue
		}
		protocol, _ := e.Get("about.protocol")
		out = append(out, switchModel{
			entry: e, vendor: vendor.Value, protocol: protocol.Value, cages: number(e, "about.cages"),
			ports: scenario.Switch{Ports: number(e, "ports"), MaxPorts: number(e, "max-ports"), Rate: rateOf(catalog.Switch, e.Name, "rate")},
		})
	}
	return out
}

// nicModel is a NIC that can be ordered.
type nicModel struct {
	entry     catalog.Entry
	vendor    string
	protocols []string
	rate      units.Rate // of the card: all its ports together
	twoPorts  units.Rate // of each port of a two-port card; 0 if no such card is known
}

// port is the rate of a port of a NIC with a protocol, and the number of ports that run at it at a
// time.
func (n nicModel) port(link string) (units.Rate, int) {
	rate, ports := n.rate, 1
	if f, ok := n.entry.On(link, "rate"); ok {
		if r, err := units.ParseRate(f.Value); err == nil {
			rate = r
		}
	}
	if f, ok := n.entry.On(link, "ports"); ok {
		if k, err := strconv.Atoi(f.Value); err == nil {
			ports = k
		}
	}
	return rate, ports
}

// inPlanes reports whether a NIC has a port for each of several planes with a protocol, in one cage, without another card.
func (n nicModel) inPlanes(link string) bool {
	_, ports := n.port(link)
	return ports > 1
}

// portsAt is the number of ports of a NIC, in one cage, that run at a rate at a time with a protocol: as it is, or divided
// (about.ethernet.breakouts, such as 4x200Gbps). 0 if there are none.
func (n nicModel) portsAt(link string, at units.Rate) int {
	if rate, ports := n.port(link); rate == at {
		return ports
	}
	f, _ := n.entry.Known("about." + link + ".breakouts")
	for one := range strings.FieldsSeq(f.Value) {
		count, each, _ := strings.Cut(one, "x")
		rate, err := units.ParseRate(each)
		if ports, bad := strconv.Atoi(count); err == nil && bad == nil && rate == at {
			return ports
		}
	}
	return 0
}

func nics() (out []nicModel) {
	for _, e := range catalog.Entries(catalog.NIC) {
		vendor, ok := e.Known("about.vendor")
		if !ok {
			continue
		}
		protocols, _ := e.Get("about.protocols")
		out = append(out, nicModel{e, vendor.Value, strings.Fields(protocols.Value), rateOf(catalog.NIC, e.Name, "rate"), rateOf(catalog.NIC, e.Name, "about.two-ports")})
	}
	return out
}

// vendors are the makers of switches and NICs in the catalog, each once.
func vendors() (out []string) {
	for _, s := range switches() {
		out = append(out, s.vendor)
	}
	for _, n := range nics() {
		out = append(out, n.vendor)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// planned are the kinds of fabric that designs are made of.
func planned() (kinds []scenario.FabricKind) {
	for _, p := range protocol.All {
		if p.Planned {
			kinds = append(kinds, scenario.FabricKind(p.Name))
		}
	}
	return kinds
}

// fabricPreset is a fabric of the catalog: its protocol and the rate of a link.
type fabricPreset struct {
	name string
	kind scenario.FabricKind
	rate units.Rate
	lane units.Rate // of a lane of a link
	own  units.Rate // the fastest rate of the catalog's switch for it
}

// fabricPresets are the fabrics that designs are made of: of each protocol and generation of links the first of the
// catalog. Others differ in settings (Spectrum-X), which no bill of materials shows.
func fabricPresets() (out []fabricPreset) {
	seen := map[string]bool{}
	for _, e := range catalog.Entries(catalog.Fabric) {
		kind, _ := e.Get("kind")
		link, _ := e.Get("link")
		sw, _ := e.Get("switch")
		k := scenario.FabricKind(kind.Value)
		if of := kind.Value + link.Value; protocol.Of(k).Planned && !seen[of] {
			seen[of] = true
			out = append(out, fabricPreset{e.Name, k, linkRate(link.Value), rateOf(catalog.Link, link.Value, "lane-rate"), rateOf(catalog.Switch, sw.Value, "rate")})
		}
	}
	return out
}

// takes reports whether a switch fits the preset. For InfiniBand it must be of the generation in
// the catalog: a faster switch at a slower rate needs other transceivers (docs.nvidia.com
// 800g200gpam4list: transceivers with 200 Gb/s lanes do not slow down).
func (p fabricPreset) takes(s switchModel) bool {
	if lane := rateOf(catalog.Switch, s.entry.Name, "about.lane-rate"); lane > p.lane {
		return false // the same of Ethernet: lanes of 200 Gb/s do not slow down to a NIC's 100
	}
	protocol := protocol.Of(p.kind)
	return s.protocol == protocol.Link() && s.ports.PortsAt(p.rate) > 0 && (protocol.Ethernet() || s.ports.Rate == p.own)
}

// linkRate is the rate of a generation of links.
func linkRate(generation string) units.Rate {
	e, err := catalog.Lookup(catalog.Link, generation)
	if err != nil {
		panic(fmt.Sprintf("plan: the catalog lacks the link of a fabric: %v", err))
	}
	code, _ := e.Get("code")
	ratio, err := scenario.ParseRatio(code.Value)
	if err != nil {
		panic(fmt.Sprintf("plan: the code of link %s: %v", generation, err))
	}
	return scenario.Link{Lanes: number(e, "lanes"), LaneRate: rateOf(catalog.Link, generation, "lane-rate"), Code: ratio}.Rate()
}
