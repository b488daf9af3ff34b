package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"weft/internal/roce"
	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/internal/sim/transport/tcp"
	"weft/units"
)

// pfcBytes are the constants of the headroom formula that do not depend on
// the fabric.
const (
	portMTU     = 9216 // bytes: jumbo frames of the ports
	macPHY      = 819  // bytes: 0.8 KiB
	tileBytes   = 120  // bytes per 8 Gb/s: the tile of Spectrum-4 and 5
	losslessMTU = 1024 // bytes: packets whose cells are counted
	kib         = int64(units.KiB)
)

// derivePFC sets PFC's response time from the link's generation and the headroom from the vendor's
// formula for the longest cable (sonic-swss buffer_headroom_mellanox.lua with small packets only,
// as in the SN5600's shipped table).
func (r ethernetRules) derivePFC() {
	if !protocol.Of(r.Kind).Ethernet() {
		return
	}
	pfc := &r.Ethernet.PFC
	quanta := pauseQuanta(r.Link.Generation)
	rate := int64(r.Link.Rate())
	if !r.stated("ethernet.pfc.response") && rate > 0 {
		// 512 bit times each, in picoseconds.
		pfc.Response = units.Time(Ratio{Num: quanta * 512, Den: 1}.Mul(Ratio{Num: int64(units.Second), Den: rate}).Of(1))
	}
	if !r.stated("ethernet.pfc.headroom") {
		pfc.Headroom = r.headroom(quanta)
	}
	r.deriveXON()
	r.deriveWatchdog()
	if r.NIC.ReceiveBuffer == 0 && r.limited() {
		headroom := pfc.Headroom
		if headroom == 0 { // of a fabric that does not pause: without a buffer the NIC would drop every packet
			headroom = r.headroom(quanta)
		}
		r.NIC.ReceiveBuffer = 2 * headroom
	}
	for i := range pfc.Receivers {
		if x := &pfc.Receivers[i]; x.Buffer == 0 && x.Drain > 0 {
			x.Buffer = 2 * pfc.Headroom
		}
		if x := &pfc.Receivers[i]; x.Headroom == 0 {
			x.Headroom = x.Buffer / 2
		}
	}
}

// deriveXON sets where a pause ends and the reserve on switches with a vendor's formula: NVIDIA's end
// it at XON, which is the part of a group that is its own.
func (r ethernetRules) deriveXON() {
	asic := r.ASIC()
	if asic == nil || !r.Ethernet.PFC.Enabled || r.stated("ethernet.pfc.xon") || r.wrote("ethernet.pfc.xon-offset") {
		return
	}
	port := roce.Port{Speed: r.Link.Rate(), MTU: portMTU, Lanes: r.Link.Lanes}
	h, err := asic.Headroom(port, roce.Harshest, true)
	if err != nil {
		return // a rate or a cable that other rules refuse
	}
	pfc := &r.Ethernet.PFC
	pfc.XON, pfc.XONOffset = h.Xon, 0
	if !r.wrote("ethernet.pfc.reserve") {
		pfc.Reserve = h.Size
	}
}

// ASIC is the chip of the fabric's switches if its vendor has a formula for buffers, else nil.
func (f *Fabric) ASIC() *roce.ASIC {
	e, err := catalog.Lookup(catalog.Switch, f.Switch.Model)
	if err != nil {
		return nil
	}
	chip, _ := e.Get("about.asic")
	name := strings.ToLower(chip.Value)
	if name == "spectrum" {
		name = "spectrum-1"
	}
	asic, _, err := roce.Lookup(name)
	if err != nil {
		return nil
	}
	return asic
}

// headroom is the result of the vendor's formula for the longest cable.
func (r ethernetRules) headroom(quanta int64) units.Bytes {
	rate := int64(r.Link.Rate())
	cell := max(1, int64(r.Switch.Cell))
	// Cable: 2 · length · rate / 198e6 m/s, in bytes; a length is in mm.
	cable := Ratio{Num: 2 * int64(r.LongestCable(r.Fabric)), Den: 1000}.Reduced().Mul(Ratio{Num: rate, Den: 198_000_000 * 8}.Reduced()).Of(1)
	occupancy := (cell + 63) / 64 // bytes in cells over the bytes of packets of 64
	if cell <= 128 {
		occupancy = 2
	}
	prop := int64(portMTU) + cable + macPHY + quanta*512/8
	if cell == 192 { // Spectrum-4 and 5
		prop += rate / int64(units.Gbps) * tileBytes / 8
	}
	return units.Bytes(ceilTo(losslessMTU+prop*occupancy, kib))
}

