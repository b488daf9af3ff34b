package verbs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/internal/test/wiretest"
	"weft/units"
	"weft/verbs/internal/socket"
	"weft/wire"
)

// script is a test's connection: the test feeds it packets, and it keeps the packets sent.
type script struct {
	local netip.AddrPort
	in    []socket.Incoming
	out   [][]byte // from the BTH to the ICRC
}

func (c *script) Local() netip.AddrPort { return c.local }

func (c *script) Buffer() int { return 1 << 30 }

func (c *script) MTU() int { return 0 }

func (c *script) AllowMarks() error { return nil }

func (c *script) Reach(netip.AddrPort) *socket.Way { return nil }

func (c *script) Join(netip.Addr) error { return nil }

func (c *script) Leave(netip.Addr) {}

func (c *script) Send(batch []socket.Outgoing) error {
	for i := range batch {
		all := slices.Concat(batch[i].Parts...)
		for len(all) > 0 {
			n := min(batch[i].Segment, len(all))
			c.out = append(c.out, all[:n:n])
			all = all[n:]
		}
	}
	return nil
}

func (c *script) Receive() ([]socket.Incoming, error) {
	in := c.in
	c.in = nil
	return in, nil
}

// Wait lets the port's goroutine sleep: the test does its work.
func (c *script) Wait(time.Duration) { time.Sleep(10 * time.Millisecond) }
func (c *script) Wake()              {}
func (c *script) Close() error       { return nil }

// recorded is a packet of a capture with its bytes from the BTH on.
type recorded struct {
	wire.RoCEv2
	from netip.AddrPort
	to   netip.Addr
	data []byte
}

// recordings are the captures of Linux's soft-RoCE in package wire's tests, by name.
func recordings(t testing.TB) map[string][]recorded {
	t.Helper()
	all := map[string][]recorded{}
	for name, file := range wiretest.Captures(t) {
		if name, ok := strings.CutSuffix(name, ".pcap"); ok {
			all[name] = readRecording(t, bytes.NewReader(file))
		}
	}
	return all
}

func readRecording(t testing.TB, in io.Reader) (list []recorded) {
	t.Helper()
	for _, p := range wiretest.Packets(t, in) {
		var eth wire.EthernetHeader
		head, err := eth.Parse(p.Data)
		if err != nil {
			t.Fatal(err)
		}
		ip := p.Data[head:]
		var c recorded
		if c.Parse(ip) != nil {
			continue
		}
		src, dst, n := netip.AddrFrom4(c.V4.Src), netip.AddrFrom4(c.V4.Dst), wire.IPv4Bytes
		if c.IPv6 {
			src, dst, n = netip.AddrFrom16(c.V6.Src), netip.AddrFrom16(c.V6.Dst), wire.IPv6Bytes
		}
		c.from, c.to = netip.AddrPortFrom(src, c.UDP.Src), dst
		c.data = ip[n+wire.UDPBytes:][:int(c.UDP.Length)-wire.UDPBytes]
		list = append(list, c)
	}
	return list
}

// role is a responder that takes the place of Linux's in a recording.
type role struct {
	t     *testing.T
	conn  *script
	dev   *Device
	qp    *QP
	cq    *CQ
	mr    *MR
	first *recorded // request
}

// replayed holds facts about a recording that it does not show itself.
type replayed struct {
	name    string
	mtu     int
	lost    []units.PSN // requests that the real responder did not receive, once each
	noMR    bool        // the requester's key is invalid
	short   uint64      // the last request exceeds the region by this many bytes
	recv    uint32      // room of a receive
	recvsAt int         // receives are posted after this many requests
	differs map[int]wire.Syndrome
}

