package network

import (
	"slices"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/adapter"
	"weft/internal/sim/fabric/arbitration"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/fabric/impair"
	"weft/internal/sim/fabric/marking"
	"weft/internal/sim/fabric/watchdog"
	"weft/internal/sim/protocol"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/internal/sim/transport/tcp"
	"weft/scenario"
	"weft/units"
	"weft/wire"
)

// creditLatency is the time of the link layers at both ends of a credit update, including its 6
// bytes, without propagation: an assumption, because no vendor documents it.
const creditLatency = 20 * units.Nanosecond

// PerByte is the exact time of a byte on a link.
func PerByte(l *scenario.Link) units.PerByte {
	return units.NewPerByte(l.Lanes, l.LaneRate, l.Code.Num, l.Code.Den)
}

// Propagation is the time of a signal through a cable and the forward error correction at its ends:
// at least a picosecond, so that an arrival is later than its sending.
func Propagation(l *scenario.Link, length units.Length) units.Time {
	return max(units.Picosecond, units.Time(int64(l.PerMetre)*int64(length)/int64(units.Metre))+l.FECLatency)
}

// bursts are the errors that a link's FEC leaves; nil for none.
func bursts(l *scenario.Link) *impair.Bursts {
	gap, length := l.ErrorBursts()
	if gap == 0 {
		return nil
	}
	return &impair.Bursts{Gap: gap, Length: length, Retry: l.LLR}
}

// credits are the credits of an input buffer with the given bytes per lane. They are updated
// whenever the threshold's number of bytes could have left.
func credits(f *scenario.Fabric, buffer units.Bytes) credit.Grant {
	rate := PerByte(&f.Link)
	threshold := units.Time(int64(f.IB.CreditThreshold) * rate.Num / rate.Den)
	c := credit.Grant{
		Period:     max(units.Nanosecond, min(threshold, f.IB.CreditUpdate)),
		Latency:    creditLatency,
		FrameBytes: uint16(wire.InfiniBandFlowControlBytes + scenario.Framing(f).Delimiters),
	}
	for i := range c.Blocks {
		c.Blocks[i] = int32(min(buffer/credit.Block, credit.MaxBlocks))
	}
	return c
}

// infiniBandSwitch is the fabric's switch.
func infiniBandSwitch(f *scenario.Fabric, c Classes) *fabric.InfiniBandSwitch {
	s := &fabric.InfiniBandSwitch{
		Pipeline:  f.Switch.Latency,
		Credits:   credits(f, f.IB.Buffer),
		ReadPorts: int((f.IB.Speedup.Num + f.IB.Speedup.Den - 1) / max(1, f.IB.Speedup.Den)),
		FIFO:      f.IB.Queueing == scenario.FIFO,
		VLArb: arbitration.VLArb{
			High: c.arbitration(f.IB.VLArbHigh), Low: c.arbitration(f.IB.VLArbLow), Limit: uint8(f.IB.HighLimit),
		},
	}
	s.FECN = fecn(f)
	s.StallCount, s.LeafStallCount = f.IB.VLStallCount, f.IB.LeafVLStallCount
	if f.IB.HOQLifetime != units.Forever {
		s.Lifetime = f.IB.HOQLifetime
	}
	if f.IB.LeafHOQLifetime != units.Forever {
		s.LeafLifetime = f.IB.LeafHOQLifetime
	}
	return s
}

// nicVLArb is the arbitration at the ports of NICs: their own, or the switches'.
func nicVLArb(f *scenario.Fabric, c Classes) *arbitration.VLArb {
	own := &f.IB.NICVLArb
	if len(own.High) == 0 && len(own.Low) == 0 {
		own = &scenario.VLArbitration{High: f.IB.VLArbHigh, Low: f.IB.VLArbLow, Limit: f.IB.HighLimit}
	}
	return &arbitration.VLArb{High: c.arbitration(own.High), Low: c.arbitration(own.Low), Limit: uint8(own.Limit)}
}

