package cablehealth

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// example is an example file of the readers.
func example(t *testing.T, path string) Source {
	t.Helper()
	raw, err := os.ReadFile("../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	return Source{path, string(raw)}
}

// perf is perfquery's output of some ports of LID 7: symbol errors, receive errors, packets and words
// received.
func perf(name string, ports ...[4]uint64) Source {
	var b strings.Builder
	for i, p := range ports {
		fmt.Fprintf(&b, "# Port extended counters: Lid 7 port %d (CapMask: 0x5300 CapMask2: 0x0000002)\nSymbolErrorCounter:..............%d\nPortRcvErrors:...................%d\nPortRcvPkts:.....................%d\nPortRcvData:.....................%d\n", i+1, p[0], p[1], p[2], p[3])
	}
	return Source{name, b.String()}
}

// find is the only finding about a port.
func find(t *testing.T, r *Report, port string) Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Port == port || f.Far == port {
			return f
		}
	}
	t.Fatalf("there is no finding about %s among %q", port, titles(r))
	return Finding{}
}

// TestErrorsTimesTrafficRanks: port 1 loses a larger share, port 2 more packets a second; port 3 loses
// less than a bit error rate of 1e-12 allows.
func TestErrorsTimesTrafficRanks(t *testing.T) {
	first := perf("1.txt", [4]uint64{0, 10, 1000, 1e6}, [4]uint64{0, 5, 1e9, 1e12}, [4]uint64{0, 0, 0, 0})
	second := perf("2.txt", [4]uint64{0, 16, 1600, 2e6}, [4]uint64{0, 6005, 3e9, 3e12}, [4]uint64{0, 3, 1e9, 1e12})
	r := judgeSources(t, Options{After: 60}, first, second)
	if len(r.Findings) != 2 || r.Findings[0].Port != "LID 7 port 2" || r.Findings[1].Port != "LID 7 port 1" {
		t.Fatalf("findings %q, want port 2 before port 1 and no other", titles(r))
	}
	f := r.Findings[0]
	if f.Cost.PerSecond != 100 || f.Evidence[0].Value != "6000 in 1m0s (100/s)" || f.Evidence[0].Share < 2.99e-6 || f.Evidence[0].Share > 3e-6 {
		t.Errorf("port 2 costs %+v by %+v, want 6000 errors in a minute, 3e-6 of the packets", f.Cost, f.Evidence[0])
	}
	if f.Evidence[0].At != "2.txt:8" {
		t.Errorf("the evidence is at %s, want the later reading, 2.txt:8", f.Evidence[0].At)
	}
	if r.Within != 1 {
		t.Errorf("%d counters are within the allowed rate, want port 3's", r.Within)
	}
}

// TestDatesInTheFilesGiveTheTime: in either order of the files. Without them, the growth has no rate.
func TestDatesInTheFilesGiveTheTime(t *testing.T) {
	a, b := perf("1.txt", [4]uint64{0, 10, 1000, 1e6}), perf("2.txt", [4]uint64{0, 310, 2000, 2e6})
	r := judgeSources(t, Options{}, a, b)
	if e := r.Findings[0].Evidence[0]; e.Value != "300 between the two readings" || r.Findings[0].Cost.PerSecond != 0 {
		t.Errorf("without a time the evidence is %q, cost %+v", e.Value, r.Findings[0].Cost)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "give --after 60s") {
		t.Errorf("notes %q", r.Notes)
	}
	a.Text = "Tue Mar  5 16:26:11 UTC 2024\n" + a.Text
	b.Text = "Tue Mar  5 16:31:11 UTC 2024\n" + b.Text
	for _, files := range [][]Source{{a, b}, {b, a}} {
		r := judgeSources(t, Options{}, files...)
		if e := r.Findings[0].Evidence[0]; e.Value != "300 in 5m0s (1/s)" {
			t.Errorf("with dates the evidence is %q, want 300 in 5m0s (1/s)", e.Value)
		}
	}
}

// TestACounterThatFellWasReset: the larger value counts, without a rate.
func TestACounterThatFellWasReset(t *testing.T) {
	r := judgeSources(t, Options{After: 60}, perf("1.txt", [4]uint64{0, 5000, 10000, 1e6}), perf("2.txt", [4]uint64{0, 7, 100, 1e4}))
	e := r.Findings[0].Evidence[0]
	if e.Value != "5000" || !strings.Contains(strings.Join(r.Notes, "\n"), "are smaller in the later reading") {
		t.Errorf("evidence %q, notes %q", e.Value, r.Notes)
	}
}

