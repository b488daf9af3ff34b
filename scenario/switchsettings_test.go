package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/units"
)

// siteFolder is a folder with the example's configuration for three switches: leaf1 and leaf2 with a host each, and spine1.
// change changes the configuration of a switch.
func siteFolder(t *testing.T, change func(name string, config map[string]any)) string {
	t.Helper()
	text, err := os.ReadFile("../examples/sonic/config_db.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, neighbours := range map[string]map[string][2]string{
		"leaf1":  {"Ethernet0": {"gpu1", "eth1"}, "Ethernet4": {"spine1", "Ethernet0"}},
		"leaf2":  {"Ethernet0": {"gpu2", "eth1"}, "Ethernet4": {"spine1", "Ethernet4"}},
		"spine1": {"Ethernet0": {"leaf1", "Ethernet4"}, "Ethernet4": {"leaf2", "Ethernet4"}},
	} {
		var c map[string]any
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		c["DEVICE_METADATA"].(map[string]any)["localhost"].(map[string]any)["hostname"] = name
		table := map[string]any{}
		for port, peer := range neighbours {
			table[port] = map[string]any{"name": peer[0], "port": peer[1]}
		}
		c["DEVICE_NEIGHBOR"] = table
		change(name, c)
		out, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "site", name), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "site", name), "config_db.json", string(out))
	}
	return dir
}

const siteText = `
cluster: {node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {file: site}
fabric: {preset: roce-v2-400g, ethernet: {dscp: 3}}
`

// TestEachSwitchOfAFolderHasItsOwnSettings: leaf2 marks from 20 KB on and takes packets of 4000 B; leaf1 and the spine are as in
// the example.
func TestEachSwitchOfAFolderHasItsOwnSettings(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		if name == "leaf2" {
			c["WRED_PROFILE"].(map[string]any)["AZURE_LOSSLESS"].(map[string]any)["green_min_threshold"] = "20000"
			for _, port := range c["PORT"].(map[string]any) {
				port.(map[string]any)["mtu"] = "4000"
			}
		}
	})
	f, err := DecodeIn(dir, "test.yaml", []byte(siteText))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	fabric := &r.Fabrics[0]
	if fabric.Ethernet.ECN.Kmin != units.Bytes(1048576) || !fabric.Ethernet.ECN.Enabled || !slices.Equal(fabric.Ethernet.PFC.Priorities, []int{3, 4}) {
		t.Errorf("the fabric marks from %v on (%t), and is lossless in %v", fabric.Ethernet.ECN.Kmin, fabric.Ethernet.ECN.Enabled, fabric.Ethernet.PFC.Priorities)
	}
	if len(fabric.Switches) != 1 || !slices.Equal(fabric.Switches[0].Names, []string{"leaf2"}) || !slices.Equal(fabric.Switches[0].Set, []Assignment{"switch.mtu=4000B", "ethernet.ecn.kmin=20000B"}) {
		t.Fatalf("the switches with settings of their own are %+v", fabric.Switches)
	}
	for name, want := range map[string]units.Bytes{"leaf1": 1048576, "leaf2": 20000, "spine1": 1048576} {
		if got := fabric.OfSwitch(name).Ethernet.ECN.Kmin; got != want {
			t.Errorf("%s marks from %v on, want %v", name, got, want)
		}
	}
	if fabric.OfSwitch("leaf1") != fabric {
		t.Error("a switch like the fabric has a fabric of its own")
	}
	if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, "the settings of leaf1 are the fabric's, and those that differ the switch's own (1 group)") {
		t.Errorf("the notes do not say whose settings they are: %q", notes)
	}
}

// TestASwitchThatMapsTheDSCPElsewhereTreatsItSo: the spine has the data in queue 4, which marks from 20 KB on. A pause between it and a
// leaf stops the queue with the number of the other's, where no data is.
func TestASwitchThatMapsTheDSCPElsewhereTreatsItSo(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		if name != "spine1" {
			return
		}
		table(c, "DSCP_TO_TC_MAP")["AZURE"].(map[string]any)["3"] = "4"
		own := map[string]any{}
		for field, value := range table(c, "WRED_PROFILE")["AZURE_LOSSLESS"].(map[string]any) {
			own[field] = value
		}
		own["green_min_threshold"] = "20000"
		table(c, "WRED_PROFILE")["OWN"] = own
		for _, port := range []string{"Ethernet0", "Ethernet4"} {
			table(c, "QUEUE")[port+"|4"].(map[string]any)["wred_profile"] = "OWN"
		}
	})
	f, fabric, err := decodeSite(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if e := &fabric.OfSwitch("spine1").Ethernet; e.DataPriority != 3 || e.ECN.Kmin != 20000 || !slices.Equal(e.PFC.Priorities, []int{3, 4}) {
		t.Errorf("the spine has the data in %d, and marks from %v on: %+v", e.DataPriority, e.ECN.Kmin, e.PFC)
	}
	for place, port := range map[string]int{"leaf1": 2, "leaf2": 2, "spine1": 1} {
		if got := fabric.OfPort(place, port).Ethernet.PFC.Stops; !slices.Equal(got, []Stop{{Priority: 3, Queue: 4}}) {
			t.Errorf("a pause of the data at port %d of %s stops %v", port, place, got)
		}
	}
	if got := fabric.OfPort("leaf1", 1).Ethernet.PFC.Stops; len(got) > 0 {
		t.Errorf("a pause of a host stops %v", got)
	}
	if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, "1 switch has the data in other queues than leaf1: the settings of these queues are taken, and a pause stops what it names") {
		t.Errorf("the notes: %q", notes)
	}
}

