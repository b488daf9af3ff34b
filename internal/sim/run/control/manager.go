package control

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/sim/engine"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
	"weft/wire/mad"
)

// managedSubnet is InfiniBand's control plane, event by event: weft's Subnet Manager on a host, the
// agents of all nodes, and the datagrams between them.
//
// A datagram takes, for every link, the time of its bytes and of the cable, and for every switch
// its latency: each switch receives it completely before it forwards it, since a switch on a
// directed route writes into it. An agent processes its datagrams one after the other, each in a
// fixed time. So does the manager's host, which also computes tables. Left out: data packets ahead
// of a datagram, which virtual lane 15 overtakes except for the packet on the wire; full buffers of
// that lane; and faults while the datagram is in flight, because its path is computed when it is
// sent.
//
// The clock starts with the manager, on a fabric at power-on.
type managedSubnet struct {
	spec    *scenario.Control
	sub     *subnet.Subnet
	nodes   []topology.NodeID // of the graph, by node of the subnet
	agents  *sma.Fabric
	hops    [][]units.Time // by node and port: time from there into the next node
	queue   *engine.Queue
	now     units.Time
	busy    []units.Time // by node: the time until which its agent is busy
	way     []units.Time // link times of the current datagram
	hosts   []*managerHost
	mail    []mail // datagrams in flight to a manager, by slot
	free    []int32
	faults  []func()                    // by number: the action
	trapAt  units.Time                  // the requested event for the agents' next traps
	keys    func(sm.EndPort) []mad.PKey // nil without P_Key partitions
	compute units.Time
	lmc     uint8                    // of the NICs, with LIDs if the scenario gives the tables
	lids    map[units.GUID]units.LID // by port GUID; nil: the manager assigns them
	route   sm.Router
	whole   int     // cable ends of the subnet at its bring-up
	asked   *asking // the request of a program; nil without one

	writes []tableWrite
	lanes  []laneWrite
	log    managerLog
	events int
	failed error // the error that ended it early
}

// maxControlEvents bounds the events of a control plane: a minute of work. A subnet
// of 1,024 hosts takes 60,000 for a sweep.
const maxControlEvents = 1 << 26

// managerHost is a manager with the host that it runs on.
type managerHost struct {
	manager *sm.Manager
	at      subnet.End
	cpu     units.Time // busy until then
	port    units.Time // sends until then
	asked   units.Time // the next timeout with an event
	ended   bool
	batch   sm.Batch
}

// mail is a datagram for a manager.
type mail struct {
	host   int
	packet sm.Packet
}

// tableWrite is a block of a forwarding table that a switch has received.
type tableWrite struct {
	at    units.Time
	node  int32 // of the subnet
	block int
	ports mad.LinearFDB
}

// laneWrite is the SL2VL table of a pair of ports that a switch has received.
type laneWrite struct {
	at      units.Time
	node    int32 // of the subnet
	in, out uint8
	vl      mad.SLToVL
}

// The classes of events, in their order within an instant.
const (
	controlFault   engine.Class = iota // source: number of the fault
	controlArrives                     // a datagram reaches a manager's host; source: its slot
	controlTaken                       // the manager processes it; source: its slot
	controlTrap                        // an agent may send its next trap
	controlTimeout                     // source: the manager's host
)

// datagramBytes is the length of a management datagram on the wire: 256 bytes behind LRH, BTH and
// DETH, with both CRCs (IBA vol. 1, 13.4.2 and 6.3).
const datagramBytes = mad.Size + 8 + 12 + 8 + 4 + 2

// newManagedSubnet is a plane of a fabric at power-on, with a manager on its first host, or on the
// host that the topology reserves for it, and, if requested, a standby on the last host of the
// cluster.
func newManagedSubnet(p *network.Plan, spec *scenario.Control, plane int) (*managedSubnet, error) {
	sub, nodes, err := network.SubnetOf(p.Fabric, p.Graph, plane)
	if err != nil {
		return nil, err
	}
	agents, err := sma.New(sub)
	if err != nil {
		return nil, err
	}
	m := &managedSubnet{spec: spec, sub: sub, nodes: nodes, agents: agents, queue: engine.NewQueue(maxQueueWidth, queueSlots), busy: make([]units.Time, len(sub.Nodes)), trapAt: units.Forever}
	m.keys = endPortKeys(p, sub, nodes, agents)
	m.hops = datagramHops(p, sub, nodes)
	agents.OnCross(func(out subnet.End) { m.way = append(m.way, m.hops[out.Node][out.Port]) })
	entries := units.Time(sub.Switches()) * units.Time(len(sub.Nodes))
	m.compute = entries * spec.SM.Entry
	m.route = func(s *subnet.Subnet) (*subnet.Tables, string, error) {
		res, instead, err := m.tables(p, s)
		if err != nil {
			return nil, "", err
		}
		circle, err := keepsLevels(p, s, res.Tables, plane)
		if err != nil {
			return nil, "", err
		}
		m.log.sweeps[len(m.log.sweeps)-1].circle = circle
		return res.Tables, instead, nil
	}
	if len(p.Fabric.Routing.Forwarding) > 0 {
		m.lmc, m.lids = uint8(p.Fabric.Routing.LMC), knownLIDs(p.Graph, sub, nodes)
	}
	places := []int{0}
	last := 0 // host of the cluster
	for i, node := range nodes {
		if int(node) < p.Graph.Compute() {
			last = i
		} else if int(node) == p.Graph.Compute() && p.Graph.Services > 0 {
			places[0] = i
		}
	}
	if spec.SM.Standby {
		places = append(places, last)
		if places[0] == places[1] {
			return nil, fmt.Errorf("fabric %s: a standby manager needs a host of its own: the fabric has one", p.Fabric.Name)
		}
	}
	for i, node := range places {
		m.addManager(subnet.End{Node: int32(node), Port: sub.Nodes[node].Base()}, uint8(len(places)-i))
	}
	return m, nil
}

