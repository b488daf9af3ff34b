package planfile

import (
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/cabling"
)

// lldpTable is a table of LLDP neighbours as text, recognised by its headings.
type lldpTable struct {
	format   string
	headings []string // words that the line of headings has
	read     func(v *view, lines []string, head int)
}

var lldpTables = []lldpTable{
	{"SONiC show lldp table", []string{"LocalPort", "RemoteDevice", "RemotePortID"}, readSonicLLDP},
	{"EOS show lldp neighbors", []string{"Port", "Neighbor Device ID", "Neighbor Port ID"}, readEOSText},
	{"NX-OS show lldp neighbors", []string{"Device ID", "Local Intf", "Port ID"}, readNXOSText},
	{portStatus, []string{"Interface", "Lanes", "Speed", "Oper"}, readSonicStatus}, // beside neighbours
}

// portStatus has the speeds and the aliases of ports, and no neighbours (sonic-net/sonic-utilities tests/intfutil_test.py).
const portStatus = "SONiC show interfaces status"

// headOf is the line of a table's headings; -1 if the text does not have the table.
func headOf(lines []string, t *lldpTable) int {
	return slices.IndexFunc(lines, func(line string) bool {
		return !slices.ContainsFunc(t.headings, func(h string) bool { return !strings.Contains(line, h) })
	})
}

// viewOfText reads the tables of a text: the first with neighbours, and that of the ports; nil if it has none.
func viewOfText(file string, lines []string) (v *view) {
	for k := range lldpTables {
		t := &lldpTables[k]
		head := headOf(lines, t)
		if head < 0 || v != nil && t.format != portStatus {
			continue
		}
		if v == nil {
			v = &view{file: file, format: t.format, role: cabling.Switch, name: nameIn(strings.Join(lines[:head], "\n"))}
		}
		t.read(v, lines, head)
	}
	return v
}

// sonicRows calls do for the rows of one of SONiC's tables, whose columns are cut by the dashes under the headings, until it says
// that the table has ended. line is the row's, from 1.
func sonicRows(lines []string, head int, do func(line int, text string, cells map[string]string) (more bool)) {
	if head+1 >= len(lines) {
		return
	}
	cuts := dashes.FindAllStringIndex(lines[head+1], -1)
	titles := cutAt(lines[head], cuts)
	for i, line := range lines[head+2:] {
		cells := map[string]string{}
		for j, c := range cutAt(line, cuts) {
			cells[titles[j]] = c
		}
		if !do(head+3+i, line, cells) {
			return
		}
	}
}

// readSonicLLDP reads SONiC's table of neighbours. Source: sonic-net/sonic-utilities tests/lldp_test.py.
func readSonicLLDP(v *view, lines []string, head int) {
	sonicRows(lines, head, func(line int, text string, cells map[string]string) bool {
		if strings.HasPrefix(text, "---") || strings.HasPrefix(text, "Total entries") {
			return false
		}
		if cells["LocalPort"] != "" {
			v.sights = append(v.sights, sight{
				port: cells["LocalPort"], peer: cells["RemoteDevice"], peerPort: cells["RemotePortID"], descr: cells["RemotePortDescr"],
				station: cells["Capability"] == "O" || cells["Capability"] == "S",
				place:   cabling.Place{File: v.file, Line: line},
			})
		}
		return true
	})
}

// readSonicStatus reads the speeds and aliases of ports.
func readSonicStatus(v *view, lines []string, head int) {
	sonicRows(lines, head, func(_ int, _ string, cells map[string]string) bool {
		name := cells["Interface"]
		if strings.HasPrefix(name, "Ethernet") {
			p := v.port(name)
			p.rate = rateOf(cells["Speed"] + "bps")
			if alias := cells["Alias"]; alias != "N/A" {
				p.alias = alias
			}
		}
		return name != ""
	})
}

var dashes = regexp.MustCompile(`-+`)

// cutAt cuts a line into the columns that begin at places; the last goes to the end of the line.
func cutAt(line string, cuts [][]int) []string {
	runes := []rune(line)
	out := make([]string, len(cuts))
	for i, c := range cuts {
		end := len(runes)
		if i+1 < len(cuts) {
			end = min(end, cuts[i+1][0])
		}
		if c[0] < end {
			out[i] = strings.TrimSpace(string(runes[c[0]:end]))
		}
	}
	return out
}

// readEOSText reads EOS' table: port, device, its port, seconds. Source: networktocode/ntc-templates
// tests/arista_eos.
func readEOSText(v *view, lines []string, head int) {
	for i, line := range lines[head+1:] {
		f := strings.Fields(line)
		if len(f) < 4 || strings.Trim(line, "- ") == "" || strings.Trim(f[len(f)-1], "0123456789") != "" {
			continue
		}
		v.sights = append(v.sights, sight{
			port: f[0], peer: f[1], peerPort: strings.Join(f[2:len(f)-1], " "), place: cabling.Place{File: v.file, Line: head + 2 + i},
		})
	}
}

// readNXOSText reads NX-OS' table: device, port, seconds, perhaps its capabilities, its port. A long name stands in a
// line of its own. Source: napalm-automation/napalm test/nxos.
func readNXOSText(v *view, lines []string, head int) {
	wrapped := ""
	for i, line := range lines[head+1:] {
		if strings.HasPrefix(line, "Total entries") {
			break
		}
		f := strings.Fields(line)
		if len(f) == 1 {
			wrapped = f[0]
			continue
		}
		if wrapped != "" && len(f) > 0 && (line[0] == ' ' || line[0] == '\t') {
			f = append([]string{wrapped}, f...)
		}
		wrapped = ""
		if len(f) < 4 || strings.Trim(f[2], "0123456789") != "" {
			continue
		}
		s := sight{port: f[1], peer: f[0], place: cabling.Place{File: v.file, Line: head + 2 + i}}
		rest := f[3:]
		if len(rest) > 1 && strings.Trim(rest[0], "RBTCWPSO,") == "" {
			s.station = strings.Trim(rest[0], "SO,") == ""
			rest = rest[1:]
		}
		s.peerPort = strings.Join(rest, " ")
		v.sights = append(v.sights, s)
	}
}
