package sonic

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// dumped is a configuration as sonic-db-dump -y writes it: entries by their names, sorted, or without what
// surrounds the fields.
func dumped(c *Config, wrapped bool) string {
	entries := map[string]any{"CONFIG_DB_INITIALIZED": map[string]any{"expireat": 1700000000.1, "ttl": -0.001, "type": "string", "value": "1"}} //nolint:misspell // its name
	for _, t := range c.Tables {
		for i := range t.Rows {
			fields := map[string]string{}
			for _, f := range t.Rows[i].Fields {
				if f.List != nil {
					fields[f.Name+"@"] = strings.Join(f.List, ",")
				} else {
					fields[f.Name] = f.Text
				}
			}
			if len(fields) == 0 {
				fields["NULL"] = "NULL"
			}
			name := t.Name + "|" + t.Rows[i].Key
			if entries[name] = fields; wrapped {
				entries[name] = map[string]any{"expireat": 1700000000.1, "ttl": -0.001, "type": "hash", "value": fields}
			}
		}
	}
	out, _ := json.MarshalIndent(entries, "", "  ") // texts and numbers can be encoded
	return string(out)
}

// values are all values of a configuration by their names; the order does not matter.
func values(c *Config) (out []string) {
	for _, t := range c.Tables {
		for i := range t.Rows {
			out = append(out, t.Name+"|"+t.Rows[i].Key)
			for _, f := range t.Rows[i].Fields {
				out = append(out, fmt.Sprintf("%s|%s %s=%s%q", t.Name, t.Rows[i].Key, f.Name, f.Text, f.List))
			}
		}
	}
	slices.Sort(out)
	return out
}

func TestADumpOfTheDatabaseIsTheConfiguration(t *testing.T) {
	want := read(t, "config_db.json")
	for _, wrapped := range []bool{true, false} {
		text := dumped(want, wrapped)
		got, err := Read("CONFIG_DB.json", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(values(got), values(want)) {
			t.Errorf("wrapped %v: the dump has other values than config_db.json", wrapped)
		}
		lines := strings.Split(text, "\n")
		for _, table := range got.Tables {
			for _, row := range table.Rows {
				if !strings.Contains(lines[row.Line-1], table.Name+"|"+row.Key) {
					t.Fatalf("%s|%s is said to be in line %d: %s", table.Name, row.Key, row.Line, lines[row.Line-1])
				}
			}
		}
		a, errA := Resolve(want)
		b, errB := Resolve(got)
		if errA != nil || errB != nil || len(a.Ports) == 0 || len(a.Ports) != len(b.Ports) {
			t.Errorf("wrapped %v: %d ports and %d, %v, %v", wrapped, len(a.Ports), len(b.Ports), errA, errB)
		}
	}
}

func TestACutDumpIsTruncated(t *testing.T) {
	whole := dumped(read(t, "buffers.json"), true)
	for n := 1; n < len(whole); n += 97 {
		if _, err := Read("x", strings.NewReader(whole[:n])); err == nil || !strings.Contains(err.Error(), "x:") {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}
