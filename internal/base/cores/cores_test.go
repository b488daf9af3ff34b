package cores

import (
	"strings"
	"sync/atomic"
	"testing"
)

func TestEachDoesEveryPieceOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7, 200} {
		for _, n := range []int{0, 1, 2, 100} {
			done := make([]atomic.Int32, n)
			Each(n, workers, func(i int) { done[i].Add(1) })
			for i := range done {
				if got := done[i].Load(); got != 1 {
					t.Errorf("%d pieces on %d workers: piece %d was done %d times", n, workers, i, got)
				}
			}
		}
	}
}

func TestEachOwningHasScratchSpaceByWorker(t *testing.T) {
	var owners atomic.Int32
	EachOwning(50, 3, func() func(int) {
		owners.Add(1)
		mine := 0 // the race detector sees it if two workers share it
		return func(int) { mine++ }
	})
	if got := owners.Load(); got != 3 {
		t.Errorf("%d owners for 3 workers", got)
	}
}

func TestEachHandsAPanicToItsCaller(t *testing.T) {
	defer func() {
		p, is := recover().(*Panic)
		if !is || p.Value != "piece 3" || !strings.Contains(p.Stack, "TestEachHandsAPanicToItsCaller") {
			t.Errorf("the caller got %v, want the panic of piece 3 and its stack", p)
		}
	}()
	Each(10, 2, func(i int) {
		if i == 3 {
			panic("piece 3")
		}
	})
	t.Error("the panic was lost")
}

func TestEachKeepsThePlaceOfANestedPanic(t *testing.T) {
	defer func() {
		if p, is := recover().(*Panic); !is || p.Value != "inner" {
			t.Errorf("the caller got %v, want the inner panic as it was", p)
		}
	}()
	Each(2, 2, func(int) {
		Each(2, 2, func(int) { panic("inner") })
	})
}
