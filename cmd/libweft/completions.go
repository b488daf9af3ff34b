//go:build cgo && linux

package main

/*
#include "core.h"
*/
import "C"

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"weft/verbs"
)

// C reads completions where package verbs writes them: the layouts are one.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(verbs.WC{})-C.sizeof_struct_weft_wc]
	_ = [1]struct{}{}[unsafe.Offsetof(verbs.WC{}.SrcQP)-unsafe.Offsetof(C.struct_weft_wc{}.src_qp)]
	_ = [1]struct{}{}[unsafe.Offsetof(verbs.WC{}.SLID)-unsafe.Offsetof(C.struct_weft_wc{}.slid)]
	_ = [1]struct{}{}[unsafe.Offsetof(verbs.WC{}.ByteLen)-unsafe.Offsetof(C.struct_weft_wc{}.byte_len)]
	_ = [1]struct{}{}[unsafe.Offsetof(verbs.CQMarks{}.Taken)-unsafe.Offsetof(C.struct_weft_cq_marks{}.taken)]
	_ = [1]struct{}{}[unsafe.Sizeof(verbs.CQMarks{})-C.sizeof_struct_weft_cq_marks]
)

//export weft_create_cq
func weft_create_cq(dev C.weft_id, cqe C.uint32_t, entries *C.struct_weft_wc, room C.uint32_t, marks *C.struct_weft_cq_marks, eventFD C.int, stamps C.uint32_t, of C.uintptr_t, id *C.weft_id) C.int {
	a := verbs.CQInitAttr{Capacity: int(cqe), Ring: ring(entries, room, marks), Stamps: stamps != 0}
	if eventFD >= 0 {
		a.Notify = notifier(int(eventFD), uintptr(of))
	}
	c := object[*context](dev)
	cq, err := c.CreateCQWith(a)
	if err != nil {
		return errno("ibv_create_cq", err)
	}
	owners.add(cq, owner{uintptr(of), c.events})
	keep(id, cq)
	return 0
}

// ring is a completion queue's memory, which is C's.
func ring(entries *C.struct_weft_wc, room C.uint32_t, marks *C.struct_weft_cq_marks) verbs.CQRing {
	return verbs.CQRing{
		Entries: unsafe.Slice((*verbs.WC)(unsafe.Pointer(entries)), int(room)), CQMarks: (*verbs.CQMarks)(unsafe.Pointer(marks)),
	}
}

//export weft_resize_cq
func weft_resize_cq(id C.weft_id, cqe C.uint32_t, entries *C.struct_weft_wc, room C.uint32_t, marks *C.struct_weft_cq_marks) C.int {
	err := object[*verbs.CQ](id).Resize(verbs.CQInitAttr{Capacity: int(cqe), Ring: ring(entries, room, marks)})
	return errno("ibv_resize_cq", err)
}

// notifier writes the C object of a completion queue to the pipe of its channel. A full pipe has
// thousands of events that nobody fetched.
func notifier(fd int, of uintptr) func() {
	return func() { _, _ = unix.Write(fd, unsafe.Slice((*byte)(unsafe.Pointer(&of)), unsafe.Sizeof(of))) }
}

//export weft_destroy_cq
func weft_destroy_cq(id C.weft_id) C.int {
	cq := object[*verbs.CQ](id)
	if err := cq.Destroy(); err != nil {
		return errno("ibv_destroy_cq", err)
	}
	owners.remove(cq)
	forget(id)
	return 0
}

// weft_work is the part of an empty poll that C cannot do.
//
//export weft_work
func weft_work(id C.weft_id) C.int {
	object[*verbs.CQ](id).Work()
	return 0
}

// weft_wait is called by a thread that is about to wait for an event of a queue of the device.
//
//export weft_wait
func weft_wait(dev C.weft_id) C.int {
	object[*context](dev).Wait()
	return 0
}

//export weft_req_notify_cq
func weft_req_notify_cq(id C.weft_id, solicitedOnly C.int) C.int {
	object[*verbs.CQ](id).ReqNotify(solicitedOnly != 0)
	return 0
}
