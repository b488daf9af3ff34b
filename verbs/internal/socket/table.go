package socket

import "weft/units"

const (
	qpnBits = 24 // of a queue pair's number (IBA vol. 1, 3.5.3)
	// pageBits is the number of bits that index a page: a page of pointers is 32 KiB.
	pageBits = 12
)

// table maps numbers to endpoints: a packet finds its queue pair with two loads, whatever their
// number.
type table struct {
	pages [1 << (qpnBits - pageBits)]*page
	count int
}

type page struct {
	items [1 << pageBits]*Endpoint
	used  int
}

// at is the endpoint of a number, nil if there is none.
func (t *table) at(n units.QPN) *Endpoint {
	g := t.pages[n>>pageBits&(1<<(qpnBits-pageBits)-1)]
	if g == nil {
		return nil
	}
	return g.items[n&(1<<pageBits-1)]
}

// each calls a function with every endpoint.
func (t *table) each(f func(*Endpoint)) {
	for _, g := range t.pages {
		if g == nil {
			continue
		}
		for _, e := range g.items {
			if e != nil {
				f(e)
			}
		}
	}
}

// put adds an endpoint with a new number.
func (t *table) put(n units.QPN, e *Endpoint) {
	g := &t.pages[n>>pageBits]
	if *g == nil {
		*g = new(page)
	}
	(*g).items[n&(1<<pageBits-1)] = e
	(*g).used++
	t.count++
}

// remove removes an endpoint; an empty page is freed.
func (t *table) remove(n units.QPN) {
	g := &t.pages[n>>pageBits]
	(*g).items[n&(1<<pageBits-1)] = nil
	t.count--
	if (*g).used--; (*g).used == 0 {
		*g = nil
	}
}