// pauseQuanta is the standard's time to obey a pause, in quanta.
func pauseQuanta(generation string) int64 {
	e, err := catalog.Lookup(catalog.Link, generation)
	if err != nil {
		return 0
	}
	f, _ := e.Get("about.pause-quanta")
	quanta, _ := strconv.ParseInt(f.Value, 10, 32)
	return quanta
}

func (r ethernetRules) check() {
	e := &r.Ethernet
	at := func(field string) string { return "ethernet." + field }
	p := protocol.Of(r.Kind)
	if p.OneSegment {
		r.checkRoCEv1()
	}
	if p.Unordered {
		r.checkUltraEthernet()
	}
	if e.IPVersion == 5 {
		r.complain(at("ip-version"), "5 is not a version of IP: want 4 or 6")
	}
	served := map[int]bool{}
	for i, q := range e.Queues {
		if served[q.Priority] {
			r.complain(fmt.Sprintf("%s[%d]", at("queues"), i), "priority %d is given twice", q.Priority)
		}
		served[q.Priority] = true
		if q.Schedule == DWRR && q.Weight == 0 {
			r.complain(fmt.Sprintf("%s[%d].weight", at("queues"), i), "a dwrr queue needs a weight: priority %d would never be served", q.Priority)
		}
	}
	for _, x := range []struct {
		field    string
		priority int
	}{{"data-priority", e.DataPriority}, {"ack-priority", e.AckPriority}, {"cnp-priority", e.CNPPriority}} {
		if !served[x.priority] {
			r.complain(at(x.field), "no queue serves priority %d: add it to queues", x.priority)
		}
	}
	for i, p := range e.PFC.Priorities {
		if e.PFC.Enabled && !served[p] {
			r.complain(fmt.Sprintf("%s[%d]", at("pfc.priorities"), i), "no queue serves priority %d: add it to queues, or take it out", p)
		}
	}
	r.checkBuffer()
	if e.ECN.Enabled && e.ECN.Kmin > e.ECN.Kmax {
		r.complain(at("ecn.kmin"), "kmin %s is more than kmax %s", e.ECN.Kmin.Exact(), e.ECN.Kmax.Exact())
	}
	if e.ECN.Pmax.Cmp(1, 1) > 0 {
		r.complain(at("ecn.pmax"), "a probability of %s is more than 1", e.ECN.Pmax)
	}
	if e.ECN.Enabled && e.ECN.Kmin > r.Switch.Buffer {
		r.complain(at("ecn.kmin"), "kmin %s is more than the switch's buffer of %s: nothing would be marked", e.ECN.Kmin.Exact(), r.Switch.Buffer.Exact())
	}
	if p.OnTCP() {
		r.checkTCP()
	}
}

