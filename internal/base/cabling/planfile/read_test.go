package planfile

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"weft/internal/base/cabling"
	"weft/units"
)

// read reads a file of testdata.
func read(t *testing.T, name string) *cabling.Fabric {
	t.Helper()
	f, err := Read("testdata/"+name, func(name string) (io.ReadCloser, error) { return os.Open(name) })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// ofText reads a text as a file of a name.
func ofText(name, text string) (*cabling.Fabric, error) {
	return Read(name, func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil })
}

// must is ofText without an error.
func must(t *testing.T, name, text string) *cabling.Fabric {
	t.Helper()
	f, err := ofText(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// cables are the cables of a fabric as text.
func cables(f *cabling.Fabric) (all []string) {
	for _, c := range f.Cables {
		all = append(all, f.EndName(c.A)+" -- "+f.EndName(c.B))
	}
	return all
}

// has is whether a fabric has a cable between two ports.
func has(f *cabling.Fabric, a, b string) bool {
	for _, c := range f.Cables {
		x, y := f.EndName(c.A), f.EndName(c.B)
		if x == a && y == b || x == b && y == a {
			return true
		}
	}
	return false
}

// roles counts the devices by role.
func roles(f *cabling.Fabric) map[cabling.Role]int {
	n := map[cabling.Role]int{}
	for _, d := range f.Devices {
		n[d.Role]++
	}
	return n
}

// The facts of the examples are their sources': na-son/nvidia-air topology.dot; the Spectrum-X guide for NVIDIA Air;
// batfish evpn-type5-routes; srl-labs/containerlab clos02; aristanetworks/avd single-dc-l3ls; NetBox' tests;
// sonic-net/sonic-mgmt; Mellanox/ufm_sdk_3.0; UFM's REST guide; lldpd; napalm; ntc-templates; sonic-buildimage.
func TestExamplesHaveTheirCables(t *testing.T) {
	for _, c := range []struct {
		file     string
		format   string
		cables   int
		switches int
		hosts    int
		cable    [2]string
		note     string
	}{
		{"air-2spine6leaf.dot", "Graphviz dot", 34, 8, 7, [2]string{"leaf-0-a swp13", "spine-a swp1"}, "106 edges"},
		{"spectrumx-2rail.dot", "Graphviz dot", 10, 3, 4, [2]string{"hgx-su00-h03 eth2", "leaf-su00-r1 swp4s0"}, ""},
		{"batfish-layer1.json", "Batfish layer 1 topology", 15, 7, 0, [2]string{"Leaf1 swp31", "Leaf2 swp31"}, "by their names"},
		{"clos02.clab.yml", "containerlab topology", 16, 10, 4, [2]string{"client4 eth1", "leaf4 e1-3"}, ""},
		{"avd-l3ls.csv", "AVD fabric topology", 22, 8, 2, [2]string{"dc1-leaf1a Ethernet5", "dc1-leaf1-server1 PCI1"}, "16 cables are listed from both ends"},
		{"netbox.csv", "NetBox cables", 2, 2, 1, [2]string{"leaf01 swp51", "spine01 swp1"}, "netbox.csv:4: 1 cable between patch panels"},
		{"sonic-links.csv", "SONiC lab links", 8, 2, 1, [2]string{"sonic-s6100-dut2 Ethernet12", "snappi-sonic Card1/Port8"}, ""},
		{"hosts.ndt", "UFM NDT", 40, 3, 40, [2]string{"hpc92710037 ibp21s0f0 port 1", "DC1-R-0927-20IB0 port 10"}, ""},
		{"ufm-links.json", "UFM links", 2, 1, 0, [2]string{"0x0002c90300100001 port 28", "0x0002c90300100001 port 29"}, ""},
		{"lldpctl.json", "lldpctl", 2, 3, 0, [2]string{"this switch Ethernet28", "sonic-leaf1 hundredGigE30"}, ""},
		{"eos-lldp.json", "EOS show lldp neighbors", 2, 1, 1, [2]string{"this switch Ethernet1", "precise64 0800.274f.332d"}, "MAC address"},
		{"eos-lldp.txt", "EOS show lldp neighbors", 3, 3, 0, [2]string{"this switch Et3/1", "tg104.example Ethernet3/2"}, "1 neighbour on management ports left out"},
		{"nxos-lldp.txt", "NX-OS show lldp neighbors", 2, 2, 0, [2]string{"this switch Eth1/2", "n9k2.example Ethernet1/2"}, "1 neighbour on management ports left out"},
		{"config_db.json", "SONiC config_db.json", 4, 4, 0, [2]string{"Linecard1 Ethernet8 (fortyGigE0/8)", "ARISTA03T3 Ethernet1"}, ""},
		{"minigraph.xml", "SONiC minigraph.xml", 88, 89, 0, [2]string{"dut-lt2-1 etp33a", "ARISTA01T1 Ethernet1"}, ""},
	} {
		text, err := os.ReadFile("testdata/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ofText(map[bool]string{true: c.file, false: "lldp.txt"}[!strings.Contains(c.file, "lldp")], string(text))
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		n := roles(f)
		if f.Format != c.format || len(f.Cables) != c.cables || n[cabling.Switch] != c.switches || n[cabling.Host] != c.hosts || !has(f, c.cable[0], c.cable[1]) {
			t.Errorf("%s: %s, %d cables, %v; want %s, %d, %d switches, %d hosts, %q\n%s", c.file, f.Format, len(f.Cables), n, c.format, c.cables, c.switches, c.hosts, c.cable, strings.Join(cables(f), "\n"))
		}
		if !strings.Contains(strings.Join(f.Notes, "\n"), c.note) {
			t.Errorf("%s: notes %q, want %q", c.file, f.Notes, c.note)
		}
	}
}

func TestCablesKeepTheirRatesAndLengths(t *testing.T) {
	for file, want := range map[string]struct {
		rate   units.Rate
		length units.Length
	}{
		"sonic-links.csv": {100 * units.Gbps, 0},
		"config_db.json":  {40 * units.Gbps, 300 * units.Metre},
		"netbox.csv":      {0, 3 * units.Metre},
		"minigraph.xml":   {800 * units.Gbps, 0},
	} {
		if c := read(t, file).Cables[0]; c.Rate != want.rate || c.Length != want.length || c.Place.Line == 0 {
			t.Errorf("%s: %v, %v at %v, want %v", file, c.Rate, c.Length, c.Place, want)
		}
	}
	rates := map[units.Rate]int{}
	for _, c := range read(t, "minigraph.xml").Cables {
		rates[c.Rate]++
	}
	if rates[800*units.Gbps] != 24 || rates[400*units.Gbps] != 64 {
		t.Errorf("%v", rates)
	}
}

// Links of Air to nowhere are unused ports. Source: unifabric-io/unifabric e2e/topology/topology.json, two links of it.
func TestAirLinksMayBeUnconnected(t *testing.T) {
	f := must(t, "air.json", `{"format": "JSON", "content": {"nodes": {"node-gpu-1": {"os": "generic/ubuntu2404"}, "switch-gpu-leaf1": {"os": "cumulus-vx-5.15.0"}}, "links": [
[{"interface": "eth1", "node": "node-gpu-1", "mac": "02:00:00:00:00:0D"}, {"interface": "swp2", "node": "switch-gpu-leaf1", "mac": "02:00:00:00:00:0E"}],
[{"interface": "swp9", "node": "switch-gpu-leaf1"}, "unconnected"]]}}`)
	if n := roles(f); len(f.Cables) != 1 || n[cabling.Host] != 1 || n[cabling.Switch] != 1 || !strings.Contains(f.Notes[0], "air.json:3: 1 port is without a cable") {
		t.Errorf("%v, %v, %q", cables(f), roles(f), f.Notes)
	}
}

func TestDotHasCommentsDefaultsAndLoops(t *testing.T) {
	f := must(t, "plan.dot", `# made by hand
strict graph fabric { // one
 node [role="leaf" os=cumulus];
 leaf-1; "leaf-2" [role=spine,
   model="SN5600"];
 /* "x":"swp1" -- "y":"swp1" */
 subgraph cluster_1 { leaf-3 }
 leaf-1:swp1--"leaf-2":swp1 [speed="400G", length="3m"]; "leaf-1":"swp2" -> "leaf-2":"swp2"
 "leaf-1":"swp7" -- "leaf-1":"swp8"
 "leaf-3:swp1" -- leaf-2:swp3:n
 leaf-1:swp9 -- leaf-1:swp9
}`)
	want := []string{"leaf-1 swp1 -- leaf-2 swp1", "leaf-1 swp2 -- leaf-2 swp2", "leaf-1 swp7 -- leaf-1 swp8", "leaf-3 swp1 -- leaf-2 swp3"}
	if got := cables(f); strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("%q, want %q", got, want)
	}
	if c := f.Cables[0]; c.Rate != 400*units.Gbps || c.Length != 3*units.Metre || c.Place.Line != 8 {
		t.Errorf("%+v", c)
	}
	if !strings.Contains(strings.Join(f.Notes, "\n"), "plan.dot:11: a cable from leaf-1 swp9 to itself is left out") {
		t.Errorf("%q", f.Notes)
	}
}

func TestContainerlabHasTwoFormsOfLinks(t *testing.T) {
	f := must(t, "x.clab.yml", `name: x
topology:
  defaults: {kind: arista_ceos}
  nodes:
    leaf1:
    spine1: {group: spines}
    h1: {kind: linux}
  links:
    - endpoints: [leaf1:eth1, "spine1:eth1"]
    - type: veth
      endpoints:
        - {node: h1, interface: eth1}
        - node: leaf1
          interface: eth2
    - type: host
      endpoint: {node: leaf1, interface: eth9}
      host-interface: veth1
    - endpoints: [spine1:eth9, "host:veth2"]
    - endpoints: [spine1]
`)
	if want := "leaf1 eth1 -- spine1 eth1;h1 eth1 -- leaf1 eth2"; strings.Join(cables(f), ";") != want {
		t.Errorf("%q, want %q", cables(f), want)
	}
	if n := roles(f); n[cabling.Switch] != 2 || n[cabling.Host] != 1 {
		t.Errorf("%v", n)
	}
	notes := strings.Join(f.Notes, "\n")
	for _, want := range []string{"x.clab.yml:19: a link is left out", "x.clab.yml:15: 2 links to the machine"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q, want %q", notes, want)
		}
	}
	if _, err := ofText("x.clab.gotmpl.yml", "topology:\n  nodes:\n{{ range .x }}\n    a: }\n"); err == nil || !strings.Contains(err.Error(), "template") {
		t.Errorf("a template: %v", err)
	}
}

// A minigraph of a switch with several chips names the front ports by the switch or by the chip, and also lists the
// links between the chips. sample-minigraph.xml and voq_chassis_lc_multi_asic.xml of sonic-buildimage have both forms.
func TestMinigraphsOfSeveralChipsHaveNoInnerCables(t *testing.T) {
	link := func(a, ap, b, bp string) string {
		return "<DeviceLinkBase><ElementType>DeviceInterfaceLink</ElementType><EndDevice>" + b + "</EndDevice><EndPort>" + bp +
			"</EndPort><StartDevice>" + a + "</StartDevice><StartPort>" + ap + "</StartPort></DeviceLinkBase>"
	}
	f := must(t, "minigraph.xml", "<DeviceMiniGraph><PngDec><DeviceInterfaceLinks>"+
		link("lc03", "Ethernet1/1", "up1", "Ethernet1")+link("lc03", "Ethernet1/1", "ASIC0", "Eth0-ASIC0")+
		link("ASIC1", "Eth7-ASIC1", "ASIC0", "Eth8-ASIC0")+
		link("LC03-ASIC00", "Eth8", "up2", "Ethernet1")+link("down1", "Ethernet3", "lc03-ASIC01", "Eth8")+
		link("lc03-ASIC00", "Eth9", "lc03-ASIC01", "Eth9")+
		"</DeviceInterfaceLinks></PngDec><Hostname>lc03</Hostname></DeviceMiniGraph>")
	if len(f.Cables) != 3 || !has(f, "lc03 Ethernet1/1", "up1 Ethernet1") || !has(f, "lc03 Eth8-ASIC00", "up2 Ethernet1") || !has(f, "lc03 Eth8-ASIC01", "down1 Ethernet3") {
		t.Errorf("cables %v", cables(f))
	}
	if !slices.Contains(f.Notes, "minigraph.xml: 3 links between the chips of lc03 left out") {
		t.Errorf("notes %v", f.Notes)
	}
}

// AVD lists subinterfaces beside the interface whose cable they share, and interfaces without a peer.
func TestSubinterfacesOfAVDAreNoCables(t *testing.T) {
	f := must(t, "avd.csv", `Node Type,Node,Serial number,Node Interface,Peer Type,Peer Node,Peer Interface,Node Interface Enabled
l3leaf,leaf1,,Ethernet3,wan_router,wan1,Ethernet1,True
l3leaf,leaf1,,Ethernet3.100,wan_router,wan1,Ethernet1.100,True
wan_router,wan1,,Ethernet1,l3leaf,leaf1,Ethernet3,True
wan_router,wan1,,Ethernet2.42,l2leaf,leaf2,Ethernet1 VLAN 42,True
wan_router,wan1,,Ethernet2,l2leaf,leaf2,Ethernet1,True
spine,spine1,,Ethernet1,l3_interface,,,True
`)
	if len(f.Cables) != 2 || !has(f, "leaf1 Ethernet3", "wan1 Ethernet1") || !has(f, "leaf2 Ethernet1", "wan1 Ethernet2") {
		t.Errorf("cables %v", cables(f))
	}
	if !slices.Contains(f.Notes, "avd.csv: 2 rows of subinterfaces are left out: their cables have rows of their own") {
		t.Errorf("notes %v", f.Notes)
	}
}

func TestTablesAreReadByTheirHeadings(t *testing.T) {
	for name, text := range map[string]string{
		"plain":           "device,port,device,port\nleaf1,swp1,spine1,swp2\n",
		"no headings":     "leaf1,swp1,spine1,swp2\n",
		"semicolons":      "Device;Port;Device;Port;Speed\nleaf1;swp1;spine1;swp2;400G\n",
		"tabs":            "device\tport\tdevice\tport\nleaf1\tswp1\tspine1\tswp2\n",
		"other order":     "EndPort,EndDevice,StartPort,StartDevice\nswp2,spine1,swp1,leaf1\n",
		"title above":     "Cables of hall 1,,,\n\nSource Device,Source Port,Destination Device,Destination Port\nleaf1,swp1,spine1,swp2\n",
		"quotes":          "\"device\",\"port\",\"device\",\"port\"\n\"leaf1\",\"swp1\",\"spine1\",\"swp2\"\n",
		"byte order mark": "\ufeffSystem,Port,Peer Node,Peer Port\r\nleaf1,swp1,spine1,swp2\r\nleaf1,swp3,,\r\n",
		"both ends":       "Node,Node Interface,Peer Node,Peer Interface\nleaf1,swp1,spine1,swp2\nspine1,swp2,leaf1,swp1\n",
		"NetQ":            "Hostname,Interface,Peer Hostname,Peer Interface\nleaf1,swp1,spine1,swp2\nleaf1,swp9,NaN,NaN\n",
		"NetBox export":   "ID,Label,Device A,Termination A,Device B,Termination B,Type,Length\n1,c1,leaf1,swp1,spine1,swp2,dac-passive,3 m\n",
	} {
		f, err := ofText("plan.csv", text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(f.Cables) != 1 || !has(f, "leaf1 swp1", "spine1 swp2") {
			t.Errorf("%s: %q", name, cables(f))
		}
	}
	if f := must(t, "latin.csv", "leaf1,swp1,M\xfcnchen1,swp2\n"); !has(f, "leaf1 swp1", "München1 swp2") || !strings.Contains(strings.Join(f.Notes, "\n"), "Latin-1") {
		t.Errorf("Latin-1: %q, %q", cables(f), f.Notes)
	}
}

// UFM's forms: spreadsheets with more columns, ports of directors, a file that is cut off. Source:
// Mellanox/ufm_sdk_3.0 plugins/UFM_NDT_Plugin/tests, rows of its files with other names.
func TestNDTHasManyForms(t *testing.T) {
	f := must(t, "sheet.csv", ",rack #,U height,#Fields:StartDevice,StartPort,StartDeviceLocation,EndDevice,EndPort,EndDeviceLocation,U height,LinkType,Speed,,Cable Length,,,,,\n"+
		",Rack IB0 #1,U41,A-01IB0,Port 21,DR426,A-01IB1,Blade 1_Port 1/1,DR429,U25,Data,200000,200G HDR cable,10,,,,,Rack IB0 #1\n")
	c := f.Cables[0]
	if !has(f, "A-01IB0 port 21", "A-01IB1 L1/U1/1 (Blade 1_Port 1/1)") || c.Rate != 200*units.Gbps || c.Length != 10*units.Metre {
		t.Errorf("%q %+v", cables(f), c)
	}
	f = must(t, "hosts.csv", ",rack #,U height,StartDevice,StartPort,StartDeviceLocation,EndDevice,EndPort,EndDeviceLocation,U height,LinkType,Speed,,Cable Length\n"+
		"rack1,DX413,U3,Server 1 IB Port 1,IB Port 1,U3,A-01IB0,Port 1,DR426,U41,Data,200000,200G HDR cable,40\n"+
		"rack2,DX415,U3,Server 1 IB Port 1,IB Port 1,U3,A-03IB0,Port 1,DR426,U37,Data,200000,200G HDR cable,30\n")
	if len(f.Cables) != 2 || len(f.Devices) != 4 {
		t.Errorf("one name in two racks: %q, %d devices", cables(f), len(f.Devices))
	}
	f = must(t, "cut.ndt", "#StartDevice,StartPort,EndDevice,EndPort,LinkType\nhost1,host1 mlx5_0,leaf1,Port 1, Data\nhost1,host1 mlx")
	if len(f.Cables) != 1 || !strings.Contains(f.Notes[0], "cut.ndt:3: the file is cut off") || !f.Devices[0].Partial || f.Devices[0].Group != "host1" {
		t.Errorf("%q, %q, %+v", cables(f), f.Notes, f.Devices)
	}
}

// The last port may be cut off, too: "Port 1" may have been "Port 16".
func TestACutOffRowIsNotTakenForAWholeOne(t *testing.T) {
	f := must(t, "cut.ndt", "#StartDevice,StartPort,EndDevice,EndPort,LinkType\nhost1,host1 mlx5_0,leaf1,Port 1, Data\nhost2,host2 mlx5_0,leaf1,Port 1")
	if len(f.Cables) != 1 || !strings.Contains(f.Notes[0], "cut.ndt:3: the file is cut off") {
		t.Errorf("%q, %q", cables(f), f.Notes)
	}
	if f = must(t, "whole.csv", "a,1,b,1\na,2,b,2"); len(f.Cables) != 2 { // only the last line feed is missing
		t.Errorf("%q, %q", cables(f), f.Notes)
	}
}

func TestBadFilesAreRefusedWithTheirPlace(t *testing.T) {
	garbage, err := os.ReadFile("testdata/garbage.ndt")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string][2]string{
		"empty":            {"", "bad: the file is empty: expected a plan"},
		"garbage":          {string(garbage), "bad:1: \"cyber sport > usual sport\": this is no plan"},
		"binary":           {"\x7fELF\x00\x01", "bad:1: a byte 0"},
		"no port column":   {"#StartDevice,EndDevice,EndPort,LinkType\na,b,Port 1,Data\n", "bad:1: the headings have no column for the first port"},
		"ports are none":   {"#StartDevice,StartPort,EndDevice,EndPort,LinkType\na,abra,a,cadabra,Data\n", "bad:2: \"abra\" is no port: expected Port 21"},
		"no cells":         {"hello, world\nfoo, bar\n", "bad:1: \"hello,world\": expected a plan"},
		"JSON cut off":     {"{\"edges\": [\n{\"node1\": {", "bad:2: the file ends inside a value"},
		"other JSON":       {"{\"a\": 1}", "JSON with the members \"a\""},
		"XML":              {"<a><b></a>", "bad:1: this is not XML"},
		"other XML":        {"<a><b/></a>", "XML without a DeviceLinkBase"},
		"dot cut off":      {"graph x {\n a:1 -- b:1\n", "bad:3: the end of the file: expected } of the graph"},
		"dot without node": {"graph x { a -- ; }", "bad:1: \";\": expected the node at the other end"},
		"two neighbours":   {"LocalPort  RemoteDevice  RemotePortID\n---------  ------------  ------------\nEthernet0  a             1\nEthernet0  b             2\n", "has two neighbours"},
		"all unused":       {"graph x { f [function=fake]; a:1 -- f:1 }", "1 edge to a node with function=\"fake\""},
	} {
		_, err := ofText("bad", c[0])
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %s", name, err, c[1])
		}
	}
}

