package format

import (
	"io"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// ReadMFTs reads opensm.mcfdbs, or the output of dump_fts -M and ibroute -M: the output
// ports of each multicast LID, by switch in the order of Tables.Switch.
func ReadMFTs(name string, r io.Reader, s *subnet.Subnet) ([]map[units.LID]subnet.PortMask, *Report, error) {
	m := &mftReader{tableHead: newTableHead(s)}
	tables := subnet.NewTablesTo(s, 0)
	m.dense, m.out = tables.Dense, make([]map[units.LID]subnet.PortMask, len(tables.Switch))
	in := newLines(name, r, &m.log)
	for line := range in.content() {
		switch {
		case strings.HasPrefix(line, "LID    :"):
		case strings.HasPrefix(line, "Switch 0x"):
			m.live = false
			m.begin(in, line[len("Switch "):])
		case strings.HasPrefix(line, "Multicast mlids ["):
			m.liveHead(in, line)
		case m.live && (strings.HasPrefix(line, "Ports:") || line == "MLid" || strings.HasSuffix(line, "mlids dumped") || line[0] >= '0' && line[0] <= '9' && !strings.HasPrefix(line, "0x")):
		case m.live && strings.HasPrefix(line, "0x"):
			m.liveRow(in, line)
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
	live  bool // the current table is from dump_fts
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
	for field := range strings.FieldsSeq(c.rest) {
		c := cursor{field}
		port, ok := c.hex()
		if !ok || c.rest != "" || port > uint64(m.s.Nodes[m.node].NumPorts()) {
			in.fail("expected ports of %s from 0x000 to 0x%03X, not %s", m.s.NodeName(m.node), m.s.Nodes[m.node].NumPorts(), found(field))
			return
		}
		mask.Add(uint8(port))
	}
	m.store(in, units.LID(lid), mask)
}

// store keeps the ports of a group.
func (m *mftReader) store(in *lines, lid units.LID, mask subnet.PortMask) {
	at := m.dense[m.node]
	if m.out[at] == nil {
		m.out[at] = map[units.LID]subnet.PortMask{}
	}
	if _, twice := m.out[at][lid]; twice {
		in.fail("LID 0x%04X of %s comes twice: expected it once", uint16(lid), m.s.NodeName(m.node))
		return
	}
	m.out[at][lid] = mask
}

// liveHead reads the head of a table from a live switch:
//
//	Multicast mlids [0xc000-0xc3ff] of switch DR path slid 0; dlid 0; 0,1 guid 0x0002c90200400008 (leaf1):
func (m *mftReader) liveHead(in *lines, line string) {
	m.live, m.node = true, broken
	c := cursor{line}
	_, ok := c.until(" of switch ")
	if ok {
		_, ok = c.until(" guid ")
	}
	if !ok {
		in.fail("expected «Multicast mlids [0xc000-N] of switch … guid 0x… (…):», not %s", found(line))
		return
	}
	m.begin(in, c.rest)
}

// liveColumn is the column of port 0 in a row of a live table. Each port has two characters; the
// first is an x if the group goes out of the port.
const liveColumn = 12

// liveRow reads a row: «0xc000        x   x» goes to ports 1 and 3.
func (m *mftReader) liveRow(in *lines, line string) {
	if m.node < 0 {
		return // the row of a refused table
	}
	c := cursor{line}
	lid, ok := c.hex()
	if !ok || lid < uint64(units.FirstMulticastLID) || lid > 0xffff {
		in.fail("expected a multicast LID from 0xc000 to 0xffff, not %s", found(line))
		return
	}
	var mask subnet.PortMask
	for i := len(line) - len(c.rest); i < len(line); i++ {
		port := (i - liveColumn) / 2
		switch {
		case line[i] == ' ':
		case line[i] == 'x' && i >= liveColumn && (i-liveColumn)%2 == 0 && port <= m.s.Nodes[m.node].NumPorts():
			mask.Add(uint8(port))
		default:
			in.fail("expected an x under each port of %s from 0 to %d that the group goes to, not %s", m.s.NodeName(m.node), m.s.Nodes[m.node].NumPorts(), found(line[i:]))
			return
		}
	}
	m.store(in, units.LID(lid), mask)
}
