package sonic

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func text(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func read(t testing.TB, name string) *Config {
	t.Helper()
	c, err := Read(name, strings.NewReader(text(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// withoutLines is a configuration without its line numbers: values and their order.
func withoutLines(c *Config) []Table {
	var tables []Table
	for _, t := range c.Tables {
		plain := Table{Name: t.Name}
		for _, r := range t.Rows {
			row := Row{Key: r.Key}
			for _, f := range r.Fields {
				f.Line = 0
				row.Fields = append(row.Fields, f)
			}
			plain.Rows = append(plain.Rows, row)
		}
		tables = append(tables, plain)
	}
	return tables
}

func written(t testing.TB, c *Config) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWhatIsWrittenReadsAgainAsTheSame(t *testing.T) {
	for _, name := range []string{"config_db.json", "qos.json", "buffers.json"} {
		c := read(t, name)
		out := written(t, c)
		again, err := Read(name, strings.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(withoutLines(c), withoutLines(again)) {
			t.Errorf("%s: written and read again it differs", name)
		}
	}
	if c := read(t, "config_db.json"); written(t, c) != text(t, "config_db.json") {
		t.Error("config_db.json, as \"config save\" wrote it, is written differently")
	}
}

func TestEveryValueHasItsLine(t *testing.T) {
	lines := strings.Split(text(t, "config_db.json"), "\n")
	for _, table := range read(t, "config_db.json").Tables {
		for _, row := range table.Rows {
			if !strings.Contains(lines[row.Line-1], `"`+row.Key+`"`) {
				t.Errorf("%s|%s is said to be in line %d: %s", table.Name, row.Key, row.Line, lines[row.Line-1])
			}
			for _, f := range row.Fields {
				if !strings.Contains(lines[f.Line-1], `"`+f.Name+`"`) {
					t.Errorf("%s of %s|%s is said to be in line %d: %s", f.Name, table.Name, row.Key, f.Line, lines[f.Line-1])
				}
			}
		}
	}
}

func TestAFileCutAnywhereIsRefusedWithItsLine(t *testing.T) {
	whole := strings.TrimRight(text(t, "qos.json"), "\n")
	for n := range len(whole) {
		_, err := Read("qos.json", strings.NewReader(whole[:n]))
		var e *Error
		if !errors.As(err, &e) || e.Line == 0 {
			t.Fatalf("cut at byte %d of %d: %v", n, len(whole), err)
		}
		if last := 1 + strings.Count(whole[:n], "\n"); e.Line > last {
			t.Fatalf("cut at byte %d, in line %d: the error names line %d", n, last, e.Line)
		}
	}
}

func TestWhatIsNoConfigurationIsRefused(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an empty file", "", "f:1: the file is empty"},
		{"a name twice", "{\"PORT\": {\n\"Ethernet0\": {},\n\"Ethernet0\": {}\n}}", `f:3: table PORT has "Ethernet0" twice, first in line 2`},
		{"a field twice", "{\"PORT\": {\"Ethernet0\": {\n\"mtu\": \"1\",\n\"mtu\": \"2\"}}}", `f:3: PORT|Ethernet0 has "mtu" twice, first in line 2`},
		{"a table twice", "{\"PORT\": {},\n\"PORT\": {}}", `f:2: the file has "PORT" twice, first in line 1`},
		{"a list for a table", "{\"PORT\":\n[]}", "f:2: table PORT is a list; expected an object"},
		{"a number for a row", "{\"PORT\": {\n\"Ethernet0\": 7}}", "f:2: PORT|Ethernet0 is a number; expected an object"},
		{"an object for a value", "{\"PORT\": {\"Ethernet0\": {\n\"mtu\": {}}}}", "f:2: mtu of PORT|Ethernet0 is an object; expected a string"},
		{"null for a value", "{\"PORT\": {\"Ethernet0\": {\"mtu\": null}}}", "f:1: mtu of PORT|Ethernet0 is null; expected a string"},
		{"two documents", "{\"PORT\": {}}\n{}", "f:2: something follows the end"},
		{"EOS", "! device: leaf1 (DCS-7060DX5-64S, EOS-4.31)\ninterface Ethernet1\n   uc-tx-queue 3\n", "f:1: this is no configuration of SONiC, and looks like Arista EOS"},
		{"NX-OS", "!Command: show running-config\nfeature lldp\n", "f:1: this is no configuration of SONiC, and looks like Cisco NX-OS"},
		{"NVUE's commands", "nv set qos roce\n", "f:1: this is no configuration of SONiC, and looks like NVUE commands"},
		{"NVUE's YAML", "- header:\n    model: x\n- set:\n    qos: {}\n", "looks like NVUE's startup configuration"},
		{"NVUE in JSON", "[{\"set\": {\"qos\": {\"roce\": \"x\"}}}]", "f:1: the file is a list; expected an object"},
		{"OpenConfig", "{\"openconfig-qos:qos\": {\"a\": {}}}", "looks like OpenConfig"},
		{"Junos", "set class-of-service forwarding-classes class x\n", "looks like Junos"},
		{"several chips", "{\"localhost\": {\"PORT\": {}}}", "f:1: \"localhost\" holds the configuration of one part of a switch with several chips"},
		{"another program's JSON", "{\"name\": {}}", "no table of SONiC's"},
		{"another program's text", "hello\n", "f:1: this is not JSON"},
	} {
		_, err := Read("f", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"config_db.json", "qos.json", "buffers.json"} {
		f.Add(text(f, name))
	}
	f.Add("{\"PORT_QOS_MAP\": {\"a,b|c\": {\"pfc_enable\": \"9\"}}, \"BUFFER_PG\": {\"|\": {}}}")
	f.Fuzz(func(t *testing.T, in string) {
		c, err := Read("f", strings.NewReader(in))
		if err != nil {
			return
		}
		Examine(c)
		again, err := Read("f", strings.NewReader(written(t, c)))
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		if !reflect.DeepEqual(withoutLines(c), withoutLines(again)) {
			t.Fatal("written and read again it differs")
		}
	})
}

func TestAPatchIsLaidOverFieldByField(t *testing.T) {
	c := read(t, "config_db.json")
	for _, line := range []string{
		Patch("DSCP_TO_TC_MAP", "AZURE", "26", "3"),
		Patch("WRED_PROFILE", "NEW", "ecn", "ecn_all"),
		Patch("PFC_WD", "A", "action", "drop"),
	} {
		p, err := Read("patch", strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		c.Merge(p)
	}
	dscp := c.Table("DSCP_TO_TC_MAP").Row("AZURE")
	v, _ := dscp.Get("26")
	w, _ := dscp.Get("25")
	if len(dscp.Fields) != 64 || v.Text != "3" || w.Text != "1" {
		t.Errorf("%d entries, 26 to %s, 25 to %s", len(dscp.Fields), v.Text, w.Text)
	}
	if c.Table("WRED_PROFILE").Row("NEW") == nil || c.Table("PFC_WD").Row("A") == nil {
		t.Error("new rows are not there")
	}
}
