package validate

import (
	"fmt"
	"strings"

	"weft/internal/sim/catalog"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// Models are the parts of a case's network, as a user gets them: rates from the
// catalog, sizes from package wire. A reference never uses them.
type Models struct {
	InfiniBandFabric bool
	PerByte          units.PerByte
	Propagation      units.Time
	Classes          int
	NIC              fabric.NIC
	Transport        transport.Config
	Switch           fabric.EthernetSwitch
	InfiniBandSwitch fabric.InfiniBandSwitch
	DCQCN            cc.DCQCNParams
	IBCC             cc.IBCCParams
	NSCC             cc.NSCCParams
	Trace            fabric.Trace // may be nil
}

const ns = units.Nanosecond

const ucSendOnly = wire.UCSendOnly

// The values that most cases share. They have no common divisor with other
// values. A reference writes these numbers out again.
const (
	signal10m  = 50_500 // ps: 10 m at 5.05 ns/m
	nicDelay   = 300 * ns
	ibDelay    = 130 * ns
	ethDelay   = 500 * ns
	ibPeriod   = 100 * ns
	ibLatency  = 50 * ns
	ibBlocks   = 2048
	mtu        = 4096
	pfcDelay   = 100 * ns
	ethBuffer  = 64 << 20
	ethReserve = 4096
)

// link is a link of the catalog: the time of a byte on it, and the bytes that
// its line code adds to each InfiniBand packet.
func link(name string) (units.PerByte, uint16, error) {
	e, err := catalog.Lookup(catalog.Link, name)
	if err != nil {
		return units.PerByte{}, 0, err
	}
	fact := func(field string) string {
		f, _ := e.Get(field)
		return f.Value
	}
	var lanes int
	var num, den int64
	if _, err := fmt.Sscan(fact("lanes"), &lanes); err != nil {
		return units.PerByte{}, 0, fmt.Errorf("link %s: lanes: %w", name, err)
	}
	rate, err := units.ParseRate(fact("lane-rate"))
	if err != nil {
		return units.PerByte{}, 0, fmt.Errorf("link %s: %w", name, err)
	}
	if _, err := fmt.Sscan(strings.Replace(fact("code"), "/", " ", 1), &num, &den); err != nil {
		return units.PerByte{}, 0, fmt.Errorf("link %s: code: %w", name, err)
	}
	around := uint16(0)
	if den == 10 {
		around = wire.InfiniBandDelimiterBytes
	}
	return units.NewPerByte(lanes, rate, num, den), around, nil
}

// infiniband is an InfiniBand fabric of a generation.
func infiniband(generation string) (*Models, error) {
	perByte, around, err := link(generation)
	if err != nil {
		return nil, err
	}
	m := common(perByte)
	m.InfiniBandFabric = true
	for op := range m.NIC.Overhead {
		if o := wire.Opcode(op); o.Valid() {
			m.NIC.Overhead[op] = uint16(wire.InfiniBandBytes(o, 64, false)-64) + around
		}
	}
	m.NIC.Credits = credit.Grant{Period: ibPeriod, Latency: ibLatency, FrameBytes: wire.InfiniBandFlowControlBytes + around}
	for i := range m.NIC.Credits.Blocks {
		m.NIC.Credits.Blocks[i] = ibBlocks
	}
	m.InfiniBandSwitch = fabric.InfiniBandSwitch{Pipeline: ibDelay, Credits: m.NIC.Credits, ReadPorts: 2}
	return m, nil
}

// roce is a RoCE v2 fabric on an Ethernet.
func roce(name string) (*Models, error) {
	perByte, _, err := link(name)
	if err != nil {
		return nil, err
	}
	m := common(perByte)
	for op := range m.NIC.Overhead {
		if o := wire.Opcode(op); o.Valid() {
			m.NIC.Overhead[op] = uint16(wire.RoCEv2Bytes(o, 64, wire.EthernetFraming{}) - 64)
		}
	}
	m.NIC.MinFrame = wire.EthernetMinFrame + wire.EthernetGapBytes
	m.NIC.PFC = fabric.PFC{Lossless: 1, FrameBytes: wire.PFCBytes, Reaction: pfcDelay}
	m.Switch = fabric.EthernetSwitch{
		Pipeline: ethDelay, CutThrough: true,
		Shared: ethBuffer, Reserve: ethReserve, Headroom: 256 << 10, AlphaNum: 1, AlphaDen: 8, XonOffset: 18 << 10,
		PFC: fabric.PFC{Lossless: 1, FrameBytes: wire.PFCBytes, Reaction: pfcDelay},
	}
	return m, nil
}

func common(perByte units.PerByte) *Models {
	return &Models{
		PerByte: perByte, Propagation: signal10m, Classes: 1,
		NIC:       fabric.NIC{Pipeline: nicDelay, PayloadPad: 4, RepliesFirst: true},
		Transport: transport.Config{PathMTU: mtu, AckEvery: 1, ImplicitRecv: true},
	}
}

// Name is the fabric's.
func (m *Models) Name() string {
	if m.InfiniBandFabric {
		return "InfiniBand"
	}
	return "RoCE v2"
}

// app is an application of two functions.
type app struct {
	complete func(*fabric.Partition, int32, *transport.Completion)
	timer    func(*fabric.Partition, uint32)
}

func (a *app) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	if a.complete != nil {
		a.complete(p, nic, c)
	}
}

