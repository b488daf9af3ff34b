package counters

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

// read reads a file of testdata, or a text, by the reader that knows it.
func read(t *testing.T, name, text string) (*portstate.Set, string) {
	t.Helper()
	if text == "" {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		text = string(raw)
	}
	set := portstate.NewSet()
	for _, r := range Readers {
		if r.Is(text) {
			r.Read(&portstate.Input{Name: name, Text: text, Set: set, Kind: r.Name})
			return set, r.Name
		}
	}
	t.Fatalf("%s is of no known kind", name)
	return nil, ""
}

// counter is a counter of a reading; nil without.
func counter(r *portstate.Reading, name string) *portstate.Counter {
	for i := range r.Counters {
		if r.Counters[i].Name == name {
			return &r.Counters[i]
		}
	}
	return nil
}

// at is the reading of a port.
func at(t *testing.T, set *portstate.Set, device string, number int) *portstate.Reading {
	t.Helper()
	for _, r := range set.Readings {
		if r.Port.Device == device && r.Port.Number == number {
			return r
		}
	}
	t.Fatalf("there is no reading of %s port %d", device, number)
	return nil
}

// TestEveryKindIsRecognisedByItsContent: with a byte order mark and Windows' line ends, too.
func TestEveryKindIsRecognisedByItsContent(t *testing.T) {
	for file, kind := range map[string]string{
		"ibqueryerrors.txt": "ibqueryerrors", "perfquery.txt": "perfquery", "perfquery-E.txt": "perfquery", "iblinkinfo-l.txt": "iblinkinfo",
		"ibswinfo.txt": "ibswinfo", "small.db_csv": "ibdiagnet2.db_csv", "two.net_dump": "ibdiagnet2.net_dump", "one.cables": "ibdiagnet2.cables",
		"osm.log": "osm.log", "node-name-map": "node-name-map", "error_thresholds": "error_thresholds", "ufm-telemetry.json": "UFM",
		"ufm-ports.json": "UFM", "ufm-links.json": "UFM", "ufm-unhealthy.json": "UFM", "ufm-events.json": "UFM",
	} {
		raw, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		windows := "\ufeff" + strings.ReplaceAll(string(raw), "\n", "\r\n")
		for form, text := range map[string]string{"as it is": string(raw), "of Windows": windows} {
			set, got := read(t, file, text)
			if got != kind {
				t.Errorf("%s %s is taken for %s, want %s", file, form, got, kind)
			}
			if again, _ := read(t, file, string(raw)); len(again.Readings) != len(set.Readings) {
				t.Errorf("%s %s has %d readings, want %d", file, form, len(set.Readings), len(again.Readings))
			}
		}
	}
}

// The output was quoted in a mail on linux-rdma in 2021: 16-bit and 32-bit counters at their end, the
// sum of a switch, and its port 0.
func TestIbqueryerrorsOldCountersAreSaturated(t *testing.T) {
	set, _ := read(t, "ibqueryerrors.txt", "")
	if len(set.Readings) != 14 {
		t.Fatalf("%d ports, want the 14 beyond their thresholds: port ALL is none", len(set.Readings))
	}
	if len(set.Notes) != 0 {
		t.Errorf("notes %q: the sum of a switch is nothing to say", set.Notes)
	}
	if set.Unlisted != 43-14 {
		t.Errorf("%d ports are not listed, want 29", set.Unlisted)
	}
	const sw = "MF0;sw1:SX6036/U1"
	for _, number := range []int{5, 7} {
		r := at(t, set, sw, number)
		c := counter(r, "SymbolErrorCounter")
		if c == nil || c.Value != 65535 || !c.AtLeast {
			t.Errorf("symbol errors of port %d are %+v, want at least 65535", number, c)
		}
		if r.Port.Role != cabling.Switch || r.Port.Node != 0x2c903006e00b0 {
			t.Errorf("port %d is of %v %v", number, r.Port.Role, r.Port.Node)
		}
	}
	if c := counter(at(t, set, sw, 1), "PortXmitWait"); c == nil || !c.AtLeast || c.At.Line != 9 {
		t.Errorf("PortXmitWait of port 1 is %+v, want saturated at line 9", c)
	}
	if c := counter(at(t, set, sw, 4), "PortXmitWait"); c == nil || c.Value != 2 || c.AtLeast {
		t.Errorf("PortXmitWait of port 4 is %+v, want 2", c)
	}
	if c := counter(at(t, set, sw, 4), "SymbolErrorCounter"); c == nil || c.Value != 0 {
		t.Errorf("symbol errors of port 4 are %+v, want 0: no threshold hides them", c)
	}
	if r := at(t, set, "hostA mlx4_0", 2); r.Port.Role != cabling.Host || r.Port.GUID != 0x7cfe900300100032 || r.Port.Node != 0 {
		t.Errorf("an adapter's line has %+v, want its port GUID and no node GUID", r.Port)
	}
}

