package verbs

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"testing"

	"weft/verbs/internal/socket"
	"weft/verbs/internal/socket/faulty"
	"weft/wire"
)

const groupQKey = 0x0123_4567 // RDMA_UDP_QKEY, which rdma_cm gives to groups

var testGroup = netip.MustParseAddr("239.77.1.1")

// listeners are devices of one UDP port on the loopback, each with a queue pair of UD
// that has receives posted.
func listeners(t *testing.T, n int) []*side {
	t.Helper()
	all := make([]*side, n)
	at := netip.MustParseAddrPort("127.0.0.1:0")
	for i := range all {
		all[i] = newSide(t, Options{Addr: at}, QPInitAttr{Type: UD}, 1<<16)
		if err := all[i].qp.ConnectWith(&QPAttr{QKey: groupQKey}); err != nil {
			t.Fatal(err)
		}
		all[i].receives(all[i].qp, 0, 8)
		at = netip.AddrPortFrom(all[i].dev.Addr().Addr().Next(), all[i].dev.Addr().Port())
	}
	return all
}

// receives posts n receives of 4 KiB to a queue pair, with IDs from first on.
func (s *side) receives(qp *QP, first, n int) {
	s.t.Helper()
	for i := first; i < first+n; i++ {
		if err := qp.PostRecv(RecvWR{WRID: uint64(i), SGL: []SGE{s.mr.SGE(i*4096, 4096)}}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// tell sends bytes of the side's buffer to a group.
func (s *side) tell(group netip.Addr, dest QPN, qkey uint32, n int) {
	s.t.Helper()
	ah, err := s.pd.CreateAH(netip.AddrPortFrom(group, s.dev.Addr().Port()))
	if err != nil {
		s.t.Fatal(err)
	}
	s.post(SendWR{WRID: 500, Opcode: Send, SGL: []SGE{s.mr.SGE(40000, n)}, AH: ah, DestQPN: dest, QKey: qkey})
	s.want(500, Success)
}

func TestADatagramToAGroupReachesEachQueuePairThatIsAttached(t *testing.T) {
	all := listeners(t, 3)
	from := all[0]
	second, err := all[1].pd.CreateQP(QPInitAttr{Type: UD, SendCQ: all[1].cq, RecvCQ: all[1].cq, MaxRecvWR: 8})
	if err != nil {
		t.Fatal(err)
	}
	if err := second.ConnectWith(&QPAttr{QKey: groupQKey}); err != nil {
		t.Fatal(err)
	}
	all[1].receives(second, 8, 1)
	for _, q := range []*QP{all[1].qp, second, all[2].qp, all[2].qp} { // the last one again
		if err := q.AttachMcast(testGroup); err != nil {
			t.Fatal(err)
		}
	}
	fillPattern(from.buf, 3)
	from.tell(testGroup, MulticastQPN, groupQKey, 1000)
	for i, want := range []int{0, 2, 1} {
		s := all[i]
		seen := map[QPN]bool{}
		for range want {
			wc := s.wait()
			if wc.Status != Success || wc.ByteLen != 1000+grhBytes || wc.SrcQP != from.qp.QPN() || seen[wc.QPN] {
				t.Fatalf("device %d received %+v", i, wc)
			}
			seen[wc.QPN] = true
			got := s.memory()[wc.WRID*4096:][:wc.ByteLen]
			if !bytes.Equal(got[grhBytes:], from.buf[40000:41000]) {
				t.Errorf("device %d: other bytes arrived", i)
			}
			var h wire.IPv4Header
			if err := h.Parse(got[grhBytes-wire.IPv4Bytes:]); err != nil || netip.AddrFrom4(h.Dst) != testGroup || netip.AddrFrom4(h.Src) != from.dev.Addr().Addr() {
				t.Errorf("device %d: the GRH says from %v to %v (%v)", i, h.Src, h.Dst, err)
			}
		}
		if n := s.cq.Pending(); n != 0 {
			t.Errorf("device %d has %d completions more", i, n)
		}
	}
}

// Members of a group do not receive packets with another Q_Key, to a queue pair number other than
// the multicast one, or to another group.
func TestAGroupsMembersAreGivenNothingElse(t *testing.T) {
	all := listeners(t, 2)
	a, b := all[0], all[1]
	if err := b.qp.AttachMcast(testGroup); err != nil {
		t.Fatal(err)
	}
	a.tell(testGroup, MulticastQPN, groupQKey+1, 10)
	a.tell(testGroup, b.qp.QPN(), groupQKey, 11)
	a.tell(testGroup.Next(), MulticastQPN, groupQKey, 12)
	a.tell(b.dev.Addr().Addr(), MulticastQPN, groupQKey, 13)
	a.tell(testGroup, MulticastQPN, groupQKey, 14)
	if wc := b.want(0, Success); wc.ByteLen != 14+grhBytes {
		t.Errorf("%d bytes arrived, want the last message's 14 only", wc.ByteLen-grhBytes)
	}
	if err := b.qp.DetachMcast(testGroup); err != nil {
		t.Fatal(err)
	}
	a.tell(testGroup, MulticastQPN, groupQKey, 15)
	a.tell(b.dev.Addr().Addr(), b.qp.QPN(), groupQKey, 16)
	if wc := b.want(1, Success); wc.ByteLen != 16+grhBytes {
		t.Errorf("%d bytes arrived, want the message to the queue pair itself", wc.ByteLen-grhBytes)
	}
}

// A queue pair that sends to its own group receives a copy; a Q_Key with the highest bit set stands
// for its own.
func TestASenderThatIsAttachedHasACopy(t *testing.T) {
	s := listeners(t, 1)[0]
	if err := s.qp.AttachMcast(testGroup); err != nil {
		t.Fatal(err)
	}
	s.tell(testGroup, MulticastQPN, 1<<31, 5)
	s.want(0, Success)
}

func TestAttachingIsRefusedWhereItMeansNothing(t *testing.T) {
	s := listeners(t, 1)[0]
	rc, err := s.pd.CreateQP(QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.qp.AttachMcast(testGroup); err != nil {
		t.Fatal(err)
	}
	if err := s.qp.Destroy(); !errors.Is(err, ErrBusy) {
		t.Errorf("a queue pair that is attached was destroyed: %v, want %v", err, ErrBusy)
	}
	for name, err := range map[string]error{
		"RC":                 rc.AttachMcast(testGroup),
		"an address":         s.qp.AttachMcast(netip.MustParseAddr("127.0.0.1")),
		"the other family":   s.qp.AttachMcast(netip.MustParseAddr("ff15::1")),
		"not attached":       s.qp.DetachMcast(testGroup.Next()),
		"an invalid address": s.qp.AttachMcast(netip.Addr{}),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want %v", name, err, ErrInvalid)
		}
	}
	group := testGroup
	for range socket.MaxGroups - 1 {
		group = group.Next()
		if err := s.qp.AttachMcast(group); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.qp.AttachMcast(group.Next()); !errors.Is(err, socket.ErrFull) {
		t.Errorf("one group too many: %v, want %v", err, socket.ErrFull)
	}
}

func TestMulticastOverIPv6(t *testing.T) {
	n := faulty.New(1, faulty.Harm{})
	group := netip.MustParseAddr("ff15::77")
	var on [2]*side
	for i := range on {
		dev, err := open(n.Open(netip.MustParseAddrPort(fmt.Sprintf("[fd00::%d]:4791", i+1))), Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = dev.Close() })
		on[i] = fit(t, dev, QPInitAttr{Type: UD}, 1<<16)
		if err := on[i].qp.ConnectWith(&QPAttr{QKey: groupQKey}); err != nil {
			t.Fatal(err)
		}
		on[i].receives(on[i].qp, 0, 1)
	}
	if err := on[1].qp.AttachMcast(group); err != nil {
		t.Fatal(err)
	}
	on[0].tell(group, MulticastQPN, groupQKey, 100)
	on[1].want(0, Success)
	var h wire.IPv6Header
	if err := h.Parse(on[1].memory()); err != nil || netip.AddrFrom16(h.Dst) != group {
		t.Errorf("the GRH says to %v (%v), want %v", netip.AddrFrom16(h.Dst), err, group)
	}
}

// The device accepts the recorded packets of Linux's mckey to its group unchanged.
func TestLinuxsPacketsToAGroupAreAccepted(t *testing.T) {
	list := recordings(t)["mckey_mcast"]
	taken := 0
	var x *script
	var s *side
	for _, p := range list {
		if !p.to.IsMulticast() || p.Packet.BTH.Opcode.Service() != wire.ServiceUD {
			continue
		}
		if s == nil {
			x = &script{local: netip.AddrPortFrom(p.from.Addr().Next(), wire.RoCEv2Port)}
			dev, err := open(x, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = dev.Close() })
			s = fit(t, dev, QPInitAttr{Type: UD}, 1<<16)
			if err := s.qp.ConnectWith(&QPAttr{QKey: p.Packet.DETH.QKey}); err != nil {
				t.Fatal(err)
			}
			s.receives(s.qp, 0, 8)
			if err := s.qp.AttachMcast(p.to); err != nil {
				t.Fatal(err)
			}
		}
		s.dev.port.Lock()
		x.in = append(x.in, socket.Incoming{From: p.from, To: netip.AddrPortFrom(p.to, wire.RoCEv2Port), Segment: len(p.data), Data: p.data})
		s.dev.port.Progress()
		s.dev.port.Unlock()
		wc := s.want(uint64(taken), Success)
		if wc.SrcQP != p.Packet.DETH.SrcQP || wc.ImmData != p.Packet.Immediate || p.Packet.BTH.DestQP != MulticastQPN {
			t.Errorf("message %d: %+v", taken, wc)
		}
		if got := s.memory()[taken*4096+grhBytes:][:int(wc.ByteLen)-grhBytes]; !bytes.Equal(got, p.Packet.Payload) {
			t.Errorf("message %d: other bytes arrived", taken)
		}
		taken++
	}
	if taken == 0 {
		t.Error("nothing was sent to a group in the recording")
	}
}
