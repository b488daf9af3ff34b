package sm_test

import (
	"errors"
	"fmt"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/sm"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
	"weft/units"
	"weft/wire/mad"
)

// world is a fabric of agents, managers on some of its ports, and a clock. Every
// datagram takes the same time, so datagrams arrive in order.
type world struct {
	t       testing.TB
	subnet  *subnet.Subnet
	fabric  *sma.Fabric
	hosts   []*host
	now     units.Time
	flying  []flight // in the order of arrival
	carried int
	// lose drops the nth datagram that is carried, alter changes an answer; nil
	// for neither. before is called with the number of each.
	lose   func(n int) bool
	alter  func(n int, m *mad.MAD)
	before func(n int)
	seen   func(line string) // gets each line of the trace; nil for none
	mute   bool              // traps are lost
}

// host is a manager on a port.
type host struct {
	name    string
	at      subnet.End
	m       *sm.Manager
	dead    bool
	events  []sm.Event
	answers []mad.MAD // of subnet administration, to this port
	reports []mad.MAD // of subnet administration, to this port
}

type flight struct {
	to     *host
	at     units.Time
	packet sm.Packet
}

const latency = 10 * units.Microsecond

func newWorld(t testing.TB, s *subnet.Subnet) *world {
	return &world{t: t, subnet: s, fabric: sma.NewUnchecked(s)}
}

// minhop is the tests' router: each LID goes to the first port on a shortest path.
func minhop(s *subnet.Subnet) (*subnet.Tables, string, error) {
	if s.Switches() > 1000 {
		return nil, "", errors.New("too many switches for a test")
	}
	t := subnet.NewTables(s)
	for lid, owner := range s.Owners() {
		if !owner.Exists() {
			continue
		}
		distance := map[int32]int{owner.Node: 0}
		for queue := []int32{owner.Node}; len(queue) > 0; queue = queue[1:] {
			n := queue[0]
			if t.Dense[n] >= 0 && n == owner.Node {
				t.LFT[t.Dense[n]][lid] = 0
			}
			for p := 1; p < len(s.Nodes[n].Ports); p++ {
				peer := s.Peer(subnet.End{Node: n, Port: uint16(p)})
				if !peer.Exists() || t.Dense[peer.Node] < 0 || (n == owner.Node && t.Dense[n] < 0 && uint16(p) != owner.Port) {
					continue
				}
				if _, met := distance[peer.Node]; !met {
					distance[peer.Node] = distance[n] + 1
					t.LFT[t.Dense[peer.Node]][lid] = uint8(peer.Port)
					queue = append(queue, peer.Node)
				}
			}
		}
	}
	return t, "", nil
}

// manager puts a manager on a node's port, without starting it.
func (w *world) manager(name string, node int, cfg sm.Config) *host {
	if cfg.Route == nil {
		cfg.Route = minhop
	}
	n := &w.subnet.Nodes[node]
	h := &host{name: name, at: subnet.End{Node: int32(node), Port: n.Base()}, m: sm.New(cfg)}
	w.hosts = append(w.hosts, h)
	w.fabric.SetManager(h.at, true)
	return h
}

// call calls a manager and carries its batch.
func (w *world) call(h *host, do func(b *sm.Batch)) {
	var b sm.Batch
	do(&b)
	for _, e := range b.Events {
		h.events = append(h.events, e)
		w.trace("%s: %v", h.name, e)
	}
	for i := range b.Send {
		w.send(h, b.Send[i])
	}
}

func (w *world) start(h *host) { w.call(h, func(b *sm.Batch) { h.m.Start(w.now, b) }) }

func (w *world) trace(format string, args ...any) {
	if w.seen != nil {
		w.seen(fmt.Sprintf("%9d us  ", w.now/units.Microsecond) + fmt.Sprintf(format, args...))
	}
}

// send carries a datagram to its destination.
func (w *world) send(from *host, p sm.Packet) {
	w.carried++
	if w.before != nil {
		w.before(w.carried)
	}
	w.trace("%s > %s", from.name, describe(&p.MAD))
	if w.lose != nil && w.lose(w.carried) {
		w.trace("lost")
		return
	}
	w.fabric.SetNow(w.now)
	w.deliver(from.at, sma.Packet{DLID: p.DLID, SLID: p.SLID, PKey: p.PKey, MAD: p.MAD}, from)
	w.traps()
}

