package roceexport

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/roce/sonic"
)

// model is the content of one of SONiC's YANG models for a table.
type model struct {
	table, key string
	leaves     map[string]string // by name, a pattern; "*" is a map's entries
	mandatory  []string
	refs       map[string]string // leafrefs: by name, the table that must have the value
	// atLeast gives for a leaf another leaf of the same row, below which it must not be. A name in
	// capitals is a leaf of the row GLOBAL.
	atLeast map[string]string
}

// Patterns that several tables share.
const (
	mapName    = `[a-zA-Z0-9][-a-zA-Z0-9_]{0,31}`
	priorities = `([0-7](,[0-7])*)?`
	number     = `[0-9]+`
	ofHundred  = `100|[1-9]?[0-9]`
)

// yang are the keys, leaves, patterns, ranges, leafrefs and musts of sonic-buildimage's YANG
// models, src/sonic-yang-models/yang-models at the commits of June 2026. These models were read
// again for it: sonic-wred-profile, sonic-dscp-tc-map and its kind, sonic-port-qos-map,
// sonic-buffer-pg, sonic-buffer-queue, sonic-queue, sonic-scheduler, sonic-pfcwd and
// sonic-cable-length. The models sonic-buffer-profile and sonic-buffer-pool could not be read.
// SONiC refuses a leaf that no model has, and a value out of range. Leafrefs to PORT are left out:
// the ports are in the configuration over which the fragment is laid.
var yang = []model{
	{"WRED_PROFILE", mapName, map[string]string{
		"ecn":               "ecn_(none|green|yellow|red|green_yellow|green_red|yellow_red|all)",
		"wred_green_enable": "true|false", "wred_yellow_enable": "true|false", "wred_red_enable": "true|false",
		"green_min_threshold": number, "green_max_threshold": number, "green_drop_probability": ofHundred,
		"yellow_min_threshold": number, "yellow_max_threshold": number, "yellow_drop_probability": ofHundred,
		"red_min_threshold": number, "red_max_threshold": number, "red_drop_probability": ofHundred,
	}, nil, nil, map[string]string{
		"green_max_threshold": "green_min_threshold", "yellow_max_threshold": "yellow_min_threshold", "red_max_threshold": "red_min_threshold",
	}},
	{"DSCP_TO_TC_MAP", mapName, map[string]string{"*": "1[0-5]|[0-9]"}, nil, nil, nil},
	{"TC_TO_PRIORITY_GROUP_MAP", mapName, map[string]string{"*": "[0-7]"}, nil, nil, nil},
	{"TC_TO_QUEUE_MAP", mapName, map[string]string{"*": "[0-9]"}, nil, nil, nil},
	{"MAP_PFC_PRIORITY_TO_QUEUE", mapName, map[string]string{"*": "[0-7]"}, nil, nil, nil},
	{"PORT_QOS_MAP", `Ethernet[0-9]+`, map[string]string{
		"pfc_enable": priorities, "pfcwd_sw_enable": priorities, "dscp_to_tc_map": mapName,
		"tc_to_pg_map": mapName, "tc_to_queue_map": mapName, "pfc_to_queue_map": mapName,
	}, nil, map[string]string{
		"dscp_to_tc_map": "DSCP_TO_TC_MAP", "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP", "tc_to_queue_map": "TC_TO_QUEUE_MAP",
		"pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
	}, nil},
	{"BUFFER_PG", `Ethernet[0-9]+\|[0-7](-[0-7])?`, map[string]string{"profile": ".+"}, []string{"profile"}, map[string]string{"profile": "BUFFER_PROFILE"}, nil},
	{"BUFFER_QUEUE", `Ethernet[0-9]+\|(1[0-5]|[0-9])(-(1[0-5]|[0-9]))?`, map[string]string{"profile": ".+"}, []string{"profile"}, map[string]string{"profile": "BUFFER_PROFILE"}, nil},
	{"QUEUE", `Ethernet[0-9]+\|[0-9]`, map[string]string{"scheduler": ".+", "wred_profile": mapName}, nil, map[string]string{"scheduler": "SCHEDULER", "wred_profile": "WRED_PROFILE"}, nil},
	{"CABLE_LENGTH", mapName, map[string]string{"*": "[0-9]+m|None"}, nil, nil, nil},
	{"BUFFER_PROFILE", `.+`, map[string]string{
		"dynamic_th": "-[1-8]|[0-7]", "static_th": number, "size": number, "pool": ".+",
		"xon": number, "xon_offset": number, "xoff": number,
	}, []string{"size", "pool"}, map[string]string{"pool": "BUFFER_POOL"}, nil},
	{"BUFFER_POOL", `.+`, map[string]string{"type": "ingress|egress|both", "mode": "static|dynamic", "size": number, "xoff": number}, []string{"type", "mode"}, nil, nil},
	{"SCHEDULER", `.+`, map[string]string{"type": "DWRR|WRR|STRICT", "weight": "[1-9][0-9]?|100"}, nil, nil, nil},
	{"SWITCH_HASH", `GLOBAL`, map[string]string{"ecmp_hash": "", "ecmp_hash_algorithm": "CRC|XOR|RANDOM|CRC_32LO|CRC_32HI|CRC_CCITT|CRC_XOR"}, nil, nil, nil},
	{"ECMP_LOADSHARE_TABLE_SEED", `hash`, map[string]string{"ecmp_hash_seed": number}, nil, nil, nil}, // of sonic-mgmt-common
	{"PFC_WD", `Ethernet[0-9]+|GLOBAL`, map[string]string{
		"action":         "drop|forward|alert",
		"detection_time": "[1-9][0-9]{2}|[1-4][0-9]{3}|5000", "restoration_time": "[1-9][0-9]{2,3}|[1-5][0-9]{4}|60000",
		"POLL_INTERVAL": "[1-9][0-9]{2}|1000",
	}, nil, nil, map[string]string{"detection_time": "POLL_INTERVAL", "restoration_time": "POLL_INTERVAL"}},
}

