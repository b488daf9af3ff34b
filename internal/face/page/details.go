package page

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/sim/runstore/seriesfile"
)

// place is a link in a short interval.
type place struct {
	link, interval uint32
}

// details are a quantity of links in the short intervals that are kept: the number of them, their links, their
// intervals, and the values as float32, all of 4 bytes and little-endian, by link, then interval.
func (f *Folder) details(simulation int, quantity string) ([]byte, error) {
	s, err := f.simulation(simulation)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(quantities, func(q Quantity) bool { return q.ID == quantity })
	if at < 0 {
		return nil, fmt.Errorf("%w quantity: %.80q", seriesfile.ErrQuery, quantity)
	}
	q := &quantities[at]
	c, err := seriesfile.Select(f.series(), seriesfile.LinkDetails, seriesfile.Query{Columns: append([]string{"link", "time_ps"}, q.columns...), Where: where(s)})
	if err != nil {
		return nil, err
	}
	interval, values := max(1, s.DetailPs), map[place]float32{}
	times := list[int64](c.Column("time_ps"))
	for i, link := range list[int64](c.Column("link")) {
		number := times[i] / interval
		if link < 0 || times[i] < 0 || link >= mostCells || number > math.MaxInt32 {
			return nil, fmt.Errorf("%s: link %d at %d ps: want a link below %d and a time below %d intervals", seriesfile.LinkDetails, link, times[i], mostCells, math.MaxInt32)
		}
		v := float32(0)
		for _, column := range c.Values[2:] {
			v += valueAt(column, i)
		}
		if q.time {
			v = min(1, v/float32(interval))
		}
		p := place{uint32(link), uint32(number)}
		if before := values[p]; q.most {
			values[p] = max(before, v)
		} else {
			values[p] = before + v
		}
	}
	return encodedDetails(values), nil
}

func encodedDetails(values map[place]float32) []byte {
	places := make([]place, 0, len(values))
	for p := range values {
		places = append(places, p)
	}
	sorting.Func(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.link, b.link), cmp.Compare(a.interval, b.interval))
	})
	out := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+12*len(places)), uint32(len(places)))
	for _, p := range places {
		out = binary.LittleEndian.AppendUint32(out, p.link)
	}
	for _, p := range places {
		out = binary.LittleEndian.AppendUint32(out, p.interval)
	}
	for _, p := range places {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(values[p]))
	}
	return out
}
