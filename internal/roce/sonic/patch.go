package sonic

import (
	"fmt"
	"strconv"
	"strings"
)

// Patch is a line of configuration that SONiC loads on top of the present one (config load). values
// are field names and their values in turn.
func Patch(table, key string, values ...string) string {
	var fields []string
	for i := 0; i+1 < len(values); i += 2 {
		fields = append(fields, quoted(values[i])+": "+quoted(values[i+1]))
	}
	return fmt.Sprintf("{%s: {%s: {%s}}}", quoted(table), quoted(key), strings.Join(fields, ", "))
}

// Merge applies another configuration on top of this one, field by field, as config load does:
// fields that over does not name stay. A row that names several queues ("Ethernet0|3-4") stays for
// the others; a row for one of them follows it.
func (c *Config) Merge(over *Config) {
	for _, t := range over.Tables {
		for _, r := range t.Rows {
			row := c.Table(t.Name).Row(r.Key)
			if row == nil {
				c.Add(t.Name, r)
				continue
			}
			for _, f := range r.Fields {
				row.set(f.Name, f.Value)
			}
		}
	}
}

// Silence removes a priority from the priorities on which a port sends and obeys pauses.
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
