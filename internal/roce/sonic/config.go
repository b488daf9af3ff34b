package sonic

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Value is a field's value: a text, or a list of them.
type Value struct {
	Text string
	List []string // not nil: the value is a list
	Line int
}

// Field is a named value.
type Field struct {
	Name string
	Value
}

// Row is an entry of a table: "Ethernet0|3-4" and its fields.
type Row struct {
	Key    string
	Line   int
	Fields []Field
}

// Get is a field's value.
func (r *Row) Get(name string) (Value, bool) {
	for _, f := range r.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return Value{}, false
}

// Set sets a field's text, in its place or at the end.
func (r *Row) Set(name, text string) { r.set(name, Value{Text: text}) }

func (r *Row) set(name string, v Value) {
	for i := range r.Fields {
		if r.Fields[i].Name == name {
			r.Fields[i].Value = v
			return
		}
	}
	r.Fields = append(r.Fields, Field{name, v})
}

// Table is a named set of rows.
type Table struct {
	Name string
	Line int
	Rows []Row
}

// Row finds a row by its key.
func (t *Table) Row(key string) *Row {
	if t == nil {
		return nil
	}
	for i := range t.Rows {
		if t.Rows[i].Key == key {
			return &t.Rows[i]
		}
	}
	return nil
}

// Config is a configuration, table by table as the file has them.
type Config struct {
	File   string // file name; several are joined by commas
	Tables []*Table

	parts parts
	lines int // of all files
}

// Table finds a table by its name; nil if there is none.
func (c *Config) Table(name string) *Table {
	for _, t := range c.Tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Add appends a row to a table. It makes the table if it is missing.
func (c *Config) Add(table string, row Row) {
	t := c.Table(table)
	if t == nil {
		t = &Table{Name: table, Line: row.Line}
		c.Tables = append(c.Tables, t)
	}
	t.Rows = append(t.Rows, row)
}

// Read reads a configuration: config_db.json, a part of it, or a dump of CONFIG_DB (dump.go). The error is an *Error with file and line. It is for a truncated
// file, for text that is not JSON, for duplicate names, and for values that are neither texts nor
// lists of texts.
func Read(file string, in io.Reader) (*Config, error) {
	r, err := newReader(file, in)
	if err != nil {
		return nil, err
	}
	c := &Config{File: file}
	err = r.object("the file", func(name string, line int) error {
		if severalChips(name) {
			return r.fail("%q holds the configuration of one part of a switch with several chips: give the tables of one chip, as its own config_db.json has them", name)
		}
		if table, key, one := strings.Cut(name, "|"); one {
			row, err := r.entry(name, Row{Key: key, Line: line})
			c.Add(table, row)
			return err
		}
		t := &Table{Name: name, Line: line}
		c.Tables = append(c.Tables, t)
		return r.object("table "+name, func(key string, line int) error {
			if dumpNames[key] { // of a key that is no entry
				return r.skip()
			}
			row := Row{Key: key, Line: line}
			err := r.object(name+"|"+key, func(field string, _ int) error {
				v, err := r.value(fmt.Sprintf("%s of %s|%s", field, name, key))
				row.Fields = append(row.Fields, Field{field, v})
				return err
			})
			t.Rows = append(t.Rows, row)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	if r.dec.More() {
		return nil, r.fail("something follows the end of the configuration")
	}
	c.parts, c.lines = parts{{file: file}}, len(r.breaks)+1
	if !slices.ContainsFunc(c.Tables, func(t *Table) bool { return known[t.Name] }) {
		return nil, &Error{File: file, Text: "no table of SONiC's QoS, buffers or ports is in it: " +
			"expected some of " + strings.Join(knownTables(), ", ") + r.lookslike()}
	}
	return c, nil
}

// known are the tables that make up a Switch.
var known = map[string]bool{
	"PORT": true, "CABLE_LENGTH": true, "DEVICE_METADATA": true,
	"BUFFER_POOL": true, "BUFFER_PROFILE": true, "BUFFER_PG": true, "BUFFER_QUEUE": true,
	"BUFFER_PORT_INGRESS_PROFILE_LIST": true, "BUFFER_PORT_EGRESS_PROFILE_LIST": true,
	"DSCP_TO_TC_MAP": true, "DOT1P_TO_TC_MAP": true, "TC_TO_PRIORITY_GROUP_MAP": true, "TC_TO_QUEUE_MAP": true,
	"MAP_PFC_PRIORITY_TO_QUEUE": true, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": true,
	"PORT_QOS_MAP": true, "QUEUE": true, "SCHEDULER": true, "WRED_PROFILE": true, "PFC_WD": true,
	"LOSSLESS_TRAFFIC_PATTERN": true, "DEFAULT_LOSSLESS_BUFFER_PARAMETER": true,
	"SWITCH_HASH": true, "BGP_GLOBALS": true, "BGP_GLOBALS_AF": true,
}

func knownTables() []string {
	var names []string
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Write writes the configuration as SONiC's "config save" does: indented by four blanks a level.
func (c *Config) Write(w io.Writer) error {
	out := &strings.Builder{}
	out.WriteString("{")
	for i, t := range c.Tables {
		separate(out, i, 1)
		fmt.Fprintf(out, "%s: {", quoted(t.Name))
		for j := range t.Rows {
			separate(out, j, 2)
			writeRow(out, &t.Rows[j])
		}
		closeBrace(out, len(t.Rows), 1)
	}
	closeBrace(out, len(c.Tables), 0)
	out.WriteString("\n")
	_, err := io.WriteString(w, out.String())
	return err
}

func writeRow(out *strings.Builder, r *Row) {
	fmt.Fprintf(out, "%s: {", quoted(r.Key))
	for i, f := range r.Fields {
		separate(out, i, 3)
		fmt.Fprintf(out, "%s: ", quoted(f.Name))
		if f.List == nil {
			out.WriteString(quoted(f.Text))
			continue
		}
		out.WriteString("[")
		for j, text := range f.List {
			separate(out, j, 4)
			out.WriteString(quoted(text))
		}
		if len(f.List) > 0 {
			indent(out, 3)
		}
		out.WriteString("]")
	}
	closeBrace(out, len(r.Fields), 2)
}

func separate(out *strings.Builder, i, level int) {
	if i > 0 {
		out.WriteString(",")
	}
	indent(out, level)
}

func indent(out *strings.Builder, level int) { out.WriteString("\n" + strings.Repeat("    ", level)) }

func closeBrace(out *strings.Builder, members, level int) {
	if members > 0 {
		indent(out, level)
	}
	out.WriteString("}")
}

func quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
