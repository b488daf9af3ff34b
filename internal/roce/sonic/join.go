package sonic

import (
	"fmt"
	"strings"
)

// part is one file of a configuration. Lines are numbered through all files, so one number
// identifies the file and the line.
type part struct {
	file   string
	before int // lines of the files before it
}

// parts are the files of a configuration, in their order.
type parts []part

// at is the file and the line in it, for a line number that counts through all files.
func (p parts) at(line int) (file string, own int) {
	if line == 0 || len(p) == 0 {
		return p.names(), 0
	}
	k := len(p) - 1
	for k > 0 && line <= p[k].before {
		k--
	}
	return p[k].file, line - p[k].before
}

// names are all files, as one name.
func (p parts) names() string {
	var names []string
	for _, x := range p {
		names = append(names, x.file)
	}
	return strings.Join(names, ",")
}

// Join makes one configuration of several files of a switch, such as qos.json and buffers.json. A
// table may be in several files. The same entry in two files is an *Error: it is unknown which of
// them is used.
func Join(files ...*Config) (*Config, error) {
	out := &Config{}
	for _, c := range files {
		for _, p := range c.parts {
			out.parts = append(out.parts, part{p.file, out.lines + p.before})
		}
		for _, t := range c.Tables {
			if err := out.join(t); err != nil {
				return nil, err
			}
		}
		out.lines += c.lines
	}
	out.File = out.parts.names()
	return out, nil
}

// join adds a table of the next file.
func (c *Config) join(t *Table) error {
	own := c.Table(t.Name)
	if own == nil {
		own = &Table{Name: t.Name, Line: t.Line + c.lines}
		c.Tables = append(c.Tables, own)
	}
	for i := range t.Rows {
		row := t.Rows[i]
		row.Line += c.lines
		if first := own.Row(row.Key); first != nil {
			file, line := c.parts.at(row.Line)
			before, at := c.parts.at(first.Line)
			return &Error{File: file, Line: line, Text: fmt.Sprintf("%s|%s is in %s too, on line %d: take it out of one of the files", t.Name, row.Key, before, at)}
		}
		row.Fields = nil
		for _, f := range t.Rows[i].Fields {
			f.Line += c.lines
			row.Fields = append(row.Fields, f)
		}
		own.Rows = append(own.Rows, row)
	}
	return nil
}
