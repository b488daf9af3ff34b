package format

import (
	"regexp"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
)

// slQueryHead begins the head of smpquery sl2vl (infiniband-diags/smpquery.c and libibmad/dump.c of rdma-core):
//
//	# SL2VL table: Lid 4
//	#                 SL: | 0| 1| … |15|
//	ports: in  0, out  3: | 0| 1| … | 7|
const slQueryHead = "# SL2VL table:"

// beginQuery begins a table of smpquery, whose head has the LID of the switch or of the adapter's port.
func (v *slReader) beginQuery(in *lines, rest string) {
	v.node, v.adapter = broken, 0
	c := cursor{strings.TrimSpace(rest)}
	lid, ok := 0, c.lit("Lid ")
	if ok {
		lid, ok = c.number(int(units.LastUnicastLID))
	}
	if !ok {
		in.fail("expected the LID of a switch or of an adapter, as «Lid 4», not %s: smpquery sl2vl LID PORT prints it", found(strings.TrimSpace(rest)))
		return
	}
	if v.owners == nil {
		v.owners = v.s.Owners()
	}
	if lid >= len(v.owners) || !v.owners[lid].Exists() {
		in.fail("no port of the subnet has LID %d: are these the tables of another fabric?", lid)
		return
	}
	owner := v.owners[lid]
	if v.s.Nodes[owner.Node].Kind == subnet.Switch {
		v.enter(owner.Node)
		return
	}
	v.adapter = v.s.Port(owner).GUID
}

// enter makes a switch the current one, with a table.
func (v *slReader) enter(node int32) {
	v.node, v.adapter = node, 0
	if m := &v.out.Switch[v.dense[node]]; m.Ports == 0 {
		*m = subnet.NewSLMap(v.s.Nodes[node].NumPorts())
	}
}

// queryRow reads «ports: in  0, out  3: | 0| 1| … | 7|».
func (v *slReader) queryRow(in *lines, line string) {
	if v.node < 0 && v.adapter == 0 {
		if v.node == outside {
			in.fail("a row before any table: expected «%s Lid N»", slQueryHead)
		}
		return
	}
	var row [16]units.VL
	c := cursor{strings.TrimPrefix(line, "ports: in ")}
	c.space()
	from, ok := c.number(subnet.MaxPorts)
	ok = ok && c.lit(", out ")
	c.space()
	to, okTo := c.number(subnet.MaxPorts)
	ok = ok && okTo && c.lit(":")
	c.space()
	ok = ok && c.lit("|")
	for sl := range row {
		c.space()
		vl, isLane := c.number(15)
		ok = ok && isLane && c.lit("|")
		row[sl] = units.VL(vl)
	}
	switch {
	case !ok || c.rest != "":
		in.fail("expected «ports: in N, out N: |» and 16 lanes from 0 to 15, each with | behind it, not %s", found(line))
	case v.adapter != 0:
		v.once(in, [3]int32{-1 - v.by.port[v.adapter].Node, int32(v.by.port[v.adapter].Port), 0}, &row)
		v.out.Adapter[v.adapter] = row
	default:
		v.once(in, [3]int32{v.node, int32(from), int32(to)}, &row)
		v.put(in, from, to, &row)
	}
}

// once reports a row that comes twice with other lanes.
func (v *slReader) once(in *lines, at [3]int32, row *[16]units.VL) {
	if before, twice := v.set[at]; twice && before != *row {
		in.fail("the same ports have other lanes in an earlier line: expected each pair of ports once")
	}
	v.set[at] = *row
}

// slvlRow is a line of the list that ibdmchk reads with -d (its manual page, and ibutils 1.5.7): GUID of a switch,
// input port, output port, and two lanes in each of eight hexadecimal numbers.
var slvlRow = regexp.MustCompile(`^0x[0-9a-fA-F]{1,16}\s+[0-9]{1,3}\s+[0-9]{1,3}(\s+0x[0-9a-fA-F]{2}){8}$`)

func isSLVLRow(line string) bool { return strings.HasPrefix(line, "0x") && slvlRow.MatchString(line) }

// listRow reads a line of the list.
func (v *slReader) listRow(in *lines, line string) {
	fields := strings.Fields(line)
	c := cursor{fields[0]}
	guid, _ := c.guid()
	node, known := v.by.switchOf(v.s, guid)
	if !known {
		in.fail("switch %v is not in the subnet: are these the tables of another fabric?", guid)
		return
	}
	ports, ok := numbers(fields[1:], subnet.MaxPorts, subnet.MaxPorts)
	if !ok {
		in.fail("expected two ports from 0 to %d, not %s", subnet.MaxPorts, found(fields[1]+" "+fields[2]))
		return
	}
	var row [16]units.VL
	for i, pair := range fields[3:] {
		c := cursor{pair}
		lanes, _ := c.hex()
		row[2*i], row[2*i+1] = units.VL(lanes>>4), units.VL(lanes&15)
	}
	v.enter(node)
	v.once(in, [3]int32{node, int32(ports[0]), int32(ports[1])}, &row)
	v.put(in, ports[0], ports[1], &row)
}
