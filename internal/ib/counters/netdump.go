package counters

import (
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

// ibdiagnet2.net_dump has a block for each switch, or for each plane of one:
//
//	"MF0;leaf01:MQM9700/U1", Mellanox, 0x1000000000000001, LID 10
//	#     : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC mode : Retran : Neighbor Guid : N# : NLID : Neighbor Description
//	1/1/1 : 1   : ACT : LINK UP : 5 : 4x : 100 : … : NO-RTR : 0x2000000000000002 : 1 : 2566 : "server01 mlx5_0"
//
// The columns are known by the words of the row of headings. The description is last and can hold a
// colon. LSA is Gb/s of a lane.

func isNetDump(text string) bool {
	return hasLine(text, func(line string) bool {
		return strings.Contains(line, "PhysSta") && strings.Contains(line, "LWA") && strings.Contains(line, "IB#")
	})
}

// netColumns is a row of headings: the index of each column by its plain name.
type netColumns map[string]int

func netHeader(line string) netColumns {
	columns := netColumns{}
	for i, name := range strings.Split(line, ":") {
		name = strings.TrimSpace(name)
		switch {
		case name == "#":
			name = "label"
		case strings.HasSuffix(name, "#") && strings.Contains(name, "IB"), name == "#IB":
			name = "number"
		case name == "N#":
			name = "peerlabel"
		}
		if _, twice := columns[plain(name)]; !twice {
			columns[plain(name)] = i
		}
	}
	return columns
}

// cells cuts a row at its colons; the last column has the rest of the row.
func (c netColumns) cells(line string) ([]string, bool) {
	cells := strings.SplitN(line, ":", max(len(c), 2))
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells, len(cells) == len(c)
}

func (c netColumns) get(cells []string, name string) string {
	if i, ok := c[name]; ok && i < len(cells) {
		return known(cells[i])
	}
	return ""
}

func readNetDump(in *portstate.Input) {
	var own portstate.Port
	var columns netColumns
	for line := range in.Lines() {
		switch {
		case line == "":
		case strings.HasPrefix(line, `"`) && strings.Contains(line, ", LID "):
			own = netDumpHead(in, line)
		case strings.Contains(line, "PhysSta") && strings.Contains(line, "LWA"):
			columns = netHeader(line)
		case strings.HasPrefix(line, "#"):
		case columns == nil:
			in.Note("a row stands before its row of headings and is left out")
		default:
			netDumpRow(in, columns, own, line)
		}
	}
}

// netDumpHead reads "MF0;leaf01:MQM9700/U1", Mellanox, 0x1000000000000001, LID 10.
func netDumpHead(in *portstate.Input, line string) portstate.Port {
	end := strings.LastIndex(line, `",`)
	if end < 1 {
		in.Note("expected a switch as in «\"leaf1\", Mellanox, 0x…, LID 10», not %q", short(line))
		return portstate.Port{}
	}
	p := portstate.Port{Device: line[1:end], Role: cabling.Switch}
	for _, field := range strings.Split(line[end+2:], ",") {
		field = strings.TrimSpace(field)
		if guid, ok := portstate.ParseGUID(field); ok && strings.HasPrefix(field, "0x") {
			p.Node = guid
		}
		if lid, ok := strings.CutPrefix(field, "LID "); ok {
			p.LID = lidOf(lid)
		}
	}
	return p
}

// lidOf reads 10 or 10 (0xa); 0 if it is no LID.
func lidOf(text string) uint32 {
	text, _, _ = strings.Cut(strings.TrimSpace(text), " ")
	n, ok, _ := portstate.ParseCount(text)
	if !ok || n >= 1<<20 {
		return 0
	}
	return uint32(n)
}

func netDumpRow(in *portstate.Input, columns netColumns, own portstate.Port, line string) {
	cells, whole := columns.cells(line)
	number, err := strconv.Atoi(columns.get(cells, "number"))
	if !whole || err != nil || number < 0 || number > maxPort {
		in.Note("the row has %d of %d columns, or no number of a port, and is left out: is the file truncated?", len(cells), len(columns))
		return
	}
	if own.Device == "" && own.Node == 0 {
		in.Note("the row is in no switch: expected «\"name\", vendor, 0x…, LID n» above it")
		return
	}
	own.Number, own.Label = number, columns.get(cells, "label")
	r := in.Reading(own)
	netState(in, r, columns, cells)
	guid, ok := portstate.ParseGUID(columns.get(cells, "neighborguid"))
	if !ok {
		return
	}
	r.HasPeer, r.Cabled = true, portstate.Say(in, true)
	peer := columns.get(cells, "peerlabel")
	r.Peer = portstate.Port{Node: guid, LID: lidOf(columns.get(cells, "nlid")), Device: strings.Trim(columns.get(cells, "neighbordescription"), `"`), Number: -1, Label: peer}
	if n, err := strconv.Atoi(peer); err == nil {
		r.Peer.Number = n
	}
}

// netState stores the state and the link of a row.
func netState(in *portstate.Input, r *portstate.Reading, columns netColumns, cells []string) {
	r.Physical = columns.get(cells, "physsta")
	switch physical := plain(r.Physical); {
	case strings.HasPrefix(physical, "disable"):
		r.State = portstate.Say(in, portstate.Disabled)
	case physical == "linkup":
		r.State = portstate.Say(in, portstate.Up)
	case strings.HasPrefix(plain(columns.get(cells, "sta")), "down"):
		r.State = portstate.Say(in, portstate.Down)
	}
	if link, ok := linkFrom(columns.get(cells, "lwa"), columns.get(cells, "lsa")); ok && r.State.Value == portstate.Up {
		r.Link = portstate.Say(in, link)
	}
}
