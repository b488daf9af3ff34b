package format

import (
	"io"
	"strings"

	"weft/internal/subnet"
	"weft/units"
)

// ReadMFTs reads opensm.mcfdbs: the ports that each switch sends each multicast
// LID to, in the order of Tables.Switch.
func ReadMFTs(name string, r io.Reader, s *subnet.Subnet) ([]map[units.LID]subnet.PortMask, *Report, error) {
	m := &mftReader{tableHead: tableHead{s: s, by: newIndex(s), seen: make([]bool, len(s.Nodes)), node: outside}}
	tables := subnet.NewTablesTo(s, 0)
	m.dense, m.out = tables.Dense, make([]map[units.LID]subnet.PortMask, len(tables.Switch))
	in := newLines(name, r, &m.log)
	for {
		raw, ok := in.next()
		if !ok {
			break
		}
		line := strings.TrimSpace(string(raw))
		switch {
		case line == "", line[0] == '#', strings.HasPrefix(line, "LID    :"):
		case strings.HasPrefix(line, "Switch 0x"):
			m.begin(in, line[len("Switch "):])
		case strings.HasPrefix(line, "0x"):
			m.row(in, line)
		default:
			in.skip(line)
		}
	}
	if err := m.log.err(); err != nil {
		return nil, &m.log.report, err
	}
	return m.out, &m.log.report, nil
}

type mftReader struct {
	tableHead
	dense []int32
	out   []map[units.LID]subnet.PortMask
}

// row reads 0xC000 : 0x001  0x002.
func (m *mftReader) row(in *lines, line string) {
	if m.node < 0 {
		if m.node == outside {
			in.fail("a row before any switch: expected «Switch 0x…»")
		}
		return
	}
	c := cursor{line}
	lid, ok := c.hex()
	c.space()
	if !ok || lid < uint64(units.FirstMulticastLID) || lid > 0xffff || !c.lit(":") {
		in.fail("expected a multicast LID from 0xC000 to 0xFFFF and a colon, not %s", found(line))
		return
	}
	var mask subnet.PortMask
	for _, field := range strings.Fields(c.rest) {
		c := cursor{field}
		port, ok := c.hex()
		if !ok || c.rest != "" || port > uint64(m.s.Nodes[m.node].NumPorts()) {
			in.fail("expected ports of %s from 0x000 to 0x%03X, not %s", m.s.NodeName(m.node), m.s.Nodes[m.node].NumPorts(), found(field))
			return
		}
		mask.Add(uint8(port))
	}
	at := m.dense[m.node]
	if m.out[at] == nil {
		m.out[at] = map[units.LID]subnet.PortMask{}
	}
	if _, twice := m.out[at][units.LID(lid)]; twice {
		in.fail("LID 0x%04X of %s comes twice: expected it once", lid, m.s.NodeName(m.node))
		return
	}
	m.out[at][units.LID(lid)] = mask
}
