package counters

import (
	"strconv"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

// ibdiagnet2.net_dump_ext is one table with a row for each port, adapters too (headings of public
// readers):
//
//	Ty : # : #IB : GUID : LID : Sta : PhysSta : LWA : LSA : Conn LID (#) : FEC mode : RTR : Raw BER : Effective BER : Symbol BER : Symbol Err : Effective Err : Node Desc
//
// An error rate is 1.5e-254 if no error was seen.

func isNetDumpExt(text string) bool {
	return hasLine(text, func(line string) bool {
		return strings.Contains(line, "Raw BER") && strings.Contains(line, "#IB") && strings.Contains(line, ":")
	})
}

func readNetDumpExt(in *portstate.Input) {
	var columns netColumns
	for line := range in.Lines() {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.Contains(line, "Raw BER") && strings.Contains(line, "#IB"):
			columns = netHeader(line)
		case columns != nil:
			netDumpExtRow(in, columns, line)
		}
	}
}

func netDumpExtRow(in *portstate.Input, columns netColumns, line string) {
	cells, whole := columns.cells(line)
	number, err := strconv.Atoi(columns.get(cells, "number"))
	guid, ok := portstate.ParseGUID(columns.get(cells, "guid"))
	if !whole || err != nil || !ok || number < 0 || number > maxPort {
		in.Note("the row has %d of %d columns, or no GUID or number of a port, and is left out: is the file truncated?", len(cells), len(columns))
		return
	}
	p := portstate.Port{
		Node: guid, GUID: guid, LID: lidOf(columns.get(cells, "lid")), Number: number, Label: columns.get(cells, "label"),
		Device: strings.Trim(columns.get(cells, "nodedesc"), `"`), Role: nodeType(columns.get(cells, "ty")),
	}
	if p.Role == cabling.Host {
		p.Node = 0 // an adapter's port has a GUID of its own, which can be the node's
	}
	r := in.Reading(p)
	netState(in, r, columns, cells)
	for _, v := range []struct {
		to   *portstate.Said[float64]
		name string
	}{{&r.Raw, "rawber"}, {&r.Effective, "effectiveber"}, {&r.Symbol, "symbolber"}} {
		if f, _, ok := portstate.ParseFloat(columns.get(cells, v.name)); ok {
			setRate(in, v.to, f)
		}
	}
	for column, name := range map[string]string{"symbolerr": "Symbol Err", "effectiveerr": "Effective Err"} {
		if text := columns.get(cells, column); text != "" {
			count(in, r, name, text, true)
		}
	}
}