// A counter with its short form behind it has 64 bits, so that it is not saturated at 65535. What a
// threshold or --suppress hides is unknown and not 0. Noise of the library is no counter.
func TestIbqueryerrorsExtendedCountersAndThresholds(t *testing.T) {
	set, _ := read(t, "x", `ibwarn: [3] mad_rpc: _do_madrpc failed; dport (Lid 9)
Errors for 0x1 "sw"
   GUID 0x1 port 3: [SymbolErrorCounter == 65535 (64.000K)] [PortXmitData == 4294967295 (16.000GB)]
       Link info:      4   3[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  0x0000000000000002      5    1[  ] "h1 mlx5_0" ( Could be 53.125 Gbps)

## Summary: 2 nodes checked, 1 bad nodes found
##          3 ports checked, 1 ports have errors beyond threshold
## Thresholds: [LinkDownedCounter = 10]
## Suppressed: PortXmitWait
`)
	r := at(t, set, "sw", 3)
	if c := counter(r, "SymbolErrorCounter"); c == nil || c.AtLeast {
		t.Errorf("an extended counter of 65535 is %+v, want not saturated", c)
	}
	if c := counter(r, "LinkDownedCounter"); c != nil {
		t.Errorf("a counter below its threshold is %+v, want unknown", c)
	}
	if c := counter(r, "PortXmitWait"); c != nil {
		t.Errorf("a suppressed counter is %+v, want unknown", c)
	}
	if !r.HasPeer || r.Peer.Device != "h1 mlx5_0" || r.Peer.GUID != 2 || r.Link.Value.Speed != "EDR" || r.Could.Value.Speed != "HDR" {
		t.Errorf("the line about the link gives %+v, %v, could be %v", r.Peer, r.Link.Value, r.Could.Value)
	}
}

// treydock/infiniband_exporter has the output as a fixture. Data are words of four bytes.
func TestPerfqueryTwoPortsWithoutErrors(t *testing.T) {
	set, _ := read(t, "perfquery.txt", "")
	if len(set.Readings) != 2 {
		t.Fatalf("%d ports, want 2", len(set.Readings))
	}
	for i, want := range []struct{ data, wait uint64 }{{36298026860928, 22730501}, {26006570014026, 36510964}} {
		r := set.Readings[i]
		if r.Port.LID != 1719 || r.Port.Number != i+1 {
			t.Errorf("port %d is %v", i+1, r.Port)
		}
		if c := counter(r, "PortXmitData"); c == nil || c.Value != want.data {
			t.Errorf("data of port %d are %+v, want %d words", i+1, c, want.data)
		}
		if c := counter(r, "PortXmitWait"); c == nil || c.Value != want.wait || c.AtLeast {
			t.Errorf("PortXmitWait of port %d is %+v, want %d", i+1, c, want.wait)
		}
		for _, name := range []string{"SymbolErrorCounter", "PortRcvErrors", "QP1Dropped", "LocalLinkIntegrityErrors"} {
			if c := counter(r, name); c == nil || c.Value != 0 {
				t.Errorf("%s of port %d is %+v, want 0", name, i+1, c)
			}
		}
	}
	if bytes := 4 * counter(set.Readings[0], "PortXmitData").Value; bytes/1e10 != 14519 {
		t.Errorf("port 1 sent %d bytes, want 145.19 TB", bytes)
	}
}

// Port 255 is the sum of all ports. A short block saturates, and a block that ends within a counter is
// noted.
func TestPerfquerySumsShortCountersAndTruncation(t *testing.T) {
	set, _ := read(t, "x", `# Port counters: Lid 7 port 255 (CapMask: 0x5300)
PortSelect:......................255
SymbolErrorCounter:..............9
# Port counters: Lid 7 port 3 (CapMask: 0x5300)
SymbolErrorCounter:..............65535
LinkDownedCounter:...............255
PortRcvErrors:...`)
	if len(set.Readings) != 1 || set.Readings[0].Port.Number != 3 {
		t.Fatalf("%d readings, want port 3 alone", len(set.Readings))
	}
	for _, name := range []string{"SymbolErrorCounter", "LinkDownedCounter"} {
		if c := counter(set.Readings[0], name); c == nil || !c.AtLeast {
			t.Errorf("%s is %+v, want saturated", name, c)
		}
	}
	if len(set.Notes) != 1 || !strings.Contains(set.Notes[0], "x:7: PortRcvErrors of LID 7 port 3 has no value") {
		t.Errorf("notes: %q", set.Notes)
	}
	details, _ := read(t, "perfquery-E.txt", "")
	if r := details.Readings[0]; len(r.Counters) != 6 || r.Port.LID != 1719 {
		t.Errorf("-E gives %d counters of %v, want 6 of LID 1719", len(r.Counters), r.Port)
	}
}