// TestSaturatedCountersAreLowerBounds, and XmitWait at its end is no fault.
func TestSaturatedCountersAreLowerBounds(t *testing.T) {
	r := judgeSources(t, Options{}, example(t, "ib/counters/testdata/ibqueryerrors.txt"))
	if len(r.Findings) != 4 {
		t.Fatalf("%d findings, want ports 5 and 7 with errors and 6 and 8 with discards: %q", len(r.Findings), titles(r))
	}
	for i, port := range []int{5, 7, 6, 8} {
		if want := fmt.Sprintf("MF0;sw1:SX6036/U1 port %d", port); r.Findings[i].Port != want {
			t.Errorf("finding %d is about %s, want %s", i+1, r.Findings[i].Port, want)
		}
	}
	f := r.Findings[0]
	last := f.Evidence[len(f.Evidence)-1]
	if last.Counter != "SymbolErrorCounter" || last.Value != "at least 65535 (saturated)" || last.Peers == nil || last.Peers.Median != 0 || last.Peers.Ports != 7 {
		t.Errorf("the evidence of port 5 is %+v, want at least 65535 against a median of 0 of 7", last)
	}
	if f.Cost.PerSecond != 0 || !strings.HasPrefix(f.Action, "Replace the cable") || !strings.HasPrefix(r.Findings[2].Action, "Leave the cable") {
		t.Errorf("port 5 costs %+v: %s; port 6: %s", f.Cost, f.Action, r.Findings[2].Action)
	}
	for _, f := range r.Findings {
		for _, e := range f.Evidence {
			if e.Counter == "PortXmitWait" || e.Counter == "PortRcvSwitchRelayErrors" || e.Counter == "LinkDownedCounter" {
				t.Errorf("%s of %s is evidence against a cable", e.Counter, e.Port)
			}
		}
	}
	if len(r.Waiting) != 1 || !strings.Contains(r.Waiting[0], "at least 4294967295") {
		t.Errorf("waiting: %q", r.Waiting)
	}
}

// TestThresholdsOfTheSite: a counter up to its threshold is no finding.
func TestThresholdsOfTheSite(t *testing.T) {
	ports := perf("1.txt", [4]uint64{0, 30, 1000, 1e6})
	if r := judgeSources(t, Options{}, ports, Source{"t", "PortRcvErrors=30\n"}); len(r.Findings) != 0 {
		t.Errorf("at the threshold: %q", titles(r))
	}
	if r := judgeSources(t, Options{}, ports, Source{"t", "PortRcvErrors=29\n"}); len(r.Findings) != 1 {
		t.Errorf("beyond the threshold: %q", titles(r))
	}
}

const db = `START_NODES
NodeDesc,NumPorts,NodeType,NodeGUID,PortGUID
"leaf01",64,2,0x10,0x10
"h1 mlx5_0",1,1,0x20,0x21
"h2 mlx5_0",1,1,0x30,0x31
END_NODES
START_PORTS
NodeGuid,PortGuid,PortNum,LID,LinkWidthActv,LinkWidthSup,LinkSpeedSup,LinkSpeedActv,PortPhyState,PortState
0x10,0x10,5,9,1,3,3841,2048,5,4
0x20,0x21,1,7,1,3,3841,2048,5,4
0x10,0x10,6,9,2,3,3841,2048,5,4
0x30,0x31,1,8,2,3,3841,2048,5,4
END_PORTS
START_LINKS
NodeGuid1,PortNum1,NodeGuid2,PortNum2
0x10,5,0x20,1
0x10,6,0x30,1
END_LINKS
START_CABLE_INFO
NodeGuid,PortNum,Vendor,PN,SN,Temperature
0x20,1,NVIDIA,MCP4Y10,MT7,40C
0x30,1,NVIDIA,MCP4Y10,MT8,75C
END_CABLE_INFO
`

