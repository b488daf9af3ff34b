package network

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/jitter"
	"weft/internal/sim/transport"
	"weft/scenario"
)

// Devices are the NICs and switches of a network.
type Devices struct {
	NIC              *fabric.NIC
	InfiniBandSwitch *fabric.InfiniBandSwitch
	EthernetSwitches []*fabric.EthernetSwitch // by row of the tables; nil on InfiniBand
}

// devices are those that the scenario describes.
func (p *Plan) devices() *Devices {
	f := p.Fabric
	d := &Devices{NIC: nic(f, p.Node, p.Class), InfiniBandSwitch: infiniBandSwitch(f, p.Class)}
	nic, ib := d.NIC, d.InfiniBandSwitch
	if nic.Transport != nil {
		nic.Transport.ImplicitRecv = p.Verbs.Receives == 0
		nic.Generating = jitter.OfCNP(p.Run, f, f.NIC.CNPGeneration)
		nic.Reacting = jitter.OfCNP(p.Run, f, f.NIC.CNPReaction)
	}
	if nic.TCP != nil {
		nic.TCP.Tick = jitter.TimerTick(p.Run, f)
	}
	if nic.MPA != nil {
		nic.MPA.Sends = p.Verbs.Op == transport.OpSendImm
	}
	ib.Jitter = jitter.OfSwitch(p.Run, f)
	if p.Lanes != nil {
		ib.VLArb = equalLanes(p.Lanes.Count)
		nic.VLArb = &ib.VLArb
	}
	if protocol.Of(f.Kind).Ethernet() {
		for i := range p.Graph.Nodes[p.Graph.Endpoints:] {
			n := &p.Graph.Nodes[p.Graph.Endpoints+i]
			eth := ethernetSwitchOf(f, p.Class, n)
			eth.Jitter = ib.Jitter
			d.EthernetSwitches = append(d.EthernetSwitches, eth)
		}
	} else if p.Lanes == nil {
		nic.VLArb = nicVLArb(f, p.Class)
	}
	return d
}

// checkSwitchNames refuses settings of switches that the fabric does not have, and those of another kind of fabric.
func checkSwitchNames(f *scenario.Fabric, g *topology.Graph) error {
	if len(f.Switches) > 0 && !protocol.Of(f.Kind).Ethernet() {
		return fmt.Errorf("settings of single switches are for Ethernet, and this is a fabric of kind %s", f.Kind)
	}
	ports := map[string]int{} // by switch
	for i := range g.Nodes[g.Endpoints:] {
		n := &g.Nodes[g.Endpoints+i]
		ports[n.Name] = len(n.Cables)
	}
	for i := range f.Switches {
		for _, name := range scenario.Expand(f.Switches[i].Names) {
			all, known := ports[name]
			if !known {
				return fmt.Errorf("the fabric has no switch %q: its first is %s", name, g.Nodes[g.Endpoints].Name)
			}
			for _, port := range f.Switches[i].PortNumbers() {
				if port > all {
					return fmt.Errorf("switch %s has no port %d: it has %d", name, port, all)
				}
			}
		}
	}
	return nil
}

// namePorts gives the ports of a switch the site's names.
func namePorts(b *fabric.Builder, id int32, nd *topology.Node) {
	if nd.PortNames == nil {
		return
	}
	names := make([]string, len(nd.PortNames))
	for port := range names {
		names[port] = nd.PortText(int32(port))
	}
	b.NamePorts(id, names)
}

// addNodes adds the graph's nodes in its order.
func (p *Plan) addNodes(b *fabric.Builder) {
	d := p.devices()
	if p.Amend != nil {
		p.Amend(d)
	}
	routing := p.Routing()
	for i := range p.Graph.Nodes {
		nd := &p.Graph.Nodes[i]
		ports, row := len(nd.Cables), i-p.Graph.Endpoints
		switch {
		case nd.Kind == topology.Endpoint:
			b.NIC(nd.Name, ports, d.NIC)
		case d.EthernetSwitches == nil:
			b.InfiniBandSwitch(nd.Name, ports, row, routing, d.InfiniBandSwitch)
		default:
			id := b.EthernetSwitch(nd.Name, ports, row, routing, d.EthernetSwitches[row])
			namePorts(b, id, nd)
		}
	}
}