// UFM's answers with names: of links, Mellanox/ufm_sdk_3.0 plugins/UFM_NDT_Plugin, topoparse samples (names replaced);
// of ports, as public clients read them.
func TestUFMAnswersHaveNames(t *testing.T) {
	f := must(t, "links.json", `[{"destination_guid": "1c34da0300728a06", "destination_port": "2", "destination_port_dname": "2", "destination_port_node_description": "spine13:2",
 "source_guid": "1c34da0300728606", "source_port": "37", "source_port_dname": "37", "source_port_node_description": "leaf2:37", "width": "4x"},
{"source_guid": "0c42a103001b7ab6", "source_port": "1", "destination_guid": "1c34da0300728606", "destination_port": "19", "source_port_dname": "HCA-2/1",
 "destination_port_dname": "19", "source_port_node_description": "node7 mlx5_10", "destination_port_node_description": "leaf2:19"}]`)
	if !has(f, "leaf2 port 37", "spine13 port 2") || !has(f, "node7 mlx5_10 port 1 (HCA-2/1)", "leaf2 port 19") || len(f.Devices) != 3 || f.Devices[2].Group != "node7" {
		t.Errorf("%q, %+v", cables(f), f.Devices)
	}
	f = must(t, "ports.json", `[{"number": 1, "dname": "1", "system_name": "leaf1", "peer_node_name": "spine1", "peer_port_dname": "7", "active_speed": "NDR", "active_width": "IB_4x"},
{"number": 7, "dname": "7", "system_name": "spine1", "peer_node_name": "leaf1", "peer_port_dname": "1"},
{"number": 2, "dname": "2", "system_name": "leaf1", "peer_node_name": "N/A", "peer_port_dname": "N/A"}]`)
	if len(f.Cables) != 1 || !has(f, "leaf1 port 1", "spine1 port 7") || f.Cables[0].Link != "4xNDR" || f.Cables[0].Rate != 400*units.Gbps {
		t.Errorf("%q, %+v", cables(f), f.Cables)
	}
}

