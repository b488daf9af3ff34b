package emulate_test

import (
	"bytes"
	"context"
	"net/netip"
	"testing"
	"time"

	"weft/internal/live/emulate"
	"weft/verbs"
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

// TestAMulticastReachesEachMemberOnce sends a datagram to a group with two members on one NIC, one on another,
// and a device that is no member.
func TestAMulticastReachesEachMemberOnce(t *testing.T) {
	socket, _ := start(t, oneSwitch, emulate.Options{})
	group := netip.MustParseAddr("239.1.2.3")
	var all []*side
	for _, nic := range []string{"node0/nic0", "node1/nic0", "node1/nic0", "node2/nic0", "node3/nic0"} {
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
	err = sender.qp.PostSend(verbs.SendWR{Opcode: verbs.Send, SGL: []verbs.SGE{sender.mr.SGE(0, 64)}, Flags: verbs.SendSignaled, AH: ah, DestQPN: 0xffffff, QKey: 17})
	if err != nil {
		t.Fatal(err)
	}
	if wc := sender.completion(t); wc.Status != verbs.Success {
		t.Fatal(wc.Status)
	}
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
