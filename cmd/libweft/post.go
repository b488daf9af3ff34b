//go:build cgo && linux

package main

/*
#include "core.h"
static void *weft_at(uint64_t addr) { return (void *)(uintptr_t)addr; }
*/
import "C"

import (
	"unsafe"

	"weft/units"
	"weft/verbs"
)

//export weft_post_send
func weft_post_send(qp C.weft_id, in *C.struct_weft_send) C.int {
	var room [verbs.MaxSGE]verbs.SGE
	wr := verbs.SendWR{
		WRID: uint64(in.wr_id), Opcode: verbs.Opcode(in.opcode), Flags: verbs.SendFlags(in.flags), ImmData: uint32(in.imm_data),
		InvalidateRKey: uint32(in.imm_data), RemoteAddr: uint64(in.remote_addr), RKey: uint32(in.rkey),
		CompareAdd: uint64(in.compare_add), Swap: uint64(in.swap), DestQPN: units.QPN(in.dest_qpn), QKey: uint32(in.qkey),
	}
	if wr.Flags&verbs.SendInline != 0 {
		wr.Inline = inline(in)
	} else {
		wr.SGL = elements(room[:0], in.sge, in.num_sge)
	}
	if in.ah != 0 {
		wr.AH = object[*verbs.AH](in.ah)
	}
	if in.bind.mw != 0 {
		wr.Bind = &verbs.BindWR{MW: object[*verbs.MW](in.bind.mw), RKey: uint32(in.bind.rkey), BindInfo: bindInfo(&in.bind)}
	}
	return errno("ibv_post_send", object[*verbs.QP](qp).PostSend(wr))
}

// inline collects inline data. It lies at addresses of the process, whatever the keys say.
func inline(in *C.struct_weft_send) []byte {
	var b []byte
	for _, s := range unsafe.Slice(in.sge, int(in.num_sge)) {
		b = append(b, unsafe.Slice((*byte)(C.weft_at(s.addr)), int(s.length))...)
	}
	return b
}

// elements converts a list of buffers.
func elements(to []verbs.SGE, list *C.struct_weft_sge, n C.uint32_t) []verbs.SGE {
	for _, s := range unsafe.Slice(list, int(n)) {
		to = append(to, verbs.SGE{Addr: uint64(s.addr), Length: uint64(s.length), LKey: uint32(s.lkey)})
	}
	return to
}

//export weft_post_recv
func weft_post_recv(qp C.weft_id, in *C.struct_weft_recv) C.int {
	var room [verbs.MaxSGE]verbs.SGE
	return errno("ibv_post_recv", object[*verbs.QP](qp).PostRecv(verbs.RecvWR{WRID: uint64(in.wr_id), SGL: elements(room[:0], in.sge, in.num_sge)}))
}

//export weft_post_srq_recv
func weft_post_srq_recv(srq C.weft_id, in *C.struct_weft_recv) C.int {
	var room [verbs.MaxSGE]verbs.SGE
	return errno("ibv_post_srq_recv", object[*verbs.SRQ](srq).PostRecv(verbs.RecvWR{WRID: uint64(in.wr_id), SGL: elements(room[:0], in.sge, in.num_sge)}))
}