// EthernetSwitch is the fabric's switch with a number of ports in use.
func EthernetSwitch(f *scenario.Fabric, c Classes, ports int) *fabric.EthernetSwitch {
	e := &f.Ethernet
	s := &fabric.EthernetSwitch{
		Pipeline:   f.Switch.Latency,
		CutThrough: f.Switch.Forwarding == scenario.CutThrough,
		Reserve:    int32(e.PFC.Reserve), Headroom: int32(e.PFC.Headroom),
		AlphaNum: e.PFC.Alpha.Num, AlphaDen: max(1, e.PFC.Alpha.Den),
		EgressNum: e.EgressAlpha.Num, EgressDen: e.EgressAlpha.Den,
		XonOffset: int32(e.PFC.XONOffset), Xon: int32(e.PFC.XON), StaticXoff: int64(e.PFC.XOFF),
		PFC:      pfc(f, c),
		Schedule: c.schedule(e.Queues),
	}
	s.PFC.Stops = c.stops(e.PFC.Stops)
	s.HashFunction = hashFunction(f.Routing.HashFunction)
	if f.Switch.MTU > 0 {
		framing := wire.EthernetFraming{VLAN: e.VLAN}
		s.MaxFrame = uint16(int(f.Switch.MTU) + framing.AroundIP())
	}
	if w := &e.PFC.Watchdog; w.Enabled {
		s.Watchdog = &watchdog.Config{
			Detection: w.Detection, Restoration: w.Restoration, Poll: w.Poll, Action: watchdogActions[w.Action],
		}
	}
	s.Ingress = ingressClasses(&e.PFC, c, s)
	reserve, headroom := promised(s.Ingress, s.Reserve, s.Headroom, s.PFC.Lossless, len(c.Used))
	own := reserve * int64(ports)
	if s.HeadroomPool = int64(e.PFC.HeadroomPool); s.HeadroomPool > 0 {
		own += s.HeadroomPool
	} else {
		own += headroom * int64(ports)
	}
	s.Shared = max(int64(f.MTU)*2, int64(f.Switch.Buffer)-own)
	if e.Shared > 0 {
		s.Shared = int64(e.Shared)
	}
	if e.Trim.On() {
		trimming(s, f, c)
	}
	if e.ECN.Enabled {
		p := e.ECN.Pmax
		marking := marking.ECN{
			KMin: int32(e.ECN.Kmin), KMax: int32(e.ECN.Kmax),
			PMax:      uint32(min(1<<32-1, p.Of(1<<32))),
			AtDequeue: protocol.Of(f.Kind).MarksLeaving,
		}
		s.ECN[c.Data(f)] = marking
		for _, n := range c.others {
			s.ECN[c.Must(n)] = marking
		}
	}
	return s
}

// ethernetSwitchOf is a switch of the fabric by its name, with the settings of its own and of its ports.
func ethernetSwitchOf(f *scenario.Fabric, c Classes, n *topology.Node) *fabric.EthernetSwitch {
	own := f.OfSwitch(n.Name)
	s := EthernetSwitch(own, c, n.Cabled())
	s.HashIgnores = hashIgnores(f, own)
	differ := f.PortsOf(n.Name)
	if len(differ) == 0 {
		return s
	}
	usual := ethernetPort(s)
	ofPort := func(p *fabric.EthernetPort, reserve int32) int64 {
		own, headroom := promised(p.Ingress, reserve, p.Headroom, p.Lossless, len(c.Used))
		return own + headroom
	}
	s.Ports = make([]fabric.EthernetPort, len(n.Cables))
	more := int64(0)
	for i := range s.Ports {
		s.Ports[i] = usual
		if slices.Contains(differ, i+1) {
			of := EthernetSwitch(f.OfPort(n.Name, i+1), c, n.Cabled())
			s.Ports[i] = ethernetPort(of)
			if of.Ingress == nil && (of.Reserve != s.Reserve || of.Xon != s.Xon) {
				s.Ports[i].Ingress = alike(of, len(c.Used))
			}
			more += ofPort(&s.Ports[i], s.Reserve) - ofPort(&usual, s.Reserve)
		}
	}
	if own.Ethernet.Shared == 0 && own.Ethernet.PFC.HeadroomPool == 0 {
		s.Shared = max(int64(f.MTU)*2, s.Shared-more)
	}
	return s
}

// SharedOf is the shared pool of a switch of the fabric, in bytes.
func SharedOf(f *scenario.Fabric, r *scenario.Resolved, n *topology.Node) int64 {
	return ethernetSwitchOf(f, classesOf(f, r), n).Shared
}

// ethernetPort is a port of a switch whose ports are alike.
func ethernetPort(s *fabric.EthernetSwitch) fabric.EthernetPort {
	return fabric.EthernetPort{
		Headroom: s.Headroom, AlphaNum: s.AlphaNum, AlphaDen: s.AlphaDen, EgressNum: s.EgressNum, EgressDen: s.EgressDen,
		ECN: s.ECN, Lossless: s.PFC.Lossless, Stops: s.PFC.Stops, MaxFrame: s.MaxFrame, Schedule: s.Schedule, Ingress: s.Ingress,
	}
}

// promised is the reserve and the headroom of a port in all classes.
func promised(own []fabric.IngressClass, reserve, headroom int32, lossless uint16, classes int) (reserves, headrooms int64) {
	for class := range classes {
		r, h := reserve, headroom
		if class < len(own) {
			r, h = own[class].Reserve, own[class].Headroom
		}
		reserves += int64(r)
		if lossless>>class&1 != 0 {
			headrooms += int64(h)
		}
	}
	return reserves, headrooms
}