// traps carries the traps that are due.
func (w *world) traps() {
	w.fabric.SetNow(w.now)
	for _, t := range w.fabric.Traps() {
		if !w.mute {
			w.deliver(t.From, t.Packet, nil)
		}
	}
}

func (w *world) deliver(at subnet.End, p sma.Packet, from *host) {
	end, outcome := w.fabric.Carry(at, &p)
	to := from
	switch outcome {
	case sma.Lost, sma.Taken:
		return
	case sma.Arrived:
		if to = w.hostAt(end); to == nil {
			return
		}
	}
	if w.alter != nil {
		w.alter(w.carried, &p.MAD)
	}
	w.flying = append(w.flying, flight{to, w.now + latency, sm.Packet{DLID: p.DLID, SLID: p.SLID, PKey: p.PKey, MAD: p.MAD}})
}

func (w *world) hostAt(at subnet.End) *host {
	for _, h := range w.hosts {
		if h.at == at && !h.dead {
			return h
		}
	}
	return nil
}

// change changes the fabric, and carries the traps that this causes.
func (w *world) change(do func(*sma.Fabric)) {
	w.fabric.SetNow(w.now)
	do(w.fabric)
	w.traps()
}

// mostSteps is more than any test here needs: a world that takes more steps hangs.
const mostSteps = 2_000_000

// run lets time pass.
func (w *world) run(span units.Time) {
	w.t.Helper()
	end := w.now + span
	for range mostSteps {
		next, late := end, (*host)(nil)
		for _, h := range w.hosts {
			if t := h.m.NextTimeout(); !h.dead && t < next {
				next, late = t, h
			}
		}
		if len(w.flying) > 0 && w.flying[0].at <= next {
			f := w.flying[0]
			w.flying = w.flying[1:]
			w.now = max(w.now, f.at)
			w.arrive(f)
			continue
		}
		if t := max(w.fabric.NextTrap(), w.now); t < next {
			w.now = t
			w.traps()
			continue
		}
		w.now = max(w.now, next)
		if late == nil {
			return
		}
		w.call(late, func(b *sm.Batch) { late.m.Timeout(w.now, b) })
	}
	w.t.Fatalf("after %d steps it is %v and still goes on", mostSteps, w.now)
}

func (w *world) arrive(f flight) {
	if f.to.dead {
		return
	}
	w.trace("%s < %s", f.to.name, describe(&f.packet.MAD))
	if f.packet.MAD.Class() == mad.SubnAdm && f.packet.MAD.Answers() {
		f.to.answers = append(f.to.answers, f.packet.MAD)
		return
	}
	if f.packet.MAD.Method() == mad.Report {
		f.to.reports = append(f.to.reports, f.packet.MAD)
		return
	}
	w.call(f.to, func(b *sm.Batch) { f.to.m.Receive(w.now, &f.packet, b) })
}

// query sends a request to subnet administration from a host's port.
func (w *world) query(from *host, to units.LID, m mad.MAD) {
	w.send(from, sm.Packet{DLID: to, MAD: m})
}

// describe is a datagram in a line.
func describe(m *mad.MAD) string {
	text := fmt.Sprintf("%s %s", methodNames[m.Method()], attributeName(m))
	if m.Modifier() != 0 {
		text += fmt.Sprintf(" mod %#x", m.Modifier())
	}
	if m.Class() == mad.SubnDirected {
		text += " at 0"
		for hop := uint8(1); hop <= m.HopCount(); hop++ {
			text += fmt.Sprintf(",%d", m.InitialPath(hop))
		}
	}
	switch m.Attribute() {
	case mad.AttrPortInfo:
		if m.Class().Subnet() {
			var p mad.PortInfo
			_ = mad.Parse(m.SMPData(), &p)
			if m.Method() != mad.Get {
				text += fmt.Sprintf(": %v LID %d", p.State, p.LID)
			}
		}
	case mad.AttrSMInfo:
		if m.Class().Subnet() && m.Method() != mad.Get {
			var s mad.SMInfo
			_ = mad.Parse(m.SMPData(), &s)
			text += fmt.Sprintf(": %v priority %d", s.State, s.Priority)
		}
	}
	if m.Status() != mad.OK {
		text += fmt.Sprintf(" status %#04x", uint16(m.Status()))
	}
	return text
}

