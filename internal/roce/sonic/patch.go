package sonic

import (
	"fmt"
	"strconv"
	"strings"
)

// Patch is a line of configuration that SONiC loads on top of what is there
// (config load): names of fields and their values in turn.
func Patch(table, key string, values ...string) string {
	var fields []string
	for i := 0; i+1 < len(values); i += 2 {
		fields = append(fields, quoted(values[i])+": "+quoted(values[i+1]))
	}
	return fmt.Sprintf("{%s: {%s: {%s}}}", quoted(table), quoted(key), strings.Join(fields, ", "))
}

// Merge lays another configuration over this one, field by field, as config load
// does: what the other does not name stays. A row that names several queues
// ("Ethernet0|3-4") keeps its others, since a row for one of them comes behind it.
func (c *Config) Merge(over *Config) {
	for _, t := range over.Tables {
		for _, r := range t.Rows {
			row := c.Table(t.Name).Row(r.Key)
			if row == nil {
				c.Add(t.Name, r)
				continue
			}
			for _, f := range r.Fields {
				row.Set(f.Name, f.Text)
			}
		}
	}
}

// Silence takes a priority out of those on which a port sends and obeys pauses.
func Silence(c *Config, p *Port, priority int) {
	var left []string
	for _, n := range p.PFC {
		if n != priority {
			left = append(left, strconv.Itoa(n))
		}
	}
	if row := c.Table("PORT_QOS_MAP").Row(p.QoSKey); row != nil {
		row.Set("pfc_enable", strings.Join(left, ","))
	}
}
