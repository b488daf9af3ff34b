package format

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// LFTs is the forwarding tables of a file and the LID owners that the file names.
type LFTs struct {
	Tables *subnet.Tables
	// Port is the GUID of the owner of each LID, from 0 to Tables.Top; 0 if the file does not name
	// it.
	Port []units.GUID
	// Undumped is the highest LID of the switches' tables if the file leaves it out:
	// dump_fts and ibroute do so if it is a multiple of 64. It is 0 if nothing is left out.
	Undumped units.LID
}

// ReadLFTs reads forwarding tables of a subnet: opensm-lfts.dump, and the output of
// dump_fts, dump_lfts.sh and ibroute. Several tables of ibroute may
// follow each other. Every switch of the file must be in the subnet;
// switches of the subnet without a table are noted and forward nothing.
//
// The LIDs of the file may differ from the LIDs of the subnet: LFTs.Assign copies them there.
func ReadLFTs(name string, r io.Reader, s *subnet.Subnet) (*LFTs, *Report, error) {
	t := &lftReader{s: s, by: newIndex(s)}
	in := newLines(name, r, &t.log)
	t.rows = make([][]uint8, len(s.Nodes))
	for line := range in.rest() {
		t.line(in, line)
	}
	t.endTable(in)
	if t.tables == 0 && len(t.log.errs.List) == 0 {
		t.log.fail(name, 0, "no forwarding table is in it: expected lines such as «Unicast lids [0-24] of switch Lid 3 guid 0x0002c90200400020 ('leaf1'):»")
	}
	if err := t.log.err(); err != nil {
		return nil, &t.log.report, err
	}
	return t.finish(name), &t.log.report, nil
}

type lftReader struct {
	log    log
	s      *subnet.Subnet
	by     *index
	tables int       // number of tables begun
	rows   [][]uint8 // by node; nil if no table was read
	port   []units.GUID
	top    int // highest LID in a head

	node    int32 // node of the current table; outside or broken if there is none
	begin   int   // line of its head
	entries int   // entries of the table so far
	ended   bool  // the table's last line was read
}

// line reads one line of a dump. Entries are by far the most frequent, and are
// read without copying.
func (t *lftReader) line(in *lines, raw []byte) {
	if t.tables > 0 && len(raw) > 6 && raw[0] == '0' && raw[1] == 'x' {
		t.entry(in, raw)
		return
	}
	line := strings.TrimSpace(string(raw))
	switch {
	case line == "", line[0] == '#':
	case strings.HasPrefix(line, "Unicast lids"):
		t.head(in, line)
	case strings.HasSuffix(line, "lids dumped"), strings.HasSuffix(line, "valid lids dumped"):
		t.count(in, line)
	case strings.HasPrefix(line, "Lid  Out   Destination"), strings.HasPrefix(line, "Port     Info"):
	case strings.HasPrefix(line, "0x"):
		in.fail("an entry before any table: expected «Unicast lids [0-N] of switch Lid N guid 0x… (…):»")
	default:
		in.skip(line)
	}
}

// head reads the first line of a table:
//
//	Unicast lids [0-24] of switch Lid 3 guid 0x0002c90200400020 ('leaf1'):
//	Unicast lids [0x0-0x91] of switch DR path slid 0; dlid 0; 0,1 guid 0x000b8cffff004939 (MT47396):
func (t *lftReader) head(in *lines, line string) {
	t.endTable(in)
	t.node = broken
	c := cursor{line}
	span, ok := c.until(" of switch ")
	if ok {
		t.top = max(t.top, topOf(span))
		_, ok = c.until(" guid ")
	}
	if !ok {
		in.fail("expected «Unicast lids [0-N] of switch Lid N guid 0x… (…):», not %s", found(line))
		return
	}
	t.beginSwitch(in, c.rest)
}

// topOf is the higher LID of «Unicast lids [0x0-0x91]», 0 if no subnet has it.
func topOf(span string) int {
	_, top, _ := strings.Cut(strings.TrimSuffix(span, "]"), "-")
	n, err := strconv.ParseUint(top, 0, 16)
	if err != nil || n > uint64(units.LastUnicastLID) {
		return 0
	}
	return int(n)
}

// beginSwitch begins the table of the switch with the GUID in a head.
func (t *lftReader) beginSwitch(in *lines, rest string) {
	t.tables++
	t.node, t.begin, t.entries, t.ended = broken, in.n, 0, false
	c := cursor{rest}
	guid, ok := c.guid()
	if !ok {
		in.fail("expected the GUID of a switch, not %s", found(rest))
		return
	}
	node, known := t.by.switchOf(t.s, guid)
	if !known {
		in.fail("switch %v is not in the subnet: are these the tables of another fabric?", guid)
		return
	}
	if t.rows[node] != nil {
		in.fail("a second table of switch %s: expected one", t.s.NodeName(node))
		return
	}
	t.node = node
	t.rows[node] = []uint8{subnet.NoPort}
}

