package planfile

import (
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
)

// row is a row of a table with its line.
type row struct {
	cells []string
	line  int
}

// cell is a cell of a row without blanks around it; empty if there is none.
func (r *row) cell(at int) string {
	if at < 0 || at >= len(r.cells) {
		return ""
	}
	return r.cells[at]
}

// tableOf reads a table, whose cells commas, semicolons or tabs separate.
func tableOf(file, text string) ([]row, error) {
	in := csv.NewReader(strings.NewReader(text))
	in.Comma = separator(text)
	in.LazyQuotes, in.FieldsPerRecord, in.TrimLeadingSpace = true, -1, in.Comma != '\t'
	var rows []row
	for {
		cells, err := in.Read()
		var bad *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case errors.As(err, &bad):
			return nil, problem(file, bad.Line, "this is no row of a table: %v", bad.Err)
		case err != nil:
			return nil, problem(file, 0, "cannot be read: %v", err)
		}
		if len(rows) > maxCables {
			return nil, problem(file, 0, "more than %d rows", maxCables)
		}
		line, _ := in.FieldPos(0)
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, row{cells, line})
	}
}

// separator is the mark that the first line with any has most of.
func separator(text string) rune {
	for len(text) > 0 {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		best, most := ',', 0
		for _, mark := range ",;\t" {
			if n := strings.Count(line, string(mark)); n > most {
				best, most = mark, n
			}
		}
		if most > 0 {
			return best
		}
	}
	return ','
}

// columns has the index of each column of a table; -1 says that the table lacks the column.
type columns struct {
	device, port, kind, rack [2]int // of the two ends
	speed, length, unit      int
	part, serial             int
	names                    map[string]bool // the normalised headings
}

// headings are the names of columns in the tables of many tools, normalised.
var headings = map[string]func(c *columns) *int{}