// TestActionNamesCableAndBothEnds: a lost lane by what both ends support; names by node-name-map; a hot
// module.
func TestActionNamesCableAndBothEnds(t *testing.T) {
	r := judgeSources(t, Options{}, Source{"a.db_csv", db}, Source{"map", "0x0000000000000020 \"rack 3 node 1\"\n"})
	if len(r.Findings) != 2 {
		t.Fatalf("findings %q, want a lost lane and a hot module", titles(r))
	}
	f := r.Findings[0]
	if f.Tier != Slow || f.Action != "Reseat the cable NVIDIA MCP4Y10 serial MT7 between leaf01 port 5 and rack 3 node 1 port 1." {
		t.Errorf("%v: %s", f.Tier, f.Action)
	}
	if f.Cost.Rate.String() != "300 Gb/s" || f.Gain != "up to 4 times the bandwidth for what crosses the link: 400 Gb/s instead of 100 Gb/s" {
		t.Errorf("cost %v, gain %s", f.Cost.Rate, f.Gain)
	}
	if f := r.Findings[1]; f.Tier != Module || f.Cable != "NVIDIA MCP4Y10 serial MT8" || f.Port != "h2 mlx5_0 port 1" || f.Far != "leaf01 port 6" || f.Action != "Look at the air around the module of h2 mlx5_0 port 1: it is too hot." {
		t.Errorf("%v %s at %s", f.Tier, f.Cable, f.Far)
	}
}

// TestErrorRatesAgainstTheSpecificationAndThePeers: rates behind FEC beyond 1e-12, and a raw rate that is
// a hundred times that of its peers.
func TestErrorRatesAgainstTheSpecificationAndThePeers(t *testing.T) {
	var b strings.Builder
	b.WriteString("Ty : # : #IB : GUID : LID : Sta : PhysSta : LWA : LSA : Conn LID (#) : FEC mode : RTR : Raw BER : Effective BER : Symbol BER : Symbol Err : Effective Err : Node Desc\n")
	for i, rates := range []string{"3e-09 : 1.5e-254 : 1.5e-254", "2e-09 : 1.5e-254 : 1.5e-254", "4e-09 : 1.5e-254 : 1.5e-254", "1e-09 : 1.5e-254 : 1.5e-254", "9e-05 : 1.5e-254 : 1.5e-254", "2e-08 : 4e-11 : 3e-12", "3e-09 : N/A : N/A"} {
		fmt.Fprintf(&b, "SW : %d : %d : 0x10 : 10 : ACT : LINK UP : 4x : 100 : 1 : RS : NO : %s : 0 : 0 : \"leaf\"\n", i+1, i+1, rates)
	}
	r := judgeSources(t, Options{}, Source{"x.net_dump_ext", b.String()})
	if len(r.Findings) != 2 || r.Judged != 7 {
		t.Fatalf("%d judged, findings %q, want ports 5 and 6 of 7", r.Judged, titles(r))
	}
	raw, beyond := find(t, r, "leaf port 5"), find(t, r, "leaf port 6")
	if raw.Evidence[0].Counter != "raw bit error rate" || raw.Evidence[0].Peers.Ports != 6 || raw.Evidence[0].Peers.Median != 3e-9 {
		t.Errorf("port 5: %+v with peers %+v", raw.Evidence, raw.Evidence[0].Peers)
	}
	if len(beyond.Evidence) != 2 || !strings.HasPrefix(beyond.Gain, "at full load 1.2 errors in a second") {
		t.Errorf("port 6: %+v, gain %q: 3e-12 of 400 Gb/s are 1.2 errors a second", beyond.Evidence, beyond.Gain)
	}
}

// TestALogSaysWhichLinkWentDown: once and not back is down; often and back is unstable.
func TestALogSaysWhichLinkWentDown(t *testing.T) {
	line := func(second, port int, from, to string) string {
		return fmt.Sprintf("Jun 17 17:21:%02d 927893 [4F2006C0] 0x02 -> osm_pi_rcv_process: Switch 0x10 leaf port %d changed state from %s to %s\n", second, port, from, to)
	}
	r := judgeSources(t, Options{}, Source{"osm.log", line(1, 3, "ACTIVE", "DOWN") + line(2, 4, "ACTIVE", "DOWN") + line(3, 4, "DOWN", "INIT") + line(4, 4, "ACTIVE", "DOWN") + line(5, 4, "DOWN", "INIT")})
	if len(r.Findings) != 2 || r.Findings[0].Tier != LinkDown || r.Findings[0].Port != "leaf port 3" || r.Findings[1].Tier != Unstable {
		t.Fatalf("findings %q", titles(r))
	}
	if e := r.Findings[1].Evidence[0]; e.Value != "went down 2 times, last at Jun 17 17:21:04 927893" || e.At != "osm.log:4" {
		t.Errorf("evidence %+v", e)
	}
}

