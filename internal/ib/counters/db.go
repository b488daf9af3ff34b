package counters

import (
	"encoding/csv"
	"fmt"
	"strings"

	"weft/internal/base/portstate"
)

// ibdiagnet2.db_csv is a sequence of sections START_X, a header, rows, END_X. Columns are found by
// their names, since the set of columns grows with the version and the spelling differs by section
// (NodeGUID, NodeGuid; PortNumber, PortNum). NVIDIA's manuals of ibdiagnet list the sections; the
// headers are those of public readers.

func isDB(text string) bool {
	return hasLine(text, func(line string) bool {
		name, ok := strings.CutPrefix(line, "START_")
		return ok && name != "" && strings.ToUpper(name) == name
	})
}

// sections are the readers of the rows of a section.
var sections = map[string]func(*dbReader, dbRow){
	"NODES": (*dbReader).node, "LINKS": (*dbReader).dbLink, "PORTS": (*dbReader).port,
	"PM_INFO": (*dbReader).pm, "PM_DELTA": (*dbReader).pm, "PERFQUERY_EXT_ERRORS": (*dbReader).pm,
	"CABLE_INFO": (*dbReader).cable, "PHY_INFO": (*dbReader).errorRates, "PHY_DB16": (*dbReader).numberedRates,
	"TEMP_SENSING": (*dbReader).temperature, "TEMPERATURE_SENSORS": (*dbReader).sensor,
	"FANS": (*dbReader).fan, "FANS_SPEED": (*dbReader).fan, "FANS_ALERT": (*dbReader).fan,
	"POWER_SUPPLIES": (*dbReader).powerSupply,
}

// sectionOf is the reader of a section, nil if it is not read.
func sectionOf(name string) func(*dbReader, dbRow) {
	switch {
	case sections[name] != nil:
		return sections[name]
	case strings.HasPrefix(name, "PHY_DB"):
		return (*dbReader).errorRates
	case strings.HasPrefix(name, "WARNINGS_") || strings.HasPrefix(name, "ERRORS_"):
		return (*dbReader).verdict
	}
	return nil
}

type dbReader struct {
	*portstate.Input
	nodes   map[string]portstate.Port // by the text of the NodeGUID: names, GUIDs, roles
	guids   bool                      // that GUIDs are no numbers has been noted
	ports   map[string]*portstate.Reading
	devices map[string]int // into Set.Devices
	section string
	warmest portstate.Said[float64] // of the devices that state no limit
	warm    string                  // its name
}

// dbRow is a row of a section by the plain names of its columns.
type dbRow struct {
	columns map[string]int
	cells   []string
}

// get is the cell of the first of the columns that the section has; "" without.
func (r dbRow) get(names ...string) string {
	for _, name := range names {
		if i, ok := r.columns[name]; ok && i < len(r.cells) {
			return strings.TrimSpace(strings.Trim(strings.TrimSpace(r.cells[i]), `"`))
		}
	}
	return ""
}

func readDB(in *portstate.Input) {
	d := &dbReader{
		Input: in, nodes: map[string]portstate.Port{}, ports: map[string]*portstate.Reading{}, devices: map[string]int{},
	}
	// Names first: ibdiagnet writes NODES in front, but nothing promises it.
	d.pass(func(section string) func(*dbReader, dbRow) {
		if section == "NODES" {
			return (*dbReader).node
		}
		return nil
	}, false)
	d.pass(func(section string) func(*dbReader, dbRow) {
		if section == "NODES" {
			return nil
		}
		return sectionOf(section)
	}, true)
	if d.warmest.Known() {
		d.Set.Remarks = append(d.Set.Remarks, portstate.Said[string]{
			Value: fmt.Sprintf("the warmest device is %s with %g °C; the file has no limit", d.warm, d.warmest.Value), At: d.warmest.At,
		})
	}
}

// pass reads the rows of the sections that have a reader. report says to note what is cut.
func (d *dbReader) pass(reader func(string) func(*dbReader, dbRow), report bool) {
	section := ""
	var read func(*dbReader, dbRow)
	var columns map[string]int
	for line := range d.Lines() {
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "START_"):
			if section != "" && report {
				d.Note("section %s begins before the end of %s: END_%s is missing", line[len("START_"):], section, section)
			}
			section, columns = line[len("START_"):], nil
			read = reader(section)
		case strings.HasPrefix(line, "END_"):
			section, read = "", nil
		case read == nil:
		case columns == nil:
			columns = header(line)
		default:
			cells, err := cellsOf(line)
			if err != nil || len(cells) < len(columns) {
				if report {
					d.Note("the row of section %s has %d of %d columns and is left out: is the file truncated?", section, len(cells), len(columns))
				}
				continue
			}
			d.section = section
			read(d, dbRow{columns, cells})
		}
	}
	if section != "" && report {
		d.Note("the file ends within section %s: END_%s is missing, the file is truncated", section, section)
	}
}

// header is the columns of a section by their plain names.
func header(line string) map[string]int {
	columns := map[string]int{}
	for i, name := range strings.Split(line, ",") {
		if _, twice := columns[plain(name)]; !twice {
			columns[plain(name)] = i
		}
	}
	return columns
}

// cellsOf cuts a row at its commas outside of quotes.
func cellsOf(line string) ([]string, error) {
	if !strings.Contains(line, `"`) {
		return strings.Split(line, ","), nil
	}
	r := csv.NewReader(strings.NewReader(line))
	r.LazyQuotes, r.FieldsPerRecord = true, -1
	return r.Read()
}

// node reads a row of NODES.
func (d *dbReader) node(row dbRow) {
	text := row.get("nodeguid")
	p := portstate.Port{Device: row.get("nodedesc"), Number: -1}
	guid, ok := portstate.ParseGUID(text)
	if ok {
		p.Node = guid
	} else if !d.guids {
		d.guids = true
		d.Note("the GUID %q is no hexadecimal number: such nodes are known by their names", short(text))
	}
	if p.Device == "" && !ok {
		p.Device = text
	}
	p.Role = nodeType(row.get("nodetype"))
	d.nodes[text] = p
}

// at is the port of a row; ok is false for the sum of ports and for a row without a port.
func (d *dbReader) at(row dbRow, guid, port string) (portstate.Port, bool) {
	text := guid
	p, known := d.nodes[text]
	if !known {
		node, ok := portstate.ParseGUID(text)
		p = portstate.Port{Node: node}
		if !ok {
			p.Device = text
		}
	}
	n, ok, _ := portstate.ParseCount(port)
	if !ok || n > maxPort {
		return p, false
	}
	p.Number = int(n)
	if own, ok := portstate.ParseGUID(row.get("portguid")); ok {
		p.GUID = own
	}
	if lid, ok, _ := portstate.ParseCount(row.get("lid")); ok && lid < 1<<20 {
		p.LID = uint32(lid)
	}
	return p, true
}

// of is the port of a row with the usual columns.
func (d *dbReader) of(row dbRow) (portstate.Port, bool) {
	return d.at(row, row.get("nodeguid"), row.get("portnum", "portnumber"))
}