// A port with two cables in one plan is in none: which of them holds is not known.
func TestCablesThatContradictEachOtherAreLeftOut(t *testing.T) {
	f := must(t, "plan.csv", "a,1,b,1\na,2,b,2\na,1,c,1\nb,3,c,3\n")
	if want := "a port 2 -- b port 2;b port 3 -- c port 3"; strings.Join(cables(f), ";") != want {
		t.Errorf("%q, want %q", cables(f), want)
	}
	if want := "plan.csv:3: a port 1 has two cables: to c port 1 here, and to b port 1 at plan.csv:1"; !strings.Contains(f.Notes[0], want) {
		t.Errorf("%q, want %q", f.Notes, want)
	}
}

// A list that people wrote has names in capitals and in small letters.
func TestNamesInCapitalsAreTheSameDevices(t *testing.T) {
	f := must(t, "plan.csv", "leaf1,1,spine1,1\nLEAF1,2,Spine1,2\nleaf1,3,LEAF2,1\nLEAF1,4,leaf2,2\n")
	if len(f.Devices) != 3 || len(f.Cables) != 4 || !has(f, "leaf1 port 2", "spine1 port 2") {
		t.Errorf("%d devices, %q", len(f.Devices), cables(f))
	}
	if want := `plan.csv: "leaf1" and "LEAF1" are taken for one device`; strings.Count(strings.Join(f.Notes, "\n"), want) != 1 {
		t.Errorf("%q, want once %q", f.Notes, want)
	}
}

