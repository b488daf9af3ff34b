package format

import (
	"io"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// LIDRange is the LIDs of one port.
type LIDRange struct {
	Port        units.GUID
	First, Last units.LID
}

// ReadGUID2LID reads OpenSM's file with the LIDs of each port.
func ReadGUID2LID(name string, r io.Reader) ([]LIDRange, *Report, error) {
	var l log
	var ranges []LIDRange
	line := map[units.GUID]int{}
	in := newLines(name, r, &l)
	for text := range in.content() {
		e, ok := lidRange(text)
		if !ok {
			in.fail("expected the GUID of a port and its first and last LID, as in 0x0002c90300100005 0x0001 0x0001, not %s", found(text))
			continue
		}
		if first, twice := line[e.Port]; twice {
			in.fail("port %v comes twice (first at line %d): expected it once", e.Port, first)
			continue
		}
		line[e.Port] = in.n
		ranges = append(ranges, e)
	}
	if len(ranges) == 0 && len(l.errs.List) == 0 {
		l.fail(name, 0, "no LID is in it: expected lines such as 0x0002c90300100005 0x0001 0x0001")
	}
	if err := l.err(); err != nil {
		return nil, &l.report, err
	}
	return ranges, &l.report, nil
}

func lidRange(text string) (LIDRange, bool) {
	fields := strings.Fields(text)
	if len(fields) != 3 {
		return LIDRange{}, false
	}
	var v [3]uint64
	for i, f := range fields {
		c := cursor{f}
		n, ok := c.hex()
		if !ok || c.rest != "" || !strings.HasPrefix(f, "0x") {
			return LIDRange{}, false
		}
		v[i] = n
	}
	top := uint64(units.LastUnicastLID)
	width := v[2] - v[1] + 1
	ok := v[0] != 0 && v[1] > 0 && v[1] <= v[2] && v[2] <= top && width <= 128 && width&(width-1) == 0
	return LIDRange{units.GUID(v[0]), units.LID(v[1]), units.LID(v[2])}, ok
}

// AssignLIDs gives the ports of a subnet the LIDs of a guid2lid file, and removes
// all others. It returns the number of ranges whose ports are not in the subnet: OpenSM keeps the
// LIDs of removed ports.
func AssignLIDs(s *subnet.Subnet, ranges []LIDRange) (strangers int) {
	by := newIndex(s)
	for i := range s.Nodes {
		for j := range s.Nodes[i].Ports {
			s.Nodes[i].Ports[j].LID, s.Nodes[i].Ports[j].LMC = 0, 0
		}
	}
	for _, e := range ranges {
		end, known := by.port[e.Port]
		if !known {
			strangers++
			continue
		}
		p := s.Port(end)
		p.LID, p.LMC = e.First, lmcOf(int(e.First), int(e.Last))
	}
	return strangers
}