// The event queue: the largest buckets, since milliseconds pass between events.
const (
	maxQueueWidth = 24
	queueSlots    = 12
)

// addManager puts a manager on a host. The higher priority becomes master.
func (m *managedSubnet) addManager(at subnet.End, priority uint8) {
	h := &managerHost{at: at, asked: units.Forever}
	key := sm.MKey{Key: uint64(m.spec.SM.MKey), Level: uint8(m.spec.SM.MKeyProtection), Lease: uint16(m.spec.SM.MKeyLease / units.Second)}
	if standby := len(m.hosts) > 0; standby && m.spec.SM.StandbyMKey != 0 {
		key.Key = uint64(m.spec.SM.StandbyMKey)
	}
	h.manager = sm.New(sm.Config{
		MKey: key,
		LMC:  m.lmc, LIDs: m.lids,
		Partitions: m.keys,
		Priority:   priority, Window: m.spec.SM.Window, Sweep: m.spec.SM.Sweep, Poll: m.spec.SM.Poll,
		// Requests sent after a table computation were queued before it.
		Timeout: m.spec.SM.Timeout + m.compute,
		Route: func(s *subnet.Subnet) (*subnet.Tables, string, error) {
			h.cpu = max(h.cpu, m.now) + m.compute
			m.log.routing(m.now, h.cpu)
			return m.route(s)
		},
	})
	m.hosts = append(m.hosts, h)
	m.agents.SetManager(at, true)
}

// datagramHops is the time of a datagram by node and port: onto the cable, over it, and through the
// switch at its end.
func datagramHops(p *network.Plan, sub *subnet.Subnet, nodes []topology.NodeID) [][]units.Time {
	hops := make([][]units.Time, len(sub.Nodes))
	for i := range sub.Nodes {
		hops[i] = make([]units.Time, len(sub.Nodes[i].Ports))
		for port, cable := range p.Graph.Nodes[nodes[i]].Cables {
			if cable < 0 {
				continue
			}
			c := &p.Graph.Cables[cable]
			rate := network.PerByte(&p.Fabric.Link)
			if c.Rate > 0 {
				rate = c.Rate.PerByte()
			}
			t := units.Time(datagramBytes*rate.Num/rate.Den) + network.Propagation(&p.Fabric.Link, c.Length)
			if far, _, _ := p.Graph.Peer(topology.End{Node: nodes[i], Port: int32(port)}); p.Graph.Nodes[far.Node].Kind == topology.Switch {
				t += p.Fabric.Switch.Latency
			}
			hops[i][port+1] = t
		}
	}
	return hops
}

// start starts the managers.
func (m *managedSubnet) start() {
	for i, h := range m.hosts {
		h.manager.Start(m.now, &h.batch)
		m.flush(i)
	}
}

// run simulates until a time.
func (m *managedSubnet) run(until units.Time) error {
	m.runUntil(until, func() bool { return false })
	return m.failed
}

// runUntil simulates until a condition holds; it returns false if the condition does not hold at a
// time limit.
func (m *managedSubnet) runUntil(limit units.Time, so func() bool) bool {
	for !so() {
		if m.failed != nil {
			return false
		}
		e, ok := m.queue.Pop(limit)
		if !ok {
			return false
		}
		if m.events++; m.events > maxControlEvents {
			m.failed = fmt.Errorf("the Subnet Manager is given up at %v, after %d events: sweeps come too often for so long a time (control.sm.sweep, control.sm.poll)", e.Time, maxControlEvents)
		}
		m.now = e.Time
		m.agents.SetNow(m.now)
		m.handle(&e)
	}
	return true
}

func (m *managedSubnet) handle(e *engine.Event) {
	switch e.Class {
	case controlFault:
		m.faults[e.Source]()
		m.carryTraps()
	case controlArrives:
		h := m.hosts[m.mail[e.Source].host]
		h.cpu = max(h.cpu, m.now) + m.spec.SM.Datagram
		m.queue.Push(max(h.cpu, m.now+1), controlTaken, e.Source)
	case controlTaken:
		letter := m.mail[e.Source]
		m.free = append(m.free, int32(e.Source))
		h := m.hosts[letter.host]
		if !h.ended {
			h.manager.Receive(m.now, &letter.packet, &h.batch)
			m.flush(letter.host)
		}
	case controlTrap:
		m.trapAt = units.Forever
		m.carryTraps()
	case controlTimeout:
		m.timeout(int(e.Source))
	}
}

