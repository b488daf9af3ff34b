package emulate_test

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"weft/internal/live/emulate"
	"weft/verbs"
	"weft/wire"
)

// TestTheConnectionManagerWorksThroughTheFabric connects by RDMA's communication manager, and writes.
func TestTheConnectionManagerWorksThroughTheFabric(t *testing.T) {
	socket, end := start(t, oneSwitch, emulate.Options{})
	a, b := open(t, socket, "node0/nic0", 1<<16), open(t, socket, "node1/nic0", 1<<16)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	l, err := b.dev.Listen(7174)
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan error, 1)
	go func() {
		request, err := l.Accept(ctx)
		if err == nil {
			_, err = request.Accept(ctx, b.qp, verbs.ConnParam{Access: verbs.AccessRemoteWrite})
		}
		accepted <- err
	}()
	if _, err := a.dev.Dial(ctx, a.qp, b.dev.Addr().Addr(), 7174, verbs.ConnParam{}); err != nil {
		t.Fatal(err)
	}
	if err := <-accepted; err != nil {
		t.Fatal(err)
	}
	copy(a.buf, "by the manager")
	a.write(t, b)
	wc := a.completion(t)
	b.dev.Progress() // what the device has written can be read now
	if wc.Status != verbs.Success || !bytes.Equal(a.buf, b.buf) {
		t.Errorf("%v, %q", wc.Status, b.buf[:16])
	}
	for _, d := range end().Devices {
		if d.Repeated > 0 {
			t.Errorf("%+v; want nothing sent again", d)
		}
	}
}

// datagrams opens a device at a NIC with a queue pair of UD that has two receives.
func datagrams(t *testing.T, socket, nic string) *side {
	t.Helper()
	s := open(t, socket, nic, 4096)
	var err error
	if s.qp, err = s.pd.CreateQP(verbs.QPInitAttr{Type: verbs.UD, SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 4, MaxRecvWR: 4}); err != nil {
		t.Fatal(err)
	}
	if err := s.qp.ConnectWith(&verbs.QPAttr{QKey: 17}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.qp.PostRecv(verbs.RecvWR{SGL: []verbs.SGE{s.mr.SGE(0, 4096)}}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// datagram sends 64 bytes.
func (e *side) datagram(t *testing.T, to *verbs.AH, qpn verbs.QPN) {
	t.Helper()
	err := e.qp.PostSend(verbs.SendWR{Opcode: verbs.Send, SGL: []verbs.SGE{e.mr.SGE(0, 64)}, Flags: verbs.SendSignaled, AH: to, DestQPN: qpn, QKey: 17})
	if err != nil {
		t.Fatal(err)
	}
	if wc := e.completion(t); wc.Status != verbs.Success {
		t.Fatal(wc.Status)
	}
}

// TestDatagramsOfInfiniBandNameTheirSender sends a datagram to a LID, and one to a group. The first has the sender's LID
// and no GRH, the second both.
func TestDatagramsOfInfiniBandNameTheirSender(t *testing.T) {
	socket, _ := start(t, strings.Replace(oneSwitch, "roce-v2-400g", "infiniband-ndr", 1), emulate.Options{})
	a, b := datagrams(t, socket, "node0/nic0"), datagrams(t, socket, "node1/nic0")
	port, peer := a.dev.QueryPort(), b.dev.QueryPort()
	if port.Link != verbs.LinkInfiniBand || port.LID == 0 || peer.LID == 0 || port.LID == peer.LID || port.SMLID == 0 {
		t.Fatalf("the ports are %+v and %+v; want InfiniBand, LIDs of their own, and a Subnet Manager", port, peer)
	}
	if _, err := a.dev.AddrOfLID(port.SMLID); err == nil {
		t.Errorf("LID %d is the Subnet Manager's, and a device's", port.SMLID)
	}
	addr, err := a.dev.AddrOfLID(peer.LID)
	if err != nil || addr != b.dev.Addr().Addr() {
		t.Fatalf("LID %d is %v (%v), want %v", peer.LID, addr, err, b.dev.Addr())
	}
	group := netip.MustParseAddr("239.1.2.3")
	if err := b.qp.AttachMcast(group); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		to    netip.Addr
		qpn   verbs.QPN
		flags verbs.WCFlags
	}{{addr, b.qp.QPN(), 0}, {group, verbs.MulticastQPN, verbs.WCGRH}} {
		ah, err := a.pd.CreateAH(netip.AddrPortFrom(c.to, 0))
		if err != nil {
			t.Fatal(err)
		}
		a.datagram(t, ah, c.qpn)
		if wc := b.completion(t); wc.SLID != port.LID || wc.Flags != c.flags || wc.ByteLen != 40+64 {
			t.Errorf("to %v: from LID %d, flags %v, %d bytes; want LID %d, %v, %d", c.to, wc.SLID, wc.Flags, wc.ByteLen, port.LID, c.flags, 40+64)
		}
	}
	var h wire.IPv6Header // the GRH of the second
	if err := h.Parse(b.buf); err != nil || h.Src != a.dev.GID(a.dev.Addr().Addr()) || h.Dst != a.dev.GID(group) {
		t.Errorf("the GRH is from %x to %x (%v), want %x and %x", h.Src, h.Dst, err, a.dev.GID(a.dev.Addr().Addr()), a.dev.GID(group))
	}
}

// TestAMulticastReachesEachMemberOnce sends a datagram to a group with two members on one NIC, one on another,
// and a device that is no member.
func TestAMulticastReachesEachMemberOnce(t *testing.T) {
	socket, _ := start(t, oneSwitch, emulate.Options{})
	group := netip.MustParseAddr("239.1.2.3")
	var all []*side
	for _, nic := range []string{"node0/nic0", "node1/nic0", "node1/nic0", "node2/nic0", "node3/nic0"} {
		s := datagrams(t, socket, nic)
		all = append(all, s)
	}
	members := all[1:4]
	for _, s := range members {
		if err := s.qp.AttachMcast(group); err != nil {
			t.Fatal(err)
		}
	}
	sender := all[0]
	ah, err := sender.pd.CreateAH(netip.AddrPortFrom(group, 0))
	if err != nil {
		t.Fatal(err)
	}
	sender.datagram(t, ah, verbs.MulticastQPN)
	for _, s := range members {
		if wc := s.completion(t); wc.Status != verbs.Success || wc.ByteLen != 40+64 {
			t.Errorf("%v at %v: %d bytes, want 64 and the GRH", wc.Status, s.dev.Addr(), wc.ByteLen)
		}
	}
	time.Sleep(20 * time.Millisecond)
	for _, s := range all {
		if n := s.cq.Pending(); n != 0 {
			t.Errorf("%v has %d completions more", s.dev.Addr(), n)
		}
	}
}

// TestDatagramsLeaveBeforeTheirQueuePair posts datagrams, and destroys their queue pair and device at once.
func TestDatagramsLeaveBeforeTheirQueuePair(t *testing.T) {
	socket, _ := start(t, oneSwitch, emulate.Options{})
	a, b := datagrams(t, socket, "node0/nic0"), datagrams(t, socket, "node1/nic0")
	ah, err := a.pd.CreateAH(b.dev.Addr())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := a.qp.PostSend(verbs.SendWR{Opcode: verbs.Send, SGL: []verbs.SGE{a.mr.SGE(0, 64)}, AH: ah, DestQPN: b.qp.QPN(), QKey: 17}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(a.qp.Destroy(), a.dev.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if wc := b.completion(t); wc.Status != verbs.Success {
			t.Error(wc.Status)
		}
	}
}
