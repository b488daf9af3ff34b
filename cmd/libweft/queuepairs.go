//go:build cgo && linux

package main

/*
#include "core.h"
*/
import "C"

import (
	"net/netip"

	"weft/units"
	"weft/verbs"
)

// services are the services by the numbers of ibv_qp_type.
var services = map[C.uint32_t]verbs.QPType{2: verbs.RC, 3: verbs.UC, 4: verbs.UD, 9: verbs.XRCSend, 10: verbs.XRCRecv}

//export weft_create_qp
func weft_create_qp(in *C.struct_weft_qp_init, of C.uintptr_t, id *C.weft_id, qpn *C.uint32_t) C.int {
	a := verbs.QPInitAttr{
		Type: services[in._type], SendCQ: optional[*verbs.CQ](in.send_cq), RecvCQ: optional[*verbs.CQ](in.recv_cq), SRQ: optional[*verbs.SRQ](in.srq),
		MaxSendWR: int(in.max_send_wr), MaxRecvWR: int(in.max_recv_wr), MaxInlineData: int(in.max_inline), SignalAll: in.signal_all != 0,
	}
	var qp *verbs.QP
	var events int
	var err error
	if in.xrcd != 0 {
		x := object[*xrcDomain](in.xrcd)
		events = x.events
		qp, err = x.CreateQP()
	} else {
		pd := object[*domain](in.pd)
		events = pd.events
		qp, err = pd.CreateQP(a)
	}
	if err != nil {
		return errno("ibv_create_qp", err)
	}
	owners.add(qp, owner{uintptr(of), events})
	*qpn = C.uint32_t(qp.QPN())
	keep(id, qp)
	return 0
}

//export weft_destroy_qp
func weft_destroy_qp(id C.weft_id) C.int {
	qp := object[*verbs.QP](id)
	if err := qp.Destroy(); err != nil {
		return errno("ibv_destroy_qp", err)
	}
	owners.remove(qp)
	forget(id)
	return 0
}

// masks are the bits of ibv_qp_attr_mask and package verbs' own.
var masks = []struct {
	c C.uint32_t
	v verbs.QPAttrMask
}{
	{1 << 0, verbs.AttrState},
	{1 << 3, verbs.AttrAccess},
	{1 << 6, verbs.AttrQKey},
	{1 << 7, verbs.AttrAV},
	{1 << 8, verbs.AttrPathMTU},
	{1 << 9, verbs.AttrTimeout},
	{1 << 10, verbs.AttrRetryCnt},
	{1 << 11, verbs.AttrRNRRetry},
	{1 << 12, verbs.AttrRQPSN},
	{1 << 13, verbs.AttrMaxRdAtomic},
	{1 << 15, verbs.AttrMinRNRTimer},
	{1 << 16, verbs.AttrSQPSN},
	{1 << 17, verbs.AttrMaxDestRdAtomic},
	{1 << 20, verbs.AttrDestQPN},
}

//export weft_modify_qp
func weft_modify_qp(id C.weft_id, in *C.struct_weft_qp_attr) C.int {
	a := verbs.QPAttr{
		State: verbs.QPState(in.state), Access: verbs.Access(in.access), QKey: uint32(in.qkey), PathMTU: int(in.path_mtu),
		Dest: netip.AddrPortFrom(address(&in.address[0]), 0), DestQPN: units.QPN(in.dest_qpn),
		RQPSN: units.PSN(in.rq_psn & units.PSNMask), SQPSN: units.PSN(in.sq_psn & units.PSNMask),
		MaxRdAtomic: int(in.max_rd_atomic), MaxDestRdAtomic: int(in.max_dest_rd_atomic), MinRNRTimer: uint8(in.min_rnr_timer),
		Timeout: uint8(in.timeout), RetryCnt: uint8(in.retry_cnt), RNRRetry: uint8(in.rnr_retry),
	}
	var mask verbs.QPAttrMask
	for _, m := range masks {
		if in.mask&m.c != 0 {
			mask |= m.v
		}
	}
	return errno("ibv_modify_qp", object[*verbs.QP](id).Modify(&a, mask))
}

//export weft_query_qp
func weft_query_qp(id C.weft_id, out *C.struct_weft_qp_attr) C.int {
	a, _ := object[*verbs.QP](id).Query()
	*out = attributes(&a)
	return 0
}