// TestASwitchThatProtectsTheDSCPNotAtAllDoesNotHere: the spine has the data in a lossy class, queue 1.
func TestASwitchThatProtectsTheDSCPNotAtAllDoesNotHere(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		if name == "spine1" {
			table(c, "DSCP_TO_TC_MAP")["AZURE"].(map[string]any)["3"] = "1"
		}
	})
	_, fabric, err := decodeSite(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if e := &fabric.OfSwitch("spine1").Ethernet; slices.Contains(e.PFC.Priorities, 3) || len(e.PFC.Priorities) != 2 || e.ECN.Enabled || e.DataPriority != 3 {
		t.Errorf("the spine protects %v, and marks: %t", e.PFC.Priorities, e.ECN.Enabled)
	}
}

// TestDataAndNotificationsInOneQueueAreTold: the spine alone has them so, which the simulator does not have.
func TestDataAndNotificationsInOneQueueAreTold(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		if name == "spine1" {
			table(c, "DSCP_TO_TC_MAP")["AZURE"].(map[string]any)["48"] = "3"
		}
	})
	f, _, err := decodeSite(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, "1 switch maps DSCP to other classes, which is not simulated") || strings.Contains(notes, "in other queues") {
		t.Errorf("the notes: %q", notes)
	}
}

// TestQueuesHaveTheNumbersOfTheFabric: data and notifications those of the fabric, and no two the same.
func TestQueuesHaveTheNumbersOfTheFabric(t *testing.T) {
	like := &classNumbers{data: 3, cnp: 6}
	for _, c := range []struct {
		data, cnp int
		want      numbers
	}{
		{3, 6, numbers{0, 1, 2, 3, 4, 5, 6, 7}},
		{4, 6, numbers{0, 1, 2, 4, 3, 5, 6, 7}},
		{6, 3, numbers{0, 1, 2, 6, 4, 5, 3, 7}},
		{1, 2, numbers{0, 3, 6, 1, 4, 5, 2, 7}},
		{5, 5, numbers{0, 1, 2, 3, 4, 5, 6, 7}}, // in one queue here alone
	} {
		if got := like.of(c.data, c.cnp); got != c.want {
			t.Errorf("data in queue %d, notifications in %d: %v, want %v", c.data, c.cnp, got, c.want)
		}
	}
}

// TestASwitchWithoutAWatchdogHasNone though the first switch has one.
func TestASwitchWithoutAWatchdogHasNone(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		if name == "leaf2" {
			delete(c, "PFC_WD")
		}
	})
	_, fabric, err := decodeSite(t, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if !fabric.Ethernet.PFC.Watchdog.Enabled || fabric.OfSwitch("leaf2").Ethernet.PFC.Watchdog.Enabled {
		t.Errorf("leaf1 has a watchdog: %t, leaf2: %t", fabric.Ethernet.PFC.Watchdog.Enabled, fabric.OfSwitch("leaf2").Ethernet.PFC.Watchdog.Enabled)
	}
}

func TestSettingsOfASwitchThatAreNoneAreRefused(t *testing.T) {
	for set, want := range map[string]string{
		"{names: [leaf0], set: [ib.vls=3]}":                           "sets no field of one switch",
		"{names: [leaf0], set: [ethernet.pfc=3]}":                     "sets no field of one switch",
		"{names: [leaf0], set: [ethernet.dscp=3]}":                    "sets no field of one switch",
		"{names: [leaf0], set: [ethernet.ecn.kmin]}":                  "sets no field of one switch",
		"{names: [leaf0], set: [ethernet.ecn.kmin=much]}":             "ethernet.ecn.kmin: ",
		"{names: [leaf0]}":                                            "want names of switches and what they have",
		"{names: ['leaf[0'], set: [ethernet.ecn.enabled=false]}":      "bracket",
		"{names: [leaf0], set: [switch.buffer=32MiB]}":                "",
		"{names: ['leaf[0-1]'], set: ['ethernet.pfc.priorities=[]']}": "",
	} {
		_, err := Decode("test", fmt.Appendf(nil, "cluster: {nodes: 4, node: dgx-h100}\ntopology: {shape: fat-tree, radix: 16}\nfabric: {preset: roce-v2-400g, switches: [%s]}\n", set))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}