// entry reads one entry of a table:
//
//	0x0001 003 # Channel Adapter portguid 0x0002c90300100005: 'h001 HCA-1'
//	0x0001 003 : (Channel Adapter portguid 0x0002c90300100005: 'h001 HCA-1')
func (t *lftReader) entry(in *lines, raw []byte) {
	if t.node < 0 {
		return // the entry of a refused table
	}
	lid, rest, ok := byteHex(raw[2:])
	if !ok || lid > uint64(units.LastUnicastLID) || len(rest) == 0 || rest[0] != ' ' {
		in.fail("expected a LID from 0x0000 to 0xbfff and a port, as in 0x0001 003, not %s", found(string(raw)))
		return
	}
	port, rest, ok := byteDecimal(trimBlanks(rest))
	if !ok || port > subnet.NoPort {
		in.fail("expected an output port from 0 to 255 behind LID 0x%04x, not %s", lid, found(string(rest)))
		return
	}
	t.store(in, units.LID(lid), port)
	t.entries++
	if guid, ok := portGUID(rest); ok {
		t.owner(in, units.LID(lid), guid)
	}
}

// store keeps an entry. A repeated entry must be equal. A port that the switch does not have is a
// fault of the tables, not of the file.
func (t *lftReader) store(in *lines, lid units.LID, to int) {
	if ports := t.s.Nodes[t.node].NumPorts(); to > ports && to != subnet.NoPort {
		in.note("LID 0x%04x goes to port %d of %s, which has %d ports", lid, to, t.s.NodeName(t.node), ports)
	}
	row, port := t.rows[t.node], uint8(to)
	for len(row) <= int(lid) {
		row = append(row, subnet.NoPort)
	}
	if row[lid] != subnet.NoPort && row[lid] != port {
		in.fail("LID 0x%04x of %s goes to port %d here and to port %d before", lid, t.s.NodeName(t.node), port, row[lid])
	}
	row[lid] = port
	t.rows[t.node] = row
}

// owner notes the owner of a LID.
func (t *lftReader) owner(in *lines, lid units.LID, guid units.GUID) {
	for len(t.port) <= int(lid) {
		t.port = append(t.port, 0)
	}
	if before := t.port[lid]; before != 0 && before != guid {
		in.fail("LID 0x%04x belongs to port %v here and to %v in an earlier table", lid, guid, before)
		return
	}
	t.port[lid] = guid
}

// count reads the last line of a table. OpenSM prints the highest LID there,
// the live tools the number of entries printed.
func (t *lftReader) count(in *lines, line string) {
	c := cursor{line}
	n, ok := c.number(1 << 16)
	if !ok {
		in.fail("expected «N lids dumped», not %s", found(line))
		return
	}
	t.ended = true
	if t.node >= 0 && strings.Contains(line, "valid") && n != t.entries {
		in.fail("the table of %s has %d entries, and its last line says %d: a line is missing or was added", t.s.NodeName(t.node), t.entries, n)
	}
}

// endTable checks that the table that ends here is complete.
func (t *lftReader) endTable(in *lines) {
	if t.tables > 0 && t.node >= 0 && !t.ended {
		in.fail("the table of %s, from line %d on, has no last line «N lids dumped»: is the file cut off?", t.s.NodeName(t.node), t.begin)
	}
}

// finish makes tables of the subnet from the rows.
func (t *lftReader) finish(name string) *LFTs {
	last := 0
	for _, row := range t.rows {
		last = max(last, len(row)-1)
	}
	top := max(int(t.s.TopLID()), last)
	tables := subnet.NewTablesTo(t.s, units.LID(top))
	missing, example := 0, int32(0)
	for i, node := range tables.Switch {
		copy(tables.LFT[i], t.rows[node])
		if t.rows[node] == nil {
			if missing == 0 {
				example = node
			}
			missing++
		}
	}
	if missing > 0 {
		more := ""
		if missing > 1 {
			more = fmt.Sprintf(" and %d more", missing-1)
		}
		t.log.note(name, 0, "switch %s%s of the subnet have no table here: they forward nothing", t.s.NodeName(example), more)
	}
	port := make([]units.GUID, top+1)
	copy(port, t.port)
	l := &LFTs{Tables: tables, Port: port}
	if t.top%dumpedAtOnce == 0 && last < t.top {
		l.Undumped = units.LID(t.top)
	}
	return l
}

// dumpedAtOnce is the number of LIDs in a block of a forwarding table. If the highest LID
// is the first of a block, dump_fts and ibroute of infiniband-diags 44 do not print it.
const dumpedAtOnce = 64

// portGUID takes the GUID from «Channel Adapter portguid 0x…: 'name'».
func portGUID(rest []byte) (units.GUID, bool) {
	const mark = " portguid 0x"
	// The mark is near the front, after «# Switch» or «: (Channel Adapter».
	for i := 0; i+len(mark) < len(rest) && i < 32; i++ {
		if rest[i] == ' ' && rest[i+1] == 'p' && string(rest[i:i+len(mark)]) == mark {
			guid, _, ok := byteHex(rest[i+len(mark):])
			return units.GUID(guid), ok
		}
	}
	return 0, false
}

func trimBlanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}

// byteHex takes 1 to 16 hexadecimal digits.
func byteHex(b []byte) (uint64, []byte, bool) {
	n, i := uint64(0), 0
	for ; i < len(b) && i < 17; i++ {
		d, ok := hexDigit(b[i])
		if !ok {
			break
		}
		n = n<<4 | uint64(d)
	}
	return n, b[i:], i > 0 && i < 17
}

// byteDecimal takes 1 to 5 decimal digits.
func byteDecimal(b []byte) (int, []byte, bool) {
	n, i := 0, 0
	for ; i < len(b) && i < 6 && b[i] >= '0' && b[i] <= '9'; i++ {
		n = n*10 + int(b[i]-'0')
	}
	return n, b[i:], i > 0 && i < 6
}