// alike are the classes of a switch without classes of their own.
func alike(s *fabric.EthernetSwitch, classes int) []fabric.IngressClass {
	all := make([]fabric.IngressClass, classes)
	for i := range all {
		all[i] = fabric.IngressClass{Headroom: s.Headroom, Reserve: s.Reserve, Xon: s.Xon, AlphaNum: s.AlphaNum, AlphaDen: s.AlphaDen}
	}
	return all
}

// ingressClasses are the classes of a switch if some have buffers of their own; nil if they are alike.
func ingressClasses(p *scenario.PFC, c Classes, s *fabric.EthernetSwitch) []fabric.IngressClass {
	if len(p.Classes) == 0 {
		return nil
	}
	all := alike(s, len(c.Used))
	for _, own := range p.Classes {
		class, used := c.of(own.Priority)
		if !used {
			continue
		}
		q := &all[class]
		q.Headroom, q.Reserve, q.Xon = int32(own.Headroom), int32(own.Reserve), int32(own.XON)
		if own.Alpha.Num > 0 {
			q.AlphaNum, q.AlphaDen = own.Alpha.Num, max(1, own.Alpha.Den)
		}
	}
	return all
}

var watchdogActions = map[scenario.WatchdogAction]watchdog.Action{
	scenario.WatchdogDrop: watchdog.Drop, scenario.WatchdogForward: watchdog.Forward, scenario.WatchdogAlert: watchdog.Alert,
}

func pfc(f *scenario.Fabric, c Classes) fabric.PFC {
	p := &f.Ethernet.PFC
	out := fabric.PFC{FrameBytes: wire.PFCBytes, Reaction: p.Response, Quanta: uint16(p.Quanta), WholeLink: p.LinkPause}
	if p.Enabled {
		out.Lossless = c.mask(p.Priorities)
	}
	return out
}

// trimming makes a switch trim data, of the workload and of streams.
func trimming(s *fabric.EthernetSwitch, f *scenario.Fabric, c Classes) {
	t := &f.Ethernet.Trim
	s.Trim = fabric.Trim{To: c.Must(t.Priority), Bytes: uint16(t.Size + wire.EthernetGapBytes)}
	s.EgressLimit[s.Trim.To] = int32(t.Threshold)
	data := []uint8{c.Data(f)}
	for _, n := range c.others {
		data = append(data, c.Must(n))
	}
	for _, class := range data {
		s.Trim.Classes |= 1 << class
		s.EgressLimit[class] = int32(t.Threshold)
	}
}

// nic is the fabric's network adapter in a node.
func nic(f *scenario.Fabric, node *scenario.Node, c Classes) *fabric.NIC {
	n := &fabric.NIC{
		Pipeline:     f.NIC.AckPipeline,
		PacketGap:    f.NIC.PacketGap,
		PayloadPad:   4,
		RepliesFirst: true,
	}
	if bus := min(node.PCIe.PeerRate, node.PCIe.Rate()); bus < f.Link.Rate() {
		n.HostPerByte = bus.PerByte()
	}
	p := protocol.Of(f.Kind)
	if p.Port == protocol.Credits {
		n.Credits = credits(f, f.IB.NICBuffer)
	} else {
		shares := c.schedule(f.Ethernet.Queues)
		n.Schedule, n.MinFrame = &shares, wire.EthernetMinFrame+wire.EthernetGapBytes
	}
	if p.Port == protocol.Pauses {
		n.PFC = pfc(f, c)
	}
	if p.OnTCP() {
		tcpNIC(n, f, p)
		return n
	}
	n.Transport = rdma(f, n)
	if f.NIC.Contexts > 0 {
		n.Contexts = &adapter.Contexts{Entries: f.NIC.Contexts, Fetch: f.NIC.ContextFetch, AtOnce: f.NIC.ContextFetches}
	}
	framing := scenario.Framing(f)
	for i := range n.Overhead {
		if op := wire.Opcode(i); op.Valid() {
			n.Overhead[op] = uint16(p.Bytes(op, probe, framing) - probe + f.Headers + telemetry(f, op))
		}
	}
	if p.Unordered {
		unorderedNIC(n, f, framing)
	}
	return n
}

// probe is a payload beyond the minimum frame: the rest of its packet is headers.
const probe = 1024

