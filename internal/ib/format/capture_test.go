package format

import (
	"strings"
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
)

// TestATopologyThatATerminalSavedIsRead: the terminal lost the tabs, and put its own lines around the output. The form
// is that of a capture in Mellanox/ufm_sdk_3.0 (plugins/UFM_NDT_Plugin, ibnetdiscover_director.txt).
func TestATopologyThatATerminalSavedIsRead(t *testing.T) {
	s := readTopoText(t, "\ufeff=~=~=~=~= PuTTY log 2021.01.01 00:00:00 =~=~=~=~=\n"+`
vendid=0x2c9
devid=0xd2f0
sysimgguid=0xc42a101464a5136
switchguid=0xc42a101464a5136(c42a101464a5136)
Switch41 "S-0c42a101464a5136"# "MF0;r-20ib0:MQM8700/U1" enhanced port 0 lid 3894 lmc 0
[1]"H-1c34da07bbaee17c"[1](1c34da07bbaee17c) # "hpc53 ibp11s0f0" lid 65535 4xHDR
vendid=0x2c9
devid=0x101b
sysimgguid=0x1c34da07bbaee17c
caguid=0x1c34da07bbaee17c
Ca1 "H-1c34da07bbaee17c"# "hpc53 ibp11s0f0"
[1](1c34da07bbaee17c) "S-0c42a101464a5136"[1]# lid 65535 lmc 0 "MF0;r-20ib0:MQM8700/U1" lid 3894 4xHDR

ufm01 [ mgmt-ha-active ] (config) # `)
	if len(s.Nodes) != 2 || s.Nodes[0].NumPorts() != 41 || s.Nodes[1].Name != "hpc53 ibp11s0f0" {
		t.Fatalf("%d nodes: %+v", len(s.Nodes), s.Nodes)
	}
	if p := s.Nodes[0].Ports[1]; p.Peer != (subnet.End{Node: 1, Port: 1}) || p.Link.String() != "4xHDR" {
		t.Errorf("port 1 of the switch: %+v", p)
	}
}

// TestPromptsOfAShellAreNoPorts: a prompt such as [root@ufm01 ~]# begins as the line of a port does. The form is that of
// Topo.5 among the examples in HyungKwang/My-Programing.
func TestPromptsOfAShellAreNoPorts(t *testing.T) {
	s := readTopoText(t, "\ufeff[root@ufm01.example dgx]# ibnetdiscover \r\n"+`#
switchguid=0x43f720300ce5712(43f720300ce5712)
Switch  41 "S-043f720300ce5712"         # "sp69" base port 0 lid 15 lmc 0
[1]     "H-1c34da07bbaee17c"[1](1c34da07bbaee17c) # "gpu7 mlx5_0" lid 72 4xHDR
[root@ufm01.example dgx]#
caguid=0x1c34da07bbaee17c
Ca  1 "H-1c34da07bbaee17c"      # "gpu7 mlx5_0"
[1](1c34da07bbaee17c) "S-043f720300ce5712"[1] # lid 72 lmc 0 "sp69" lid 15 4xHDR
[root@ufm01 ~]# `)
	if len(s.Nodes) != 2 || s.Nodes[0].Ports[1].Peer != (subnet.End{Node: 1, Port: 1}) {
		t.Fatalf("%d nodes: %+v", len(s.Nodes), s.Nodes)
	}
}

// TestAnUnknownLIDOfTheOtherEndIsNoError: the cable and its rate are known without it.
func TestAnUnknownLIDOfTheOtherEndIsNoError(t *testing.T) {
	for _, lid := range []string{"", "-1", "-4"} {
		s, report, err := ReadTopo("a.topo", strings.NewReader(`switchguid=0x20(20)
Switch  41 "S-0000000000000020"         # "leaf1" base port 0 lid 15 lmc 0
[1]     "S-0000000000000021"[3] # "spine1" lid `+lid+` 4xHDR

switchguid=0x21(21)
Switch  41 "S-0000000000000021"         # "spine1" base port 0 lid 16 lmc 0
[3]     "S-0000000000000020"[1] # "leaf1" lid 15 4xHDR
`), Options{})
		if err != nil {
			t.Errorf("lid %q: %v", lid, err)
			continue
		}
		if p := s.Nodes[0].Ports[1]; p.Peer != (subnet.End{Node: 1, Port: 3}) || p.Link.String() != "4xHDR" {
			t.Errorf("lid %q: port 1 of leaf1: %+v", lid, p)
		}
		if len(report.Notes) != 1 || report.Notes[0].Line != 3 || !strings.Contains(report.Notes[0].Text, "the LID of the other end is taken as unknown") {
			t.Errorf("lid %q: notes %v", lid, report.Notes)
		}
	}
}

