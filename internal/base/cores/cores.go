package cores

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Each calls do for the pieces 0 to n−1, in the order in which cores become free, on at most
// workers goroutines; workers below 1 means GOMAXPROCS. It returns when all pieces are done. Pieces
// must not depend on each other.
//
// If a piece panics, no further piece begins, and Each panics with a *Panic.
func Each(n, workers int, do func(i int)) {
	EachOwning(n, workers, func() func(int) { return do })
}

// EachOwning is Each for work that needs scratch space: each goroutine calls own once, and own
// returns the function that does its pieces.
func EachOwning(n, workers int, own func() func(i int)) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	if workers == 1 {
		do := own()
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var broken atomic.Pointer[Panic]
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					broken.CompareAndSwap(nil, Caught(r))
				}
			}()
			do := own()
			for i := int(next.Add(1)) - 1; i < n && broken.Load() == nil; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wait.Wait()
	if p := broken.Load(); p != nil {
		panic(p)
	}
}

// Panic is a panic of a goroutine, with the stack of the goroutine at the panic.
type Panic struct {
	Value any
	Stack string
}

// Caught makes a *Panic of a value that recover returned in the caller's goroutine. A value that is
// a *Panic already stays as it is.
func Caught(r any) *Panic {
	if p, is := r.(*Panic); is {
		return p
	}
	return &Panic{Value: r, Stack: string(debug.Stack())}
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n%s", p.Value, p.Stack) }
