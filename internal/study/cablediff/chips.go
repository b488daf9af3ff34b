package cablediff

import (
	"fmt"

	"weft/internal/base/cabling"
)

// chip is a switch chip of a director: the director and the chip's place in it, such as S01/U1.
type chip struct {
	director *site
	place    string
}

// chipOf is the chip of a planned end, if its director is there and lacks the chip.
func chipOf(e *end) (c chip, missing bool) {
	t := e.site
	if t.mate == nil || len(t.devices) < 2 {
		return c, false
	}
	_, at, ok := cabling.Chip(e.side.f.Devices[e.at.Device].Name)
	if !ok {
		return c, false
	}
	for _, r := range t.mate.ends {
		if _, place, _ := cabling.Chip(r.side.f.Devices[r.at.Device].Name); place == at {
			return c, false
		}
	}
	return chip{t, at}, true
}

// joinChips joins the missing cables of a chip that is not in its director any more.
func (d *diff) joinChips() {
	at := map[chip][]*cable{}
	var order []chip
	for i := range d.found {
		if d.found[i].missing == nil {
			continue
		}
		for _, e := range d.found[i].missing.ends {
			if c, ok := chipOf(e); ok {
				if len(at[c]) == 0 {
					order = append(order, c)
				}
				at[c] = append(at[c], d.found[i].missing)
			}
		}
	}
	gone := map[*cable]bool{}
	for _, c := range order {
		f := Finding{Kind: NoDevice, Evidence: []string{fmt.Sprintf("%s: no chip %s in %s", d.m.real.name, c.place, c.director.name)}}
		n := 0
		for _, k := range at[c] {
			if !gone[k] {
				n++
				f.Evidence = append(f.Evidence, evidence(k))
				f.Ends = append(f.Ends, nameOfEnd(k.ends[0]), nameOfEnd(k.ends[1]))
			}
		}
		if n < 2 {
			continue
		}
		for _, k := range at[c] {
			gone[k] = true
		}
		f.Text = fmt.Sprintf("chip %s of %s is not there, so %d planned cables are missing", c.place, c.director.name, n)
		f.Action = fmt.Sprintf("look at the board of chip %s in %s: switch it on, or exchange it", c.place, c.director.name)
		d.found = append(d.found, found{Finding: f})
	}
	d.drop(func(f *found) bool { return f.missing != nil && gone[f.missing] })
}
