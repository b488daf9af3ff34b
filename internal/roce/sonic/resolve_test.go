package sonic

import (
	"reflect"
	"strings"
	"testing"

	"weft/units"
)

func resolve(t *testing.T, name string) *Switch {
	t.Helper()
	sw, err := Resolve(read(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return sw
}

func TestSONiCsDefaultMapHasNVIDIAsDSCPInALossyClass(t *testing.T) {
	p := resolve(t, "config_db.json").Ports[0]
	for _, c := range []struct {
		dscp     int
		want     Class
		lossless bool
	}{
		{26, Class{1, 0, 1}, false},
		{3, Class{3, 3, 3}, true},
		{4, Class{4, 4, 4}, true},
		{8, Class{0, 0, 0}, false},
		{46, Class{5, 0, 5}, false},
		{48, Class{6, 0, 6}, false},
	} {
		got := p.ClassOf(c.dscp)
		if got != c.want || p.Lossless(got.Group) != c.lossless {
			t.Errorf("DSCP %d is in %+v, lossless %v; want %+v, %v", c.dscp, got, p.Lossless(got.Group), c.want, c.lossless)
		}
	}
}

func TestAPortHasWhatTheTablesGiveIt(t *testing.T) {
	sw := resolve(t, "config_db.json")
	p := sw.Ports[1]
	if sw.Hostname != "leaf1" || p.Name != "Ethernet4" || p.Speed != 400*units.Gbps || p.Lanes != 4 || p.Cable != 40*units.Metre || p.MTU != 9100 {
		t.Errorf("%s, %+v", sw.Hostname, p)
	}
	g := p.Groups[3]
	if !g.Lossless() || g.Size != 303104 || g.Xon != 19456 || g.Xoff != 283648 || g.Pool.Size != 64<<20 {
		t.Errorf("group 3: %+v", g)
	}
	if th, ok := g.Threshold(); !ok || th != 303104+32<<20 {
		t.Errorf("alpha of 1 leaves %d of an empty pool of 64 MiB and the group's own, want half of it", th)
	}
	q := p.Queues[3]
	if q.WRED == nil || q.WRED.Min != 1<<20 || q.WRED.Max != 2<<20 || q.WRED.Percent != 5 || !q.WRED.ECN || q.Scheduler.Weight != 15 {
		t.Errorf("queue 3: %+v", q)
	}
	if !reflect.DeepEqual(p.PFC, []int{3, 4}) || p.Detect != 200*units.Millisecond || p.Action != "drop" {
		t.Errorf("PFC %v, watchdog %v %s", p.PFC, p.Detect, p.Action)
	}
}

// Without a probability, a queue above Kmax marks every packet, and so does a queue between Kmin
// and Kmax.
func TestAWREDProfileWithoutAProbabilityMarksAll(t *testing.T) {
	text := strings.Replace(text(t, "config_db.json"), `"green_drop_probability": "5",`, "", 1)
	cfg, err := Read("f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	sw, err := Resolve(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got := sw.Ports[1].Queues[3].WRED.Percent; got != 100 {
		t.Errorf("it marks %d %%, want 100", got)
	}
}

func TestTheOlderFormOfReferencesAndRowsOfManyPorts(t *testing.T) {
	sw := resolve(t, "qos.json")
	var names []string
	for _, p := range sw.Ports {
		names = append(names, p.Name)
	}
	if want := []string{"Ethernet0", "Ethernet8", "Ethernet40"}; !reflect.DeepEqual(names, want) {
		t.Errorf("ports %v, want %v", names, want)
	}
	p := sw.Ports[2]
	if c := p.ClassOf(3); c.TC != 3 || !p.Lossless(c.Group) {
		t.Errorf("DSCP 3 is in %+v", c)
	}
	if c := p.ClassOf(26); c.TC != -1 {
		t.Errorf("DSCP 26, which the map leaves out, is in %+v", c)
	}
	if w := p.Queues[4].WRED; w.Min != 150_000 || w.Max != 1_500_000 || w.Percent != 20 {
		t.Errorf("marks have thresholds of their own: %+v", w)
	}
}

func TestBuffersAloneNameTheirPorts(t *testing.T) {
	p := resolve(t, "buffers.json").Ports[0]
	if p.Cable != 300*units.Metre || p.Groups[0] == nil || p.Groups[3] != nil {
		t.Errorf("%+v", p)
	}
}

func TestInvalidValuesNameTheirLineAndWhatIsValid(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"Kmin above Kmax", `"green_min_threshold": "1048576"`, `"green_min_threshold": "4000000"`, "begins to mark at 4000000 bytes (Kmin), above 2097152 (Kmax)"},
		{"XON above XOFF when the pool is used up", `"xon": "19456"`, `"xon": "919456"`, "XON at 919456 bytes, above its headroom of 283648 and the 19456"},
		{"a priority group above 7", `"3": "3",
            "4": "4",
            "5": "0"`, `"3": "9",
            "4": "4",
            "5": "0"`, `TC_TO_PRIORITY_GROUP_MAP|AZURE maps "3" to "9": valid are numbers from 0 to 15, to numbers from 0 to 7`},
		{"XON above XOFF", `"xon": "19456"`, `"xon": "40000000"`, "XON at 40000000 bytes, above the 33857536"},
		{"headroom above the pool", `"mode": "dynamic",
            "size": "67108864"`, `"mode": "dynamic", "xoff": "200000",
            "size": "67108864"`, "headroom of 283648 bytes, and its whole pool ingress_lossless_pool has 200000"},
		{"headroom above a pool that shares none", `"xoff": "283648"`, `"xoff": "70000000"`, "headroom of 70000000 bytes, and its whole pool ingress_lossless_pool has 67108864"},
		{"a value that is no number", `"speed": "400000"`, `"speed": "400G"`, `speed of PORT|Ethernet0 is "400G": valid is a whole number from 10 to 1600000`},
		{"a list for a number", `"mtu": "9100"`, `"mtu": ["9100"]`, "mtu of PORT|Ethernet0"},
		{"a cable without a unit", `"Ethernet4": "40m"`, `"Ethernet4": "40"`, `"40": valid is a length`},
		{"a port that is not there", `"Ethernet4": "40m"`, `"Ethernet9": "40m"`, "names Ethernet9, which PORT does not have"},
		{"a profile that is not there", `"profile": "egress_lossy_profile"`, `"profile": "none"`, `profile "none", which BUFFER_PROFILE does not have`},
		{"a map that is not there", `"tc_to_pg_map": "AZURE"`, `"tc_to_pg_map": "B"`, "TC_TO_PRIORITY_GROUP_MAP does not have"},
		{"a scheduler that is not there", `"scheduler": "scheduler.0"`, `"scheduler": "x"`, `scheduler "x", which SCHEDULER`},
		{"an invalid priority", `"pfc_enable": "3,4"`, `"pfc_enable": "3,8"`, `is "3,8": valid are priorities from 0 to 7`},
		{"an invalid DSCP", `"63": "1"`, `"64": "1"`, `maps "64" to "1": valid are numbers from 0 to 63`},
		{"an unknown word", `"ecn": "ecn_all"`, `"ecn": "all"`, "valid are ecn_none"},
		{"a watchdog out of range", `"detection_time": "200"`, `"detection_time": "20"`, "valid is a whole number from 100 to 5000"},
		{"a watchdog that looks too rarely", `"POLL_INTERVAL": "200"`, `"POLL_INTERVAL": "400"`, "the watchdog polls every 400 ms"},
		{"alpha beyond the range", `"dynamic_th": "0"`, `"dynamic_th": "9"`, "from -8 to 7"},
		{"an invalid version", `"DEVICE_METADATA": {`, `"VERSIONS": {"DATABASE": {"VERSION": "4.0"}}, "DEVICE_METADATA": {`, `"4.0": valid are versions such as version_4_0_0`},
		{"a table of older versions", `"DEVICE_METADATA": {`, `"PFC_WD_TABLE": {"Ethernet0": {"action": "drop"}}, "DEVICE_METADATA": {`, "move its entries to PFC_WD"},
		{"an unknown buffer model", `"localhost": {`, `"localhost": {"buffer_model": "static",`, "valid are dynamic, traditional"},
		{"a group without a port", `"Ethernet0|3-4"`, `"3-4"`, "valid is a port and a number or a range"},
	} {
		before := text(t, "config_db.json")
		at := strings.Index(before, c.old)
		if at < 0 {
			t.Fatalf("%s: the file has no %s", c.name, c.old)
		}
		after := before[:at] + c.new + before[at+len(c.old):]
		cfg, err := Read("f", strings.NewReader(after))
		if err != nil {
			t.Fatal(err)
		}
		sw, problems := Examine(cfg)
		if len(problems) == 0 || !strings.Contains(problems[0].Text, c.want) {
			t.Errorf("%s: %v; want %s", c.name, problems, c.want)
			continue
		}
		if sw == nil || problems[0].Line == 0 {
			t.Errorf("%s: no switch or no line: %v", c.name, problems[0])
		}
		if _, err := Resolve(cfg); err == nil {
			t.Errorf("%s: Resolve accepts it", c.name)
		}
	}
}