func init() {
	for names, at := range map[string]func(c *columns) *int{
		"startdevice sideadevice devicea adevice node device1 sourcedevice source localdevice system fromdevice from node1 hosta switcha sidea":                                                                                                                func(c *columns) *int { return &c.device[0] },
		"enddevice sidebdevice deviceb bdevice peernode peerdevice device2 destinationdevice destdevice destination remotedevice peer todevice to node2 hostb switchb sideb neighbor neighbour neighbordevice peerhostname peername remotehostname remotehost": func(c *columns) *int { return &c.device[1] },
		"startport sideaname porta aport nodeinterface port1 sourceport localport interfacea ainterface terminationa interface1 fromport localinterface sourceinterface":                                                                                       func(c *columns) *int { return &c.port[0] },
		"endport sidebname portb bport peerinterface peerport port2 destinationport destport remoteport remoteinterface interfaceb binterface terminationb interface2 toport destinationinterface neighborport peerifname remoteport":                          func(c *columns) *int { return &c.port[1] },
		"nodetype sideatype typea startdevicetype":             func(c *columns) *int { return &c.kind[0] },
		"peertype sidebtype typeb enddevicetype":               func(c *columns) *int { return &c.kind[1] },
		"rack racka startrack startdevicerack":                 func(c *columns) *int { return &c.rack[0] },
		"rackb endrack enddevicerack":                          func(c *columns) *int { return &c.rack[1] },
		"bandwidth speed rate linkspeed":                       func(c *columns) *int { return &c.speed },
		"length cablelength":                                   func(c *columns) *int { return &c.length },
		"lengthunit":                                           func(c *columns) *int { return &c.unit },
		"partnumber pn cablepn part cablepart cablepartnumber": func(c *columns) *int { return &c.part },
		"serial serialnumber sn cablesn cableserial":           func(c *columns) *int { return &c.serial },
	} {
		for _, name := range strings.Fields(names) {
			headings[name] = at
		}
	}
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// normalised is a heading in small letters and digits: "#Fields:StartDevice" is "startdevice".
func normalised(heading string) string {
	heading = strings.TrimPrefix(strings.ToLower(heading), "#fields:")
	return notName.ReplaceAllString(heading, "")
}

// columnsOf reads the headings of a table. A table of device,port,device,port has its second pair for the second end.
func columnsOf(cells []string) *columns {
	c := &columns{speed: -1, length: -1, unit: -1, part: -1, serial: -1, names: map[string]bool{}}
	for i := range 2 {
		c.device[i], c.port[i], c.kind[i], c.rack[i] = -1, -1, -1, -1
	}
	take := func(at *int, i int) {
		if *at < 0 {
			*at = i
		}
	}
	second := func(pair *[2]int, i int) {
		if pair[0] < 0 {
			pair[0] = i
		} else {
			take(&pair[1], i)
		}
	}
	for i, cell := range cells {
		name := normalised(cell)
		c.names[name] = true
		if strings.HasPrefix(cell, "#") {
			c.names["#"] = true
		}
		switch name {
		case "device", "host", "hostname", "switch", "devicename":
			second(&c.device, i)
		case "port", "interface", "ifname", "portname":
			second(&c.port, i)
		case "type":
			if c.device[0] >= 0 && c.device[1] < 0 {
				take(&c.kind[0], i)
			}
		default:
			if at := headings[name]; at != nil {
				take(at(c), i)
			}
		}
	}
	return c
}

// missing names the columns that a table of cables must have and this has not.
func (c *columns) missing() (names []string) {
	for i, end := range [2]string{"first", "second"} {
		if c.device[i] < 0 {
			names = append(names, "the "+end+" device")
		}
		if c.port[i] < 0 {
			names = append(names, "the "+end+" port")
		}
	}
	return names
}

// maxHead is the number of rows in which the headings of a table are looked for.
const maxHead = 20

// readCSV reads a table of cables in any form.
func readCSV(file, text string) (*cabling.Fabric, error) {
	rows, err := tableOf(file, text)
	if err != nil {
		return nil, err
	}
	best, at := (*columns)(nil), -1
	for i := range rows[:min(len(rows), maxHead)] {
		c := columnsOf(rows[i].cells)
		if n := len(c.missing()); best == nil && n < 3 || best != nil && n < len(best.missing()) {
			best, at = c, i
		}
	}
	if best == nil {
		return readPlainCSV(file, rows)
	}
	if m := best.missing(); len(m) > 0 {
		return nil, problem(file, rows[at].line, "the headings have no column for %s: expected StartDevice,StartPort,EndDevice,EndPort, or device,port,device,port, or the headings of UFM, AVD, SONiC or NetBox", strings.Join(m, " and "))
	}
	t := &tableReader{b: newBuilder(file, formatOf(best)), c: best}
	t.avd = t.b.f.Format == avdTopology
	t.ndt = t.b.f.Format == ufmNDT
	t.ends(rows[at+1:], text)
	if best.kind[0] >= 0 && best.kind[1] >= 0 && t.b.f.Format == netboxCables {
		return readNetBox(t, rows[at+1:])
	}
	return t.read(rows[at+1:])
}

// readPlainCSV reads a table without headings: device,port,device,port.
func readPlainCSV(file string, rows []row) (*cabling.Fabric, error) {
	c := columnsOf([]string{"device", "port", "device", "port"})
	for i := range rows {
		r := &rows[i]
		if len(r.cells) > 0 && strings.HasPrefix(r.cells[0], "#") {
			continue
		}
		if len(r.cells) < 4 || !hasDigit(r.cell(1)) || !hasDigit(r.cell(3)) {
			return nil, problem(file, r.line, "%s: expected %s", quote(strings.Join(r.cells, ",")), Known)
		}
		break
	}
	t := &tableReader{b: newBuilder(file, "table of cables"), c: c}
	t.ends(rows, "")
	return t.read(rows)
}

// Names of formats that a reader asks for.
const (
	ufmNDT       = "UFM NDT"
	netboxCables = "NetBox cables"
)

const avdTopology = "AVD fabric topology"

// formatOf is the format of a table by the columns that only it has.
func formatOf(c *columns) string {
	switch {
	case c.names["sideadevice"] || c.names["terminationa"]:
		return netboxCables
	case c.names["startdevice"] && c.names["bandwidth"]:
		return "SONiC lab links"
	case c.names["startdevice"] && (c.names["linktype"] || c.names["#"]):
		return ufmNDT
	case c.names["peernode"] && c.names["system"]:
		return "UFM ports"
	case c.names["peernode"] && c.names["nodeinterface"]:
		return avdTopology
	}
	return "table of cables"
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// tableReader makes a fabric from the rows of a table.
type tableReader struct {
	b     *builder
	c     *columns
	ndt   bool
	avd   bool
	inner int             // rows of interfaces that share a cable with others
	least int             // cells that a row must have
	width int             // cells that the first row has
	cut   bool            // the last row has no end of line
	split map[string]bool // names that several devices have, which their racks tell apart
}

// ends finds out what a whole row has, and which names several devices have.
func (t *tableReader) ends(rows []row, text string) {
	t.least = max(t.c.device[0], t.c.device[1], t.c.port[0], t.c.port[1]) + 1
	t.cut = text != "" && !strings.HasSuffix(text, "\n")
	if len(rows) > 0 {
		t.width = len(rows[0].cells)
	}
	t.split = map[string]bool{}
	if t.c.rack[0] < 0 {
		return
	}
	rack := map[string]string{}
	for i := range rows {
		end := rows[i].cell(t.c.device[0]) + "\x00" + rows[i].cell(t.c.port[0])
		r := rackOf(&rows[i], t.c)
		if before, known := rack[end]; known && before != r {
			t.split[rows[i].cell(t.c.device[0])] = true
		}
		rack[end] = r
	}
}

// rackOf is the place of a row's first device: all cells before it.
func rackOf(r *row, c *columns) string {
	return strings.Join(r.cells[:max(0, min(c.device[0], len(r.cells)))], "\x00")
}

// read makes cables of the rows.
func (t *tableReader) read(rows []row) (*cabling.Fabric, error) {
	var bad error
	for i := range rows {
		r := &rows[i]
		if blank(r) || strings.HasPrefix(r.cell(0), "#") {
			continue
		}
		c, ok, err := t.cable(r, i == len(rows)-1)
		if err != nil {
			if bad == nil {
				bad = err
			}
			text := err.Error()
			if p, ok := errors.AsType[*Problem](err); ok {
				text = p.Text
			}
			t.b.note(t.b.place(r.line), "%s; the row is left out", text)
		}
		if ok {
			t.b.connect(c)
		}
		if err := t.b.full(r.line); err != nil {
			return nil, err
		}
	}
	if len(t.split) > 0 {
		t.b.f.Note("%s: %s in several racks; each rack's is a device of its own", t.b.file, wording.Counted(len(t.split), "device name is", "device names are"))
	}
	if t.inner > 0 {
		t.b.f.Note("%s: %s left out: their cables have rows of their own", t.b.file, wording.Counted(t.inner, "row of subinterfaces is", "rows of subinterfaces are"))
	}
	if len(t.b.f.Cables) == 0 && bad != nil {
		return nil, bad
	}
	return t.b.finish()
}

func blank(r *row) bool {
	for _, c := range r.cells {
		if c != "" {
			return false
		}
	}
	return true
}

// cable is the cable of a row. A row without an end is a port without a cable, or the end of a file that is cut off.
func (t *tableReader) cable(r *row, last bool) (c cabling.Cable, ok bool, err error) {
	if cut := last && t.cut && len(r.cells) < t.width; cut || len(r.cells) < t.least {
		if last {
			t.b.note(t.b.place(r.line), "the file is cut off in the last row %s, which is left out: the devices of the last rows may lack cables", quote(strings.Join(r.cells, ",")))
			t.endsHere()
			return c, false, nil
		}
		return c, false, problem(t.b.file, r.line, "%s has %s, expected at least %d", quote(strings.Join(r.cells, ",")), wording.Counted(len(r.cells), "cell", "cells"), t.least)
	}
	c = cabling.Cable{
		Rate: rateOf(r.cell(t.c.speed)), Length: lengthOf(r.cell(t.c.length), r.cell(t.c.unit)),
		Part: r.cell(t.c.part), Serial: r.cell(t.c.serial), Place: t.b.place(r.line),
	}
	for i, at := range [2]*cabling.End{&c.A, &c.B} {
		name, port := r.cell(t.c.device[i]), r.cell(t.c.port[i])
		if name == "" || absent[strings.ToLower(name)] {
			return c, false, nil
		}
		if t.avd && subinterface.MatchString(port) {
			t.inner++
			return c, false, nil
		}
		if t.ndt && !hasDigit(port) {
			return c, false, problem(t.b.file, r.line, "%s is no port: expected Port 21, Blade 16_Port 2/20, or the description of an adapter", quote(port))
		}
		*at = t.end(r, i, name, port)
		if t.c.kind[i] >= 0 {
			t.b.role(at.Device, roleWord(r.cell(t.c.kind[i])))
		}
	}
	return c, true, nil
}

// absent are texts that stand for no device.
var absent = map[string]bool{"n/a": true, "na": true, "-": true, "none": true, "null": true, "nan": true, "unconnected": true}

// endsHere marks the devices of the last cable: the file ends within their rows.
func (t *tableReader) endsHere() {
	if n := len(t.b.f.Cables); n > 0 {
		last := &t.b.f.Cables[n-1]
		t.b.f.Devices[last.A.Device].Partial, t.b.f.Devices[last.B.Device].Partial = true, true
	}
}

// end is the end of a row. UFM writes the description of an adapter in the place of a host's port.
func (t *tableReader) end(r *row, i int, name, port string) cabling.End {
	key := name
	if i == 0 && t.split[name] {
		key += "\x00" + rackOf(r, t.c)
	}
	if rest := strings.TrimPrefix(strings.ToLower(port), strings.ToLower(name)); t.ndt && len(rest) < len(port) && rest != "" && (rest[0] == ' ' || rest[0] == '_') {
		at := t.b.keyed(key+"\x00"+port, port)
		t.b.f.Devices[at].Group = name
		t.b.role(at, cabling.Host)
		return cabling.End{Device: at, Port: "1"}
	}
	e := cabling.End{Device: t.b.keyed(key, name), Port: port}
	if blade := bladePort.FindStringSubmatch(port); blade != nil {
		e.Port = "L" + blade[1] + "/U" + blade[2] + "/" + blade[3]
		e.Label = port
		t.b.suggest(e.Device, cabling.Switch, "the names of their ports")
	} else if n := numberedPort.FindStringSubmatch(port); n != nil {
		e.Port = n[1]
	}
	return e
}

var (
	// "Blade 16_Port 2/20" is port 20 of chip 2 of line card 16: L16/U2/20.
	bladePort = regexp.MustCompile(`(?i)^blade\s*(\d+)[_ ]+port\s*(\d+)/(\d+)$`)
	// Ethernet1.100 and "Ethernet1 VLAN 42" of AVD (examples/cv-pathfinder) share the cable of Ethernet1.
	subinterface = regexp.MustCompile(`(?i)^Ethernet[0-9/]+(\.[0-9]+| VLAN [0-9]+)$`)
	numberedPort = regexp.MustCompile(`(?i)^port\s*(\d+)$`)
)