// TestTheResponderAnswersAsLinuxDid makes weft the responder in recorded conversations of real
// endpoints: it must answer with the same packets.
func TestTheResponderAnswersAsLinuxDid(t *testing.T) {
	all := recordings(t)
	for _, c := range []replayed{
		{name: "v_rc_sizes", mtu: 1024, recv: 16384},
		{name: "v_rc_sizes_mtu4096", mtu: 4096, recv: 16384},
		{name: "v_rc_write", mtu: 1024},
		{name: "v_rc_write_mtu4096", mtu: 4096},
		{name: "v_rc_write_ipv6", mtu: 1024},
		{name: "v_rc_read", mtu: 1024},
		{name: "v_rc_tclass", mtu: 1024},
		{name: "v_rc_imm", mtu: 1024, recv: 16384},
		{name: "v_rc_atomic", mtu: 1024},
		{name: "v_rc_nak_rkey_write", mtu: 1024, noMR: true},
		{name: "v_rc_nak_rkey_read", mtu: 1024, noMR: true},
		{name: "v_rc_nak_oob", mtu: 1024, short: 1},
		{name: "v_rc_rnr", mtu: 1024, recv: 16384, recvsAt: 4},
		{name: "v_rc_drop_middle_psnnak", mtu: 1024, recv: 16384, lost: []units.PSN{0x100003}},
		{name: "v_rc_drop_last", mtu: 1024, recv: 16384, lost: []units.PSN{0x10000b}},
		{name: "v_rc_drop_ack", mtu: 1024, recv: 16384},
		// Linux calls a SEND that is too long a remote operational error; the
		// specification calls it an invalid request (IBA vol. 1, 9.7.5.2.3).
		{name: "v_rc_nak_toolong", mtu: 1024, recv: 16384, differs: map[int]wire.Syndrome{0: wire.NAKInvalidRequest}},
		{name: "rc_write", mtu: 1024},
		{name: "rc_write_single", mtu: 1024},
		{name: "rc_read", mtu: 1024},
		{name: "rc_read_single", mtu: 1024},
		{name: "rc_send", mtu: 1024, recv: 1 << 20},
		{name: "rc_atomic_fadd", mtu: 1024},
		{name: "rc_atomic_cswap", mtu: 1024},
		{name: "rc_pingpong", mtu: 1024, recv: 1 << 20},
		{name: "rc_pingpong_multi", mtu: 1024, recv: 1 << 20},
		{name: "srq_pingpong", mtu: 1024, recv: 1 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			if all[c.name] == nil {
				t.Fatal("the recording is missing")
			}
			for _, conversation := range conversations(all[c.name]) {
				conversation.replay(t, &c)
			}
		})
	}
}

// conversation is the requests to one queue pair, and its answers.
type conversation struct {
	requests, answers []*recorded
}

// conversations are the conversations of a recording in which the server, which did not speak
// first, responds.
func conversations(list []recorded) (out []*conversation) {
	byQP := map[units.QPN]*conversation{}
	byPeer := map[units.PSN]*conversation{} // answers name the requester's queue pair; their PSN identifies the request
	for i := range list {
		p := &list[i]
		op := p.Packet.BTH.Opcode
		if op.Service() != wire.ServiceRC || p.from.Addr() != list[0].from.Addr() && !op.Response() {
			continue
		}
		if !op.Response() {
			c := byQP[p.Packet.BTH.DestQP]
			if c == nil {
				c = &conversation{}
				byQP[p.Packet.BTH.DestQP] = c
				out = append(out, c)
			}
			c.requests = append(c.requests, p)
			n := max(1, (p.Packet.RETH.Length+255)/256)
			if op != wire.RCReadRequest {
				n = 1
			}
			for k := range n {
				byPeer[p.Packet.BTH.PSN.Add(int32(k))] = c
			}
			continue
		}
		if p.from.Addr() != list[0].from.Addr() {
			if c := byPeer[p.Packet.BTH.PSN]; c != nil {
				c.answers = append(c.answers, p)
			}
		}
	}
	return out
}

func (c *conversation) replay(t *testing.T, r *replayed) {
	t.Helper()
	x := newRole(t, c, r)
	lost := slices.Clone(r.lost)
	fed := 0
	for _, p := range c.requests {
		if i := slices.Index(lost, p.Packet.BTH.PSN); i >= 0 {
			lost = slices.Delete(lost, i, i+1)
			continue
		}
		if fed == r.recvsAt {
			x.receives(r.recv, len(c.requests))
		}
		fed++
		x.dev.port.Lock()
		x.conn.in = append(x.conn.in, socket.Incoming{From: p.from, Segment: len(p.data), Data: p.data})
		x.dev.port.Progress()
		x.dev.port.Progress() // acknowledgements wait for a second call
		x.dev.port.Unlock()
	}
	x.compare(c.answers, r)
	s := x.dev.Stats()
	if s.BadICRC+s.Malformed+s.Misdirected != 0 {
		t.Errorf("packets of Linux's were dropped: %+v", s)
	}
}

