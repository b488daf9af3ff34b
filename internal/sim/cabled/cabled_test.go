package cabled_test

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"weft/internal/sim/cabled"
	"weft/scenario"
	"weft/units"
)

// twoRails is a plan for Graphviz: four hosts with an adapter on each of two rail leaves, a spine, a management network
// of its own, and a leaf that no host reaches.
const twoRails = `graph plan {
  spine1 [role="spine"]; leaf1 [role="leaf"]; leaf2 [role="leaf"]; lonely [role="leaf"]; away [role="leaf"]
  h1 [role="host"]; h2 [role="host"]; h10 [role="host"]
  "h1":"eth1" -- "leaf1":"swp1"
  "h2":"eth1" -- "leaf1":"swp2"
  "h10":"eth1" -- "leaf1":"swp10"
  "h1":"eth2" -- "leaf2":"swp1"
  "h2":"eth2" -- "leaf2":"swp2"
  "h10":"eth2" -- "leaf2":"swp10"
  "leaf1":"swp31" -- "spine1":"swp1"
  "leaf2":"swp31" -- "spine1":"swp2"
  "lonely":"swp1" -- "away":"swp1"
}
`

func read(t *testing.T, name string, files map[string]string) *cabled.Source {
	t.Helper()
	s, err := cabled.Read(name, filesOf(files))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// filesOf are files by name; a name with a slash is in a folder.
func filesOf(files map[string]string) cabled.Files {
	return cabled.Files{
		Open: func(name string) (io.ReadCloser, error) {
			text, ok := files[name]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return io.NopCloser(strings.NewReader(text)), nil
		},
		Folder: func(name string) fs.FS {
			found := fstest.MapFS{}
			for path, text := range files {
				if rest, ok := strings.CutPrefix(path, name+"/"); ok {
					found[rest] = &fstest.MapFile{Data: []byte(text), Mode: 0o600}
				}
			}
			if len(found) == 0 {
				return nil
			}
			return found
		},
	}
}

// TestAnEthernetPlanIsPlacedWithItsNamesAndPorts: hosts in the order of their numbers, switch ports in the order of their
// names, switches that no host reaches left out and told.
func TestAnEthernetPlanIsPlacedWithItsNamesAndPorts(t *testing.T) {
	s := read(t, "plan.dot", map[string]string{"plan.dot": twoRails})
	p, err := s.Place(cabled.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Hosts, []string{"h1", "h2", "h10"}) || p.NICs != 2 || p.Others != 0 || len(p.Devices) != 6+3 {
		t.Fatalf("hosts %q with %d NICs, %d others, %d devices", p.Hosts, p.NICs, p.Others, len(p.Devices))
	}
	names := map[string]int{}
	for i, d := range p.Devices {
		names[d.Name] = i
	}
	want := map[string]bool{"h10/eth2 1 leaf2 3": true, "leaf1 4 spine1 1": true, "leaf2 4 spine1 2": true, "h1/eth1 1 leaf1 1": true}
	for _, l := range p.Links {
		a, b := p.Devices[l.A], p.Devices[l.B]
		delete(want, fmt.Sprintf("%s %d %s %d", a.Name, l.PortA, b.Name, l.PortB))
	}
	if len(want) > 0 {
		t.Errorf("no such cables: %v", want)
	}
	if level := p.Devices[names["spine1"]].Level; level != 2 {
		t.Errorf("the spine is on level %d", level)
	}
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "2 switches that no node of the cluster reaches") {
		t.Errorf("the notes do not tell of the other switches: %q", notes)
	}
}

// TestAFolderOfSwitchesIsAFabric: both ends see each cable, which is one.
func TestAFolderOfSwitchesIsAFabric(t *testing.T) {
	config := func(neighbours string) string {
		return `{"DEVICE_NEIGHBOR": {` + neighbours + `}, "PORT": {"Ethernet0": {"speed": "400000"}, "Ethernet8": {"speed": "400000"}}}`
	}
	s := read(t, "site", map[string]string{
		"site/leaf1/config_db.json":  config(`"Ethernet0": {"name": "gpu1", "port": "eth0"}, "Ethernet8": {"name": "spine1", "port": "Ethernet0"}`),
		"site/leaf2/config_db.json":  config(`"Ethernet0": {"name": "gpu2", "port": "eth0"}, "Ethernet8": {"name": "spine1", "port": "Ethernet8"}`),
		"site/spine1/config_db.json": config(`"Ethernet0": {"name": "leaf1", "port": "Ethernet8"}, "Ethernet8": {"name": "leaf2", "port": "Ethernet8"}`),
	})
	p, err := s.Place(cabled.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Nodes != 2 || p.Rate != 400*units.Gbps || len(p.Links) != 4 {
		t.Errorf("%d hosts at %v, %d cables; want 2 at 400 Gb/s, 4 cables", p.Nodes, p.Rate, len(p.Links))
	}
}

// TestTheScenarioOfAFabricIsAScenario: what is written around a file is read, and is of that fabric.
func TestTheScenarioOfAFabricIsAScenario(t *testing.T) {
	s := read(t, "plan.dot", map[string]string{"plan.dot": twoRails})
	text, err := s.Scenario("plan.dot")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`hosts: ["h1", "h2", "h10"]`, `adapters: ["eth1", "eth2"]`, `topology: {file: "plan.dot"}`, "fabric: roce-v2-400g", "does not say which machine"} {
		if !strings.Contains(text, want) {
			t.Errorf("the scenario lacks %q:\n%s", want, text)
		}
	}
	if _, err := scenario.Decode("test", []byte(text)); err == nil || !strings.Contains(err.Error(), "plan.dot cannot be read") {
		t.Errorf("without its file the scenario gives %v", err)
	}
}

func TestAFabricWithoutHostsOrOfNoKindIsRefused(t *testing.T) {
	files := map[string]string{
		"switches.dot": `graph g { a [role="leaf"]; b [role="spine"]; "a":"swp1" -- "b":"swp1" }`,
		"empty":        "", "text": "hello, world\n", "binary": "\x00\x01\x02",
	}
	s := read(t, "switches.dot", files)
	if _, err := s.Place(cabled.Choice{}); err == nil || !strings.Contains(err.Error(), "none of its 2 devices is known to be a host") {
		t.Errorf("a fabric of switches is placed: %v", err)
	}
	for _, name := range []string{"empty", "text", "binary", "missing"} {
		if _, err := cabled.Read(name, filesOf(files)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
