package cablediff

// chain is ports that planned and real cables join in turn, from one end to the other, or a circle.
type chain struct {
	plan, real []*cable
	ports      []*port // one more than cables; in a circle as many
	circle     bool
	realFirst  bool // the first cable is a real one
}

// differs is whether a planned port leads elsewhere in the real fabric.
func differs(p *port) bool {
	return p.plan == nil || p.real == nil || p.plan.far().port != p.real.far().port
}

// chains are the ports whose planned and real cables differ.
func (d *diff) chains() (all []*chain) {
	for _, p := range d.m.ports { // first from the ends, so that the rest are circles
		if one := d.planned(p) != nil != (d.actual(p) != nil); one {
			if c := d.walk(p); c != nil {
				all = append(all, c)
			}
		}
	}
	for _, p := range d.m.ports {
		if d.planned(p) != nil && d.actual(p) != nil {
			if c := d.walk(p); c != nil {
				all = append(all, c)
			}
		}
	}
	return all
}

// planned is the planned cable of a port if it is judged and not as planned, actual the real one.
func (d *diff) planned(p *port) *end {
	if p.plan == nil || d.aside[p.plan.cable] || !differs(p) {
		return nil
	}
	return p.plan
}

func (d *diff) actual(p *port) *end {
	if p.real == nil || d.aside[p.real.cable] || !differs(p) {
		return nil
	}
	return p.real
}

// walk follows cables from a port until there is no other one.
func (d *diff) walk(p *port) *chain {
	c := &chain{ports: []*port{p}, realFirst: d.planned(p) == nil}
	next := !c.realFirst // the next cable is a planned one
	start := p
	for {
		e := d.actual(p)
		if next {
			e = d.planned(p)
		}
		if e == nil || e.cable.done {
			break
		}
		e.cable.done = true
		if next {
			c.plan = append(c.plan, e.cable)
		} else {
			c.real = append(c.real, e.cable)
		}
		p, next = e.far().port, !next
		if p == start {
			c.circle = true
			break
		}
		c.ports = append(c.ports, p)
	}
	if len(c.plan)+len(c.real) == 0 {
		return nil
	}
	return c
}

// move is a real cable with one plug in the wrong port.
type move struct {
	cable    *cable
	keep     *port // the plug that stays
	from, to *port // of the other
}

// moves are the plugs to move along a chain, and the planned cable without a real one and the real one without a
// planned one, if the chain has one. Where there is a choice, plugs move within a device.
func (c *chain) moves() (moves []move, missing, extra *cable) {
	switch n := len(c.plan) - len(c.real); {
	case n == 0 && c.realFirst: // read from the other end
		r := &chain{plan: reversed(c.plan), real: reversed(c.real), ports: reversed(c.ports)}
		return r.moves()
	case n == 0:
		for i, k := range c.real {
			moves = append(moves, move{k, c.ports[2*i+1], c.ports[2*i+2], c.ports[2*i]})
		}
	case n > 0:
		at := c.best(len(c.real), func(i, split int) move { return c.around(i, split, 0) })
		for i := range c.real {
			moves = append(moves, c.around(i, at, 0))
		}
		missing = c.plan[at]
	default:
		at := c.best(len(c.plan), func(i, split int) move { return c.around(i, split, 1) })
		for i := range c.plan {
			moves = append(moves, c.around(i, at, 1))
		}
		extra = c.real[at]
	}
	return moves, missing, extra
}

// around is the i-th move of a chain with one cable more of one kind. With split that cable is left over. more is 0 if
// it is a planned one: the chain goes plan, real, plan; real cables before the split belong to the planned one on
// their left, the others to the one on their right. It is 1 if it is a real one: real, plan, real.
func (c *chain) around(i, split, more int) move {
	p := c.ports
	if more == 0 {
		if i < split {
			return move{c.real[i], p[2*i+1], p[2*i+2], p[2*i]}
		}
		return move{c.real[i], p[2*i+2], p[2*i+1], p[2*i+3]}
	}
	if i < split { // planned cable i joins ports 2i+1 and 2i+2; the real one on its left joins 2i and 2i+1
		return move{c.real[i], p[2*i+1], p[2*i], p[2*i+2]}
	}
	return move{c.real[i+1], p[2*i+2], p[2*i+3], p[2*i+1]}
}

// best is the split with the fewest plugs that move to another device.
func (c *chain) best(n int, moveOf func(i, split int) move) (at int) {
	least := -1
	if n > 1000 {
		return 0
	}
	for split := 0; split <= n; split++ {
		far := 0
		for i := range n {
			if m := moveOf(i, split); !sameDevice(m.from, m.to) {
				far++
			}
		}
		if least < 0 || far < least {
			at, least = split, far
		}
	}
	return at
}

func reversed[T any](s []T) []T {
	out := make([]T, 0, len(s))
	for i := range s {
		out = append(out, s[len(s)-1-i])
	}
	return out
}

// place is the device of a port, by the plan if it has one.
func place(p *port) *site {
	switch {
	case p.plan != nil:
		return p.plan.site
	case p.real.site.mate != nil:
		return p.real.site.mate
	}
	return p.real.site
}

func sameDevice(a, b *port) bool { return place(a) == place(b) }