// Rows of a patch panel are joined where the front port and the rear port have one number.
func TestCablesThroughPatchPanelsAreOne(t *testing.T) {
	f := must(t, "netbox.csv", `side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,length,length_unit
leaf1,dcim.interface,swp1,panelA,dcim.frontport,Front 1,2,m
panelA,dcim.rearport,Rear 1,panelB,dcim.rearport,Rear 1,10,m
server1,interface,eth0,panelB,frontport,Front 1,1,m
leaf1,dcim.interface,swp2,panelA,dcim.frontport,Front 2,2,m
leaf1,dcim.powerport,PSU1,pdu1,dcim.poweroutlet,1,,
`)
	if len(f.Cables) != 1 || !has(f, "leaf1 swp1", "server1 eth0") || f.Cables[0].Length != 13*units.Metre {
		t.Errorf("%q, %v", cables(f), f.Cables)
	}
	notes := strings.Join(f.Notes, "\n")
	for _, want := range []string{"netbox.csv:5: 1 cable ends at a patch panel", "1 cable of a powerport left out"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q, want %q", notes, want)
		}
	}
}

// FuzzRead: no file makes a reader panic, and a fabric that is read has whole cables.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text[:min(len(text), 4000)])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := ofText("fuzz", string(text))
		if (got == nil) == (err == nil) {
			t.Fatalf("fabric %v, error %v", got != nil, err)
		}
		if err == nil {
			whole(t, got)
		}
		got, err = ReadFolder(fstest.MapFS{"leaf1/config_db.json": {Data: text}, "leaf2.lldp.txt": {Data: text}}, "folder")
		if err == nil {
			whole(t, got)
		}
	})
}

// whole fails if a port has two cables, or a cable an end without a device.
func whole(t *testing.T, f *cabling.Fabric) {
	t.Helper()
	used := map[cabling.End]bool{}
	for _, c := range f.Cables {
		for _, e := range []cabling.End{c.A, c.B} {
			if e.Device < 0 || e.Device >= len(f.Devices) {
				t.Fatalf("device %d of %d", e.Device, len(f.Devices))
			}
			if e = bare(e); e.Port != "" && used[e] {
				t.Fatalf("%s has two cables", f.EndName(e))
			}
			used[e] = true
		}
	}
}

// TestAScenarioIsNoTopologyOfContainerlab: both have a topology, and nodes below something.
func TestAScenarioIsNoTopologyOfContainerlab(t *testing.T) {
	for text, want := range map[string]bool{
		"name: x\ncluster:\n  nodes: 31\ntopology:\n  shape: fat-tree\nfabrics: [infiniband-ndr]\n":             false,
		"name: x\ntopology:\n  nodes:\n    a: {kind: linux}\n  links:\n    - endpoints: [\"a:e1\", \"b:e1\"]\n": true,
	} {
		if got := IsContainerlab(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}
