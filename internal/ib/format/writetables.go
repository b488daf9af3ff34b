package format

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
	"weft/units"
)

// opensmKinds is the words of OpenSM and ibroute for kinds in tables.
var opensmKinds = map[subnet.Kind]string{subnet.Adapter: "Channel Adapter", subnet.Switch: "Switch", subnet.Router: "Router"}

// WriteLFTs writes forwarding tables as opensm-lfts.dump, which OpenSM reads with -R file -U. The
// LID owners come from the subnet.
func WriteLFTs(to io.Writer, s *subnet.Subnet, t *subnet.Tables) error {
	w := newWriting(to)
	owner := lidTexts(s, int(t.Top), func(e subnet.End) string {
		if !e.Exists() {
			return " # unknown node and type\n"
		}
		n := &s.Nodes[e.Node]
		return fmt.Sprintf(" # %s portguid %v: '%s'\n", opensmKinds[n.Kind], guidAt(s, e), n.Name)
	})
	line := make([]byte, 0, 256)
	for _, node := range opensmOrder(s, isSwitch) {
		n := &s.Nodes[node]
		w.f("Unicast lids [0-%d] of switch Lid %d guid %v ('%s'):\n", t.Top, n.Ports[0].LID, n.GUID, n.Name)
		row := t.LFT[t.Dense[node]]
		for lid, port := range row {
			if int(port) >= len(n.Ports) {
				continue
			}
			line = append(line[:0], "0x"...)
			line = appendHex4(line, lid)
			line = append(line, ' ', '0'+port/100, '0'+port/10%10, '0'+port%10)
			line = append(line, owner[lid]...)
			w.w.Write(line) //nolint:errcheck // Flush returns the first error
		}
		w.f("%d lids dumped\n", t.Top)
	}
	return w.end()
}

// lidTexts is the text after each LID from 0 to top.
func lidTexts(s *subnet.Subnet, top int, text func(subnet.End) string) []string {
	owners := s.Owners()
	texts := make([]string, top+1)
	for lid := range texts {
		end := subnet.None
		if lid < len(owners) {
			end = owners[lid]
		}
		texts[lid] = text(end)
	}
	return texts
}

func appendHex4(b []byte, v int) []byte {
	const digits = "0123456789abcdef"
	return append(b, digits[v>>12&15], digits[v>>8&15], digits[v>>4&15], digits[v&15])
}

// WriteLIDMatrix writes hops as opensm-lid-matrix.dump, which OpenSM reads with -M. Switches are
// named by their LIDs: all must have one.
func WriteLIDMatrix(to io.Writer, s *subnet.Subnet, h *subnet.Hops) error {
	w := newWriting(to)
	dense := subnet.NewTablesTo(s, 0).Dense
	owners := s.Owners()
	line := make([]byte, 0, 1024)
	for _, node := range opensmOrder(s, isSwitch) {
		if s.Nodes[node].Ports[0].LID == 0 {
			return fmt.Errorf("switch %s has no LID: a LID matrix needs one for each", s.NodeName(node))
		}
		w.f("Switch: guid %v\n", s.Nodes[node].GUID)
		for lid := 1; lid < len(owners); lid++ {
			row := h.Row(s, dense, node, units.LID(lid), owners[lid])
			if len(row) == 0 || row[0] == 255 {
				continue
			}
			line = append(appendHex4(append(line[:0], "0x"...), lid), ':')
			for _, hops := range row {
				line = append(line, ' ', "0123456789abcdef"[hops>>4], "0123456789abcdef"[hops&15])
			}
			line = append(line, " # portguid "...)
			line = append(line, guidAt(s, owners[lid]).String()...)
			w.w.Write(append(line, '\n')) //nolint:errcheck // Flush returns the first error
		}
	}
	return w.end()
}

// WriteGUID2LID writes the LIDs of a subnet as OpenSM's guid2lid, by LID.
func WriteGUID2LID(to io.Writer, s *subnet.Subnet) error {
	w := newWriting(to)
	last := subnet.None
	for _, e := range s.Owners() {
		if !e.Exists() || e == last {
			continue
		}
		last = e
		p := s.Port(e)
		w.f("%v 0x%04x 0x%04x\n\n", guidAt(s, e), uint16(p.LID), int(p.LID)+1<<p.LMC-1)
	}
	return w.end()
}

// WriteFDBs writes forwarding tables as opensm.fdbs. The hops, and whether they
// are the least, come from h: the hops to an adapter are one more than to its switch.
func WriteFDBs(to io.Writer, s *subnet.Subnet, t *subnet.Tables, h *subnet.Hops) error {
	w := newWriting(to)
	owners := s.Owners()
	for _, node := range opensmOrder(s, isSwitch) {
		w.f("dump_ucast_routes: Switch %v\nLID    : Port : Hops : Optimal\n", s.Nodes[node].GUID)
		row := t.LFT[t.Dense[node]]
		for lid := 1; lid < len(row); lid++ {
			w.f("0x%04X : ", lid)
			if lid >= len(owners) || !owners[lid].Exists() || row[lid] == subnet.NoPort {
				w.f("UNREACHABLE\n")
				continue
			}
			hops, least, best := hopsOf(s, t, h, node, owners[lid], row[lid])
			switch hops {
			case 255:
				w.f("%03d  : HOPS UNKNOWN\n", row[lid])
			case least:
				w.f("%03d  : %02d   : yes\n", row[lid], hops)
			default:
				w.f("%03d  : %02d   : No %d hop path possible via port %d!\n", row[lid], hops, least, best)
			}
		}
	}
	return w.end()
}