// TestAHostThatSendsPausesIsSlowItself, and one that receives them is not.
func TestAHostThatSendsPausesIsSlowItself(t *testing.T) {
	r := judgeSources(t, Options{}, example(t, "roce/counters/testdata/ethtool-S.txt"))
	if len(r.Findings) != 1 || r.Findings[0].Tier != Waits || !strings.Contains(r.Findings[0].Action, "PCIe") {
		t.Fatalf("findings %q", titles(r))
	}
	r = judgeSources(t, Options{}, Source{"b.txt", "     rx_prio3_pause: 1290418\n     tx_prio3_pause: 41927\n"})
	if len(r.Findings) != 0 || r.Judged != 1 {
		t.Errorf("a host that is paused: %q", titles(r))
	}
}

// TestEthernetFilesMeetByFolderAndName: counters, FEC and module of one port are one finding, and two
// switches with the same ports are two.
func TestEthernetFilesMeetByFolderAndName(t *testing.T) {
	var files []Source
	for _, leaf := range []string{"leaf1", "leaf2"} {
		for _, name := range []string{"interfaces", "fec", "transceiver"} {
			s := example(t, "roce/counters/testdata/"+name+".txt")
			s.Name = leaf + "/" + name + ".txt"
			files = append(files, s)
		}
	}
	r := judgeSources(t, Options{}, files...)
	f := find(t, r, "leaf2 Ethernet0")
	if f.Tier != LinkDown || f.Cable != "Mellanox MFA1A00-C003 serial SN00000001" || len(f.Evidence) != 4 {
		t.Errorf("%v, cable %s, evidence %+v: want down, with RX_ERR, FEC_UNCORR and RX_DRP", f.Tier, f.Cable, f.Evidence)
	}
	if find(t, r, "leaf1 Ethernet8").Tier != Lost {
		t.Errorf("findings %q", titles(r))
	}
	same := []Source{{"a/leaf1.txt", files[0].Text}, {"a/leaf2.txt", files[0].Text}}
	r = judgeSources(t, Options{}, same...)
	find(t, r, "leaf1.txt Ethernet8")
	if !strings.Contains(strings.Join(r.Notes, "\n"), "2 files are of one kind") {
		t.Errorf("notes %q", r.Notes)
	}
	r = judgeSources(t, Options{After: 10}, same...)
	if len(r.Findings) != 1 || r.Findings[0].Tier != LinkDown {
		t.Errorf("two equal readings of one switch: %q, want the port that is down alone", titles(r))
	}
}

// TestAPartOfTheModuleIsBeyondItsLimit: power of one lane below its alarm.
func TestAPartOfTheModuleIsBeyondItsLimit(t *testing.T) {
	s := example(t, "roce/counters/testdata/transceiver.txt")
	if r := judgeSources(t, Options{}, s); len(r.Findings) != 0 || r.Judged != 1 {
		t.Fatalf("a module within its limits: %q", titles(r))
	}
	s.Text = strings.Replace(s.Text, "RX2Power: -0.4871dBm", "RX2Power: -14.2dBm", 1)
	r := judgeSources(t, Options{}, s)
	if len(r.Findings) != 1 || r.Findings[0].Evidence[0].Value != "-14.2 dBm (alarm down from -13.51)" {
		t.Errorf("findings %q", titles(r))
	}
}

// TestPortsThatAreNotJudgedAreCounted, with the reason.
func TestPortsThatAreNotJudgedAreCounted(t *testing.T) {
	r := judgeSources(t, Options{}, example(t, "ib/counters/testdata/iblinkinfo-l.txt"))
	if len(r.NotJudged) != 1 || r.NotJudged[0].Ports != 1 || len(r.Down) != 1 || !strings.Contains(r.Down[0], "su2-leaf-r2 port 34 (Polling): port 33 beside it leads to spine01, it can be a lost uplink") {
		t.Errorf("not judged %+v, down %q", r.NotJudged, r.Down)
	}
	if len(r.Findings) != 1 || r.Findings[0].Tier != Fabric {
		t.Errorf("findings %q, want the slow fabric alone", titles(r))
	}
	r = judgeSources(t, Options{}, example(t, "roce/counters/testdata/pfc.txt"))
	if !r.Blank() || r.NotJudged[0].Ports != 3 {
		t.Errorf("frames of pause alone: blank %t, not judged %+v", r.Blank(), r.NotJudged)
	}
	r = judgeSources(t, Options{}, example(t, "ib/counters/testdata/perfquery.txt"))
	if r.Blank() || len(r.Findings) != 0 || r.Judged != 2 {
		t.Errorf("two ports without errors: %d judged, findings %q", r.Judged, titles(r))
	}
}

