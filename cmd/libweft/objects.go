//go:build cgo && linux

package main

/*
#include "core.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"weft/verbs"
)

// table holds the objects by their IDs, which are indices from 1. Reading it takes no lock: pages stay
// where they are.
var table struct {
	sync.Mutex
	pages [1 << 12]atomic.Pointer[page]
	free  []C.weft_id
	next  C.weft_id
}

// page is a part of the table.
type page [1 << 12]atomic.Pointer[any]

// at is the place of an object.
func at(id C.weft_id) *atomic.Pointer[any] {
	return &table.pages[id/C.weft_id(len(page{}))].Load()[id%C.weft_id(len(page{}))]
}

// object is what an ID stands for.
func object[T any](id C.weft_id) T {
	v, _ := (*at(id).Load()).(T)
	return v
}

// known is what an ID stands for, if it stands for something of this type: programs pass the numbers on.
func known[T any](id C.weft_id) (v T, ok bool) {
	table.Lock()
	defer table.Unlock()
	if id == 0 || id > table.next {
		return v, false
	}
	if p := at(id).Load(); p != nil {
		v, ok = (*p).(T)
	}
	return v, ok
}

// optional is what an ID stands for, nil if it is none.
func optional[T any](id C.weft_id) (v T) {
	if id != 0 {
		v = object[T](id)
	}
	return v
}

// keep gives an object an ID.
func keep(id *C.weft_id, v any) {
	table.Lock()
	defer table.Unlock()
	if n := len(table.free); n > 0 {
		*id, table.free = table.free[n-1], table.free[:n-1]
	} else {
		table.next++
		*id = table.next
		if p := &table.pages[*id/C.weft_id(len(page{}))]; p.Load() == nil {
			p.Store(new(page))
		}
	}
	at(*id).Store(&v)
}

// forget ends an ID.
func forget(id C.weft_id) {
	table.Lock()
	defer table.Unlock()
	at(id).Store(nil)
	table.free = append(table.free, id)
}

// explains has every refusal written to standard error: libibverbs returns a mere number.
var explains = os.Getenv("WEFT_VERBS_EXPLAIN") != ""

// errno is the number of an error, as the verbs' man pages have it.
func errno(call string, err error) C.int {
	if err == nil {
		return 0
	}
	if explains {
		fmt.Fprintf(os.Stderr, "weft: %s: %v\n", call, err)
	}
	var number syscall.Errno
	switch {
	case errors.Is(err, verbs.ErrNoMemory):
		return C.int(syscall.ENOMEM)
	case errors.Is(err, verbs.ErrBusy):
		return C.int(syscall.EBUSY)
	case errors.As(err, &number):
		return C.int(number)
	}
	return C.int(syscall.EINVAL)
}
