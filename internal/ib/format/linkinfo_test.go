package format

import (
	"bytes"
	"strings"
	"testing"

	"weft/internal/ib/subnet"
)

// said is iblinkinfo's output with each of its remarks, as rdma-core's iblinkinfo.c prints them.
const said = `CA: h1 mlx5_0:
      0x0002c90300100101      3    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       1    1[  ] "leaf (1)" ( Could be 106.25 Gbps)
CA: h2 mlx5_0:
      0x0002c90300100111      4    1[  ] ==( 1X        106.25 Gbps  Armed/  LinkUp)==>       1    2[  ] "leaf (1)" (Could be 4X )
CA: h3 mlx5_0:
      0x0002c90300100121      5    1[  ] ==( 1X          10.0 Gbps Active/  LinkUp)==>       1    3[  ] "leaf (1)" (Could be 4X Could be 10.0 Gbps (FDR10))
CA: h4 mlx5_0:
      0x0002c90300100131      6    1[  ] ==( 4X        53.125 Gbps   Init/  LinkUp)==>       1    6[  ] "leaf (1)" ( )
CA: h5 mlx5_0:
      0x0002c90300100141      7    1[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       1    7[  ] "leaf (1)" ( Could be FDR10 (Found link at QDR but expected speed is FDR10))
Switch: 0x0002c90200400010 leaf (1):
           1    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       3    1[  ] "h1 mlx5_0" ( Could be 106.25 Gbps)
           1    2[  ] ==( 1X        106.25 Gbps  Armed/  LinkUp)==>       4    1[  ] "h2 mlx5_0" (Could be 4X )
           1    3[  ] ==( 1X          10.0 Gbps Active/  LinkUp)==>       5    1[  ] "h3 mlx5_0" (Could be 4X Could be 10.0 Gbps (FDR10))
           1    4[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           1    5[  ] ==(                Down/Disabled)==>             [  ] "" ( )
           1    6[  ] ==( 4X        53.125 Gbps   Init/  LinkUp)==>       6    1[  ] "h4 mlx5_0" ( )
           1    7[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       7    1[  ] "h5 mlx5_0" ( Could be FDR10 (Found link at QDR but expected speed is FDR10))
`

func TestRemarksOfIblinkinfoAreReadAndWritten(t *testing.T) {
	s, report, err := readLinkInfo("said", strings.NewReader(said), Options{})
	if err != nil || len(report.Skipped) > 0 {
		t.Fatalf("%v, %+v", err, report)
	}
	for round := range 2 {
		leaf := int32(-1)
		for i := range s.Nodes {
			if s.Nodes[i].Kind == subnet.Switch {
				leaf = int32(i)
			}
		}
		for p, want := range map[uint8]subnet.Port{
			1: {Could: subnet.Link{Width: 4, Speed: subnet.NDR}},
			2: {Could: subnet.Link{Width: 4, Speed: subnet.NDR}, State: subnet.Armed},
			3: {Could: subnet.Link{Width: 4, Speed: subnet.FDR10}},
			4: {},
			5: {State: subnet.Disabled},
			6: {State: subnet.Init},
			7: {Could: subnet.Link{Width: 4, Speed: subnet.FDR10}},
		} {
			at := subnet.End{Node: leaf, Port: uint16(p)}
			got := s.Port(at)
			if got.Could != want.Could || got.State != want.State {
				t.Errorf("round %d, port %d: could be %v in state %v, want %v and %v", round, p, got.Could, got.State, want.Could, want.State)
			}
			if far := s.Peer(at); far.Exists() && (s.Port(far).Could != want.Could || s.Port(far).State != want.State) {
				t.Errorf("round %d, the other end of port %d: %+v", round, p, s.Port(far))
			}
		}
		var written bytes.Buffer
		if err := WriteLinkInfo(&written, s, false); err != nil {
			t.Fatal(err)
		}
		if s, _, err = readLinkInfo("written", &written, Options{}); err != nil {
			t.Fatal(err)
		}
	}
}

// In a list of OpenSM a link that waits for its manager has LOG=INI.
func TestStatesOfOpenSMsListAreKept(t *testing.T) {
	s, _, err := readLinkInfo("said", strings.NewReader(said), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list bytes.Buffer
	if err := WriteSubnetList(&list, s); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(list.String(), "LOG=INI"); n != 2 {
		t.Errorf("%d lines of two ends are LOG=INI:\n%s", n, list.String())
	}
	again, _, err := readSubnetList("list", &list, Options{})
	if err != nil {
		t.Fatal(err)
	}
	states := map[subnet.State]int{}
	for i := range again.Nodes {
		for p := range again.Nodes[i].Ports {
			states[again.Nodes[i].Ports[p].State]++
		}
	}
	if states[subnet.Init] != 2 || states[subnet.Armed] != 2 {
		t.Errorf("states: %v", states)
	}
}

// A loopback plug joins a port to itself: only an inspection goes on with it.
func TestAPortJoinedToItselfIsNoReasonToRefuseAnInspection(t *testing.T) {
	const plug = "\nSwitch 4 \"leaf\"\n[1] \"h\"[1]\n[3] \"leaf\"[3]\n\nCa 1 \"h\"\n[1] \"leaf\"[1]\n"
	if _, _, err := ReadTopo("plug", strings.NewReader(plug), Options{}); err == nil || !strings.Contains(err.Error(), "joined to itself") {
		t.Errorf("a port joined to itself: %v", err)
	}
	s, report, err := ReadTopo("plug", strings.NewReader(plug), Options{Contradictions: true})
	if err != nil || len(report.Contradictions) != 1 || !strings.Contains(report.Contradictions[0].String(), "loopback") {
		t.Fatalf("%v, %+v", err, report)
	}
	if s.Nodes[0].Ports[3].Peer.Exists() || !s.Nodes[0].Ports[1].Peer.Exists() {
		t.Errorf("the ports are %+v", s.Nodes[0].Ports)
	}
}
