package format

import (
	"io"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// readFDBs reads opensm.fdbs: forwarding tables without the owners of LIDs. The hops next to each
// port are ignored.
func readFDBs(name string, r io.Reader, s *subnet.Subnet) (*LFTs, *Report, error) {
	t := &lftReader{s: s, by: newIndex(s), node: outside}
	t.rows = make([][]uint8, len(s.Nodes))
	in := newLines(name, r, &t.log)
	for line := range in.content() {
		switch {
		case strings.HasPrefix(line, "LID    :"):
		case strings.HasPrefix(line, "dump_ucast_routes: Switch "):
			t.beginSwitch(in, line[len("dump_ucast_routes: Switch "):])
		case strings.HasPrefix(line, "0x"):
			t.route(in, line)
		default:
			in.skip(line)
		}
	}
	if t.tables == 0 && len(t.log.errs.List) == 0 {
		t.log.fail(name, 0, "no forwarding table is in it: expected lines such as «dump_ucast_routes: Switch 0x0002c90200400020»")
	}
	if err := t.log.err(); err != nil {
		return nil, &t.log.report, err
	}
	return t.finish(name), &t.log.report, nil
}

// route reads 0x0001 : 001  : 01   : yes, or 0x0001 : UNREACHABLE.
func (t *lftReader) route(in *lines, line string) {
	if t.node == outside {
		in.fail("an entry before any table: expected «dump_ucast_routes: Switch 0x…»")
		return
	}
	c := cursor{line}
	lid, ok := c.hex()
	c.space()
	if !ok || lid > uint64(units.LastUnicastLID) || !c.lit(":") {
		in.fail("expected a LID from 0x0001 to 0xBFFF and a colon, not %s", found(line))
		return
	}
	c.space()
	if t.node < 0 || strings.HasPrefix(c.rest, "UNREACHABLE") {
		return
	}
	port, ok := c.number(subnet.NoPort)
	if !ok {
		in.fail("expected a port or UNREACHABLE behind LID 0x%04X, not %s", lid, found(c.rest))
		return
	}
	t.store(in, units.LID(lid), port)
}
