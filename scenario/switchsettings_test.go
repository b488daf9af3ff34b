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
	if len(fabric.Switches) != 1 || !slices.Equal(fabric.Switches[0].Names, []string{"leaf2"}) || !slices.Equal(fabric.Switches[0].Set, []string{"switch.mtu=4000B", "ethernet.ecn.kmin=20000B"}) {
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

// TestASwitchThatMapsTheDSCPElsewhereIsTold: the simulator has one class for a DSCP on all switches.
func TestASwitchThatMapsTheDSCPElsewhereIsTold(t *testing.T) {
	dir := siteFolder(t, func(name string, c map[string]any) {
		if name == "spine1" {
			c["DSCP_TO_TC_MAP"].(map[string]any)["AZURE"].(map[string]any)["3"] = "4"
		}
	})
	f, err := DecodeIn(dir, "test.yaml", []byte(siteText))
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, "1 switch maps DSCP to other classes") {
		t.Errorf("the notes: %q", notes)
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
