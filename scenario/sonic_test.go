package scenario

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"weft/units"
)

// switchFile is a switch with SONiC's default maps: DSCP 3 and 4 are lossless, and
// NVIDIA's 26 is not.
const switchFile = "../internal/roce/sonic/testdata/config_db.json"

func sonicFabric(file, more string) string {
	return "fabric: {preset: roce-v2-400g, switch: {sonic: " + file + "}" + more + "}\nworkload: {pattern: incast, fan-in: 2, sizes: [1MiB]}\n"
}

func TestAScenarioHasTheThresholdsOfItsSwitch(t *testing.T) {
	r := resolve(t, sonicFabric(switchFile, ", ethernet: {dscp: 3}"))
	e := r.Fabrics[0].Ethernet
	if e.DataPriority != 3 || e.AckPriority != 3 || e.CNPPriority != 6 || !reflect.DeepEqual(e.PFC.Priorities, []int{3, 4}) {
		t.Errorf("priorities %d, %d, %d, lossless %v", e.DataPriority, e.AckPriority, e.CNPPriority, e.PFC.Priorities)
	}
	want := PFC{
		Enabled: true, Priorities: []int{3, 4}, Alpha: Ratio{Num: 1, Den: 1}, Reserve: 19456, XON: 19456, Headroom: 283648,
		Quanta: e.PFC.Quanta, Response: e.PFC.Response, Watchdog: e.PFC.Watchdog,
	}
	if !reflect.DeepEqual(e.PFC, want) {
		t.Errorf("PFC\n%+v, the file has\n%+v", e.PFC, want)
	}
	if want := (ECN{Enabled: true, Kmin: 1 << 20, Kmax: 2 << 20, Pmax: Ratio{Num: 1, Den: 20}}); e.ECN != want {
		t.Errorf("ECN %+v, the file has %+v", e.ECN, want)
	}
	if e.Shared != 64*units.MiB || e.EgressAlpha != (Ratio{Num: 128, Den: 1}) {
		t.Errorf("shared %v, egress alpha %v", e.Shared, e.EgressAlpha)
	}
	if len(e.Queues) != 7 || e.Queues[3] != (Queue{Priority: 3, Schedule: DWRR, Weight: 15}) || e.Queues[6].Weight != 14 {
		t.Errorf("queues %v", e.Queues)
	}
	if s := r.Fabrics[0].Switch; s.SONiC != nil || s.Model != "sn5600" {
		t.Errorf("the resolved scenario keeps the path %q, or not the model: %s", s.SONiC, s.Model)
	}
	sameWhenPrinted(t, r)
}

func TestNVIDIAsDSCPIsLossyOnSONiCsDefaultMap(t *testing.T) {
	e := resolve(t, sonicFabric(switchFile, "")).Fabrics[0].Ethernet
	if e.DSCP != 26 || e.DataPriority != 1 || e.PFC.Headroom != 0 || e.PFC.Alpha != (Ratio{Num: 8, Den: 1}) || e.ECN.Enabled {
		t.Errorf("DSCP %d is in priority %d, %+v, %+v", e.DSCP, e.DataPriority, e.PFC, e.ECN)
	}
}

func TestTheScenariosValuesComeBeforeItsSwitchs(t *testing.T) {
	r := resolve(t, sonicFabric(switchFile, ", ethernet: {dscp: 3, pfc: {alpha: 1/4}, ecn: {kmin: 500KB}}"))
	e := r.Fabrics[0].Ethernet
	if e.PFC.Alpha != (Ratio{Num: 1, Den: 4}) || e.ECN.Kmin != 500_000 || e.ECN.Kmax != 2<<20 || e.PFC.Headroom != 283648 {
		t.Errorf("%+v, %+v", e.PFC, e.ECN)
	}
	r = resolve(t, sonicFabric(switchFile, ""), Override{Path: "fabric.ethernet.dscp", Value: "4", Origin: "--set"})
	if r.Fabrics[0].Ethernet.DataPriority != 4 {
		t.Errorf("a DSCP from outside leads to priority %d, want 4", r.Fabrics[0].Ethernet.DataPriority)
	}
}

