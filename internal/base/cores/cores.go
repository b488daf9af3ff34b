package cores

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Each does the pieces 0 to n−1, in the order in which cores become free, on at
// most workers goroutines; none or fewer means as many as GOMAXPROCS. It returns
// when all are done. Pieces must not depend on each other.
//
// Where one panics, no further piece is begun, and Each panics with a *Panic.
func Each(n, workers int, do func(i int)) {
	EachOwning(n, workers, func() func(int) { return do })
}

// EachOwning is Each for work that needs scratch space: own is called once in
// each goroutine and returns what does its pieces.
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

// Panic is a panic of a goroutine, with the stack of where it happened.
type Panic struct {
	Value any
	Stack string
}

// Caught is the panic that recover gave in the goroutine of the caller; what
// another goroutine's panic had become already stays as it is.
func Caught(r any) *Panic {
	if p, is := r.(*Panic); is {
		return p
	}
	return &Panic{Value: r, Stack: string(debug.Stack())}
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n%s", p.Value, p.Stack) }
