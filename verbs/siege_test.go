package verbs

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft/units"
	"weft/verbs/internal/socket"
	"weft/wire"
	"weft/wire/cm"
)

// The claims of SECURITY.md, tested with a million packets: 900 000 from memory and 100 000
// over the loopback. The seeds determine all packets.

// siege is a device with memory that peers may change, and memory that they may not.
type siege struct {
	t    *testing.T
	dice *rand.Rand
	conn *script
	dev  *Device
	pd   *PD
	cq   *CQ
	rc   *QP
	uc   *QP
	ud   *QP

	all         []byte // guard, fully accessible memory, guard
	locked      []byte // may be read
	secret      []byte // of another protection domain
	open, see   *MR
	foreign     *MR
	batch       [][]byte
	from        netip.AddrPort
	flow        wire.ICRCFlow
	delivered   int // packets that went in
	connections int // number of reconnections of the queue pairs
}

// The fill values tell the origin of a byte.
const (
	guardFill, openFill, lockedFill, secretFill, attackFill = 0xa5, 0x77, 0x5a, 0x3c, 0xee
	siegeMTU                                                = 1024
	siegeQKey                                               = 0x1234
)

var siegePeer = netip.MustParseAddrPort("10.0.0.2:4791")

func newSiege(t *testing.T, seed uint64, strict bool) *siege {
	t.Helper()
	s := &siege{
		t: t, dice: rand.New(rand.NewPCG(seed, 17)), conn: &script{local: netip.MustParseAddrPort("10.0.0.1:4791")},
		all:    bytes.Repeat([]byte{guardFill}, 3*regionBytes),
		locked: bytes.Repeat([]byte{lockedFill}, regionBytes), secret: bytes.Repeat([]byte{secretFill}, regionBytes),
	}
	copy(s.all[regionBytes:], bytes.Repeat([]byte{openFill}, regionBytes))
	s.speakAs(siegePeer)
	var err error
	if s.dev, err = open(s.conn, Options{PathMTU: siegeMTU, StrictICRC: strict}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.dev.Close() })
	s.pd = s.dev.AllocPD()
	// Keys and addresses are fixed, so that a seed determines the test.
	s.open = s.region(s.pd, s.all[regionBytes:2*regionBytes], allAccess, 0x1111_1101)
	s.see = s.region(s.pd, s.locked, AccessRemoteRead, 0x2222_2202)
	s.foreign = s.region(s.dev.AllocPD(), s.secret, allAccess, 0x3333_3303)
	if s.cq, err = s.dev.CreateCQ(1 << 10); err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		to   **QP
		kind QPType
	}{{&s.rc, RC}, {&s.uc, UC}, {&s.ud, UD}} {
		if *q.to, err = s.pd.CreateQP(QPInitAttr{Type: q.kind, SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 16, MaxRecvWR: 16}); err != nil {
			t.Fatal(err)
		}
		s.connect(*q.to)
	}
	return s
}

// region registers memory under a key, at an address derived from the key.
func (s *siege) region(pd *PD, buf []byte, rights Access, key uint32) *MR {
	mr := &MR{pd: pd, reach: reach{buf: buf, addr: uint64(key) << 20, access: rights}, key: key, valid: true}
	s.dev.keys[key>>8] = mr
	return mr
}

// speakAs sets the source address of packets.
func (s *siege) speakAs(from netip.AddrPort) {
	s.from, s.flow = from, wire.NewICRCFlow(from, s.conn.local)
}