// checkBuffer checks that thresholds and headroom fit the switch.
func (r ethernetRules) checkBuffer() {
	pfc := &r.Ethernet.PFC
	at := func(field string) string { return "ethernet.pfc." + field }
	if r.Switch.Buffer < 2*r.MTU {
		r.complain("switch.buffer", "a buffer of %s cannot hold two packets of MTU %s", r.Switch.Buffer.Exact(), r.MTU.Exact())
		return
	}
	if !pfc.Enabled {
		r.checkUnpaused(pfc)
		return
	}
	if len(pfc.Priorities) == 0 {
		r.complain(at("priorities"), "PFC is enabled and no priority is lossless: give priorities, or enabled: false")
	}
	if pfc.XOFF > 0 && pfc.XONOffset > pfc.XOFF {
		r.complain(at("xon-offset"), "XON would be below zero: the offset %s is more than XOFF %s", pfc.XONOffset.Exact(), pfc.XOFF.Exact())
	}
	if pfc.XOFF == 0 && pfc.Alpha.Num == 0 {
		r.complain(at("alpha"), "neither alpha nor xoff is given: every packet would pause its sender")
	}
	r.checkXON()
	r.checkWatchdog(&pfc.Watchdog)
	r.checkReceivers(pfc)
	r.checkStops(pfc)
	r.checkClasses(pfc)
	ports := max(r.Topology.Radix, 1)
	private := (int64(pfc.Headroom) + int64(pfc.Reserve)) * int64(ports) * int64(len(pfc.Priorities))
	if pfc.HeadroomPool > 0 {
		private = int64(pfc.HeadroomPool) + int64(pfc.Reserve)*int64(ports)*int64(len(pfc.Priorities))
		if pfc.HeadroomPool < pfc.Headroom {
			r.complain(at("headroom-pool"), "a pool of %s is less than the headroom of one port, %s: give at least that, or leave headroom-pool out", pfc.HeadroomPool.Exact(), pfc.Headroom.Exact())
		}
	}
	if private >= int64(r.Switch.Buffer) {
		r.complain(at("headroom"), "%d ports with %s of headroom and %s of reserve for %d priorities need %s: the switch %s has %s",
			ports, pfc.Headroom.Exact(), pfc.Reserve.Exact(), len(pfc.Priorities), units.Bytes(private), r.Switch.Model, r.Switch.Buffer)
	}
}

// checkXON checks that a pause ends below the queue length at which it begins: at most the queue of
// a single paused sender, with the whole pool free.
func (r ethernetRules) checkXON() {
	pfc := &r.Ethernet.PFC
	pool := roce.Buffer{
		Shared: r.Switch.Buffer, Reserve: pfc.Reserve, Xoff: pfc.XOFF,
		AlphaNum: pfc.Alpha.Num, AlphaDen: pfc.Alpha.Den,
	}
	if r.Ethernet.Shared > 0 {
		pool.Shared = r.Ethernet.Shared
	}
	if xoff := pool.Threshold(1); pfc.XON > xoff {
		r.complain("ethernet.pfc.xon", "XON %s is above XOFF: a queue alone pauses at %s at the most, and the pause would end as it begins", pfc.XON.Exact(), xoff)
	}
}

// checkRoCEv1 refuses settings without a header in RoCE v1: it has InfiniBand's global route header
// directly in an Ethernet frame (IBA vol. 1, annex A16), so that routers do not forward it and
// switches cannot mark it.
func (r ethernetRules) checkRoCEv1() {
	if s := r.Topology.plane(); s != SingleSwitch {
		r.complain("topology.shape", "RoCE v1 has no IP header, so it lives inside one L2 domain, and a %s is routed: set topology.shape to single-switch, or take roce-v2", s)
	}
	if r.Ethernet.ECN.Enabled {
		r.complain("ethernet.ecn.enabled", "RoCE v1 has no IP header, so no switch can mark it: take ECN out, or take roce-v2")
	}
}

// checkTCP checks fabrics with TCP: the kernel's TCP uses the host's CPU, the NIC's does not.
func (r ethernetRules) checkTCP() {
	iwarp := protocol.Of(r.Kind).RDMA()
	if iwarp && r.Host.Path == PathCPU {
		r.complain("host", "iWARP's TCP is in the NIC, and the path %s is for sockets through the kernel: take gpudirect-rdma, gpudirect-p2p or rdma-host", r.Host.Path)
	}
	if t := &r.TCP; t.Threads > 0 && (t.Sockets%t.Threads != 0 || iwarp) {
		want := "as many sockets to each thread (NCCL_NSOCKS_PERTHREAD)"
		if iwarp {
			want = "none, since iWARP's TCP is in the NIC"
		}
		r.complain("tcp.threads", "%d threads for %d sockets: want %s", t.Threads, t.Sockets, want)
	}
	if two := 2 * tcp.MSS(r.MTU); r.TCP.MaxWindow < two {
		r.complain("tcp.max-window", "a window of %s does not hold two segments: want at least %s", r.TCP.MaxWindow.Exact(), two.Exact())
	}
	if !iwarp && r.TCP.MPAMarkers {
		r.complain("tcp.mpa-markers", "markers are iWARP's: take kind: iwarp, or mpa-markers out")
	}
}
