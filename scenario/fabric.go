package scenario

import (
	"reflect"
	"slices"

	"weft/internal/sim/protocol"
)

// derive computes the values that follow from the fabric alone.
func (r *fabricRules) derive() {
	r.derivePortRate()
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
	r.topology().deriveFile()
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
	if c := ControlOf(&r.CC); p.CNPs && c != nil && c.Marks && !r.Ethernet.ECN.Enabled && !r.wrote("cc") {
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

// check reports values of the fabric, whose number is i, that do not fit together.
func (r *fabricRules) check(i int) {
	r.checkName(i)
	r.checkLink()
	r.checkErrors()
	r.checkNIC()
	r.checkInline()
	r.checkProtocol()
	if protocol.Of(r.Kind).Ethernet() {
		ethernetRules{r}.check()
	} else {
		subnetRules{r}.check()
	}
	transport := transportRules{r}
	transport.checkCC()
	if !r.broken("cluster", "workload") {
		streamRules{r}.check()
		r.checkSlowLinks()
		r.checkSwitches()
		r.checkRates()
	}
	transport.checkRecovery()
	transport.checkRetransmission()
	transport.checkOOORQ()
	transport.checkOthers()
	if !r.broken("cluster", "topology") {
		r.topology().check()
	}
}

func (r *fabricRules) checkName(i int) {
	f := &r.Fabrics[i]
	for j := range i {
		if r.Fabrics[j].Name == f.Name {
			r.complain("", "the fabric %q is given twice: leave one out, or tell them apart by name", f.Name)
			return
		}
	}
	if f.Name == "" {
		r.complain("name", "the name is empty: want a label for the tables")
	}
}

// checkLink compares the link with the devices at its ends.
func (r *fabricRules) checkLink() {
	rate := r.Link.Rate()
	switch {
	case rate <= 0 || r.Link.Code.Cmp(1, 1) > 0:
		r.complain("link", "the link carries %s (code %s): want a rate above zero and a code of at most 1", rate.Exact(), r.Link.Code)
		return
	case rate > r.NIC.Rate && r.NIC.Rate == nicPortOf(r.Kind, r.NIC.Model).rate:
		p := nicPortOf(r.Kind, r.NIC.Model)
		r.complain("link", "a link of %s is more than the %s of a port of the NIC %s, which has %d with this protocol: take a fabric of %[2]s in planes (topology: {shape: dual-plane}), or another NIC", rate, p.rate, r.NIC.Model, p.ports)
	case rate > r.NIC.Rate:
		r.complain("link", "a link of %s is more than the %s of the NIC %s: take another NIC or a slower fabric", rate, r.NIC.Rate, r.NIC.Model)
	case rate > r.Switch.Rate:
		r.complain("link", "a link of %s is more than the %s of the switch %s: take another switch or a slower link", rate, r.Switch.Rate, r.Switch.Model)
	}
	ethernet := protocol.Of(r.Kind).Ethernet()
	if ethernet != (pauseQuanta(r.Link.Generation) > 0) {
		r.complain("link", "a fabric of kind %s does not run on %s links", r.Kind, r.Link.Generation)
	}
	if ethernet != (r.Switch.Cell > 0) {
		r.complain("switch", "a fabric of kind %s does not run on a switch %s", r.Kind, r.Switch.Model)
	}
	if r.Switch.MaxPorts < r.Switch.Ports {
		r.complain("switch.max-ports", "%d ports when split are fewer than the %d ports unsplit", r.Switch.MaxPorts, r.Switch.Ports)
	}
}

// checkProtocol checks the values that the description of the protocol bounds.
func (r *fabricRules) checkProtocol() {
	p := protocol.Of(r.Kind)
	if !p.MTU.Has(r.MTU) {
		wrong := "is out of range"
		if p.MTU.Only != nil {
			wrong = "does not exist"
		}
		r.complain("mtu", "%s MTU of %s %s: want %s", p.MTU.Name, r.MTU.Exact(), wrong, p.MTU.Want)
	}
	if p.Routing != nil && !slices.Contains(p.Routing, string(r.Routing.Mode)) {
		r.complain("routing.mode", "%s has no %s routing: want %s", p.Title, r.Routing.Mode, oneOf(p.Routing))
	}
}