// connect brings a queue pair to RTS with its old attributes, expecting PSN 1000.
func (s *siege) connect(q *QP) {
	s.t.Helper()
	s.connections++
	err := q.Modify(&QPAttr{State: StateReset}, AttrState)
	if err == nil {
		err = q.ConnectWith(&QPAttr{
			Access: allAccess, PathMTU: siegeMTU, Dest: siegePeer, DestQPN: 77, RQPSN: 1000, SQPSN: 5, QKey: siegeQKey,
			MaxRdAtomic: 16, MaxDestRdAtomic: 16, MinRNRTimer: 12, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
		})
	}
	for range 4 {
		if err == nil {
			err = q.PostRecv(RecvWR{SGL: []SGE{s.open.SGE(0, regionBytes)}})
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// expected is the PSN that a queue pair expects.
func expected(q *QP) units.PSN {
	a, _ := q.Query()
	return a.RQPSN
}

// send puts a packet, from the BTH on, into the batch, with a correct ICRC.
func (s *siege) send(b []byte) {
	s.sendRaw(wire.AppendICRC(b, s.flow.Begin(0, wire.UDPBytes+len(b)+wire.ICRCBytes, b)))
}

func (s *siege) sendRaw(b []byte) {
	s.batch = append(s.batch, b)
	if len(s.batch) == 64 {
		s.flush()
	}
}

// flush makes the device take the batch, and checks its answers: no secret byte leaves it.
func (s *siege) flush() {
	s.dev.port.Lock()
	for _, b := range s.batch {
		s.conn.in = append(s.conn.in, socket.Incoming{From: s.from, Segment: max(1, len(b)), Data: b})
	}
	s.delivered += len(s.batch)
	s.batch = s.batch[:0]
	s.dev.port.Progress()
	s.dev.port.Progress()
	out := s.conn.out
	s.conn.out = nil
	s.dev.port.Unlock()
	for _, b := range out {
		for _, fill := range []byte{guardFill, secretFill} {
			if bytes.Contains(b, bytes.Repeat([]byte{fill}, 8)) {
				s.t.Fatalf("a packet carries memory that the peer has no right to: %x", b)
			}
		}
	}
	var wc [64]WC
	for n := 1; n > 0; n, _ = s.cq.Poll(wc[:]) {
	}
}

// standing checks that no other memory than allowed has changed.
func (s *siege) standing(openToo bool) {
	s.t.Helper()
	s.flush()
	for name, part := range map[string]struct {
		b    []byte
		fill byte
	}{
		"before the region": {s.all[:regionBytes], guardFill}, "behind the region": {s.all[2*regionBytes:], guardFill},
		"that may only be read": {s.locked, lockedFill}, "of another protection domain": {s.secret, secretFill},
	} {
		if !bytes.Equal(part.b, bytes.Repeat([]byte{part.fill}, len(part.b))) {
			s.t.Errorf("memory %s has changed", name)
		}
	}
	if open := s.all[regionBytes : 2*regionBytes]; openToo && !bytes.Equal(open, bytes.Repeat([]byte{openFill}, len(open))) {
		s.t.Error("none of these packets may write, and memory that peers may write to has changed")
	}
}

// packet makes a packet; fields that the opcode lacks are left out.
func (s *siege) packet(op wire.Opcode, q *QP, psn units.PSN, va uint64, key, length uint32, payload int) []byte {
	p := wire.Packet{
		BTH:  wire.BTH{Opcode: op, PKey: 0xffff, DestQP: q.QPN(), PSN: psn, AckReq: true},
		RETH: wire.RETHeader{VA: va, RKey: wire.RKey(key), Length: length}, Atomic: wire.AtomicETHeader{VA: va, RKey: wire.RKey(key), SwapAdd: 0xeeee_eeee_eeee_eeee},
		DETH: wire.DETHeader{QKey: siegeQKey, SrcQP: 5}, AETH: wire.AETHeader{Syndrome: wire.Syndrome(s.dice.IntN(256))}, Invalid: wire.RKey(key),
	}
	if op.Valid() && op.HasPayload() {
		p.Payload = bytes.Repeat([]byte{attackFill}, payload)
	}
	b, err := p.AppendTo(nil)
	if err != nil {
		b = append(p.BTH.AppendTo(nil), make([]byte, s.dice.IntN(64))...)
	}
	return b
}

func (s *siege) write(q *QP, psn units.PSN, va uint64, key uint32) []byte {
	return s.packet(wire.RCWriteOnly, q, psn, va, key, 64, 64)
}

// counted checks the number of packets that a test has sent.
func (s *siege) counted(want int) {
	s.t.Helper()
	s.flush()
	if s.delivered != want || s.dev.Stats().PacketsReceived < int64(want)*9/10 {
		s.t.Errorf("%d packets went in and %d are counted, want %d", s.delivered, s.dev.Stats().PacketsReceived, want)
	}
}

// Bytes that are not packets change nothing, end no connection and are counted: 150 000.
func TestSiegeBytesThatAreNoPackets(t *testing.T) {
	s := newSiege(t, 1, false)
	for range 150_000 {
		b := make([]byte, s.dice.IntN(120))
		if s.dice.IntN(100) == 0 {
			b = make([]byte, s.dice.IntN(9000))
		}
		for i := range b {
			b[i] = byte(s.dice.Uint32())
		}
		if s.dice.IntN(2) == 0 && len(b) >= wire.BTHBytes {
			s.send(b)
		} else {
			s.sendRaw(append(b, 0))
		}
	}
	s.standing(true)
	s.counted(150_000)
	for _, q := range []*QP{s.rc, s.uc, s.ud} {
		if q.State() != StateRTS {
			t.Errorf("a queue pair of %v is in %v", q.attr.Type, q.State())
		}
	}
	if st := s.dev.Stats(); st.Malformed+st.BadICRC+st.Misdirected < 140_000 {
		t.Errorf("the errors are not counted: %+v", st)
	}
}

// A strict device accepts no packet with a wrong ICRC: 100 000.
func TestSiegeICRC(t *testing.T) {
	s := newSiege(t, 2, true)
	for range 100_000 {
		b := s.write(s.rc, expected(s.rc), s.open.addr, s.open.key)
		right := s.flow.Begin(0, wire.UDPBytes+len(b)+wire.ICRCBytes, b)
		s.sendRaw(wire.AppendICRC(b, right^(1+s.dice.Uint32N(1<<32-1))))
	}
	s.standing(true)
	s.counted(100_000)
	if got := s.dev.Stats().BadICRC; got != 100_000 {
		t.Errorf("%d packets have a bad ICRC, want all", got)
	}
}

// Packets from a wrong sender change nothing, end no connection and get no answer: 100 000.
func TestSiegeSenders(t *testing.T) {
	s := newSiege(t, 3, false)
	ops := []wire.Opcode{wire.RCWriteOnly, wire.RCReadRequest, wire.RCFetchAdd, wire.RCSendOnly, wire.RCAcknowledge, wire.CNP}
	for i := range 100_000 {
		if i%1000 == 0 {
			s.flush()
			s.speakAs(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(s.dice.IntN(256)), byte(3 + s.dice.IntN(250))}), 4791))
		}
		s.send(s.packet(ops[s.dice.IntN(len(ops))], s.rc, expected(s.rc), s.open.addr, s.open.key, 8, 8))
	}
	s.standing(true)
	s.counted(100_000)
	if st := s.dev.Stats(); st.Misdirected != 100_000 || st.PacketsSent != 0 || s.rc.State() != StateRTS {
		t.Errorf("%d of 100000 are misdirected, %d were answered, and the queue pair is in %v", st.Misdirected, st.PacketsSent, s.rc.State())
	}
}

