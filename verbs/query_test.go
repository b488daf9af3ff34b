package verbs

import (
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"
)

func TestAQueuePairReportsItsAttributes(t *testing.T) {
	p := newPair(t, Options{}, QPInitAttr{MaxSendWR: 33, MaxRecvWR: 44}, 1<<16)
	a, b := p.on[0], p.on[1]
	before, _ := b.qp.Query()
	a.post(SendWR{WRID: 1, Opcode: RDMAWrite, SGL: []SGE{a.mr.SGE(0, 1<<16)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()})
	a.want(1, Success)
	packets := int32((1<<16 + a.dev.PathMTU() - 1) / a.dev.PathMTU())
	after, init := b.qp.Query()
	if before.RQPSN != 100 || after.RQPSN != before.RQPSN.Add(packets) || after.SQPSN != 100 {
		t.Errorf("the responder expects %d, then %d, and sends %d; want 100, %d packets on, and 100", before.RQPSN, after.RQPSN, after.SQPSN, packets)
	}
	if asker, _ := a.qp.Query(); asker.SQPSN != before.RQPSN.Add(packets) || asker.RQPSN != 100 {
		t.Errorf("the requester sends %d next and expects %d", asker.SQPSN, asker.RQPSN)
	}
	want := QPAttr{
		State: StateRTS, Access: allAccess, PathMTU: b.dev.PathMTU(), Dest: a.dev.Addr(), DestQPN: a.qp.QPN(), RQPSN: after.RQPSN, SQPSN: 100,
		MaxRdAtomic: MaxRdAtomic, MaxDestRdAtomic: MaxRdAtomic, MinRNRTimer: 12, Timeout: AckTimeout, RetryCnt: 7, RNRRetry: 7,
	}
	if after != want {
		t.Errorf("got  %+v\nwant %+v", after, want)
	}
	if init.MaxSendWR != 33 || init.MaxRecvWR != 44 || init.Type != RC || init.SendCQ != b.cq {
		t.Errorf("its attributes at creation are %+v", init)
	}
	for _, s := range []QPState{StateErr, StateReset} {
		if err := b.qp.Modify(&QPAttr{State: s}, AttrState); err != nil {
			t.Fatal(err)
		}
		if got, _ := b.qp.Query(); got.State != s {
			t.Errorf("it is in %v, want %v", got.State, s)
		}
	}
	if got, _ := b.qp.Query(); got != (QPAttr{}) {
		t.Errorf("in RESET it has %+v", got)
	}
}

func TestADeviceAndItsPortReportTheirAttributes(t *testing.T) {
	s := newSide(t, Options{}, QPInitAttr{}, 64)
	d := s.dev.Query()
	if d.PhysPorts != 1 || d.MaxQPWR != MaxQPWR || d.MaxMR != MaxMR || d.MaxSGE != MaxSGE || d.MaxRdAtomic != MaxRdAtomic || d.NodeGUID != 0xffff_7f00_0001 {
		t.Errorf("the device says %+v", d)
	}
	// Reported limits are the real ones.
	if _, err := s.dev.CreateCQ(d.MaxCQE + 1); !errors.Is(err, ErrInvalid) {
		t.Errorf("a queue of more than %d: %v", d.MaxCQE, err)
	}
	if _, err := s.pd.CreateQP(QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: d.MaxQPWR + 1}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a queue pair of more than %d: %v", d.MaxQPWR, err)
	}
	port := s.dev.QueryPort()
	if port.State != PortActive || port.ActiveMTU != s.dev.PathMTU() || port.MaxMessage != MaxMessage || port.LID != 0 {
		t.Errorf("the port says %+v", port)
	}
	if gid, err := s.dev.QueryGID(0); err != nil || gid != netip.MustParseAddr("127.0.0.1") {
		t.Errorf("GID 0 is %v, %v", gid, err)
	}
	if key, err := s.dev.QueryPKey(0); err != nil || key != 0xffff {
		t.Errorf("P_Key 0 is %#x, %v", key, err)
	}
	_, errGID := s.dev.QueryGID(port.GIDs)
	_, errPKey := s.dev.QueryPKey(port.PKeys)
	if !errors.Is(errGID, ErrInvalid) || !errors.Is(errPKey, ErrInvalid) {
		t.Errorf("entries behind the tables' ends: %v, %v", errGID, errPKey)
	}
	srq, err := s.pd.CreateSRQ(9)
	if err != nil {
		t.Fatal(err)
	}
	if err := srq.PostRecv(RecvWR{}, RecvWR{}); err != nil {
		t.Fatal(err)
	}
	srq.Arm(2)
	if got := srq.Query(); got != (SRQAttr{MaxWR: 9, MaxSGE: MaxSGE, Limit: 2, Posted: 2}) {
		t.Errorf("the shared receive queue says %+v", got)
	}
	if s.cq.Capacity() != 4096 || s.mr.Access() != allAccess|AccessMWBind {
		t.Errorf("the completion queue has room for %d, the region the rights %v", s.cq.Capacity(), s.mr.Access())
	}
	_ = s.dev.Close()
	if got := s.dev.QueryPort().State; got != PortDown {
		t.Errorf("the port of a closed device is %v", got)
	}
}

// The public methods are the verbs: none takes or returns a type from the module's internals.
func TestNoPublicMethodHasAnInternalType(t *testing.T) {
	for _, v := range []any{
		&Device{}, &PD{}, &MR{}, &MW{}, &CQ{}, &SRQ{}, &QP{}, &AH{}, &Listener{}, &Request{}, &Conn{}, &Service{}, &Question{},
	} {
		kind := reflect.TypeOf(v)
		for m := range kind.Methods() {
			if s := m.Type.String(); strings.Contains(s, "transport.") || strings.Contains(s, "live.") || m.Name == "Replenish" {
				t.Errorf("%v has the method %s%s", kind, m.Name, s)
			}
		}
	}
}

func TestEveryValueHasItsNameOfTheVerbs(t *testing.T) {
	for o := Opcode(0); o <= SendWithInv; o++ {
		if s := o.String(); !strings.HasPrefix(s, "IBV_WR_") {
			t.Errorf("the operation %d is %q", o, s)
		}
		if c := operations[o].wc.String(); !strings.HasPrefix(c, "IBV_WC_") {
			t.Errorf("the operation of %v's completion is %q", o, c)
		}
	}
	for got, want := range map[string]string{
		Opcode(99).String():                              "Opcode(99)",
		RDMAWrite.String():                               "IBV_WR_RDMA_WRITE",
		WCRecv.String():                                  "IBV_WC_RECV",
		WCOpcode(77).String():                            "WCOpcode(77)",
		(SendSignaled | SendInline).String():             "IBV_SEND_SIGNALED|IBV_SEND_INLINE",
		SendFlags(0).String():                            "0",
		(WCGRH | WCWithInv | 4).String():                 "IBV_WC_GRH|0x4|IBV_WC_WITH_INV",
		(AccessLocalWrite | AccessRemoteAtomic).String(): "IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_ATOMIC",
		EventSRQLimitReached.String():                    "IBV_EVENT_SRQ_LIMIT_REACHED",
		MWType2.String():                                 "IBV_MW_TYPE_2",
		PortActive.String():                              "IBV_PORT_ACTIVE",
		LocProtErr.String():                              "IBV_WC_LOC_PROT_ERR",
		StateSQE.String():                                "SQE",
		XRCSend.String():                                 "XRC, sending",
		(AttrState | AttrRNRRetry).String():              "State|RNRRetry",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
