package cabled

import (
	"fmt"
	"io"

	"weft/internal/base/packed"
	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
	"weft/units"
)

// Forwarding is the forwarding tables of a placed fabric.
type Forwarding struct {
	// Port is, by switch in the order of Devices and by endpoint, the port that the switch sends by; 255: none.
	Port [][]uint8
	// LID is the LID of each device in the tables, by device; 0: none.
	LID []units.LID
}

// ReadTables reads the forwarding tables of a fabric of InfiniBand, as OpenSM or the tools write them, for a placing
// of it. An endpoint with several LIDs is reached by its first one.
func (s *Source) ReadTables(name string, p *Placed, open func(name string) (io.ReadCloser, error)) (*Forwarding, error) {
	if !s.InfiniBand {
		return nil, fmt.Errorf("%s: forwarding tables are for InfiniBand, and %s is a %s", name, s.Name, s.Format)
	}
	file, err := open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	in, err := packed.Undo(name, file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	sub := s.Subnet.Clone()
	l, _, _, err := format.ReadTables(name, in, sub)
	if err != nil {
		return nil, err
	}
	if strangers := l.Assign(sub); strangers > 0 {
		p.note("%s: %d LIDs belong to ports that %s does not have", name, strangers, s.Name)
	}
	f := &Forwarding{LID: make([]units.LID, len(p.Devices))}
	endpoints := p.Nodes*p.NICs + p.Others
	for i, e := range p.ends {
		f.LID[i] = sub.Port(e).LID
	}
	for _, e := range p.ends[endpoints:] {
		row := make([]uint8, endpoints)
		table := l.Tables.LFT[l.Tables.Dense[e.Node]]
		for to := range row {
			row[to] = subnet.NoPort
			if lid := int(f.LID[to]); lid > 0 && lid < len(table) {
				row[to] = table[lid]
			}
		}
		f.Port = append(f.Port, row)
	}
	return f, nil
}
