package sonic

import (
	"slices"
	"strings"
)

// perPort are the tables whose keys begin with the name of a port, with what makes up its treatment
// of traffic. A new port needs a row in each that other ports have.
var perPort = []string{"PORT_QOS_MAP", "BUFFER_PG", "BUFFER_QUEUE", "QUEUE", "BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST", "PFC_WD"}

// RowsLike are the lines of configuration that give a port the rows of another port which it does
// not have itself.
func (s *Switch) RowsLike(port, other string) (lines []string) {
	for _, table := range perPort {
		t := s.config.Table(table)
		if t == nil {
			continue
		}
		for i := range t.Rows {
			row := &t.Rows[i]
			ports, rest, numbered := strings.Cut(row.Key, "|")
			if numbered {
				rest = "|" + rest
			}
			if !slices.Contains(strings.Split(ports, ","), other) || t.covers(port, rest) {
				continue
			}
			var values []string
			for _, f := range row.Fields {
				text := f.Text
				if f.List != nil {
					text = strings.Join(f.List, ",")
				}
				values = append(values, f.Name, text)
			}
			lines = append(lines, Patch(table, port+rest, values...))
		}
	}
	return lines
}

// covers reports whether a row has a port in its key, with the same rest of the key.
func (t *Table) covers(port, rest string) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		ports, own, numbered := strings.Cut(r.Key, "|")
		if numbered {
			own = "|" + own
		}
		return own == rest && slices.Contains(strings.Split(ports, ","), port)
	})
}

// MapNamed is the name of a map that a table has, "" if it has none: AZURE, which SONiC makes, or
// else the first.
func (s *Switch) MapNamed(table string) string {
	t := s.config.Table(table)
	switch {
	case t == nil || len(t.Rows) == 0:
		return ""
	case t.Row("AZURE") != nil:
		return "AZURE"
	}
	return t.Rows[0].Key
}

// Patched is the switch with lines of configuration laid over its own, and the defects of the
// result. Lines that are no configuration, such as a command of the switch, are left out.
func (s *Switch) Patched(lines []string) (*Switch, []*Error, error) {
	c := s.config.clone()
	if err := c.Lay(lines); err != nil {
		return nil, nil, err
	}
	sw, problems := Examine(c)
	return sw, problems, nil
}

// Lay merges lines of configuration (Patch) and leaves out lines that are none.
func (c *Config) Lay(lines []string) error {
	for _, line := range lines {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		over, err := Read("fix", strings.NewReader(line))
		if err != nil {
			return err
		}
		c.Merge(over)
	}
	return nil
}

// Superseded is a line of configuration with the values that a later line gives the same fields.
// Lines that are no configuration stay as they are.
func Superseded(line, later string) string {
	if !strings.HasPrefix(line, "{") || !strings.HasPrefix(later, "{") {
		return line
	}
	old, errOld := Read("fix", strings.NewReader(line))
	over, errOver := Read("fix", strings.NewReader(later))
	if errOld != nil || errOver != nil || old.Tables[0].Name != over.Tables[0].Name || old.Tables[0].Rows[0].Key != over.Tables[0].Rows[0].Key {
		return line
	}
	row := &old.Tables[0].Rows[0]
	var values []string
	for _, f := range row.Fields {
		if v, ok := over.Tables[0].Rows[0].Get(f.Name); ok {
			f.Text = v.Text
		}
		values = append(values, f.Name, f.Text)
	}
	return Patch(old.Tables[0].Name, row.Key, values...)
}

// clone is a copy whose rows can be changed.
func (c *Config) clone() *Config {
	out := *c
	out.Tables = nil
	for _, t := range c.Tables {
		own := *t
		own.Rows = slices.Clone(t.Rows)
		for i := range own.Rows {
			own.Rows[i].Fields = slices.Clone(own.Rows[i].Fields)
		}
		out.Tables = append(out.Tables, &own)
	}
	return &out
}