// A sender who forges the peer's address and knows the queue pair, but neither PSN nor key, changes
// nothing. It ends the connection only with the one expected PSN of 2^24: 150 000.
func TestSiegeBlindSenders(t *testing.T) {
	s := newSiege(t, 4, false)
	for range 150_000 {
		psn := units.PSN(s.dice.Uint32N(1 << 24))
		if psn == expected(s.rc) {
			psn = psn.Add(1)
		}
		op := []wire.Opcode{wire.RCWriteOnly, wire.RCReadRequest, wire.RCFetchAdd, wire.RCAcknowledge, wire.RCAtomicAcknowledge, wire.RCReadResponseOnly}[s.dice.IntN(6)]
		s.send(s.packet(op, s.rc, psn, s.open.addr, s.dice.Uint32(), 8, 8))
	}
	s.standing(true)
	s.counted(150_000)
	if s.rc.State() != StateRTS {
		t.Errorf("the connection is in %v", s.rc.State())
	}
}

// The peer itself, with the expected PSN, reaches nothing with a wrong key: 50 000 keys near the
// right ones, keys with other rights, of other regions and of other domains.
func TestSiegeKeys(t *testing.T) {
	s := newSiege(t, 5, false)
	for range 50_000 {
		mr := []*MR{s.open, s.see, s.foreign}[s.dice.IntN(3)]
		key, va := mr.key, mr.addr
		switch s.dice.IntN(3) {
		case 0:
			key ^= 1 << s.dice.IntN(32)
		case 1:
			key = s.dice.Uint32()
		default:
			va = mr.addr + uint64(len(mr.buf)) - uint64(s.dice.IntN(8)) // over the end
		}
		op := []wire.Opcode{wire.RCWriteOnly, wire.RCFetchAdd, wire.RCCompareSwap, wire.UCWriteOnly}[s.dice.IntN(4)]
		q := s.rc
		if op == wire.UCWriteOnly {
			q = s.uc
		}
		s.send(s.packet(op, q, expected(q), va, key, 8, 8))
		s.flush()
		if q.State() != StateRTS {
			s.connect(q)
		}
	}
	s.standing(true)
	s.counted(50_000)
	if s.connections < 10_000 {
		t.Errorf("only %d packets were refused with a NAK, too few for the test", s.connections)
	}
}