func (a *app) Timer(p *fabric.Partition, source uint32) { a.timer(p, source) }

// pair is two NICs on one cable.
func (m *Models) pair(e *Env, a fabric.App) (*fabric.Network, error) { return m.chain(e, 1, a) }

// chain is two NICs with links-1 switches between them in a row.
func (m *Models) chain(e *Env, links int, a fabric.App) (*fabric.Network, error) {
	b := m.builder(e, a)
	t := &routing.Tables{Endpoints: 2, Switches: links - 1}
	b.Tables = t
	b.NIC("a", 1, &m.NIC)
	b.NIC("b", 1, &m.NIC)
	for s := range links - 1 {
		t.Port = append(t.Port, 0, 1)
		m.addSwitch(b, fmt.Sprintf("switch %d", s+1), 2, s)
	}
	at, port := int32(0), int32(0)
	for s := range links - 1 {
		next := int32(2 + s)
		b.Cable(at, port, next, 0, m.PerByte, m.Propagation)
		at, port = next, 1
	}
	b.Cable(at, port, 1, 0, m.PerByte, m.Propagation)
	return b.Build(nil)
}

// star is n NICs on one switch.
func (m *Models) star(e *Env, n int, a fabric.App) (*fabric.Network, error) {
	b := m.builder(e, a)
	rates := make([]units.PerByte, n) // of the models, which a test may have changed
	for i := range rates {
		rates[i] = m.PerByte
	}
	return m.starOf(b, rates)
}

// starOf is a star whose cables have these rates.
func (m *Models) starOf(b *fabric.Builder, rates []units.PerByte) (*fabric.Network, error) {
	n := len(rates)
	t := &routing.Tables{Endpoints: n, Switches: 1}
	for i := range rates {
		b.NIC(fmt.Sprintf("nic %d", i), 1, &m.NIC)
		t.Port = append(t.Port, uint16(i))
	}
	b.Tables = t
	m.addSwitch(b, "switch", n, 0)
	for i, rate := range rates {
		b.Cable(int32(i), 0, int32(n), int32(i), rate, m.Propagation)
	}
	return b.Build(nil)
}

// builder prepares the common parts of all networks. The change of a test comes
// last.
func (m *Models) builder(e *Env, a fabric.App) *fabric.Builder {
	if e.Change != nil {
		e.Change(m)
	}
	m.NIC.Transport = &m.Transport
	return &fabric.Builder{Classes: m.Classes, Seed: 1, App: a, Trace: m.Trace}
}

func (m *Models) addSwitch(b *fabric.Builder, name string, ports, row int) {
	if m.InfiniBandFabric {
		b.InfiniBandSwitch(name, ports, row, fabric.Static, &m.InfiniBandSwitch)
		return
	}
	b.EthernetSwitch(name, ports, row, fabric.Static, &m.Switch)
}

// unreliable is a connection without acknowledgements: nothing goes the other
// way.
var unreliable = fabric.Connection{Service: transport.UC}

// post connects two NICs and posts one message before the run.
func post(n *fabric.Network, from, to int32, c fabric.Connection, wr transport.WorkRequest) error {
	qp, _, err := n.Connect(from, to, c, fabric.Connection{Service: c.Service, Class: c.Class, Reply: c.Reply})
	if err != nil {
		return err
	}
	return n.Partition(from).Post(from, qp, wr)
}

// run runs a network until it has no more events, for at most limit.
func run(e *Env, n *fabric.Network, limit units.Time) error {
	stop, release := engine.NewStop(e.Ctx)
	defer release()
	if err := n.Run(limit, 1, stop); err != nil {
		return err
	}
	return e.Ctx.Err()
}
