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

// C writes lists of buffers as package verbs reads them.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(verbs.SGE{})-C.sizeof_struct_weft_sge]
	_ = [1]struct{}{}[unsafe.Offsetof(verbs.SGE{}.LKey)-unsafe.Offsetof(C.struct_weft_sge{}.lkey)]
	_ = [1]struct{}{}[verbs.MaxSGE-C.weft_max_sge]
)

//export weft_post_send
func weft_post_send(qp C.weft_id, in *C.struct_weft_send) C.int {
	wr := verbs.SendWR{
		WRID: uint64(in.wr_id), Opcode: verbs.Opcode(in.opcode), Flags: verbs.SendFlags(in.flags), ImmData: uint32(in.imm_data),
		InvalidateRKey: uint32(in.imm_data), RemoteAddr: uint64(in.remote_addr), RKey: uint32(in.rkey),
		CompareAdd: uint64(in.compare_add), Swap: uint64(in.swap), DestQPN: units.QPN(in.dest_qpn), QKey: uint32(in.qkey), RemoteSRQ: uint32(in.remote_srq),
	}
	if wr.Flags&verbs.SendInline != 0 {
		wr.Inline = inline(in)
	} else {
		wr.SGL = buffers(in.sge, in.num_sge)
	}
	if in.ah != 0 {
		wr.AH = object[*verbs.AH](in.ah)
	}
	if in.bind.mw != 0 {
		wr.Bind = &verbs.BindWR{MW: object[*verbs.MW](in.bind.mw), RKey: uint32(in.bind.rkey), BindInfo: bindInfo(&in.bind)}
	}
	return errno("ibv_post_send", object[*verbs.QP](qp).PostSend(wr))
}

// buffers is a list of buffers of C, in place.
func buffers(list *C.struct_weft_sge, n C.uint32_t) []verbs.SGE {
	return unsafe.Slice((*verbs.SGE)(unsafe.Pointer(list)), int(n))
}

// inline collects inline data. It lies at addresses of the process, whatever the keys say.
func inline(in *C.struct_weft_send) []byte {
	list := buffers(in.sge, in.num_sge)
	if len(list) == 1 {
		return place(list[0])
	}
	var b []byte
	for _, s := range list {
		b = append(b, place(s)...)
	}
	return b
}

// place is the memory at a buffer's address.
func place(s verbs.SGE) []byte {
	return unsafe.Slice((*byte)(C.weft_at(C.uint64_t(s.Addr))), int(s.Length))
}

//export weft_post_recv
func weft_post_recv(qp C.weft_id, in *C.struct_weft_recv) C.int {
	wr := verbs.RecvWR{WRID: uint64(in.wr_id), SGL: buffers(in.sge, in.num_sge)}
	return errno("ibv_post_recv", object[*verbs.QP](qp).PostRecv(wr))
}

//export weft_post_srq_recv
func weft_post_srq_recv(srq C.weft_id, in *C.struct_weft_recv) C.int {
	wr := verbs.RecvWR{WRID: uint64(in.wr_id), SGL: buffers(in.sge, in.num_sge)}
	return errno("ibv_post_srq_recv", object[*verbs.SRQ](srq).PostRecv(wr))
}