// TestNeighboursOfBGP: those that were never up are one finding.
func TestNeighboursOfBGP(t *testing.T) {
	s := example(t, "roce/counters/testdata/bgp.txt")
	r := judgeSources(t, Options{}, s)
	if len(r.Findings) != 1 || !strings.HasPrefix(r.Findings[0].What, "16 of 24 BGP neighbours were never up") || r.Sessions != 24 {
		t.Errorf("findings %q of %d neighbours", titles(r), r.Sessions)
	}
	s.Text = strings.Replace(s.Text, "1d21h10m   6402            ARISTA03T2", "00:03:10   Idle            ARISTA03T2", 1)
	if r = judgeSources(t, Options{}, s); len(r.Findings) != 2 {
		t.Errorf("one that was up: %q", titles(r))
	}
}

// TestUnknownFilesAreAnErrorThatListsWhatIsRead.
func TestUnknownFilesAreAnErrorThatListsWhatIsRead(t *testing.T) {
	for name, text := range map[string]string{
		"prose": "hello\n", "empty": " \n", "binary": "\x7fELF\x00\x00", "xml": "<a/>", "json": `{"a": [1]}`, "csv": "a,b\n1,2\n",
	} {
		_, _, err := Read([]Source{{name, text}, perf("good", [4]uint64{})}, Options{})
		if err == nil || !strings.Contains(err.Error(), name+" ") || !strings.Contains(err.Error(), "ibqueryerrors") || strings.Contains(err.Error(), "good") {
			t.Errorf("%s gives %v", name, err)
		}
	}
}

// TestSymbolErrorsWithinTheAllowedRate: 1e12 words are 3.2e13 bits, in which 1e-12 allows 32 errors.
func TestSymbolErrorsWithinTheAllowedRate(t *testing.T) {
	if r := judgeSources(t, Options{}, perf("1.txt", [4]uint64{32, 0, 1e9, 1e12})); len(r.Findings) != 0 || r.Within != 1 {
		t.Errorf("32 errors: %q, %d within", titles(r), r.Within)
	}
	if r := judgeSources(t, Options{}, perf("1.txt", [4]uint64{33, 0, 1e9, 1e12})); len(r.Findings) != 1 {
		t.Errorf("33 errors: %q", titles(r))
	}
}

// TestEqualCountersOfAllPeersAreNoFinding: what all have is not of one cable.
func TestEqualCountersOfAllPeersAreNoFinding(t *testing.T) {
	same := [4]uint64{0, 500, 1000, 1e6}
	if r := judgeSources(t, Options{}, perf("1.txt", same, same, same, same, same)); len(r.Findings) != 0 || r.Within != 5 {
		t.Errorf("five alike ports: %q", titles(r))
	}
	worse := [4]uint64{0, 1501, 1000, 1e6}
	r := judgeSources(t, Options{}, perf("1.txt", same, same, same, same, worse))
	if len(r.Findings) != 1 || r.Findings[0].Port != "LID 7 port 5" || r.Findings[0].Evidence[0].Peers.Median != 500 || r.Findings[0].Evidence[0].Peers.Ports != 4 {
		t.Errorf("one with more than three times the median: %q", titles(r))
	}
}

// TestAPortThatUFMIsolatedIsGivenBack: no cable is to blame.
func TestAPortThatUFMIsolatedIsGivenBack(t *testing.T) {
	r := judgeSources(t, Options{}, example(t, "ib/counters/testdata/ufm-unhealthy.json"))
	if len(r.Findings) != 1 || r.Findings[0].Tier != Unstable || !strings.HasPrefix(r.Findings[0].Action, "Find out why host1 port 1 (HCA-1/1) was taken out of use") {
		t.Errorf("findings %q", titles(r))
	}
}

