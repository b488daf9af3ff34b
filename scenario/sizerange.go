package scenario

import (
	"reflect"

	"weft/units"
)

// sweepRange is how sizes are written as a range: from and to with a factor
// (geometric, 2 by default) or a step (arithmetic).
type sweepRange struct {
	// From is the first size.
	From units.Bytes `yaml:"from" range:"1B..1TiB"`
	// To is the last size that may be reached.
	To units.Bytes `yaml:"to" range:"1B..1TiB"`
	// Factor multiplies one size to the next; 2 unless a step is given.
	Factor int `yaml:"factor,omitzero" range:"2..1048576"`
	// Step is added to one size for the next.
	Step units.Bytes `yaml:"step,omitzero" range:"1B..1TiB"`
}

// sweep expands a range of sizes into v.
func (d *decoder) sweep(path string, n *node, v reflect.Value) {
	var s sweepRange
	before := len(d.errs)
	d.structure(path, n, reflect.ValueOf(&s).Elem())
	if len(d.errs) > before {
		return
	}
	at := func(field string) place {
		if p, ok := d.set[join(path, field)]; ok {
			return p
		}
		return n.place
	}
	switch {
	case s.From == 0 || s.To == 0:
		d.fail(n.place, path, "a range of sizes needs from and to")
		return
	case s.From > s.To:
		d.fail(at("from"), path, "the range is the wrong way round: from %s is more than to %s", s.From.Exact(), s.To.Exact())
		return
	case s.Factor != 0 && s.Step != 0:
		d.fail(at("step"), path, "a range of sizes has a factor or a step, not both")
		return
	}
	if s.Factor == 0 {
		s.Factor = 2
	}
	sizes := []units.Bytes{}
	for x := s.From; x <= s.To; {
		if len(sizes) == maxSizes {
			d.fail(n.place, path, "the range has more than %d sizes: take a larger factor or step", maxSizes)
			return
		}
		sizes = append(sizes, x)
		if s.Step != 0 {
			x += s.Step
		} else {
			x *= units.Bytes(s.Factor)
		}
	}
	v.Set(reflect.ValueOf(sizes))
}