// The page is about ibsim: SDR though QDR and 12x are possible, and a port without signal.
func TestIblinkinfoCouldBeAndADownPort(t *testing.T) {
	set, _ := read(t, "iblinkinfo-l.txt", "")
	if len(set.Readings) != 4 {
		t.Fatalf("%d ports, want 4", len(set.Readings))
	}
	r := at(t, set, "su1-leaf-r1", 1)
	if r.Link.Value.String() != "4xSDR" || r.Could.Value.String() != "12xQDR" || r.Peer.Device != "gpu01 mlx5_0" || r.Port.GUID != 0x200002 {
		t.Errorf("port 1 runs at %v, could %v, leads to %v of %v", r.Link.Value, r.Could.Value, r.Peer, r.Port.GUID)
	}
	down := at(t, set, "su2-leaf-r2", 34)
	if down.State.Value != portstate.Down || down.Physical != "Polling" || down.HasPeer || down.Link.Known() {
		t.Errorf("port 34 is %v %q, link %v", down.State.Value, down.Physical, down.Link.Value)
	}
}

// The usual form has heads, and no GUID of the other end.
func TestIblinkinfoWithHeads(t *testing.T) {
	set, _ := read(t, "x", `CA: h1 mlx5_0:
      0x0000000000000011      5    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       2    7[  ] "leaf1" ( )
Switch: 0x0000000000000001 leaf1:
           2    7[  ] ==( 2X        53.125 Gbps Active/  LinkUp)==>       5    1[  ] "h1 mlx5_0" ( Could be 4X)
           2    8[  ] ==(                Down/Disabled)==>             [  ] "" ( )
           2    9[  ] ==( 4X        53.125 Gbps Active/  LinkUp (HOQ:18 VL_Stall:7))==>  "Port not available"
`)
	if r := at(t, set, "h1 mlx5_0", 1); r.Port.GUID != 0x11 || r.Port.Role != cabling.Host || r.Peer.LID != 2 || r.Peer.Number != 7 {
		t.Errorf("the adapter is %+v, its peer %+v", r.Port, r.Peer)
	}
	if r := at(t, set, "leaf1", 7); r.Link.Value.Lanes != 2 || r.Could.Value.Lanes != 4 || r.Port.Node != 1 {
		t.Errorf("port 7 has %d lanes, could %d", r.Link.Value.Lanes, r.Could.Value.Lanes)
	}
	if r := at(t, set, "leaf1", 8); r.State.Value != portstate.Disabled {
		t.Errorf("port 8 is %v, want disabled", r.State.Value)
	}
	if r := at(t, set, "leaf1", 9); r.State.Value != portstate.Up || r.HasPeer {
		t.Errorf("port 9 is %v with a peer %t, want up without", r.State.Value, r.HasPeer)
	}
}

// treydock/infiniband_exporter has the output as a fixture: the sum of the fans is ERROR though all turn.
func TestIbswinfoFanStatus(t *testing.T) {
	set, _ := read(t, "ibswinfo.txt", "")
	if len(set.Devices) != 1 {
		t.Fatalf("%d devices, want 1", len(set.Devices))
	}
	d := set.Devices[0]
	if len(d.Facts) != 1 || d.Facts[0].Value != "fan status is ERROR" || d.Facts[0].At.Line != 31 {
		t.Errorf("faults %+v, want the fan status alone", d.Facts)
	}
	if d.GUID != 0x1c34da08ca37b000 {
		t.Errorf("GUID %v", d.GUID)
	}
	if len(set.Remarks) != 1 || !strings.Contains(set.Remarks[0].Value, "45 °C, at most 57 °C") {
		t.Errorf("remarks %+v", set.Remarks)
	}
}

