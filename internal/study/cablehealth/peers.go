package cablehealth

import (
	"slices"

	"weft/internal/base/cabling"
)

// Peers is the ports that are alike, and what most of them have.
type Peers struct {
	Median float64 `json:"median"`
	Ports  int     `json:"ports"` // the others, without the port itself
}

// fewPeers is the number of alike ports below which they say nothing about what is usual.
const fewPeers = 4

// muchMore is how many times the median of its peers a counter must have to be unlike them.
const muchMore = 3

// alike names the ports that are compared: of one kind of device, with one counter from one kind of
// file.
type alike struct {
	name   string
	role   cabling.Role
	reader string
	grown  bool
}

// population is the values of all alike ports, in order.
type population map[alike][]float64

func (p population) add(a alike, v float64) { p[a] = append(p[a], v) }

func (p population) sort() {
	for _, values := range p {
		slices.Sort(values)
	}
}

// others is the median of the ports without one of the value v.
func (p population) others(a alike, v float64) Peers {
	all := p[a]
	n := len(all) - 1
	if n < 1 {
		return Peers{}
	}
	skip, _ := slices.BinarySearch(all, v)
	at := func(i int) float64 {
		if i >= skip {
			i++
		}
		return all[i]
	}
	return Peers{(at((n-1)/2) + at(n/2)) / 2, n}
}

// unlike reports whether a value is much more than that of the peers, if there are enough.
func (p Peers) unlike(v float64) bool { return p.Ports < fewPeers || v > muchMore*p.Median }