func TestTheQueuesOfTheCPUAreNoFrontPort(t *testing.T) {
	text := strings.Replace(text(t, "config_db.json"), `"QUEUE": {`, `"QUEUE": {"CPU|0": {"scheduler": "scheduler.0"},`, 1)
	c, err := Read("f", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	sw, err := Resolve(c)
	if err != nil || sw.HasPort("CPU") || len(sw.Ports) != 2 {
		t.Errorf("ports %v, %v", sw.Ports, err)
	}
}

func TestDefectsWithoutEndAreCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"PORT": {}, "BUFFER_PG": {`)
	for i := range 200 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"x` + strings.Repeat("y", i) + `": {}`)
	}
	b.WriteString("}}")
	c, err := Read("f", strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if _, problems := Examine(c); len(problems) != maxProblems+1 || !strings.Contains(problems[maxProblems].Text, "150 more") {
		t.Errorf("%d problems, the last is %v", len(problems), problems[len(problems)-1])
	}
}

func TestVersionsOfTables(t *testing.T) {
	whole := text(t, "config_db.json")
	for version, newer := range map[string]bool{"version_1_0_1": false, "version_4_0_3": false, "version_202305_01": false, "version_202605_01": false, "version_master_01": false, "version_203001_01": true} {
		in := strings.Replace(whole, `"DEVICE_METADATA": {`, `"VERSIONS": {"DATABASE": {"VERSION": "`+version+`"}}, "DEVICE_METADATA": {`, 1)
		c, err := Read("f", strings.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		if sw, err := Resolve(c); err != nil || sw.Version != version || sw.Newer != newer {
			t.Errorf("%s: %+v, %v; want newer %v", version, sw, err, newer)
		}
	}
}

// SONiC takes enable and disable, in small letters only.
func TestTheRedSwitchIsOnByOneWordOnly(t *testing.T) {
	for word, want := range map[string]struct {
		on      bool
		problem string
	}{
		"enable": {true, ""}, "disable": {false, ""},
		"on": {false, "valid are enable and disable"}, "Enable": {false, "valid are enable and disable"},
	} {
		cfg, err := Read("f", strings.NewReader(`{"PFC_WD": {"GLOBAL": {"BIG_RED_SWITCH": "`+word+`"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		sw, problems := Examine(cfg)
		told := ""
		if len(problems) > 0 {
			told = problems[0].Text
		}
		if on := sw.Watchdog.Red > 0; on != want.on || !strings.Contains(told, want.problem) || want.problem == "" && told != "" {
			t.Errorf("%s: on %v, %q; want %v, %q", word, on, told, want.on, want.problem)
		}
	}
}