// unorderedNIC makes the queue pairs of a NIC deliver packets in any order, as in Ultra Ethernet.
func unorderedNIC(n *fabric.NIC, f *scenario.Fabric, framing protocol.Framing) {
	n.PayloadPad = 1
	n.Overhead[transport.SelectiveAck] = uint16(wire.UETAckFrameBytes(framing.EthernetFraming) + f.Headers)
	n.Overhead[transport.Nack] = uint16(wire.UETNackFrameBytes(framing.EthernetFraming) + f.Headers)
	t := n.Transport
	t.Delivery, t.Marks = transport.Unordered, transport.MarksAcked
	t.EntropyValues, t.RecycleEntropy = f.Transport.EntropyValues, f.Transport.Entropy == scenario.Recycled
	t.MaxOutstandingPackets = transport.MaxReorder
	t.InferLoss = inferLoss(f)
}

// inferLoss is the number of packets received behind a missing one after which it counts as lost:
// twice the largest window, so that no path's queue explains the gap.
func inferLoss(f *scenario.Fabric) int {
	window := f.Transport.Window
	if alg := scenario.ControllerOf(f)(); alg != nil {
		var first cc.Allowance
		alg.Start(0, &first)
		window = min(window, min(window, first.Window)+f.MTU-1) // one more full packet may go than fits
	}
	return int(min(transport.MaxReorder/2, max(16, 2*window/f.MTU)))
}

// rdma is the common parameters of the fabric's queue pairs.
func rdma(f *scenario.Fabric, n *fabric.NIC) *transport.Config {
	t := &f.Transport
	c := &transport.Config{
		PathMTU: int(f.MTU), AckEvery: t.AckEvery, Window: t.Window,
		RetryCount: t.Retry, RNRRetry: t.RNRRetry, RNRTimer: wire.RNRTimerCode(t.RNRTimer), ImplicitRecv: true,
		Delivery: delivery(f), Fence: fences[f.NIC.Fence], MaxReads: f.NIC.ReadsInFlight,

		MaxOutstandingPackets: t.PacketWindow,
		CNPInterval:           units.Forever,
	}
	if t.Timeout != units.Forever {
		c.RetryTimeout = t.Timeout
	}
	if s := &f.NIC.Retransmission; t.Retransmission == scenario.AdaptiveRetransmission {
		c.Schedule = transport.NewSchedule(s.Times, s.First, max(t.Timeout, s.LeastTimeout), t.Retry)
	}
	notification(f, c, n)
	if c.Delivery == transport.WriteOnly && c.PacedOverhead > 0 {
		c.PacedOverhead += wire.RETHBytes
	}
	return c
}

var fences = map[scenario.Fence]transport.Fence{
	scenario.FenceQueue: transport.FenceQueue, scenario.FenceMessage: transport.FenceMessage, scenario.FenceNone: transport.FenceNone,
}

// delivery is the order in which the fabric's queue pairs accept packets.
func delivery(f *scenario.Fabric) transport.Delivery {
	switch {
	case f.OutOfOrder():
		return transport.WriteOnly
	case f.Transport.Recovery == scenario.SelectiveRepeat:
		return transport.Selective
	}
	return transport.InOrder
}

// tcpNIC makes the connections of a NIC TCP connections. In a NIC, TCP carries RDMA; its timers
// have no kernel's slack, and the first timeout is the minimum, because there is no handshake to
// measure.
func tcpNIC(n *fabric.NIC, f *scenario.Fabric, p *protocol.Protocol) {
	t := &f.TCP
	n.FrameOverhead = uint16(p.Bytes(0, probe, scenario.Framing(f)) - probe + f.Headers - tcp.HeaderBytes)
	c := tcp.Linux(f.MTU)
	if t.Variant == scenario.DCTCP {
		c = tcp.DataCenter(f.MTU)
	}
	c.Window, c.InitialWindow, c.MinRTO = t.MaxWindow, uint32(t.InitialWindow), t.MinRTO
	c.AckEvery, c.AckDelay = uint32(t.AckEvery), t.DelayedAck
	n.TCP = &c
	if p.TCP == protocol.NICTCP {
		n.MPA = &adapter.MPA{Unit: uint16(wire.MPAUnit(int(c.MSS), t.MPAMarkers)), Markers: t.MPAMarkers}
		c.MSS = units.Bytes(n.MPA.Unit)
		c.InitialRTO, c.TimerSlack = c.MinRTO, 0
	}
}

// SwitchRouting is the switches' method of choosing a path.
func SwitchRouting(m scenario.RoutingMode) fabric.Routing {
	switch m {
	case scenario.Adaptive:
		return fabric.Adaptive
	case scenario.ECMP:
		return fabric.ECMP
	case scenario.Flowlet:
		return fabric.Flowlet
	case scenario.Spray:
		return fabric.Spray
	}
	return fabric.Static
}