// Packets from the peer itself, of every operation, in every order, truncated and lengthened,
// change only memory that it may write, and read only memory that it may read: 150 000.
func TestSiegeEverythingThatAPeerCanSay(t *testing.T) {
	s := newSiege(t, 6, false)
	for i := range 150_000 {
		q := []*QP{s.rc, s.rc, s.uc, s.ud}[s.dice.IntN(4)]
		op := wire.Opcode(s.dice.IntN(256))
		if s.dice.IntN(4) > 0 {
			op = map[QPType]wire.Opcode{RC: wire.RCSendFirst, UC: wire.UCSendFirst, UD: 0x60}[q.attr.Type] | wire.Opcode(s.dice.IntN(0x18))
		}
		psn := expected(q)
		if s.dice.IntN(4) == 0 {
			psn = psn.Add(int32(s.dice.IntN(64)) - 32)
		}
		mr := []*MR{s.open, s.open, s.see, s.foreign}[s.dice.IntN(4)]
		n := []int{0, 1, 8, 1024, s.dice.IntN(2000)}[s.dice.IntN(5)]
		length := []uint32{uint32(n), uint32(n), 1 << 31, 1<<32 - 1, s.dice.Uint32N(8192)}[s.dice.IntN(5)]
		b := s.packet(op, q, psn, near(s.dice, mr.addr), uint32(near(s.dice, uint64(mr.key))), length, n)
		switch s.dice.IntN(20) {
		case 0:
			b = b[:wire.BTHBytes+s.dice.IntN(len(b)-wire.BTHBytes+1)]
		case 1:
			b[1] = byte(s.dice.Uint32()) // pad count and version
		case 2:
			binary.BigEndian.PutUint16(b[2:], uint16(s.dice.Uint32()))
		}
		s.send(b)
		if i%4 == 0 {
			s.flush()
		}
		if i%16 == 0 {
			for _, q := range []*QP{s.rc, s.uc, s.ud} {
				if q.State() != StateRTS || q.recvs.posted < 2 {
					s.connect(q)
				}
			}
		}
	}
	s.standing(false)
	s.counted(150_000)
	if bytes.Count(s.all, []byte{attackFill}) == 0 {
		t.Error("no packet wrote to the memory open to it: the test checks little")
	}
}

// Messages to the communication manager, of every kind, from any sender and from the peer, with one
// wrong field among the fields that only the peer knows, or random, end no connection, and the manager
// stores no more than its bounds: 200 000.
func TestSiegeCommunicationManager(t *testing.T) {
	d := newDoor(t)
	d.m.probeAfter = 1 << 61 // its peer is not there to answer
	d.established(t)
	dice := rand.New(rand.NewPCG(7, 17))
	kinds := []cm.Attribute{cm.AttrReq, cm.AttrMra, cm.AttrRej, cm.AttrRep, cm.AttrRtu, cm.AttrDreq, cm.AttrDrep, cm.AttrSidrReq, cm.AttrSidrRep, 0x99}
	body := make([]byte, cm.MADBytes)
	const n = 200_000
	for i := range n {
		a := kinds[dice.IntN(len(kinds))]
		tid := []uint64{d.conn.tid, dice.Uint64()}[dice.IntN(2)]
		from := doorPeer
		local, remote, qpn := doorID, d.conn.local, d.conn.qp.QPN()
		switch dice.IntN(4) { // known to the peer only
		case 0:
			local = cm.ID(dice.Uint32())
		case 1:
			remote = cm.ID(dice.Uint32())
		case 2:
			from = netip.AddrFrom4([4]byte{10, byte(dice.IntN(256)), byte(dice.IntN(256)), byte(3 + dice.IntN(250))})
		case 3:
			qpn++
			if a != cm.AttrDreq {
				local ^= 1
			}
		}
		switch {
		case dice.IntN(10) == 0:
			b := head(tid, a)
			for len(b) < cm.MADBytes {
				b = append(b, byte(dice.Uint32()))
			}
			copy(body, b)
			binary.BigEndian.PutUint32(body[24+4:], dice.Uint32())
		case a == cm.AttrReq:
			copy(body, request(local, tid, []uint16{doorPort, 9}[dice.IntN(2)]))
		case a == cm.AttrSidrReq || a == cm.AttrSidrRep:
			q := cm.SidrReq{Request: local, Service: cm.DatagramServiceID(doorPort)}
			copy(body, q.AppendTo(head(tid, a)))
		default:
			p := cm.Pair{Local: local, Remote: remote, QPN: qpn}
			copy(body, p.AppendTo(head(tid, a)))
		}
		d.m.hear(from, body)
		if i%1024 == 0 {
			d.m.tick(d.m.now() + int64(i)*int64(tickTime))
		}
	}
	if d.conn.state != connEstablished || d.conn.qp.State() != StateRTS {
		t.Errorf("the connection is in state %d, its queue pair in %v", d.conn.state, d.conn.qp.State())
	}
	d.m.mu.Lock()
	conns, half, waits := len(d.m.conns), d.m.half.conns.Len(), len(d.l.backlog.waits)
	d.m.mu.Unlock()
	if conns > maxHalfOpen+1 || half > maxHalfOpen || waits > maxBacklog {
		t.Errorf("%d connections, %d handshakes, %d requests wait", conns, half, waits)
	}
	d.dev.port.Lock()
	peers := d.dev.port.Peers()
	d.dev.port.Unlock()
	if peers > 2 {
		t.Errorf("%d addresses are remembered", peers)
	}
	// The correct message ends it, so the wrong ones were close.
	dreq := cm.Pair{Local: doorID, Remote: d.conn.local, QPN: d.conn.qp.QPN()}
	d.m.hear(doorPeer, dreq.AppendTo(head(1, cm.AttrDreq)))
	if d.conn.state != connClosed {
		t.Error("the peer's own DREQ does not end the connection")
	}
}

