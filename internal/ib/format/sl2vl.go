package format

import (
	"bytes"
	"io"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// SL2VL is the SL2VL tables of a whole subnet.
type SL2VL struct {
	// Switch is the table of each switch, by Tables.Dense. A switch that is not in the file has a
	// table with Ports 0. Output ports that are not in the file (OpenSM leaves out ports that are
	// down) are on lane 0.
	Switch []subnet.SLMap
	// Adapter is the table of each port of an adapter or router, by its GUID.
	Adapter map[units.GUID][16]units.VL
}

// ReadSL2VL reads SL2VL tables: opensm-sl2vl.dump, the output of smpquery sl2vl (several may follow each other; each has
// one output port of a switch), and the list of ibdmchk -d, which has ibdiagnet's ending slvl.
func ReadSL2VL(name string, r io.Reader, s *subnet.Subnet) (*SL2VL, *Report, error) {
	tables := subnet.NewTablesTo(s, 0)
	v := &slReader{
		tableHead: newTableHead(s),
		dense:     tables.Dense,
		out:       &SL2VL{Switch: make([]subnet.SLMap, len(tables.Switch)), Adapter: map[units.GUID][16]units.VL{}},
		set:       map[[3]int32][16]units.VL{},
	}
	in := newLines(name, r, &v.log)
	for raw := range in.rest() {
		line := string(bytes.TrimSpace(raw))
		lid, queried := strings.CutPrefix(line, slQueryHead)
		switch {
		case queried:
			v.beginQuery(in, lid)
		case line == "", line[0] == '#':
		case strings.HasPrefix(line, "ports: in "):
			v.queryRow(in, line)
		case isSLVLRow(line):
			v.listRow(in, line)
		case strings.HasPrefix(line, "Switch 0x"):
			v.adapter = 0
			if v.begin(in, line[len("Switch "):]) {
				v.out.Switch[v.dense[v.node]] = subnet.NewSLMap(s.Nodes[v.node].NumPorts())
			}
		case strings.HasPrefix(line, "Channel Adapter 0x"):
			v.beginAdapter(in, line[len("Channel Adapter "):])
		case strings.HasPrefix(line, "Router 0x"):
			v.beginAdapter(in, line[len("Router "):])
		case line[0] >= '0' && line[0] <= '9':
			v.row(in, line)
		default:
			in.skip(line)
		}
	}
	if v.node == outside && len(v.set) == 0 && len(v.out.Adapter) == 0 && len(v.log.errs.List) == 0 {
		v.log.fail(name, 0, "no table is in it: expected lines such as «Switch 0x0002c90200400020, base LID 3, \"leaf1\"»")
	}
	if err := v.log.err(); err != nil {
		return nil, &v.log.report, err
	}
	return v.out, &v.log.report, nil
}

type slReader struct {
	tableHead
	dense   []int32
	out     *SL2VL
	adapter units.GUID   // port of the current table; 0: a switch
	owners  []subnet.End // by LID; nil before the first use
	// set is the rows of switches that were read from forms without one part for each switch: by node, input and output.
	set map[[3]int32][16]units.VL
}

func (v *slReader) beginAdapter(in *lines, rest string) {
	v.node, v.adapter = broken, 0
	c := cursor{rest}
	guid, ok := c.guid()
	switch _, twice := v.out.Adapter[guid]; {
	case !ok:
		in.fail("expected the GUID of a port, not %s", found(rest))
	case twice:
		in.fail("port %v comes twice: expected it once", guid)
	default:
		if _, known := v.by.port[guid]; !known {
			in.fail("port %v is not in the subnet: are these the tables of another fabric?", guid)
			return
		}
		v.adapter = guid
		v.out.Adapter[guid] = [16]units.VL{}
	}
}

// row reads <in> <out> : and 16 lanes.
func (v *slReader) row(in *lines, line string) {
	if v.node < 0 && v.adapter == 0 {
		if v.node == outside {
			in.fail("a row before any table: expected «Switch 0x…, base LID N, \"name\"»")
		}
		return
	}
	fields := strings.Fields(line)
	var n [18]int
	ok := len(fields) == 19 && fields[2] == ":"
	for i := 0; ok && i < 18; i++ {
		field, limit := cursor{fields[i]}, subnet.MaxPorts
		if i >= 2 {
			field, limit = cursor{fields[i+1]}, 15
		}
		n[i], ok = field.number(limit)
		ok = ok && field.rest == ""
	}
	if !ok {
		in.fail("expected an input port, an output port, a colon and 16 lanes from 0 to 15, not %s", found(line))
		return
	}
	var row [16]units.VL
	for sl := range row {
		row[sl] = units.VL(n[2+sl])
	}
	if v.adapter != 0 {
		v.out.Adapter[v.adapter] = row
		return
	}
	v.put(in, n[0], n[1], &row)
}

// put keeps the row of the current switch from one port to another.
func (v *slReader) put(in *lines, from, to int, row *[16]units.VL) {
	m := &v.out.Switch[v.dense[v.node]]
	if from > m.Ports || to > m.Ports {
		in.fail("a row from port %d to port %d of %s, which has %d ports", from, to, v.s.NodeName(v.node), m.Ports)
		return
	}
	for sl, vl := range row {
		m.Set(uint8(from), uint8(to), units.SL(sl), vl)
	}
}