// TestACableWithOneEndCanBeLeftOut: the rest of the fabric is read, and the report says which line.
func TestACableWithOneEndCanBeLeftOut(t *testing.T) {
	text := `switchguid=0x20(20)
Switch  41 "S-0000000000000020"         # "leaf1" base port 0 lid 15 lmc 0
[1]     "S-0000000000000021"[3] # "spine1" lid 16 4xHDR
[2]     "S-0000000000000021"[4] # "spine1" lid 16 4xHDR

switchguid=0x21(21)
Switch  41 "S-0000000000000021"         # "spine1" base port 0 lid 16 lmc 0
[3]     "S-0000000000000020"[1] # "leaf1" lid 15 4xHDR
`
	s, report, err := ReadTopo("a.topo", strings.NewReader(text), Options{Contradictions: true})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Nodes[0].Ports[1].Peer.Exists() || s.Nodes[0].Ports[2].Peer.Exists() {
		t.Errorf("ports of leaf1: %+v", s.Nodes[0].Ports[:3])
	}
	if len(report.Contradictions) != 1 || report.Contradictions[0].Line != 4 || !strings.Contains(report.Contradictions[0].Text, "a cable with one end") {
		t.Errorf("contradictions %v", report.Contradictions)
	}
	if _, _, err := ReadTopo("a.topo", strings.NewReader(text), Options{}); err == nil {
		t.Error("no error without Contradictions")
	}
}

// TestIbdiagnetsTopologyIsRead: ibdiagnet writes the label of a port in brackets, and the chips of a director have one
// GUID before the brackets of switchguid, so their own is that of port 0.
func TestIbdiagnetsTopologyIsRead(t *testing.T) {
	s := readTopoText(t, `vendid=0x000002c9
devid=0xd2f0
sysimgguid=0xb8cef60285524946
switchguid=0xb8cef60285524946(b8cef60285522292)
Switch  41 "S-b8cef60285522292"      # "MF0;dir-6:MCS8500/L01/U1" base port 0 lid 148 lmc 0
[1](1) "S-b8cef602855221f2"[21]      # "MF0;dir-6:MCS8500/S01/U1" lid 149 4xHDR
[2](2) "H-88e9a4038ff96a54"[1](88e9a4038ff96a54)      # "g1421 HCA-2" lid 791 4xHDR

sysimgguid=0xb8cef60285524946
switchguid=0xb8cef60285524946(b8cef602855221f2)
Switch  41 "S-b8cef602855221f2"      # "MF0;dir-6:MCS8500/S01/U1" base port 0 lid 149 lmc 0
[21](21) "S-b8cef60285522292"[1]      # "MF0;dir-6:MCS8500/L01/U1" lid 148 4xHDR

caguid=0x88e9a4038ff96a54
Ca  1 "H-88e9a4038ff96a54"      # "g1421 HCA-2"
[1](88e9a4038ff96a54) "S-b8cef60285522292"[2] # lid 791 lmc 0 "MF0;dir-6:MCS8500/L01/U1" lid 148 4xHDR
`)
	for i, want := range []units.GUID{0xb8cef60285522292, 0xb8cef602855221f2, 0x88e9a4038ff96a54} {
		if got := s.Nodes[i].GUID; got != want {
			t.Errorf("node %d has the GUID %v, want %v", i, got, want)
		}
	}
	if s.Nodes[0].SystemGUID != s.Nodes[1].SystemGUID {
		t.Error("the chips of a director are in different systems")
	}
	if p := s.Nodes[2].Ports[1]; p.GUID != 0x88e9a4038ff96a54 || p.LID != 791 || p.Peer != (subnet.End{Node: 0, Port: 2}) {
		t.Errorf("the adapter's port: %+v", p)
	}
}

func readTopoText(t *testing.T, text string) *subnet.Subnet {
	t.Helper()
	if f := Detect([]byte(text)); f != Topo {
		t.Fatalf("the format is %q, want %q", f, Topo)
	}
	s, report, err := ReadTopo("fabric.topo", strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range report.Notes {
		t.Errorf("remark: %v", n)
	}
	return s
}
