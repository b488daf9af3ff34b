//go:build cgo && linux

package main

/*
#include "core.h"
*/
import "C"

import (
	"syscall"
	"unsafe"

	"weft/verbs"
)

// domain is a protection domain and the pipe of its context's events.
type domain struct {
	*verbs.PD
	events int
	of     *device
}

//export weft_alloc_pd
func weft_alloc_pd(dev C.weft_id, id *C.weft_id) C.int {
	c := object[*context](dev)
	keep(id, &domain{c.AllocPD(), c.events, c.device})
	return 0
}

//export weft_dealloc_pd
func weft_dealloc_pd(id C.weft_id) C.int {
	if err := object[*domain](id).Dealloc(); err != nil {
		return errno("ibv_dealloc_pd", err)
	}
	forget(id)
	return 0
}

// region is a memory region: registering it again replaces it under one ID.
type region struct {
	*verbs.MR
	of *verbs.PD
}

// weft_import_pd says whether an ID is a protection domain of a device.
//
//export weft_import_pd
func weft_import_pd(dev, id C.weft_id) C.int {
	if d, ok := known[*domain](id); !ok || d.of != object[*context](dev).device {
		return C.int(syscall.ENOENT)
	}
	return 0
}

// weft_import_mr tells the key of a region of a protection domain.
//
//export weft_import_mr
func weft_import_mr(pd, id C.weft_id, key *C.uint32_t) C.int {
	r, ok := known[*region](id)
	if !ok || r.of != object[*domain](pd).PD {
		return C.int(syscall.ENOENT)
	}
	*key = C.uint32_t(r.RKey())
	return 0
}

// bytes are a program's bytes, whatever lies there; nil and false if there is no such memory.
func bytes(addr unsafe.Pointer, length C.uint64_t) ([]byte, bool) {
	const addresses = 1 << 47
	if length == 0 {
		return nil, true
	}
	if addr == nil || uint64(length) > addresses || uint64(uintptr(addr))+uint64(length) > addresses {
		return nil, false
	}
	return unsafe.Slice((*byte)(addr), int(length)), true
}

//export weft_rereg_mr
func weft_rereg_mr(id, pd C.weft_id, addr unsafe.Pointer, length, iova C.uint64_t, access C.uint32_t) C.int {
	r := object[*region](id)
	b, ok := bytes(addr, length)
	if !ok {
		return C.int(syscall.EFAULT)
	}
	mr, err := r.Reregister(object[*domain](pd).PD, b, uint64(iova), verbs.Access(access))
	if err != nil {
		return errno("ibv_rereg_mr", err)
	}
	r.MR, r.of = mr, object[*domain](pd).PD
	return 0
}

//export weft_reg_mr
func weft_reg_mr(pd C.weft_id, addr unsafe.Pointer, length, iova C.uint64_t, access C.uint32_t, id *C.weft_id, key *C.uint32_t) C.int {
	b, ok := bytes(addr, length)
	if !ok {
		return C.int(syscall.EFAULT)
	}
	mr, err := object[*domain](pd).RegMRIOVA(b, uint64(iova), verbs.Access(access))
	if err != nil {
		return errno("ibv_reg_mr", err)
	}
	*key = C.uint32_t(mr.RKey())
	keep(id, &region{mr, object[*domain](pd).PD})
	return 0
}

//export weft_dereg_mr
func weft_dereg_mr(id C.weft_id) C.int {
	if err := object[*region](id).Dereg(); err != nil {
		return errno("ibv_dereg_mr", err)
	}
	forget(id)
	return 0
}

//export weft_alloc_mw
func weft_alloc_mw(pd C.weft_id, kind C.uint32_t, id *C.weft_id, rkey *C.uint32_t) C.int {
	mw, err := object[*domain](pd).AllocMW(verbs.MWType(kind))
	if err != nil {
		return errno("ibv_alloc_mw", err)
	}
	*rkey = C.uint32_t(mw.RKey())
	keep(id, mw)
	return 0
}

//export weft_dealloc_mw
func weft_dealloc_mw(id C.weft_id) C.int {
	if err := object[*verbs.MW](id).Dealloc(); err != nil {
		return errno("ibv_dealloc_mw", err)
	}
	forget(id)
	return 0
}

//export weft_bind_mw
func weft_bind_mw(qp C.weft_id, wrid C.uint64_t, flags C.uint32_t, b *C.struct_weft_bind, rkey *C.uint32_t) C.int {
	mw := object[*verbs.MW](b.mw)
	if err := object[*verbs.QP](qp).BindMW(mw, uint64(wrid), verbs.SendFlags(flags), bindInfo(b)); err != nil {
		return errno("ibv_bind_mw", err)
	}
	*rkey = C.uint32_t(mw.RKey())
	return 0
}

// bindInfo is the memory that a window is bound to.
func bindInfo(b *C.struct_weft_bind) verbs.BindInfo {
	info := verbs.BindInfo{Addr: uint64(b.addr), Length: uint64(b.length), Access: verbs.Access(b.access)}
	if b.mr != 0 {
		info.MR = object[*region](b.mr).MR
	}
	return info
}