// newRole makes the responder that the requests address: with its address, number and keys.
func newRole(t *testing.T, c *conversation, r *replayed) *role {
	t.Helper()
	first := c.requests[0]
	x := &role{t: t, conn: &script{local: netip.AddrPortFrom(first.to, wire.RoCEv2Port)}, first: first}
	var err error
	if x.dev, err = open(x.conn, Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.dev.Close() })
	pd := x.dev.AllocPD()
	if x.cq, err = x.dev.CreateCQ(4096); err != nil {
		t.Fatal(err)
	}
	x.qp, err = pd.createQP(QPInitAttr{Type: RC, SendCQ: x.cq, RecvCQ: x.cq, MaxSendWR: 8, MaxRecvWR: 4096}, first.Packet.BTH.DestQP)
	if err != nil {
		t.Fatal(err)
	}
	peer, rnr := units.QPN(1), uint8(12)
	for _, a := range c.answers {
		peer = a.Packet.BTH.DestQP
		if s := a.Packet.AETH.Syndrome; s.Kind() == wire.SyndromeRNR {
			rnr = s.Value()
		}
	}
	if err := x.qp.ConnectWith(&QPAttr{
		Access: allAccess, PathMTU: r.mtu, Dest: netip.AddrPortFrom(first.from.Addr(), wire.RoCEv2Port), DestQPN: peer,
		RQPSN: first.Packet.BTH.PSN, MaxRdAtomic: 16, MaxDestRdAtomic: 16, MinRNRTimer: rnr, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
	}); err != nil {
		t.Fatal(err)
	}
	x.region(pd, c, r)
	return x
}

// region registers the memory that the requests address, under their key.
func (x *role) region(pd *PD, c *conversation, r *replayed) {
	low, high, key := ^uint64(0), uint64(0), uint32(0)
	for _, p := range c.requests {
		va, n := p.Packet.RETH.VA, uint64(p.Packet.RETH.Length)
		switch h := p.Packet.BTH.Opcode.Headers(); {
		case h.Has(wire.RETH):
			key = uint32(p.Packet.RETH.RKey)
		case h.Has(wire.AtomicETH):
			va, n, key = p.Packet.Atomic.VA, 8, uint32(p.Packet.Atomic.RKey)
		default:
			continue
		}
		if n > 0 {
			low, high = min(low, va), max(high, va+n)
		}
	}
	if high == 0 || r.noMR {
		return
	}
	mr := &MR{pd: pd, reach: reach{buf: make([]byte, high-low-r.short), addr: low, access: allAccess}, key: key, valid: true}
	x.mr = mr
	x.dev.keys[key>>8] = mr
	x.fill(c)
}

// fill writes to memory the value that the first atomic at each address found there.
func (x *role) fill(c *conversation) {
	found := map[units.PSN]uint64{}
	for _, a := range c.answers {
		found[a.Packet.BTH.PSN] = a.Packet.Original
	}
	done := map[uint64]bool{}
	for _, p := range c.requests {
		va := p.Packet.Atomic.VA
		if p.Packet.BTH.Opcode.Headers().Has(wire.AtomicETH) && !done[va] {
			done[va] = true
			binary.NativeEndian.PutUint64(x.mr.buf[va-x.mr.addr:], found[p.Packet.BTH.PSN])
		}
	}
}

func (x *role) receives(room uint32, n int) {
	if room == 0 {
		return
	}
	buf, err := x.qp.pd.RegMR(make([]byte, room), AccessLocalWrite)
	if err != nil {
		x.t.Fatal(err)
	}
	for range n {
		if err := x.qp.PostRecv(RecvWR{SGL: []SGE{buf.SGE(0, int(room))}}); err != nil {
			x.t.Fatal(err)
		}
	}
}

// answer is the part of a packet that the test compares.
func answer(p *wire.Packet) string {
	s := fmt.Sprintf("%v PSN %#x, %d bytes", p.BTH.Opcode, p.BTH.PSN, len(p.Payload))
	if p.BTH.Opcode.Headers().Has(wire.AETH) {
		s += fmt.Sprintf(", syndrome %#02x, MSN %d", uint8(p.AETH.Syndrome), p.AETH.MSN)
	}
	if p.BTH.Opcode.Headers().Has(wire.AtomicAckETH) {
		s += fmt.Sprintf(", original %d", p.Original)
	}
	return s
}

func (x *role) compare(want []*recorded, r *replayed) {
	x.t.Helper()
	if len(want) == 0 {
		x.t.Fatal("the recording has no answers: nothing is compared")
	}
	x.dev.port.Lock()
	defer x.dev.port.Unlock()
	for i := range max(len(want), len(x.conn.out)) {
		g, w := "nothing", "nothing"
		if i < len(x.conn.out) {
			var p wire.Packet
			b := x.conn.out[i]
			if err := p.Parse(b[:len(b)-wire.ICRCBytes]); err != nil {
				x.t.Fatal(err)
			}
			g = answer(&p)
		}
		if i < len(want) {
			p := want[i].Packet
			if s, ok := r.differs[i]; ok {
				p.AETH.Syndrome = s
			}
			w = answer(&p)
		}
		if g != w {
			x.t.Errorf("answer %d:\n weft  %s\n Linux %s", i+1, g, w)
		}
	}
}