// attributes are a queue pair's attributes as C has them.
func attributes(a *verbs.QPAttr) C.struct_weft_qp_attr {
	out := C.struct_weft_qp_attr{
		state: C.uint32_t(a.State), access: C.uint32_t(a.Access), qkey: C.uint32_t(a.QKey), path_mtu: C.uint32_t(a.PathMTU),
		dest_qpn: C.uint32_t(a.DestQPN), rq_psn: C.uint32_t(a.RQPSN), sq_psn: C.uint32_t(a.SQPSN),
		max_rd_atomic: C.uint32_t(a.MaxRdAtomic), max_dest_rd_atomic: C.uint32_t(a.MaxDestRdAtomic),
		min_rnr_timer: C.uint32_t(a.MinRNRTimer), timeout: C.uint32_t(a.Timeout), retry_cnt: C.uint32_t(a.RetryCnt), rnr_retry: C.uint32_t(a.RNRRetry),
	}
	if a.Dest.IsValid() {
		write(&out.address[0], a.Dest.Addr().As16())
	}
	return out
}

// address is an address in C's memory.
func address(from *C.uint8_t) netip.Addr { return netip.AddrFrom16(read(from)).Unmap() }

//export weft_create_ah
func weft_create_ah(pd C.weft_id, to *C.uint8_t, id *C.weft_id) C.int {
	ah, err := object[*domain](pd).CreateAH(netip.AddrPortFrom(address(to), 0))
	if err != nil {
		return errno("ibv_create_ah", err)
	}
	keep(id, ah)
	return 0
}

//export weft_destroy_ah
func weft_destroy_ah(id C.weft_id) C.int {
	if err := object[*verbs.AH](id).Destroy(); err != nil {
		return errno("ibv_destroy_ah", err)
	}
	forget(id)
	return 0
}

//export weft_mcast
func weft_mcast(qp C.weft_id, group *C.uint8_t, attach C.int) C.int {
	q := object[*verbs.QP](qp)
	if attach != 0 {
		return errno("ibv_attach_mcast", q.AttachMcast(address(group)))
	}
	return errno("ibv_detach_mcast", q.DetachMcast(address(group)))
}

//export weft_create_srq
func weft_create_srq(pd C.weft_id, maxWR C.uint32_t, of C.uintptr_t, id *C.weft_id) C.int {
	d := object[*domain](pd)
	srq, err := d.CreateSRQ(int(maxWR))
	if err != nil {
		return errno("ibv_create_srq", err)
	}
	owners.add(srq, owner{uintptr(of), d.events})
	keep(id, srq)
	return 0
}

// xrcDomain is a domain of XRC and the pipe of its context's events.
type xrcDomain struct {
	*verbs.XRCD
	events int
}

//export weft_open_xrcd
func weft_open_xrcd(dev C.weft_id, id *C.weft_id) C.int {
	c := object[*context](dev)
	keep(id, &xrcDomain{c.AllocXRCD(), c.events})
	return 0
}

//export weft_close_xrcd
func weft_close_xrcd(id C.weft_id) C.int {
	if err := object[*xrcDomain](id).Dealloc(); err != nil {
		return errno("ibv_close_xrcd", err)
	}
	forget(id)
	return 0
}

//export weft_create_xrc_srq
func weft_create_xrc_srq(pd C.weft_id, maxWR C.uint32_t, xrcd, cq C.weft_id, of C.uintptr_t, id *C.weft_id, number *C.uint32_t) C.int {
	d := object[*domain](pd)
	srq, err := d.CreateXRCSRQ(int(maxWR), object[*xrcDomain](xrcd).XRCD, object[*verbs.CQ](cq))
	if err != nil {
		return errno("ibv_create_srq_ex", err)
	}
	owners.add(srq, owner{uintptr(of), d.events})
	*number = C.uint32_t(srq.Number())
	keep(id, srq)
	return 0
}

//export weft_arm_srq
func weft_arm_srq(id C.weft_id, limit C.uint32_t) C.int {
	object[*verbs.SRQ](id).Arm(int(limit))
	return 0
}

//export weft_query_srq
func weft_query_srq(id C.weft_id, maxWR, limit *C.uint32_t) C.int {
	a := object[*verbs.SRQ](id).Query()
	*maxWR, *limit = C.uint32_t(a.MaxWR), C.uint32_t(a.Limit)
	return 0
}

//export weft_destroy_srq
func weft_destroy_srq(id C.weft_id) C.int {
	srq := object[*verbs.SRQ](id)
	if err := srq.Destroy(); err != nil {
		return errno("ibv_destroy_srq", err)
	}
	owners.remove(srq)
	forget(id)
	return 0
}
