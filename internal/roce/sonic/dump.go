package sonic

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A dump of CONFIG_DB, as sonic-db-dump and redis-dump write it and a techsupport archive has it, names each
// entry by table and key: "BUFFER_PG|Ethernet0|3-4": {"expireat": …, "ttl": …, "type": "hash", "value":
// {…}}. The fields are those of the database: a list is a text with commas, whose field's name ends in @,
// and an entry without fields has NULL alone (ConfigDBConnector.raw_to_typed of sonic-py-swsssdk;
// p/redis-dump-load, redisdl.py). The tables of SONiC's own tests leave out what surrounds the fields.

// dumpNames are the names around the fields of an entry.
var dumpNames = map[string]bool{"type": true, "value": true, "ttl": true, "expireat": true}

// entry reads an entry of a dump.
func (r *reader) entry(name string, row Row) (Row, error) {
	var inner []Field
	wrapped := false
	err := r.object(name, func(field string, _ int) error {
		t, err := r.token()
		if err != nil {
			return err
		}
		if field == "value" && t == json.Delim('{') {
			wrapped = true
			return r.members(name, func(field string, _ int) error {
				v, err := r.value(fmt.Sprintf("%s of %s", field, name))
				inner = append(inner, Field{field, v})
				return err
			})
		}
		v, err := r.valueFrom(fmt.Sprintf("%s of %s", field, name), t)
		row.Fields = append(row.Fields, Field{field, v})
		return err
	})
	if wrapped {
		row.Fields = inner
	}
	row.Fields = typed(row.Fields)
	return row, err
}

// typed are the fields of an entry as config_db.json has them.
func typed(fields []Field) (out []Field) {
	for _, f := range fields {
		if f.Name == "NULL" {
			continue
		}
		if name, list := strings.CutSuffix(f.Name, "@"); list && f.List == nil {
			f.Name, f.Value = name, Value{List: strings.Split(f.Text, ","), Line: f.Line}
		}
		out = append(out, f)
	}
	return out
}

// skip reads over a value.
func (r *reader) skip() error {
	var value json.RawMessage
	if err := r.dec.Decode(&value); err != nil {
		return r.fail("%v", err)
	}
	return nil
}
