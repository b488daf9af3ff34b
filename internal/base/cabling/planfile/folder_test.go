package planfile

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"weft/internal/base/cabling"
	"weft/units"
)

// folder reads files by name as a folder.
func folder(t *testing.T, files map[string]string) *cabling.Fabric {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	f, err := ReadFolder(fsys, "lab")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// lldp is SONiC's table with rows.
func lldp(rows ...string) string {
	return "Capability codes: (R) Router, (B) Bridge, (O) Other\n" +
		"LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr\n" +
		"-----------  --------------  -----------------  ------------  -----------------\n" + strings.Join(rows, "\n") + "\n"
}

func lldpRow(port, device, remote, descr string) string {
	return fmt.Sprintf("%-11s  %-14s  %-17s  %-12s  %s", port, device, remote, "BR", descr)
}

func TestViewsOfAFolderAreJoined(t *testing.T) {
	const spine = `{"lldp": {"interface": [{"swp1": {"chassis": {"leaf1": {"id": {"type": "mac", "value": "02:00:00:00:00:01"}}}, "port": {"id": {"type": "ifname", "value": "Ethernet48"}}}},
 {"swp2": {"chassis": {"leaf2": {}}, "port": {"id": {"type": "mac", "value": "02:00:00:00:00:02"}, "descr": "uplink"}}},
 {"eth0": {"chassis": {"oob": {}}, "port": {"id": {"type": "ifname", "value": "swp9"}}}}]}}`
	f := folder(t, map[string]string{
		"leaf1_show_lldp_table.txt": lldp(lldpRow("Ethernet48", "spine1", "swp1", ""), lldpRow("Ethernet0", "gpu1", "b8:ce:f6:00:00:01", "eth1"), lldpRow("eth0", "oob", "swp1", "")),
		"leaf2/lldp.txt":            "admin@leaf2:~$ show lldp table\n" + lldp(lldpRow("Ethernet48", "spine1.lab", "swp2", "")),
		"spine1.lldp.json":          spine,
		"leaf1/config_db.json":      `{"DEVICE_METADATA|localhost": {"hostname": "leaf1", "hwsku": "SN5600", "type": "LeafRouter"}, "PORT|Ethernet48": {"speed": "400000", "alias": "etp13"}, "CABLE_LENGTH|AZURE": {"Ethernet48": "30m"}, "DEVICE_NEIGHBOR|Ethernet48": {"name": "spine1", "port": "swp1"}}`,
		"README.md":                 "# notes\n",
	})
	want := "leaf1 Ethernet48 (etp13) -- spine1 swp1;leaf1 Ethernet0 -- gpu1 b8:ce:f6:00:00:01 (eth1);leaf2 Ethernet48 -- spine1 swp2"
	if got := strings.Join(cables(f), ";"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if c := f.Cables[0]; c.Rate != 400*units.Gbps || c.Length != 30*units.Metre {
		t.Errorf("%v, %v", c.Rate, c.Length)
	}
	for _, d := range f.Devices {
		if host := d.Name == "gpu1"; d.Partial != host || (d.Role == cabling.Host) != host {
			t.Errorf("%+v", d)
		}
		if d.Name == "leaf1" && d.Model != "SN5600" {
			t.Errorf("%+v", d)
		}
	}
	notes := strings.Join(f.Notes, "\n")
	for _, want := range []string{"2 neighbours on management ports left out", "1 file is left out, the first: lab/README.md:1"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q, want %q", notes, want)
		}
	}
}

// The neighbour may name a port by its alias.
func TestAnAliasNamesThePort(t *testing.T) {
	f := folder(t, map[string]string{
		"leaf1/config_db.json":  `{"PORT": {"Ethernet0": {"alias": "etp1", "speed": "800000"}}}`,
		"leaf1/lldp.txt":        lldp(lldpRow("Ethernet0", "spine1", "etp7", "Ethernet48")),
		"spine1/config_db.json": `{"PORT": {"Ethernet48": {"alias": "etp7", "speed": "800000"}}}`,
		"spine1/lldp.txt":       lldp(lldpRow("Ethernet48", "leaf1", "etp1", "Ethernet0")),
	})
	if want := "leaf1 Ethernet0 (etp1) -- spine1 Ethernet48 (etp7)"; strings.Join(cables(f), ";") != want {
		t.Errorf("%q, want %q: %q", cables(f), want, f.Notes)
	}
}

func TestEndsThatContradictEachOtherAreLeftOut(t *testing.T) {
	f := folder(t, map[string]string{
		"leaf1.lldp.txt":  lldp(lldpRow("Ethernet0", "spine1", "Ethernet4", ""), lldpRow("Ethernet8", "spine1", "Ethernet12", "")),
		"leaf2.lldp.txt":  lldp(lldpRow("Ethernet0", "spine1", "Ethernet8", "")),
		"spine1.lldp.txt": lldp(lldpRow("Ethernet4", "leaf2", "Ethernet0", ""), lldpRow("Ethernet12", "leaf1", "Ethernet8", "")),
	})
	if want := "leaf1 Ethernet8 -- spine1 Ethernet12"; strings.Join(cables(f), ";") != want {
		t.Errorf("%q, want %q", cables(f), want)
	}
	notes := strings.Join(f.Notes, "\n")
	if !strings.Contains(notes, "lab/leaf1.lldp.txt:4: leaf1 port Ethernet0 leads to spine1 Ethernet4 here, but spine1 port Ethernet4 leads to leaf2 Ethernet0 (lab/spine1.lldp.txt:4)") {
		t.Errorf("%q", notes)
	}
}

// A folder's plan is its fabric; several are asked about; none is an error with the first reason.
func TestAFolderOfOtherFiles(t *testing.T) {
	if f := folder(t, map[string]string{"plan.csv": "a,1,b,1\n"}); len(f.Cables) != 1 {
		t.Errorf("%q", cables(f))
	}
	for want, files := range map[string]fstest.MapFS{
		"lab: the folder has 2 plans of cables":                     {"a.csv": {Data: []byte("a,1,b,1\n")}, "b.csv": {Data: []byte("a,1,b,1\n")}},
		"lab has no file of a known format; the first: lab/x.txt:1": {"x.txt": {Data: []byte("hello\n")}},
		"lab: the folder is empty":                                  {},
	} {
		if _, err := ReadFolder(files, "lab"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestTheOwnerOfAFileIsInItsName(t *testing.T) {
	for file, want := range map[string]string{
		"leaf1/config_db.json": "leaf1", "leaf1_config_db.json": "leaf1", "leaf1.lldp.json": "leaf1", "show_lldp_table_leaf1.txt": "leaf1",
		"leaf1-config_db.json.gz": "leaf1", "lab/leaf-su00-r0.txt": "leaf-su00-r0", "minigraph.leaf1.xml": "leaf1", "x/leaf1/show lldp neighbors.txt": "leaf1",
		"config_db.json": "", "lldp.txt": "",
	} {
		if got := OwnerOf(file); got != want {
			t.Errorf("%s is %q's, want %q", file, got, want)
		}
	}
}

// The other forms of LLDP: lldpctl's json0, EOS' and NX-OS' details, a terminal around an answer.
func TestLLDPHasManyForms(t *testing.T) {
	for name, text := range map[string]string{
		"json0":      `{"lldp": [{"interface": [{"name": "swp1", "via": "LLDP", "chassis": [{"id": [{"type": "mac", "value": "02:00:00:00:00:01"}], "name": [{"value": "spine1"}]}], "port": [{"id": [{"type": "ifname", "value": "swp2"}]}]}]}]}`,
		"object":     `{"lldp": {"interface": {"swp1": {"chassis": {"spine1": {}}, "port": {"id": {"type": "ifname", "value": "swp2"}}}}}}`,
		"EOS detail": `{"lldpNeighbors": {"swp1": {"lldpNeighborInfo": [{"systemName": "spine1", "neighborInterfaceInfo": {"interfaceId": "\"swp2\""}}]}, "Ethernet9": {"lldpNeighborInfo": []}}}`,
		"eAPI":       `{"jsonrpc": "2.0", "result": [{"lldpNeighbors": [{"port": "swp1", "neighborDevice": "spine1", "neighborPort": "swp2"}]}]}`,
		"NX-OS":      `{"TABLE_nbor": {"ROW_nbor": {"chassis_id": "spine1", "l_port_id": "swp1", "port_id": "swp2"}}}`,
		"NX-OS list": `{"TABLE_nbor_detail": {"ROW_nbor_detail": [{"sys_name": "spine1", "l_port_id": "swp1", "port_id": "swp2"}]}}`,
		"NX-OS blocks": "leaf1# show lldp neighbors detail\nCapability codes:\n  (R) Router\nDevice ID            Local Intf      Hold-time  Capability  Port ID  \n\nChassis id: 5087.89a1.d8d6\nPort id: swp2\nLocal Port id: swp1\nPort Description: null\nSystem Name: spine1\nTime remaining: 93 seconds\n\n" +
			"Chassis id: 0014.1c57.a48b\nPort id: Fa1/0/9\nLocal Port id: mgmt0\nSystem Name: oob\n",
		"EOS blocks":  "leaf1#show lldp neighbors detail\nInterface swp1 detected 1 LLDP neighbors:\n\n  Neighbor 2cc2.6081.eaf9/\"swp2\", age 12 seconds\n  - Port ID type: Interface name (5)\n    Port ID     : \"swp2\"\n  - System Name: \"spine1\"\n    Port ID                : 0\n\nInterface Ethernet9 detected 0 LLDP neighbors:\n",
		"lldpctl":     "admin@leaf1:~$ show lldp neighbors\n-----\nLLDP neighbors:\nInterface:    swp1, via: LLDP, RID: 1, Time: 0 day, 00:01:12\n  Chassis:\n    ChassisID:    mac 02:00:00:00:00:01\n    SysName:      spine1\n  Port:\n    PortID:       ifname swp2\n    PortDescr:    swp2\n",
		"terminal":    "leaf1#show lldp neighbors | json\n{\n \"lldpNeighbors\": [{\"port\": \"swp1\", \"neighborDevice\": \"spine1\", \"neighborPort\": \"swp2\"}]\n}\nleaf1#\n",
		"NX-OS wraps": "leaf1# show lldp neighbors\nDevice ID            Local Intf      Hold-time  Capability  Port ID\nspine1\n                     swp1            120        BR          swp2\nTotal entries displayed: 1\n",
	} {
		f, err := ofText("leaf1.json", text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(f.Cables) != 1 || !has(f, "leaf1 swp1", "spine1 swp2") {
			t.Errorf("%s: %q", name, cables(f))
		}
	}
}

// TestTheCaptureOfSeveralSwitches: each prompt is a switch, and other outputs between the neighbours are passed over.
func TestTheCaptureOfSeveralSwitches(t *testing.T) {
	capture := "admin@leaf1:~$ show pfc counters\n  Port Rx    PFC0\n---------  ------\nEthernet0       0\nadmin@leaf1:~$ show lldp table\n" + lldp(lldpRow("Ethernet0", "spine1", "Ethernet4", "")) +
		"admin@leaf2:~$ show lldp table\n" + lldp(lldpRow("Ethernet0", "spine1", "Ethernet8", "")) + "spine1# lldpctl -f json\n" +
		`{"lldp": {"interface": [{"Ethernet4": {"chassis": {"leaf1": {}}, "port": {"id": {"type": "local", "value": "Ethernet0"}}}}]}}` + "\nspine1#\n"
	status := "admin@leaf1:~$ show interfaces status\n  Interface    Lanes    Speed    MTU    FEC    Alias    Vlan    Oper    Admin    Type    Asym PFC\n" +
		"-----------  -------  -------  -----  -----  -------  ------  ------  -------  ------  ----------\n" +
		"  Ethernet0  0,1,2,3     200G   9100     rs     etp1  routed    down       up    OSFP         N/A\n"
	f := must(t, "all.txt", status+capture)
	if f.Format != "LLDP" {
		t.Errorf("the format is %q", f.Format)
	}
	if c := f.Cables[0]; c.Rate != 200*units.Gbps || c.A.Label != "etp1" && c.B.Label != "etp1" {
		t.Errorf("%q has the rate %v", cables(f), c.Rate)
	}
	if f = must(t, "all.txt", capture); len(f.Cables) != 2 || !has(f, "leaf1 Ethernet0", "spine1 Ethernet4") || !has(f, "leaf2 Ethernet0", "spine1 Ethernet8") {
		t.Errorf("%q, %q", cables(f), f.Notes)
	}
	cut := must(t, "all.txt", capture+"leaf3# lldpctl -f json\n{\"lldp\": {\"interface\": [\nleaf3# \n")
	if want := fmt.Sprintf("all.txt:%d: ", strings.Count(capture, "\n")+3); len(cut.Cables) != 2 || !strings.Contains(strings.Join(cut.Notes, "\n"), want) {
		t.Errorf("%q, want %q", cut.Notes, want)
	}
	for _, c := range f.Cables {
		if line := strings.Split(capture, "\n")[c.Place.Line-1]; !strings.Contains(line, "Ethernet0") {
			t.Errorf("a cable is told at line %d, which is %q", c.Place.Line, line)
		}
	}
}

// TestWhatASwitchSeesComesBeforeWhatAnotherIsConfiguredFor: two crossed uplinks, seen from one end alone.
func TestWhatASwitchSeesComesBeforeWhatAnotherIsConfiguredFor(t *testing.T) {
	config := func(name, first, second string) string {
		return `{"DEVICE_METADATA|localhost": {"hostname": "` + name + `", "type": "LeafRouter"}, "DEVICE_NEIGHBOR|Ethernet0": {"name": "` + first + `", "port": "Ethernet0"}, "DEVICE_NEIGHBOR|Ethernet8": {"name": "` + second + `", "port": "Ethernet0"}}`
	}
	spine := func(name, port string) string {
		return `{"DEVICE_METADATA|localhost": {"hostname": "` + name + `", "type": "SpineRouter"}, "DEVICE_NEIGHBOR|Ethernet0": {"name": "leaf1", "port": "` + port + `"}}`
	}
	f := folder(t, map[string]string{
		"leaf1/config_db.json": config("leaf1", "spine1", "spine2"), "spine1/config_db.json": spine("spine1", "Ethernet0"), "spine2/config_db.json": spine("spine2", "Ethernet8"),
		"leaf1/lldp.txt": lldp(lldpRow("Ethernet0", "spine2", "Ethernet0", ""), lldpRow("Ethernet8", "spine1", "Ethernet0", "")),
	})
	if len(f.Cables) != 2 || !has(f, "leaf1 Ethernet0", "spine2 Ethernet0") || !has(f, "leaf1 Ethernet8", "spine1 Ethernet0") || len(f.Contradictions) > 0 {
		t.Errorf("%q, contradictions %q", cables(f), f.Contradictions)
	}
	want := "lab/spine1/config_db.json:1: spine1 port Ethernet0 leads to leaf1 Ethernet0 here, but leaf1 port Ethernet0 sees spine2 Ethernet0 (lab/leaf1/lldp.txt:4); the latter is taken"
	if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, want) {
		t.Errorf("%q, want %q", notes, want)
	}
}

// TestTwoSwitchesWithOneHostNameAreTold, and keep their cables under the names of their folders.
func TestTwoSwitchesWithOneHostNameAreTold(t *testing.T) {
	config := func(peer string) string {
		return `{"DEVICE_METADATA|localhost": {"hostname": "leaf1", "type": "LeafRouter"}, "DEVICE_NEIGHBOR|Ethernet0": {"name": "` + peer + `", "port": "eth0"}}`
	}
	f := folder(t, map[string]string{"leaf1/config_db.json": config("gpu1"), "leaf2/config_db.json": config("gpu2")})
	if len(f.Cables) != 2 || !has(f, "leaf1 Ethernet0", "gpu1 eth0") || !has(f, "leaf2 Ethernet0", "gpu2 eth0") {
		t.Errorf("%q, %q", cables(f), f.Notes)
	}
	if want := `lab/leaf2/config_db.json:1: its host name is "leaf1", as that of lab/leaf1/config_db.json`; len(f.Contradictions) != 1 || !strings.Contains(f.Contradictions[0], want) {
		t.Errorf("%q, want %q", f.Contradictions, want)
	}
}
