package sorting

import (
	"iter"
	"slices"
	"sort"
)

// Func sorts a list as slices.SortFunc does.
func Func[T any](list []T, compare func(a, b T) int) { sort.Sort(by[T]{list, compare}) }

// StableFunc sorts a list as slices.SortStableFunc does: equal entries keep their order.
func StableFunc[T any](list []T, compare func(a, b T) int) { sort.Stable(by[T]{list, compare}) }

// by is a list in the order of a comparison.
type by[T any] struct {
	list    []T
	compare func(a, b T) int
}

func (b by[T]) Len() int           { return len(b.list) }
func (b by[T]) Less(i, j int) bool { return b.compare(b.list[i], b.list[j]) < 0 }
func (b by[T]) Swap(i, j int)      { b.list[i], b.list[j] = b.list[j], b.list[i] }

// Sorted collects the values of a sequence, and sorts them as slices.SortedFunc does.
func Sorted[T any](values iter.Seq[T], compare func(a, b T) int) []T {
	list := slices.Collect(values)
	Func(list, compare)
	return list
}
