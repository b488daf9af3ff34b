package cabled

import (
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func placeCSV(t *testing.T, text string, c Choice) (*Placed, error) {
	t.Helper()
	return readCSV(t, text).Place(c)
}

func readCSV(t *testing.T, text string) *Source {
	t.Helper()
	s, err := Read("plan.csv", Files{
		Open:   func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
		Folder: func(string) fs.FS { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The shape of a fabric has no cables to a switch for management: neither as links nor as free ports.
func TestCablesToManagementAreNotOfTheFabric(t *testing.T) {
	s := readCSV(t, `StartDevice,StartPort,EndDevice,EndPort
leaf1,Ethernet0,gpu1,eth0
leaf1,Ethernet16,spine1,Ethernet0
leaf1,mgmt0,oob-sw,Ethernet1
gpu1,bmc,oob-sw,Ethernet2
`).Subnet
	cables, ports := 0, map[string]int{}
	for i := range s.Nodes {
		ports[s.Nodes[i].Name] = s.Nodes[i].NumPorts()
		for _, p := range s.Nodes[i].Ports {
			if p.Peer.Exists() {
				cables++
			}
		}
	}
	if cables != 2*2 || ports["leaf1"] != 2 || ports["gpu1"] != 1 {
		t.Errorf("%d ends of cables and ports %v: want 4 ends, two ports of leaf1 and one of gpu1", cables, ports)
	}
}

// A port for management is no NIC: by its name, and eth0 beside ports of other names or faster ones. It is one if cluster.adapters
// names it, or if the rails are eth0, eth1 and so on.
func TestPortsForManagementAreNoNICs(t *testing.T) {
	const head = "StartDevice,StartPort,EndDevice,EndPort,BandWidth\n"
	for _, c := range []struct {
		name, rows string
		choice     Choice
		want       []string
		note       string
	}{
		{"by name", "gpu0,ens1,leaf0,Ethernet0,400000\ngpu0,iLO,leaf0,Ethernet96,1000\ngpu0,mgmt0,leaf0,Ethernet97,1000\ngpu0,BMC 1,leaf0,Ethernet98,1000\n", Choice{}, []string{"gpu0/ens1"}, "left out: 3 ports of hosts for management (BMC 1, iLO, mgmt0): if they carry load, write cluster.adapters"},
		{"eth0 beside ens1", "gpu0,ens1,leaf0,Ethernet0,\ngpu0,eth0,leaf0,Ethernet96,\n", Choice{}, []string{"gpu0/ens1"}, "1 port of hosts for management (eth0)"},
		{"a slow eth0", "gpu0,eth1,leaf0,Ethernet0,400000\ngpu0,eth2,leaf1,Ethernet0,400000\ngpu0,eth0,leaf0,Ethernet96,1000\n", Choice{}, []string{"gpu0/eth1", "gpu0/eth2"}, "(eth0)"},
		{"rails", "gpu0,eth0,leaf0,Ethernet0,400000\ngpu0,eth1,leaf1,Ethernet0,400000\n", Choice{}, []string{"gpu0/eth0", "gpu0/eth1"}, ""},
		{"rails without rates", "gpu0,eth0,leaf0,Ethernet0,\ngpu0,eth1,leaf1,Ethernet0,\n", Choice{}, []string{"gpu0/eth0", "gpu0/eth1"}, ""},
		{"eth0 alone, and a controller", "gpu0,eth0,leaf0,Ethernet0,\ngpu0,idrac,leaf0,Ethernet96,\n", Choice{}, []string{"gpu0/eth0"}, "(idrac)"},
		{"named", "gpu0,ens1,leaf0,Ethernet0,\ngpu0,mgmt0,leaf0,Ethernet96,\n", Choice{Adapters: []string{"ens1", "mgmt0"}}, []string{"gpu0/ens1", "gpu0/mgmt0"}, ""},
		{"a name that begins alike", "gpu0,bmc7nic2x,leaf0,Ethernet0,\ngpu0,mgmtnet,leaf0,Ethernet96,\n", Choice{}, []string{"gpu0/bmc7nic2x", "gpu0/mgmtnet"}, ""},
	} {
		p, err := placeCSV(t, head+c.rows, c.choice)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for i := range p.Devices[:p.Nodes*p.NICs+p.Others] {
			got = append(got, p.Devices[i].Name)
		}
		notes := strings.Join(p.Notes, "\n")
		if !slices.Equal(got, c.want) || !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "management") {
			t.Errorf("%s: NICs %q, notes %q; want %q, %q", c.name, got, notes, c.want, c.note)
		}
	}
	if _, err := placeCSV(t, head+"gpu0,ilo,leaf0,Ethernet0,\n", Choice{}); err == nil || !strings.Contains(err.Error(), "ports for management alone") {
		t.Errorf("a controller alone: %v", err)
	}
}
