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
	"runtime/cgo"
	"syscall"

	"weft/verbs"
)

// object is what an ID stands for.
func object[T any](id C.weft_id) T {
	v, _ := cgo.Handle(id).Value().(T)
	return v
}

// keep gives an object an ID.
func keep(id *C.weft_id, v any) { *id = C.weft_id(cgo.NewHandle(v)) }

// forget ends an ID.
func forget(id C.weft_id) { cgo.Handle(id).Delete() }

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
