package scenario

import (
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/roce/sonic"
)

// classNumbers are the numbers that a fabric has for the classes of its data and of its notifications. A switch that has
// them in other queues treats the classes as these queues: the simulator has one number for a class on all switches. nil leaves the queues
// their numbers.
type classNumbers struct{ data, cnp int }

// numbers are, by queue of a switch, the numbers of the classes in the fabric.
type numbers [sonic.Priorities]int

// of are the numbers of a switch's queues: of its data and its notifications those of the fabric, of the others their own, or, if
// that is taken, one that is free. Where data and notifications share a queue on one side alone, the queues keep their numbers.
func (c *classNumbers) of(data, cnp int) (n numbers) {
	for q := range n {
		n[q] = q
	}
	if c == nil || (data == cnp) != (c.data == c.cnp) {
		return n
	}
	taken := map[int]bool{c.data: true, c.cnp: true}
	n[data], n[cnp] = c.data, c.cnp
	var left []int
	for q := range n {
		switch {
		case q == data || q == cnp:
		case taken[q]:
			left = append(left, q)
		default:
			taken[q] = true
		}
	}
	free := 0
	for _, q := range left {
		for taken[free] {
			free++
		}
		n[q], taken[free] = free, true
	}
	return n
}

// all are the numbers of queues, in order.
func (n numbers) all(queues []int) []int {
	out := []int{}
	for _, q := range queues {
		out = append(out, n[q])
	}
	slices.Sort(out)
	return out
}

// stops are stops by their numbers, in order.
func (n numbers) stops(of []Stop) (out []Stop) {
	for _, s := range of {
		s.Priority = n[s.Priority]
		if s.Queue >= 0 && s.Queue < len(n) {
			s.Queue = n[s.Queue]
		}
		out = append(out, s)
	}
	sorting.Func(out, func(a, b Stop) int { return a.Priority - b.Priority })
	return out
}
