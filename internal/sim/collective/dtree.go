package collective

import "math/bits"

// vertex is a position in a tree over the nodes; absent neighbours are −1.
type vertex struct {
	up   int
	down [2]int
}

// btree is the binary tree of n vertices in which leaves and inner vertices
// alternate, rooted at 0 (ncclGetBtree, src/graph/trees.cc). The lowest set
// bit b of a vertex is its height: its parent clears b and sets the next bit,
// if that stays within n, and its children are at ±b/2, the upper one moved
// closer until it is within n. The root's only child is the largest power of
// two below n.
func btree(n, v int) vertex {
	if v == 0 {
		return vertex{up: -1, down: [2]int{-1, childAbove(n, 0, 1<<bits.Len(uint(n-1)))}}
	}
	bit := v & -v
	up := v ^ bit | bit<<1
	if up >= n {
		up = v ^ bit
	}
	below := -1
	if bit > 1 {
		below = v - bit/2
	}
	return vertex{up: up, down: [2]int{below, childAbove(n, v, bit)}}
}

// childAbove is the child of v on the upper side, or −1.
func childAbove(n, v, bit int) int {
	for bit >>= 1; bit > 0; bit >>= 1 {
		if v+bit < n {
			return v + bit
		}
	}
	return -1
}

// dtree is the position of vertex v in one of two complementary trees: a leaf of one is an inner
// vertex of the other, so that both together put the same load everywhere (ncclGetDtree; the idea
// is Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and
// scan", Parallel Computing 35, 2009). Tree 1 is tree 0 mirrored if n is even and shifted by one if
// it is odd.
func dtree(n, v, tree int) vertex {
	switch {
	case tree == 0:
		return btree(n, v)
	case n%2 == 0:
		return btree(n, n-1-v).rename(func(u int) int { return n - 1 - u })
	default:
		return btree(n, mod(v-1, n)).rename(func(u int) int { return (u + 1) % n })
	}
}

func (t vertex) rename(f func(int) int) vertex {
	for _, v := range []*int{&t.up, &t.down[0], &t.down[1]} {
		if *v >= 0 {
			*v = f(*v)
		}
	}
	return t
}

// log2 is the logarithm of n rounded down; 0 for n below 2.
func log2(n int) int { return bits.Len(uint(max(n, 1))) - 1 }