func TestTheExportKeepsToSONiCsYANGModels(t *testing.T) {
	watched := "preset: roce-v2-400g, ethernet: {pfc: {watchdog: {enabled: true}}}"
	static := "preset: roce-v2-400g, ethernet: {pfc: {xoff: 200KiB}}"
	hashed := "preset: roce-v2-400g, routing: {hash: flow, hash-function: crc_xor/0}"
	for _, fabric := range []string{"preset: roce-v2-400g", plain, watched, static, hashed} {
		for name, text := range written(t, planOf(t, fabric), "sonic") {
			c, err := sonic.Read(name, strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, wrong := range refused(c) {
				t.Error(name, wrong)
			}
		}
	}
}

func TestTheModelsRefuseTheSameAsYANG(t *testing.T) {
	good := written(t, planOf(t, plain), "sonic")["config_db.json"]
	for _, c := range []struct{ old, now, want string }{
		{`"ecn": "ecn_all"`, `"ecn": "all"`, "ecn is"},
		{`"green_max_threshold": "2000000"`, `"green_max_threshold": "1"`, "below green_min_threshold"},
		{`"detection_time": "200"`, `"detection_time": "99"`, "detection_time is"},
		{`"POLL_INTERVAL": "100"`, `"POLL_INTERVAL": "300"`, "below POLL_INTERVAL"},
		{`"profile": "egress_lossy_profile"`, `"profile": "none"`, "which BUFFER_PROFILE does not have"},
		{`"type": "STRICT"`, `"type": "strict"`, "type is"},
		{`"pfc_enable": "4"`, `"pfc": "4"`, "pfc is"},
		{`"mode": "dynamic"`, `"way": "dynamic"`, "has no mode"},
		{`"Ethernet0|4": {`, `"Ethernet0|x": {`, "is not valid"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("the file has no %s", c.old)
		}
		bad, err := sonic.Read("f", strings.NewReader(strings.Replace(good, c.old, c.now, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if wrong := strings.Join(refused(bad), "\n"); !strings.Contains(wrong, c.want) {
			t.Errorf("%s: %q; want %s", c.now, wrong, c.want)
		}
	}
}

// refused lists the faults that the models find in a configuration.
func refused(c *sonic.Config) (wrong []string) {
	for _, table := range c.Tables {
		i := slices.IndexFunc(yang, func(m model) bool { return m.table == table.Name })
		if i < 0 {
			wrong = append(wrong, "no model is known of "+table.Name)
			continue
		}
		for k := range table.Rows {
			wrong = append(wrong, yang[i].refuses(c, table, &table.Rows[k])...)
		}
	}
	return wrong
}

// refuses lists the faults that the model finds in a row.
func (m *model) refuses(c *sonic.Config, table *sonic.Table, row *sonic.Row) (wrong []string) {
	bad := func(format string, args ...any) {
		wrong = append(wrong, m.table+"|"+row.Key+": "+fmt.Sprintf(format, args...))
	}
	if !whole(m.key, row.Key) {
		bad("the key is not valid")
	}
	for _, name := range m.mandatory {
		if _, ok := row.Get(name); !ok {
			bad("has no %s", name)
		}
	}
	for _, f := range row.Fields {
		pattern, known := m.leaves[f.Name]
		if !known {
			pattern, known = m.leaves["*"]
		}
		if !known || !whole(pattern, f.Text) {
			bad("%s is %q", f.Name, f.Text)
		}
		if to := m.refs[f.Name]; to != "" && c.Table(to).Row(f.Text) == nil {
			bad("%s is %q, which %s does not have", f.Name, f.Text, to)
		}
		least := m.atLeast[f.Name]
		from := row
		if least == strings.ToUpper(least) {
			from = table.Row("GLOBAL")
		}
		if from == nil || least == "" {
			continue
		}
		v, _ := from.Get(least)
		n, _ := strconv.ParseInt(f.Text, 10, 64)
		if floor, err := strconv.ParseInt(v.Text, 10, 64); err == nil && n < floor {
			bad("%s is %s, below %s of %s", f.Name, f.Text, least, v.Text)
		}
	}
	return wrong
}

func whole(pattern, text string) bool {
	return regexp.MustCompile("^(?:" + pattern + ")$").MatchString(text)
}