// TestChipsOfTheTopologyShowASlowFabric: ConnectX-7 on Quantum-2 at HDR. A single slow link is no finding of
// theirs, since a port can be sold as slower than its chip.
func TestChipsOfTheTopologyShowASlowFabric(t *testing.T) {
	const net = `vendid=0x2c9
devid=0xd2f2
sysimgguid=0x10
switchguid=0x10(10)
Switch	64 "S-0000000000000010"		# "leaf1" enhanced port 0 lid 9 lmc 0
[1]	"H-0000000000000020"[1](21) 		# "h1 mlx5_0" lid 7 4xHDR
[2]	"H-0000000000000030"[1](31) 		# "h2 mlx5_0" lid 8 4xHDR
[3]	"H-0000000000000040"[1](41) 		# "h3 mlx5_0" lid 6 4xHDR

vendid=0x2c9
devid=0x1021
sysimgguid=0x20
caguid=0x20
Ca	1 "H-0000000000000020"		# "h1 mlx5_0"
[1](21) 	"S-0000000000000010"[1]		# lid 7 lmc 0 "leaf1" lid 9 4xHDR

vendid=0x2c9
devid=0x1021
sysimgguid=0x30
caguid=0x30
Ca	1 "H-0000000000000030"		# "h2 mlx5_0"
[1](31) 	"S-0000000000000010"[2]		# lid 8 lmc 0 "leaf1" lid 9 4xHDR

vendid=0x2c9
devid=0x1021
sysimgguid=0x40
caguid=0x40
Ca	1 "H-0000000000000040"		# "h3 mlx5_0"
[1](41) 	"S-0000000000000010"[3]		# lid 6 lmc 0 "leaf1" lid 9 4xHDR
`
	r := judgeSources(t, Options{}, Source{"real.topo", net})
	if len(r.Findings) != 1 || r.Findings[0].What != "The whole fabric is slow: 3 of 3 links run at 4xHDR where the chips of both ends can 4xNDR" {
		t.Errorf("all links: %q", titles(r))
	}
	one := strings.ReplaceAll(strings.Replace(net, `"h2 mlx5_0" lid 8 4xHDR`, `"h2 mlx5_0" lid 8 4xNDR`, 1), `# lid 8 lmc 0 "leaf1" lid 9 4xHDR`, `# lid 8 lmc 0 "leaf1" lid 9 4xNDR`)
	if r := judgeSources(t, Options{}, Source{"real.topo", one}); len(r.Findings) != 0 {
		t.Errorf("two links of three: %q", titles(r))
	}
}

// TestNeighboursGiveTheOtherEndOnEthernet: errors on both ends are of one cable.
func TestNeighboursGiveTheOtherEndOnEthernet(t *testing.T) {
	const head = "    IFACE    STATE    RX_OK    RX_ERR\n---------  -------  -------  --------\n"
	r := judgeSources(
		t, Options{},
		Source{"leaf1/c.txt", head + "Ethernet0        U    10000        50\nEthernet4        U    10000         0\n"},
		Source{"spine1/c.txt", head + "Ethernet8        U    10000        70\n"},
		Source{"leaf1/l.txt", "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n-----------  --------------  --------------  ------------  -----------------\nEthernet0    spine1          Ethernet8       BR            x\n"},
	)
	if len(r.Findings) != 1 || r.Findings[0].Action != "Replace the cable between leaf1 Ethernet0 and spine1 Ethernet8." || len(r.Findings[0].Evidence) != 2 {
		t.Errorf("findings %q: %+v", titles(r), r.Findings)
	}
}

// TestTheTopologyNamesAPortByItsLID: perfquery knows LIDs alone; a port without a cable gets the name of its
// switch, too.
func TestTheTopologyNamesAPortByItsLID(t *testing.T) {
	net := open(t, fabrics[0])
	e := cables(net)[0]
	if net.Nodes[e.Node].Kind != 2 {
		e = net.Peer(e)
	}
	lid := net.Nodes[e.Node].Ports[0].LID
	free := len(net.Nodes[e.Node].Ports) + 3
	text := fmt.Sprintf("# Port extended counters: Lid %d port %d\nPortRcvErrors:...77\n# Port extended counters: Lid %d port %d\nPortRcvErrors:...78\n", lid, e.Port, lid, free)
	r := judgeSources(t, Options{}, Source{"p", text}, topoText(t, net))
	name := net.Nodes[e.Node].Name
	if f := find(t, r, fmt.Sprintf("%s port %d", name, e.Port)); f.Far == "" {
		t.Errorf("the other end of %s is not known", f.Port)
	}
	find(t, r, fmt.Sprintf("%s port %d", name, free))
}

