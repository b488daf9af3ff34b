package format

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// ReadPathSL reads the service levels of paths, one path a line, in either of
// two forms: the form of ibdmchk (-c), "0x<node GUID of the source> <LID of the
// destination> <SL>", and a list of path records, "<source LID>
// <destination LID> <status> <SL> …", where a line with a status other than 0 is not a path. Paths
// outside the file have level 0. The ports of the subnet must have the LIDs of the file.
func ReadPathSL(name string, r io.Reader, s *subnet.Subnet) (subnet.PathSL, *Report, error) {
	p := &pathReader{s: s, by: newIndex(s), levels: map[[2]units.LID]units.SL{}}
	in := newLines(name, r, &p.log)
	for line := range in.content() {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 3 && strings.HasPrefix(fields[0], "0x"):
			p.byNode(in, fields)
		case len(fields) >= 4:
			p.byLID(in, fields)
		default:
			in.fail("expected «0x<node GUID> <LID> <SL>» or «<LID> <LID> <status> <SL>», not %s", found(line))
		}
	}
	if err := p.log.err(); err != nil {
		return nil, &p.log.report, err
	}
	levels := p.levels
	return func(src, dst units.LID) units.SL { return levels[[2]units.LID{src, dst}] }, &p.log.report, nil
}

type pathReader struct {
	log    log
	s      *subnet.Subnet
	by     *index
	levels map[[2]units.LID]units.SL
}

// numbers reads decimal fields, each up to its limit.
func numbers(fields []string, limits ...int) ([]int, bool) {
	out := make([]int, len(limits))
	for i, limit := range limits {
		c := cursor{fields[i]}
		n, ok := c.number(limit)
		if !ok || c.rest != "" {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// byNode reads a path of all ports of a node.
func (p *pathReader) byNode(in *lines, fields []string) {
	c := cursor{fields[0]}
	guid, ok := c.guid()
	n, okN := numbers(fields[1:], int(units.LastUnicastLID), 15)
	if !ok || c.rest != "" || !okN {
		in.fail("expected the GUID of a node, a unicast LID and a service level from 0 to 15, not %s", found(strings.Join(fields, " ")))
		return
	}
	node, known := p.by.node[guid]
	if !known {
		in.fail("node %v is not in the subnet: are these the paths of another fabric?", guid)
		return
	}
	for i := range p.s.Nodes[node].Ports {
		if lid := p.s.Nodes[node].Ports[i].LID; lid != 0 {
			p.levels[[2]units.LID{lid, units.LID(n[0])}] = units.SL(n[1])
		}
	}
}

// byLID reads a path record.
func (p *pathReader) byLID(in *lines, fields []string) {
	lids, ok := numbers(fields, int(units.LastUnicastLID), int(units.LastUnicastLID))
	status := cursor{fields[2]}
	code, okStatus := status.hex()
	if !ok || !okStatus || status.rest != "" {
		in.fail("expected two unicast LIDs and a status, not %s", found(strings.Join(fields, " ")))
		return
	}
	if code != 0 {
		return
	}
	sl, ok := numbers(fields[3:], 15)
	if !ok {
		in.fail("expected a service level from 0 to 15, not %s", found(fields[3]))
		return
	}
	p.levels[[2]units.LID{units.LID(lids[0]), units.LID(lids[1])}] = units.SL(sl[0])
}

// WritePathSL writes the service level of the paths from each adapter to each
// LID of another, in the form that ibdmchk reads (-c). An adapter with several ports is listed with
// its first port: the form has no place for the others.
func WritePathSL(w io.Writer, s *subnet.Subnet, sl subnet.PathSL) error {
	out := bufio.NewWriter(w)
	owners := s.Owners()
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind == subnet.Switch || int(n.Base()) >= len(n.Ports) || n.Ports[n.Base()].LID == 0 {
			continue
		}
		for lid, e := range owners {
			if e.Exists() && e.Node != int32(i) && s.Nodes[e.Node].Kind != subnet.Switch {
				fmt.Fprintf(out, "0x%016x %d %d\n", uint64(n.GUID), lid, sl(n.Ports[n.Base()].LID, units.LID(lid)))
			}
		}
	}
	return out.Flush()
}