// hopsOf is the number of hops from a switch to a port through one of its ports, the least number
// through any port, and the lowest port with that number.
func hopsOf(s *subnet.Subnet, t *subnet.Tables, h *subnet.Hops, node int32, to subnet.End, port uint8) (hops, least, best int) {
	more := 0
	if s.Nodes[to.Node].Kind != subnet.Switch {
		to, more = s.Peer(to), 1
		if !to.Exists() || s.Nodes[to.Node].Kind != subnet.Switch {
			return 255, 255, 0
		}
		if to.Node == node {
			return 1, 1, int(to.Port)
		}
	}
	row := h.At[t.Dense[node]][t.Dense[to.Node]]
	if int(port) >= len(row) || row[port] == 255 {
		return 255, 255, 0
	}
	best = slices.Index(row[1:], row[0]) + 1
	return int(row[port]) + more, int(row[0]) + more, best
}

// WriteMFTs writes multicast tables as opensm.mcfdbs; mft is by Tables.Switch.
func WriteMFTs(to io.Writer, s *subnet.Subnet, mft []map[units.LID]subnet.PortMask) error {
	w := newWriting(to)
	dense := subnet.NewTablesTo(s, 0).Dense
	for _, node := range opensmOrder(s, isSwitch) {
		var groups map[units.LID]subnet.PortMask
		if int(dense[node]) < len(mft) {
			groups = mft[dense[node]]
		}
		if len(groups) == 0 {
			continue
		}
		w.f("\nSwitch %v\nLID    : Out Port(s)\n", s.Nodes[node].GUID)
		lids := make([]units.LID, 0, len(groups))
		for lid := range groups {
			lids = append(lids, lid)
		}
		slices.Sort(lids)
		for _, lid := range lids {
			mask := groups[lid]
			w.f("0x%04X :", uint16(lid))
			for port := range 256 {
				if mask.Has(uint8(port)) {
					w.f(" 0x%03X ", port)
				}
			}
			w.f("\n")
		}
	}
	return w.end()
}

const (
	slHeader    = "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n"
	slSeparator = "#--------------------------------------------------------\n"
)

// WriteSL2VL writes SL2VL tables as opensm-sl2vl.dump: switches and adapter ports in OpenSM's
// order. A switch has rows for output ports with a cable. A port without a table is left out.
func WriteSL2VL(to io.Writer, s *subnet.Subnet, t *SL2VL) error {
	w := newWriting(to)
	dense := subnet.NewTablesTo(s, 0).Dense
	for _, e := range portsInOrder(s) {
		n := &s.Nodes[e.Node]
		lanes, isAdapter := t.Adapter[guidAt(s, e)]
		if !isAdapter && (n.Kind != subnet.Switch || t.Switch[dense[e.Node]].VL == nil) {
			continue
		}
		w.f("%s %v, base LID %d, \"%s\"\n%s%s", opensmKinds[n.Kind], guidAt(s, e), lidAt(s, e), n.Name, slHeader, slSeparator)
		if n.Kind != subnet.Switch {
			writeSLRow(w, 0, 0, func(sl units.SL) units.VL { return lanes[sl] })
		} else {
			m := &t.Switch[dense[e.Node]]
			for out := 1; out < len(n.Ports); out++ {
				if !n.Ports[out].Peer.Exists() {
					continue
				}
				for in := range n.Ports {
					writeSLRow(w, in, out, func(sl units.SL) units.VL { return m.At(uint8(in), uint8(out), sl) })
				}
			}
		}
		w.f("%s\n", slSeparator)
	}
	return w.end()
}

func writeSLRow(w writing, in, out int, lane func(units.SL) units.VL) {
	w.f("%-3d %-3d :", in, out)
	for sl := range 16 {
		text := strconv.Itoa(int(lane(units.SL(sl))))
		w.f(" %-2s", text)
	}
	w.f("\n")
}

// portsInOrder lists the ports that have a LID by GUID read backwards, as OpenSM does: port 0 of switches, and the cabled ports of all others.
func portsInOrder(s *subnet.Subnet) []subnet.End {
	var ends []subnet.End
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind == subnet.Switch {
			ends = append(ends, subnet.End{Node: int32(i)})
			continue
		}
		for j := 1; j < len(n.Ports); j++ {
			if n.Ports[j].Peer.Exists() {
				ends = append(ends, subnet.End{Node: int32(i), Port: uint16(j)})
			}
		}
	}
	sorting.StableFunc(ends, func(a, b subnet.End) int { return compareBackwards(guidAt(s, a), guidAt(s, b)) })
	return ends
}