func TestASwitchFileIsFoundBesideTheScenario(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(switchFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"leaf.json": text, "s.yaml": []byte(sonicFabric("leaf.json", ", ethernet: {dscp: 3}"))} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Load(filepath.Join(dir, "s.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := f.Resolve(); err != nil || r.Fabrics[0].Ethernet.DataPriority != 3 {
		t.Errorf("%v", err)
	}
}

func TestASwitchesSharedHeadroomIsTheScenarios(t *testing.T) {
	text, err := os.ReadFile(switchFile)
	if err != nil {
		t.Fatal(err)
	}
	const old = `"ingress_lossless_pool": {`
	path := filepath.Join(t.TempDir(), "pool.json")
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, old+` "xoff": "4194304",`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	r := resolve(t, sonicFabric(path, ", ethernet: {dscp: 3}"))
	if e := r.Fabrics[0].Ethernet; e.PFC.HeadroomPool != 4*units.MiB || e.PFC.Headroom != 283648 {
		t.Errorf("%+v", e.PFC)
	}
	sameWhenPrinted(t, r)
}

// Without thresholds for green packets the chip's default is a full buffer (saiwred.h): a profile for
// red packets marks nothing.
func TestAProfileForRedPacketsMarksNothing(t *testing.T) {
	text, err := os.ReadFile(switchFile)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "red.json")
	red := strings.NewReplacer(`"green_min`, `"red_min`, `"green_max`, `"red_max`).Replace(string(text))
	if err := os.WriteFile(path, []byte(red), 0o644); err != nil {
		t.Fatal(err)
	}
	if e := resolve(t, sonicFabric(path, ", ethernet: {dscp: 3}")).Fabrics[0].Ethernet; e.ECN.Enabled {
		t.Errorf("it marks from %v to %v", e.ECN.Kmin, e.ECN.Kmax)
	}
}

func TestASwitchThatDoesNotFitIsRefused(t *testing.T) {
	dir := t.TempDir()
	b, err := os.ReadFile(switchFile)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, old, changed string) string {
		path := filepath.Join(dir, name)
		if !strings.Contains(string(b), old) {
			t.Fatalf("nothing is %s", old)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(b), old, changed, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	differ := write("differ.json", `"Ethernet4|1": {
            "scheduler": "scheduler.0"`, `"Ethernet4|1": {
            "scheduler": "scheduler.1"`)
	kmin := write("kmin.json", `"green_min_threshold": "1048576"`, `"green_min_threshold": "4194304"`)
	for _, c := range []struct{ name, text, want string }{
		{"no file", sonicFabric("nowhere.json", ""), "fabrics[0].switch.sonic: nowhere.json cannot be read: no such file"},
		{"a folder", sonicFabric(".", ""), "cannot be read: it is no file"},
		{"no JSON", sonicFabric("sonic_test.go", ""), "sonic_test.go:1: this is not JSON"},
		{"Kmin above Kmax", sonicFabric(kmin, ""), "begins to mark at 4194304 bytes (Kmin), above 2097152"},
		{"ports that differ", sonicFabric(differ, ""), "Ethernet0 and Ethernet4 differ in ethernet.queues"},
		{"another rate", strings.Replace(sonicFabric(switchFile, ""), "400g", "200g", 1), "no port that is up and has queues runs at the link's 200 Gb/s"},
		{"no such port", strings.Replace(sonicFabric(switchFile, ""), "}}", ", sonic-port: Ethernet9}}", 1), "there is no port Ethernet9"},
		{"a port without a file", "fabric: {preset: roce-v2-400g, switch: {sonic-port: Ethernet0}}\n", "switch.sonic names no configuration"},
		{"InfiniBand", "fabric: {preset: infiniband-ndr, switch: {sonic: " + switchFile + "}}\n", "SONiC is for switches of Ethernet"},
	} {
		if _, err := Decode("test.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
	r := resolve(t, strings.Replace(sonicFabric(differ, ""), "}}", ", sonic-port: Ethernet4}}", 1))
	if q := r.Fabrics[0].Ethernet.Queues[1]; q.Weight != 15 {
		t.Errorf("a named port gives its own queues: %v", q)
	}
}

// A switch's configuration in several files is the same switch as in one.
func TestAScenarioReadsASwitchOfSeveralFiles(t *testing.T) {
	text, err := os.ReadFile(switchFile)
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string]json.RawMessage
	if err := json.Unmarshal(text, &tables); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, mine := range map[string]func(string) bool{
		"buffers.json": func(table string) bool { return strings.HasPrefix(table, "BUFFER") },
		"qos.json":     func(table string) bool { return !strings.HasPrefix(table, "BUFFER") },
	} {
		part := make(map[string]json.RawMessage)
		for table, rows := range tables {
			if mine(table) {
				part[table] = rows
			}
		}
		text, err := json.MarshalIndent(part, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole := resolve(t, sonicFabric(switchFile, ", ethernet: {dscp: 3}"))
	parts := resolve(t, sonicFabric("["+filepath.Join(dir, "qos.json")+", "+filepath.Join(dir, "buffers.json")+"]", ", ethernet: {dscp: 3}"))
	if !reflect.DeepEqual(whole, parts) {
		t.Errorf("from several files the fabric is\n%+v, from one\n%+v", parts.Fabrics[0].Ethernet, whole.Fabrics[0].Ethernet)
	}
}
