package counters

import (
	"strings"
	"testing"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

// A public parser's test has the file, anonymised: its GUIDs are no numbers, and NODES and PORTS spell
// the column differently.
func TestDBSmallFile(t *testing.T) {
	set, _ := read(t, "small.db_csv", "")
	if len(set.Readings) != 2 {
		t.Fatalf("%d ports, want 2", len(set.Readings))
	}
	host := at(t, set, "HOST_1", 1)
	if host.Port.LID != 1 || host.Port.Role != cabling.Host || host.State.Value != portstate.Up || host.Physical != "LinkUp" {
		t.Errorf("the host's port is %+v, %v %s", host.Port, host.State.Value, host.Physical)
	}
	if host.Link.Value.String() != "4xNDR" || host.Link.Value.Rate().String() != "400 Gb/s" {
		t.Errorf("its link is %v, want 4xNDR", host.Link.Value)
	}
	if sw := at(t, set, "SWITCH_1", 0); sw.Port.LID != 22 || sw.Port.Role != cabling.Switch || sw.State.Known() {
		t.Errorf("the switch's port 0 is %+v, %v", sw.Port, sw.State.Value)
	}
}

// Columns in another order, one more, hexadecimal and decimal counters, a counter that the device does
// not have, extended ones beside short ones, sections of other versions.
const wholeDB = `# by hand, headers of public readers
START_NODES
NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID,DeviceID
"leaf01, row 3",64,2,1,1,0x10,0x10,0x10,54002
"server01 mlx5_0",1,1,1,1,0x20,0x20,0x21,4129
END_NODES
START_LINKS
NodeGuid1,PortNum1,NodeGuid2,PortNum2
0x0000000000000010,5,0x20,1
END_LINKS
START_PORTS
PortNum,NodeGuid,PortGuid,LID,LinkWidthActv,LinkWidthSup,LinkSpeedSup,LinkSpeedActv,PortPhyState,PortState,FECActv,OOOSLMask
5,0x0000000000000010,0x10,9,1,19,3841,2048,5,4,N/A,0xffff
1,0x20,0x21,7,1,3,3841,2048,5,4,N/A,0xffff
6,0x0000000000000010,0x10,9,0,19,3841,0,3,1,N/A,N/A
END_PORTS
START_PM_INFO
NodeGUID,PortGUID,PortNumber,SymbolErrorCounter,SymbolErrorCounterExt,LinkDownedCounter,LinkDownedCounterExt,PortRcvErrorsExt,PortXmitWaitExt,PortRcvPktsExtended,SomethingNew
0x10,0x10,5,0xffff,0x0000000000012345,255,0xfffffffffffffffe,7,0x10,1000,1
0x10,0x10,255,1,1,1,1,1,1,1,1
END_PM_INFO
START_CABLE_INFO
NodeGuid,PortGuid,PortNum,Vendor,PN,SN,Rev,LengthDesc,Temperature
0x10,0x10,5,"NVIDIA","MCP4Y10-N002","MT1","A1","2 m",72C
0x20,0x21,1,NA,N/A,,,,N/A
END_CABLE_INFO
START_PHY_DB16
NodeGuid,PortGuid,PortNum,field12,field13,field14,field15,field16,field17
0x10,0x10,5,9,5,4,12,15,254
0x20,0x21,1,9,5,4,1933785040,15,1933785040
END_PHY_DB16
START_PHY_DB12
NodeGuid,PortGuid,PortNum,field12,field13,field14
0x20,0x21,1,5,1,3
END_PHY_DB12
START_TEMP_SENSING
NodeGUID,CurrentTemperature
0x10,61
END_TEMP_SENSING
START_FANS_SPEED
NodeGuid,SensorIndex,FanSpeed
0x10,1,0
0x10,2,7200
END_FANS_SPEED
START_POWER_SUPPLIES
NodeGuid,PSUIndex,IsPresent,IsFRU,ACInput,DCState,AlertState,FanState,TemperatureState,SerialNumber
0x10,0,Yes,Yes,OK,ERROR,OK,OK,OK,S1
0x10,1,No,Yes,N/A,N/A,N/A,N/A,N/A,N/A
END_POWER_SUPPLIES
START_WARNINGS_SYMBOL_BER_CHECK
Scope,NodeGUID,PortGUID,PortNumber,EventName,Summary
PORT,0x10,0x10,5,BER_NEAR_THRESHOLD,"near, but not beyond"
PORT,0x20,0x21,1,BER_NO_THRESHOLD_IS_SUPPORTED,"nothing"
END_WARNINGS_SYMBOL_BER_CHECK
`

func TestDBSections(t *testing.T) {
	set, _ := read(t, "x", wholeDB)
	merged := map[string]*portstate.Reading{}
	for _, r := range set.Readings {
		if r.Port.Number == 255 {
			t.Errorf("the sum of ports is a reading: %+v", r)
		}
		if len(r.Counters) > 0 {
			merged["pm"] = r
		}
		if r.HasPeer && r.Port.Node == 0x10 {
			merged["link"] = r
		}
		if r.Cable.Known() {
			merged["cable"] = r
		}
		if r.Raw.Known() && r.Port.Node == 0x10 {
			merged["phy"] = r
		}
		if r.Raw.Known() && r.Port.Node == 0x20 && r.Effective.Known() {
			t.Errorf("an exponent of ten digits gives the rate %v, want none", r.Effective.Value)
		}
		if r.Supports.Known() && r.Port.Node == 0x20 {
			merged["host"] = r
		}
	}
	if r := merged["link"]; r == nil || r.Port.Number != 5 || r.Peer.Node != 0x20 || r.Peer.Number != 1 || r.Port.Device != "leaf01, row 3" && r.Port.Device != "" {
		t.Errorf("the link is %+v", r)
	}
	pm := merged["pm"]
	if c := counter(pm, "SymbolErrorCounter"); c == nil || c.Value != 0x12345 || c.AtLeast {
		t.Errorf("symbol errors are %+v, want the extended counter 0x12345", c)
	}
	if c := counter(pm, "LinkDownedCounter"); c == nil || c.Value != 255 || !c.AtLeast {
		t.Errorf("link downs are %+v, want the short counter: the device has no extended one", c)
	}
	if c := counter(pm, "PortXmitWait"); c == nil || c.Value != 16 {
		t.Errorf("waits are %+v, want 16", c)
	}
	if r := merged["host"]; r.Link.Value.Lanes != 1 || r.Supports.Value.String() != "4xNDR" {
		t.Errorf("the host's port has %v and supports %v", r.Link.Value, r.Supports.Value)
	}
	if r := merged["cable"]; r.Cable.Value.Serial != "MT1" || r.Cable.Value.Length != "2 m" || len(r.Measured) != 1 || r.Measured[0].Value != 72 {
		t.Errorf("the cable is %+v, measured %+v", r.Cable.Value, r.Measured)
	}
	if r := merged["phy"]; r.Raw.Value != 9e-5 || r.Effective.Value != 4e-12 || r.Symbol.Value > 1e-200 {
		t.Errorf("rates %v %v %v", r.Raw.Value, r.Effective.Value, r.Symbol.Value)
	}
	var facts []string
	for _, d := range set.Devices {
		for _, f := range d.Facts {
			facts = append(facts, d.Name+": "+f.Value)
		}
	}
	if got, want := strings.Join(facts, "; "), "leaf01, row 3: fan 1 stands still; leaf01, row 3: power supply 0: DC state is ERROR"; got != want {
		t.Errorf("faults of devices: %s, want %s", got, want)
	}
	verdicts := 0
	for _, r := range set.Readings {
		for _, v := range r.Verdicts {
			if verdicts++; !strings.Contains(v.Value, "BER_NEAR_THRESHOLD: near, but not beyond") {
				t.Errorf("verdict %q", v.Value)
			}
		}
	}
	if verdicts != 1 || len(set.Notes) != 0 {
		t.Errorf("%d verdicts, want 1; notes %q", verdicts, set.Notes)
	}
}

// At whatever byte a file ends, what stands before is read, and a cut within a section is noted.
func TestDBTruncatedAnywhere(t *testing.T) {
	for end := range len(wholeDB) {
		if !isDB(wholeDB[:end]) || strings.HasSuffix(wholeDB[:end], "START_") {
			continue
		}
		set, _ := read(t, "x", wholeDB[:end])
		within := strings.Count(wholeDB[:end], "START_") > strings.Count(wholeDB[:end], "\nEND_")
		if within && strings.Contains(wholeDB[:end], "START_NODES\n") && len(set.Notes) == 0 {
			t.Fatalf("cut at byte %d without a note", end)
		}
	}
}

// Two public readers describe the columns; the names of two of them differ by version.
func TestNetDump(t *testing.T) {
	for _, header := range []string{"FEC mode : Retran", "FEC : RTR"} {
		text := strings.Replace(mustRead(t, "two.net_dump"), "FEC mode : Retran", header, 1)
		set, _ := read(t, "x", text)
		if len(set.Readings) != 3 {
			t.Fatalf("%d ports, want 3", len(set.Readings))
		}
		const leaf = "MF0;leaf01:MQM9700/U1"
		r := at(t, set, leaf, 1)
		if r.Link.Value.String() != "4xNDR" || r.Port.Label != "1/1/1" || r.Port.Node != 0x1000000000000001 || r.Port.LID != 10 || r.State.Value != portstate.Up {
			t.Errorf("port 1 is %+v at %v", r.Port, r.Link.Value)
		}
		if r.Peer.Device != "server01 mlx5_0" || r.Peer.Node != 0x2000000000000002 || r.Peer.Number != 1 || r.Peer.LID != 2566 {
			t.Errorf("port 1 leads to %+v", r.Peer)
		}
		if r := at(t, set, leaf, 2); r.Peer.Device != "MF0;spine01:MQM9700/U1" || r.Peer.Label != "1/1/1" || r.Peer.Number != -1 {
			t.Errorf("port 2 leads to %+v: its description has a colon", r.Peer)
		}
		if r := at(t, set, leaf, 3); r.State.Value != portstate.Down || r.HasPeer || r.Physical != "POLLING" {
			t.Errorf("port 3 is %v with a peer %t", r.State.Value, r.HasPeer)
		}
	}
}

// The headings are those of public readers; N/A and an empty cell are unknown.
func TestNetDumpExt(t *testing.T) {
	set, kind := read(t, "x", `# comment
Ty : # : #IB : GUID : LID : Sta : PhysSta : LWA : LSA : Conn LID (#) : FEC mode : RTR : Raw BER : Effective BER : Symbol BER : Symbol Err : Effective Err : Node Desc
SW : 1/1/1 : 1 : 0xfc6a1c0300c487c0 : 10 (0x0a) : ACT : LINK UP : 4x : 100 : 20 (1) : MLNX_RS : NO-RTR : 9e-05 : 4e-12 : 1.5e-254 : 0 : 44 : "MF0;leaf:MQM9700/U1"
CA : 1 : 1 : 0x21 : 20 (0x14) : ACT : LINK UP : 4x : 100 : 10 (1) : MLNX_RS : NO-RTR : N/A :  : N/A : N/A : : "h1 mlx5_0"
SW : 1/1/2 : 2 : 0xfc6a1c0300c487c0 : 10
`)
	if kind != "ibdiagnet2.net_dump_ext" || len(set.Readings) != 2 || len(set.Notes) != 1 || !strings.HasPrefix(set.Notes[0], "x:5: the row has 5 of 18 columns") {
		t.Fatalf("%s: %d ports, notes %q", kind, len(set.Readings), set.Notes)
	}
	r := at(t, set, "MF0;leaf:MQM9700/U1", 1)
	if r.Raw.Value != 9e-5 || r.Effective.Value != 4e-12 || r.Symbol.Value != 1.5e-254 || counter(r, "Effective Err").Value != 44 {
		t.Errorf("rates %v %v %v", r.Raw.Value, r.Effective.Value, r.Symbol.Value)
	}
	if r := at(t, set, "h1 mlx5_0", 1); r.Raw.Known() || r.Effective.Known() || len(r.Counters) != 0 || r.Port.LID != 20 {
		t.Errorf("an adapter without values has %+v %+v %+v", r.Raw, r.Effective, r.Counters)
	}
}

// A public exporter reads the names; values are hexadecimal.
func TestPM(t *testing.T) {
	set, kind := read(t, "x", `-------------------------------------------------------
Port=5 Lid=0x000a GUID=0x0000000000000010 Device=54002 Port Name=leaf01/U1/P5
-------------------------------------------------------
link_down_counter=0x02
symbol_error_counter=0xffff
symbol_error_counter_extended=0x0000000000012345
port_rcv_errors=0x0001
port_xmit_wait=0xffffffff
port_xmit_wait_extended=0xfffffffffffffffe
something_else=NA
`)
	if kind != "ibdiagnet2.pm" || len(set.Readings) != 1 {
		t.Fatalf("%s with %d ports", kind, len(set.Readings))
	}
	r := set.Readings[0]
	if r.Port.Device != "leaf01/U1" || r.Port.LID != 10 || r.Port.Number != 5 {
		t.Errorf("the port is %+v", r.Port)
	}
	if c := counter(r, "SymbolErrorCounter"); c.Value != 0x12345 || c.AtLeast || c.At.Line != 6 {
		t.Errorf("symbol errors %+v, want the extended ones", c)
	}
	if c := counter(r, "LinkDownedCounter"); c.Value != 2 {
		t.Errorf("link downs %+v, want 2", c)
	}
	if c := counter(r, "PortXmitWait"); c.Value != 1<<32-1 || !c.AtLeast {
		t.Errorf("waits %+v, want the short counter, saturated", c)
	}
}

// TEMP_SENSING states no limit: the warmest device is a remark, and "N/A" is none.
func TestTheWarmestDeviceIsARemark(t *testing.T) {
	set, _ := read(t, "x.db_csv", `START_NODES
NodeDesc,NumPorts,NodeType,NodeGUID
"leaf1",65,2,0x1
"leaf2",65,2,0x2
END_NODES
START_TEMP_SENSING
NodeGUID,CurrentTemperature
0x1,61
0x2,74
0x3,N/A
END_TEMP_SENSING
`)
	if len(set.Remarks) != 1 || set.Remarks[0].Value != "the warmest device is leaf2 with 74 °C; the file has no limit" || set.Remarks[0].At.Line != 9 {
		t.Errorf("remarks %v", set.Remarks)
	}
}
