package scenario

import (
	"strconv"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/units"
)

// nicPort is what the catalog states of a NIC's ports with one protocol alone; zero if it states
// the same for all protocols.
type nicPort struct {
	rate  units.Rate // the fastest rate of a port
	ports int        // that run at this rate at a time
}

// nicPortOf is the port of a NIC with the protocol of a fabric. The rate of a NIC depends on the
// protocol: a ConnectX-8 is one port of 800 Gb/s XDR, or two of 400GbE.
func nicPortOf(kind FabricKind, model string) (p nicPort) {
	e, err := catalog.Lookup(catalog.NIC, model)
	if err != nil {
		return nicPort{}
	}
	link := "about." + protocol.Of(kind).Link()
	if f, ok := e.Known(link + ".rate"); ok {
		p.rate, _ = units.ParseRate(f.Value) // a test of the catalog reads every value
	}
	if f, ok := e.Known(link + ".ports"); ok {
		p.ports, _ = strconv.Atoi(f.Value)
	}
	return p
}

// derivePortRate lowers the rate of the NIC to that of its port with the protocol. A rate that the user
// wrote, or that a real fabric runs at, stays.
func (r *fabricRules) derivePortRate() {
	wrote := r.wrote("nic.rate")
	if !r.stated(r.at("nic")) {
		wrote = wrote || r.written["cluster.node.nic.rate"]
	}
	if p := nicPortOf(r.Kind, r.NIC.Model); p.rate > 0 && p.rate < r.NIC.Rate && !wrote && r.Topology.Shape != Listed {
		r.NIC.Rate = p.rate
	}
}

// derivePlanePorts takes a port of the NIC into use for each plane, if the NIC has them and the user
// did not say how many are in use.
func (r *fabricRules) derivePlanePorts() {
	t := &r.Topology
	if t.Shape != DualPlane || r.wrote("nic.ports") || !r.stated(r.at("nic")) && r.written["cluster.node.nic.ports"] {
		return
	}
	setZero(&t.Planes, usualPlanes)
	if nicPortOf(r.Kind, r.NIC.Model).ports == t.Planes {
		r.NIC.Ports = t.Planes
	}
}

// usualPlanes is the number of planes of a dual-plane that states none.
const usualPlanes = 2