// NVIDIA's manual of ibdiagnet shows the file.
func TestCablesPartAndSerial(t *testing.T) {
	set, _ := read(t, "one.cables", "")
	r := set.Readings[0]
	want := portstate.Cable{Vendor: "Mellanox", Part: "MCP1600-E002", Serial: "SN00000001", Length: "2 m"}
	if len(set.Readings) != 1 || r.Cable.Value != want || r.Port.LID != 0xa4 || r.Port.GUID != 0xf4521403001000a1 || r.Port.Device != "sw-001/U1" {
		t.Errorf("%+v of %+v, want %+v", r.Cable.Value, r.Port, want)
	}
	if len(r.Measured) != 0 {
		t.Errorf("the temperature N/A is %+v, want unknown", r.Measured)
	}
}

// A public course has the log, of OpenSM over ibsim.
func TestOpenSMLogLinkChange(t *testing.T) {
	set, _ := read(t, "osm.log", "")
	if len(set.Events) != 1 {
		t.Fatalf("%d changes, want 1", len(set.Events))
	}
	e := set.Events[0]
	if e.Port.Node != 0x200000 || e.Port.Device != "Switch1" || e.Port.Number != 3 || e.From != "ACTIVE" || e.To != "DOWN" || e.At.Line != 13 || e.Time != "Jun 17 17:21:28 927893" {
		t.Errorf("the change is %+v", e)
	}
	withCage, _ := read(t, "x", "Jun  7 17:21:28 927893 [4F2006C0] 0x02 -> osm_spst_rcv_process: Switch 0x1 leaf 1 port 3 (1/2/1) changed state from DOWN to INIT\n")
	if e := withCage.Events[0]; e.Port.Device != "leaf 1" || e.Port.Label != "1/2/1" || e.To != "INIT" {
		t.Errorf("with a cage the change is %+v", e)
	}
}

// rdma-core ships both files.
func TestNodeNamesAndThresholds(t *testing.T) {
	set, _ := read(t, "node-name-map", "")
	if len(set.Names) != 3 || set.Names[0x0008f10400111a08] != "SW1  (Rack  3) ISR9024 Voltaire 9024D" {
		t.Errorf("names %q", set.Names)
	}
	if a, b := set.Names[0x0008f104001f125c], set.Names[0x0008f104001f125d]; a != b || !strings.Contains(a, "slot 1   )") {
		t.Errorf("two GUIDs with one name are %q and %q", a, b)
	}
	thresholds, _ := read(t, "error_thresholds", "")
	if len(thresholds.Thresholds) != 0 || len(thresholds.Notes) != 1 {
		t.Errorf("%d thresholds of a file of comments, notes %q", len(thresholds.Thresholds), thresholds.Notes)
	}
	set, _ = read(t, "x", "# mine\nSymbolErrorCounter=10\nPortRcvErrors=0x14\nwrong\n")
	if set.Thresholds["SymbolErrorCounter"] != 10 || set.Thresholds["PortRcvErrors"] != 20 || len(set.Notes) != 1 {
		t.Errorf("thresholds %v, notes %q", set.Thresholds, set.Notes)
	}
}

// Older names of perfquery, notices in a log, and names of nodes without quotes.
func TestOtherFormsOfInfiniBandsTools(t *testing.T) {
	set, _ := read(t, "x", "# Port counters: Lid 5 port 1\nSymbolErrors:....................3\nXmtDiscards:.....................4\nRcvSwRelayErrors:................5\nXmtBytes:........................4294967295\n")
	for name, want := range map[string]uint64{"SymbolErrorCounter": 3, "PortXmitDiscards": 4, "PortRcvSwitchRelayErrors": 5, "PortXmitData": 4294967295} {
		if c := counter(set.Readings[0], name); c == nil || c.Value != want {
			t.Errorf("%s is %+v, want %d", name, c, want)
		}
	}
	set, _ = read(t, "osm.log", "")
	if len(set.Remarks) != 1 || set.Remarks[0].Value != "notice 128 (Link state change) from LID 1, first at Jun 17 17:21:28 922890, 1 in the log" {
		t.Errorf("notices %+v", set.Remarks)
	}
	set, kind := read(t, "x", "# site\nH-0008f10400111a08 node 7 mlx5_0\nS-0008f10400111a09 leaf1\n")
	if kind != "node-name-map" || set.Names[0x0008f10400111a08] != "node 7 mlx5_0" || set.Names[0x0008f10400111a09] != "leaf1" {
		t.Errorf("%s: names %q", kind, set.Names)
	}
	for _, r := range Readers {
		if r.Name == "node-name-map" && r.Is("0x0008f10400111a08 0x0003 0x0003\n\n0x0008f10400111a09 0x0004 0x0004\n") {
			t.Error("guid2lid is taken for node-name-map")
		}
	}
}
