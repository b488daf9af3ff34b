package format

import (
	"io"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// ReadLIDMatrix reads opensm-lid-matrix.dump: the least number of hops from
// each switch to each switch through each of its ports. Destinations are found by the port GUID
// behind #, else by the LIDs of the subnet. Missing entries are 255, or nil in Hops.Other.
func ReadLIDMatrix(name string, r io.Reader, s *subnet.Subnet) (*subnet.Hops, *Report, error) {
	m := &matrixReader{
		tableHead: newTableHead(s),
		owners:    s.Owners(), hops: subnet.NewHops(s), dense: subnet.NewTablesTo(s, 0).Dense,
	}
	in := newLines(name, r, &m.log)
	for line := range in.content() {
		switch {
		case strings.HasPrefix(line, "Switch: guid "):
			m.begin(in, line[len("Switch: guid "):])
		case strings.HasPrefix(line, "0x"):
			m.row(in, line)
		default:
			in.skip(line)
		}
	}
	if m.node == outside && len(m.log.errs.List) == 0 {
		m.log.fail(name, 0, "no switch is in it: expected lines such as «Switch: guid 0x0002c90200400020»")
	}
	for i := range m.seen {
		if s.Nodes[i].Kind == subnet.Switch && !m.seen[i] {
			m.log.note(name, 0, "switch %s of the subnet has no rows here", s.NodeName(int32(i)))
		}
	}
	if err := m.log.err(); err != nil {
		return nil, &m.log.report, err
	}
	return m.hops, &m.log.report, nil
}

type matrixReader struct {
	tableHead
	owners []subnet.End
	hops   *subnet.Hops
	dense  []int32
}

// row reads 0x0003: 02 ff 02 # portguid 0x0002c90200400020.
func (m *matrixReader) row(in *lines, line string) {
	if m.node < 0 {
		if m.node == outside {
			in.fail("a row before any switch: expected «Switch: guid 0x…»")
		}
		return
	}
	c := cursor{line}
	lid, ok := c.hex()
	if !ok || lid > uint64(units.LastUnicastLID) || !c.lit(":") {
		in.fail("expected 0xLID: and hops in hexadecimal, not %s", found(line))
		return
	}
	values, comment, _ := strings.Cut(c.rest, "#")
	fields := strings.Fields(values)
	row, ok := m.rowOf(in, units.LID(lid), comment)
	if !ok {
		return
	}
	if len(fields) != len(row) {
		in.fail("LID 0x%04x has %d columns: expected %d, one for each port of %s from 0 on", lid, len(fields), len(row), m.s.NodeName(m.node))
		return
	}
	for i, field := range fields {
		c := cursor{field}
		hops, ok := c.hex()
		if !ok || hops > 255 || c.rest != "" {
			in.fail("expected hops from 00 to ff in column %d, not %s", i, found(field))
			return
		}
		row[i] = uint8(hops)
	}
}

// rowOf is the row for the hops to a LID.
func (m *matrixReader) rowOf(in *lines, lid units.LID, comment string) ([]uint8, bool) {
	c := cursor{comment}
	end := subnet.None
	if _, ok := c.until("portguid "); ok {
		guid, isGUID := c.guid()
		port, known := m.by.port[guid]
		if !isGUID || !known {
			in.fail("LID 0x%04x belongs to port %v, which is not in the subnet", lid, guid)
			return nil, false
		}
		end = port
	} else if int(lid) < len(m.owners) {
		end = m.owners[lid]
	}
	if !end.Exists() {
		in.fail("LID 0x%04x belongs to no port of the subnet, and the line does not say to which: expected # portguid 0x…", lid)
		return nil, false
	}
	from := m.dense[m.node]
	if m.s.Nodes[end.Node].Kind == subnet.Switch && (m.s.Port(end).LID == lid || m.s.Port(end).LMC == 0) {
		return m.hops.At[from][m.dense[end.Node]], true
	}
	if m.hops.Other == nil {
		m.hops.Other = map[units.LID][][]uint8{}
	}
	rows := m.hops.Other[lid]
	if rows == nil {
		rows = make([][]uint8, len(m.hops.At))
		m.hops.Other[lid] = rows
	}
	if rows[from] == nil {
		rows[from] = make([]uint8, len(m.s.Nodes[m.node].Ports))
	}
	return rows[from], true
}
