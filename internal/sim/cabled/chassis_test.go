package cabled

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// A switch of Ethernet may have more ports than InfiniBand numbers: a leaf with 512 ports of 100 Gb/s, and a chassis. Each
// port keeps its name, also beyond 255.
func TestEthernetSwitchWithManyPorts(t *testing.T) {
	var plan strings.Builder
	plan.WriteString("device,port,device,port\n")
	for i := range 600 {
		fmt.Fprintf(&plan, "gpu%d,eth0,leaf%d,Ethernet%d\n", i, i/300, i%300)
	}
	for i := range 400 {
		fmt.Fprintf(&plan, "leaf%d,Ethernet%d,spine1,Ethernet%d/1\n", i/200, 1000+i%200, i+1)
	}
	s, err := Read("plan.csv", Files{
		Open:   func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(plan.String())), nil },
		Folder: func(string) fs.FS { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Place(Choice{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Nodes != 600 || len(p.Links) != 1000 {
		t.Fatalf("%d nodes with %d links, want 600 with 1000", p.Nodes, len(p.Links))
	}
	seen := map[[2]int]bool{}
	for _, l := range p.Links {
		for _, e := range [2][2]int{{l.A, l.PortA}, {l.B, l.PortB}} {
			if seen[e] {
				t.Fatalf("two cables at port %d of %s", e[1], p.Devices[e[0]].Name)
			}
			seen[e] = true
		}
	}
	for device, want := range map[string]struct{ ports, level int }{"leaf0": {500, 1}, "spine1": {400, 2}} {
		for i := range p.Devices {
			if d := &p.Devices[i]; d.Name == device && (d.Ports != want.ports || d.Level != want.level || len(p.PortNamesOf(i)) != want.ports) {
				t.Errorf("%s: %d ports with %d names at level %d, want %d at level %d", device, d.Ports, len(p.PortNamesOf(i)), d.Level, want.ports, want.level)
			}
		}
	}
	if n := p.PortNames["spine1"]["Ethernet400/1"]; n != 400 {
		t.Errorf("Ethernet400/1 of spine1 is port %d, want 400", n)
	}
	if name := s.Subnet.Nodes[len(s.Subnet.Nodes)-1].NameOfPort(300); name != "Ethernet300/1" {
		t.Errorf("port 300 of spine1 is %s", name)
	}
}