// The same over sockets: 100 000 packets from strangers on the loopback, to a device that listens,
// serves and has a connection. Afterwards the connection works, and new connections are possible.
func TestSiegeOverLoopback(t *testing.T) {
	const n = 100_000
	p := newPair(t, Options{}, QPInitAttr{}, 1<<16)
	a, b := p.on[0], p.on[1]
	stranger := udp(t, netip.MustParseAddrPort("127.0.0.77:0"))
	defer stranger.Close()
	flow := wire.NewICRCFlow(stranger.Local(), b.dev.Addr())
	if _, err := b.dev.Listen(9); err != nil {
		t.Fatal(err)
	}
	dice := rand.New(rand.NewPCG(8, 17))
	before := b.dev.Stats().PacketsReceived
	for b.dev.Stats().PacketsReceived < before+n {
		var batch []socket.Outgoing
		for range 8 {
			w := wire.Packet{
				BTH:  wire.BTH{Opcode: wire.RCWriteOnly, PKey: 0xffff, DestQP: b.qp.QPN(), PSN: expected(b.qp)},
				RETH: wire.RETHeader{VA: b.mr.Addr(), RKey: wire.RKey(b.mr.RKey()), Length: 64}, Payload: bytes.Repeat([]byte{attackFill}, 64),
			}
			if dice.IntN(2) == 0 {
				w.BTH = wire.BTH{Opcode: wire.UDSendOnly, PKey: 0xffff, DestQP: gsi}
				w.DETH = wire.DETHeader{QKey: gsiQKey, SrcQP: gsi}
				w.Payload = request(cm.ID(dice.Uint32()), dice.Uint64(), []uint16{9, 10}[dice.IntN(2)])
			}
			x, err := w.AppendTo(nil)
			if err != nil {
				t.Fatal(err)
			}
			x = wire.AppendICRC(x, flow.Begin(0, wire.UDPBytes+len(x)+wire.ICRCBytes, x))
			batch = append(batch, socket.Outgoing{To: b.dev.Addr(), Segment: len(x), Packets: 1, Parts: [][]byte{x}})
		}
		if err := stranger.Send(batch); err != nil {
			t.Fatal(err)
		}
		b.dev.Progress()
	}
	if bytes.Contains(b.memory(), []byte{attackFill}) || b.qp.State() != StateRTS {
		t.Errorf("memory was written to, or the queue pair is in %v", b.qp.State())
	}
	fillPattern(a.buf, 1)
	a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 1<<12)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
	a.want(1, Success)
	if !bytes.Equal(a.buf[:1<<12], b.memory()[:1<<12]) {
		t.Error("what the peer wrote has not arrived")
	}
}

// Every test that SECURITY.md names exists, and it names every siege test.
func TestTheThreatModelNamesItsTests(t *testing.T) {
	doc, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	err = filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			there[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, name := range regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`).FindAllString(string(doc), -1) {
		named[name] = true
		if !there[name] {
			t.Errorf("SECURITY.md names %s, which does not exist", name)
		}
	}
	for name := range there {
		if strings.HasPrefix(name, "TestSiege") && !named[name] {
			t.Errorf("SECURITY.md does not name %s", name)
		}
	}
	for _, row := range regexp.MustCompile(`(?m)^\| [A-Z]\d+ \|.*$`).FindAllString(string(doc), -1) {
		if !strings.Contains(row, "`Test") && !strings.Contains(row, "`Fuzz") {
			t.Errorf("no test is named in the row %s", row)
		}
	}
}