// TestAPlanGivesTheOtherEnds, and shows that a cable belongs to a port that is down.
func TestAPlanGivesTheOtherEnds(t *testing.T) {
	const head = "    IFACE    STATE    RX_OK    RX_ERR\n---------  -------  -------  --------\n"
	r := judgeSources(
		t, Options{},
		Source{"leaf1/c.txt", head + "Ethernet0        D        0         0\nEthernet4        U    10000        30\n"},
		Source{"spine1/c.txt", head + "Ethernet8        U    10000         0\n"},
		Source{"plan.csv", "leaf1,Ethernet0,spine1,Ethernet8\nleaf1,Ethernet4,spine2,Ethernet8\n"},
	)
	if len(r.Findings) != 2 || r.Findings[0].What != "leaf1 Ethernet0 to spine1 Ethernet8: link down: state down" || r.Findings[1].Far != "spine2 Ethernet8" {
		t.Errorf("findings %q", titles(r))
	}
}

// Ports of one switch with several chips are the same in tables with and without a namespace, and a port between its
// chips has no cable.
func TestChipsOfASwitch(t *testing.T) {
	queues := Source{"leaf1/q.txt", `For namespace asic0:
        Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes
------------  -----  --------------  ---------------  -----------  ------------
   Ethernet0    UC3             100            10000           50          5000
Ethernet-BP0    UC3             100            10000            0             0
`}
	counters := Source{"leaf1/c.txt", `       IFACE    STATE    RX_OK    RX_ERR    TX_OK
------------  -------  -------  --------  -------
   Ethernet0        U      900         0      900
   Ethernet4        U      900         0      900
Ethernet-BP0        U      900       300      900
`}
	r := judgeSources(t, Options{}, queues, counters)
	if r.Judged != 3 {
		t.Errorf("%d ports judged, want 3", r.Judged)
	}
	if f := find(t, r, "asic0 Ethernet-BP0"); strings.Contains(f.Action, "cable of") || !strings.Contains(f.Action, "has no cable") {
		t.Errorf("action %q", f.Action)
	}
	if f := find(t, r, "asic0 Ethernet0"); f.Tier != Dropped {
		t.Errorf("finding %q", f.What)
	}
}

// A file that does not say what the ends support: a link with one lane among links with four lost the others, and a
// host with two is planned so.
func TestOneLaneAmongFour(t *testing.T) {
	var b strings.Builder
	b.WriteString("\"leaf\", Mellanox, 0x0000000000000001, LID 10\n# : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC mode : Retran : Neighbor Guid : N# : NLID : Neighbor Description\n")
	for i, lanes := range []string{"4x", "4x", "1x", "4x", "4x", "4x", "4x", "4x", "4x", "4x", "4x", "2x"} {
		fmt.Fprintf(&b, "%d/1/1 : %d : ACT : LINK UP : 5 : %s : 100 : RS : NO-RTR : 0x%016x : 1 : %d : \"gpu%d mlx5_0\"\n", i+1, i+1, lanes, i+100, i+100, i)
	}
	r := judgeSources(t, Options{}, Source{"x.net_dump", b.String()})
	if len(r.Findings) != 1 || r.Findings[0].Tier != Slow || r.Findings[0].Port != "leaf port 3 (3/1/1)" {
		t.Fatalf("findings %q, want port 3 alone", titles(r))
	}
	if e := r.Findings[0].Evidence[0]; e.What != "1 of 4 lanes are in use; 10 of the 12 links have 4 lanes" {
		t.Errorf("evidence %q", e.What)
	}
}

// A lane with more light than its limit allows is no measure for the others.
func TestALaneBeyondItsLimitIsNoMeasure(t *testing.T) {
	r := judgeSources(t, Options{}, Source{"x", `Ethernet8: SFP EEPROM detected
        Vendor PN: C-DQ8FNM010-N00
        ChannelMonitorValues:
                RX1Power: -3.8595dBm
                RX2Power: 8.1478dBm
                RX3Power: 1.1750dBm
        ChannelThresholdValues:
                RxPowerHighAlarm  : 6.9999dBm
                RxPowerLowAlarm   : -11.9044dBm
`})
	if len(r.Findings) != 1 || len(r.Findings[0].Evidence) != 1 || r.Findings[0].Evidence[0].Counter != "power received on lane 2" {
		t.Errorf("findings %+v, want lane 2 alone", r.Findings)
	}
}