var methodNames = map[mad.Method]string{
	mad.Get: "Get", mad.Set: "Set", mad.Get | mad.Response: "GetResp", mad.Trap: "Trap", mad.TrapRepress: "TrapRepress",
	mad.GetTable: "GetTable", mad.GetTable | mad.Response: "GetTableResp", mad.Delete: "Delete", mad.Delete | mad.Response: "DeleteResp",
}

func attributeName(m *mad.MAD) string {
	names := map[mad.Attribute]string{
		mad.AttrNodeInfo: "NodeInfo", mad.AttrNodeDescription: "NodeDescription", mad.AttrSwitchInfo: "SwitchInfo",
		mad.AttrPortInfo: "PortInfo", mad.AttrPKeyTable: "P_KeyTable", mad.AttrSLToVL: "SLtoVL", mad.AttrLinearFDB: "LinearFDB",
		mad.AttrMulticastFDB: "MulticastFDB", mad.AttrSMInfo: "SMInfo", mad.AttrNotice: "Notice",
	}
	if m.Class() == mad.SubnAdm {
		names = map[mad.Attribute]string{
			mad.AttrNodeRecord: "NodeRecord", mad.AttrPortInfoRecord: "PortInfoRecord", mad.AttrLinkRecord: "LinkRecord",
			mad.AttrPathRecord: "PathRecord", mad.AttrServiceRecord: "ServiceRecord", mad.AttrMCMemberRecord: "MCMemberRecord",
		}
	}
	if name, known := names[m.Attribute()]; known {
		return name
	}
	return fmt.Sprintf("%#04x", uint16(m.Attribute()))
}

// build is the subnet of a graph, its links 4x HDR.
func build(t testing.TB, spec topology.Spec) *subnet.Subnet {
	t.Helper()
	return routetest.Build(t, spec, subnet.Link{Width: 4, Speed: subnet.HDR})
}

// checkUp fails the test unless every port that the host's port can reach over working
// cables is active, and datagrams get from each of the adapters there to each other.
func (w *world) checkUp(from *host) {
	w.t.Helper()
	reached := map[int32]bool{from.at.Node: true}
	var ends []subnet.End
	for queue := []int32{from.at.Node}; len(queue) > 0; queue = queue[1:] {
		n := &w.subnet.Nodes[queue[0]]
		for p := 1; p < len(n.Ports); p++ {
			at := subnet.End{Node: queue[0], Port: uint16(p)}
			state := w.fabric.Info(at).State
			if state == mad.PortDown || (n.Kind != subnet.Switch && at != from.at && queue[0] == from.at.Node) {
				continue
			}
			if state != mad.PortActive {
				w.t.Errorf("%s port %d is %v", n.Name, p, state)
			}
			if n.Kind != subnet.Switch {
				ends = append(ends, at)
			}
			if peer := w.subnet.Peer(at); !reached[peer.Node] {
				reached[peer.Node] = true
				queue = append(queue, peer.Node)
			}
		}
	}
	for _, a := range ends {
		for _, b := range ends {
			p := sma.Packet{DLID: w.fabric.LID(b), MAD: mad.New(mad.SubnAdm, mad.Get, mad.AttrPathRecord, 0, 1)}
			if at, outcome := w.fabric.Carry(a, &p); outcome != sma.Arrived || at != b {
				w.t.Errorf("from %s to %s (LID %d) it ends at %v, %v", w.subnet.Nodes[a.Node].Name, w.subnet.Nodes[b.Node].Name, p.DLID, at, outcome)
				return
			}
		}
	}
}

// has reports whether a kind of event happened.
func (h *host) has(kind sm.EventKind) bool {
	for _, e := range h.events {
		if e.Kind == kind {
			return true
		}
	}
	return false
}

// told is the texts of a kind of event.
func (h *host) told(kind sm.EventKind) (texts []string) {
	for _, e := range h.events {
		if e.Kind == kind {
			texts = append(texts, e.String())
		}
	}
	return texts
}