// timeout calls a manager at a timeout, once its host is free.
func (m *managedSubnet) timeout(host int) {
	h := m.hosts[host]
	h.asked = units.Forever
	switch {
	case h.ended:
	case h.cpu > m.now:
		h.asked = h.cpu
		m.queue.Push(h.cpu, controlTimeout, uint64(host))
	default:
		h.manager.Timeout(m.now, &h.batch)
		m.flush(host)
	}
}

// flush sends a manager's queued datagrams, one after the other, and requests its next timeout.
func (m *managedSubnet) flush(host int) {
	h := m.hosts[host]
	for _, event := range h.batch.Events {
		m.log.event(m.now, &event)
	}
	for i := range h.batch.Send {
		h.port = max(h.port, h.cpu, m.now)
		p := &h.batch.Send[i]
		m.log.datagrams++
		m.carry(h.at, &sma.Packet{DLID: p.DLID, SLID: p.SLID, PKey: p.PKey, MAD: p.MAD}, h.port, host)
		h.port += m.hops[h.at.Node][h.at.Port] // at least the time of its bytes
	}
	h.batch.Reset()
	m.carryTraps()
	next := h.manager.NextTimeout()
	if next = max(next, m.now+1); next < h.asked && next < units.Forever {
		h.asked = next
		m.queue.Push(next, controlTimeout, uint64(host))
	}
}

// carry takes a datagram from a port, at a time, to its destination, and the answer of an agent
// back to the manager.
func (m *managedSubnet) carry(from subnet.End, p *sma.Packet, at units.Time, host int) {
	request := p.MAD
	m.way = m.way[:0]
	end, outcome := m.agents.Carry(from, p)
	switch outcome {
	case sma.Answered: // over the same number of links as the request
		there, back := m.way[:len(m.way)/2], m.way[len(m.way)/2:]
		done := max(at+total(there), m.busy[end.Node]) + m.spec.SM.Agent
		m.busy[end.Node] = done
		if request.Method() == mad.Set && p.MAD.Status() == mad.OK {
			m.wrote(done, end.Node, &request)
		}
		m.post(done+total(back), host, p)
	case sma.Arrived:
		if !m.arrived(end, p) {
			m.hand(end, p, at+total(m.way))
		}
	}
}

// wrote records the forwarding and SL2VL tables that a node has received.
func (m *managedSubnet) wrote(at units.Time, node int32, request *mad.MAD) {
	switch request.Attribute() {
	case mad.AttrLinearFDB:
		w := tableWrite{at: at, node: node, block: int(request.Modifier())}
		copy(w.ports[:], request.SMPData())
		m.writes = append(m.writes, w)
		m.log.wroteBlock(at)
	case mad.AttrSLToVL:
		m.log.wrote(at)
		if m.sub.Nodes[node].Kind == subnet.Switch {
			w := laneWrite{at: at, node: node, in: uint8(request.Modifier() >> 8), out: uint8(request.Modifier())}
			_ = mad.Parse(request.SMPData(), &w.vl) // a datagram's data is long enough
			m.lanes = append(m.lanes, w)
		}
	}
}

func total(times []units.Time) (t units.Time) {
	for _, x := range times {
		t += x
	}
	return t
}

// carryTraps sends the traps that agents may send by now, and requests the next event.
func (m *managedSubnet) carryTraps() {
	for _, t := range m.agents.Traps() {
		m.carry(t.From, &t.Packet, max(m.now, m.busy[t.From.Node])+m.spec.SM.Agent, 0)
	}
	if next := max(m.agents.NextTrap(), m.now+1); next < m.trapAt && next < units.Forever {
		m.trapAt = next
		m.queue.Push(next, controlTrap, 0)
	}
}

// post adds a datagram in flight to a manager.
func (m *managedSubnet) post(at units.Time, host int, p *sma.Packet) {
	letter := mail{host, sm.Packet{DLID: p.DLID, SLID: p.SLID, PKey: p.PKey, MAD: p.MAD}}
	slot := int32(len(m.mail))
	if n := len(m.free); n > 0 {
		slot, m.free = m.free[n-1], m.free[:n-1]
		m.mail[slot] = letter
	} else {
		m.mail = append(m.mail, letter)
	}
	m.queue.Push(max(at, m.now+1), controlArrives, uint64(slot))
}

// master is the manager whose tables are valid.
func (m *managedSubnet) master() *managerHost {
	for _, h := range m.hosts {
		if !h.ended && h.manager.State() == mad.SMMaster {
			return h
		}
	}
	return nil
}

// The names of the control planes.
const (
	managerPlane = "Subnet Manager"
	bgpPlane     = "BGP"
)
