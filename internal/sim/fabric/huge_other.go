//go:build !linux

package fabric

func makeHuge[T any](n, capacity int) []T { return make([]T, n, capacity) }
