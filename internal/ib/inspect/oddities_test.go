package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/units"
)

var ndr = subnet.Link{Width: 4, Speed: subnet.NDR}

// add adds a node with a GUID of its own.
func add(s *subnet.Subnet, kind subnet.Kind, name string, ports int) int32 {
	guid := units.GUID(0x0002_c903_00f0_0000 + len(s.Nodes)*16)
	at := s.Add(subnet.Node{Kind: kind, GUID: guid, SystemGUID: guid, Name: name}, ports)
	s.Nodes[at].Ports[s.Nodes[at].Base()].LID = units.LID(20000 + len(s.Nodes))
	return at
}

// grow gives a node another port and returns it.
func grow(s *subnet.Subnet, node int32) subnet.End {
	s.Nodes[node].Ports = append(s.Nodes[node].Ports, subnet.Port{Peer: subnet.None})
	return subnet.End{Node: node, Port: uint16(s.Nodes[node].NumPorts())}
}

// named is the switches with a part of a name, in the order of the file.
func named(s *subnet.Subnet, part string) (found []int32) {
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Switch && strings.Contains(s.Nodes[i].Name, part) {
			found = append(found, int32(i))
		}
	}
	return found
}

func countOf(r *Report, kind string) (n int) {
	for _, f := range r.Findings {
		if f.Kind == kind {
			n++
		}
	}
	return n
}

// warnings is the findings that are no notes.
func warnings(r *Report) (texts []string) {
	for _, f := range r.Findings {
		if f.Severity != Note {
			texts = append(texts, f.Kind+": "+f.Text)
		}
	}
	return texts
}

func TestHostsAboveTheLeavesHideNeitherTheTreeNorAMissingCable(t *testing.T) {
	two := func(perLeaf int) topology.Spec {
		return topology.TwoLevel{Endpoints: 8 * perLeaf, Radix: perLeaf + 8, Oversubscription: topology.Ratio{Down: perLeaf, Up: 8}}
	}
	for _, c := range []struct {
		name   string
		shape  topology.Spec
		what   string
		upper  string
		spines int // that have hosts
		each   int
	}{
		{"one host on a spine", two(16), "a two-level fat tree", "spine", 1, 1},
		{"gateways on two spines", two(16), "a two-level fat tree", "spine", 2, 1},
		{"gateways on all but one spine", two(16), "a two-level fat tree", "spine", 3, 1},
		{"storage on two spines", two(16), "a two-level fat tree", "spine", 2, 8},
		{"a gateway on every core", topology.KAry{K: 8}, "a three-level fat tree of 8 pods", "core", 16, 1},
		{"gateways on some switches in the middle", topology.KAry{K: 8}, "a three-level fat tree of 8 pods", "spine", 5, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fabric(t, c.shape)
			uppers := named(s, c.upper)
			if len(uppers) < c.spines {
				t.Fatalf("%d switches are named %s…: %q", len(uppers), c.upper, s.Nodes[len(s.Nodes)-1].Name)
			}
			for i, spine := range uppers[:c.spines] {
				for j := range c.each {
					s.Connect(subnet.End{Node: add(s, subnet.Adapter, fmt.Sprintf("gw%d-%d mlx5_0", i, j), 1), Port: 1}, grow(s, spine), ndr)
				}
			}
			lost := between(s)[3]
			a, b := s.NodeName(lost.Node), s.NodeName(s.Peer(lost).Node)
			unplug(s, lost)
			r := Subnet(s)
			if r.Islands[0].What != c.what {
				t.Fatalf("it is %q, want %q; %q", r.Islands[0].What, c.what, warnings(r))
			}
			if n := countOf(r, "stray-host"); n != c.spines*c.each {
				t.Errorf("%d hosts are told to be above the leaves, want %d", n, c.spines*c.each)
			}
			if f := finding(r, "missing-cable"); f == nil || !strings.Contains(f.Text, a) || !strings.Contains(f.Text, b) {
				t.Errorf("the cable from %s to %s was taken out; found %+v", a, b, f)
			}
			if but := strings.Join(r.Islands[0].But, ", "); !strings.Contains(but, "above the leaves") || !strings.Contains(but, "1 place that lacks cables") {
				t.Errorf("but for %q", but)
			}
		})
	}
}

func TestASwitchThatLeadsNowhereIsNoSpine(t *testing.T) {
	for _, c := range []struct {
		name   string
		attach func(s *subnet.Subnet) (told int)
	}{
		{"one cable to a leaf", func(s *subnet.Subnet) int {
			s.Connect(grow(s, named(s, "leaf")[3]), grow(s, add(s, subnet.Switch, "newswitch", 0)), ndr)
			return 1
		}},
		{"four cables to a leaf", func(s *subnet.Subnet) int {
			at := add(s, subnet.Switch, "newswitch", 0)
			for range 4 {
				s.Connect(grow(s, named(s, "leaf")[3]), grow(s, at), ndr)
			}
			return 1
		}},
		{"two in a row", func(s *subnet.Subnet) int {
			first, second := add(s, subnet.Switch, "newswitch1", 0), add(s, subnet.Switch, "newswitch2", 0)
			s.Connect(grow(s, named(s, "leaf")[3]), grow(s, first), ndr)
			s.Connect(grow(s, first), grow(s, second), ndr)
			return 2
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fabric(t, topology.TwoLevel{Endpoints: 64, Radix: 16, Oversubscription: even})
			told := c.attach(s)
			r := Subnet(s)
			if r.Islands[0].What != "a two-level fat tree" || r.Islands[0].Levels[1].Switches != 4 {
				t.Errorf("it is %q with %+v", r.Islands[0].What, r.Islands[0].Levels)
			}
			if got := warnings(r); len(got) != told || countOf(r, "stub-switch") != told {
				t.Errorf("%q, want %d stubs and nothing else", got, told)
			}
		})
	}
}

// Of two leaves and two spines, a spine with one cable lacks the other.
func TestASpineOfTwoLeavesThatLacksOneIsNoStub(t *testing.T) {
	s := &subnet.Subnet{Origin: subnet.None}
	leaves, spines := [2]int32{}, [2]int32{}
	for i := range 2 {
		leaves[i], spines[i] = add(s, subnet.Switch, fmt.Sprintf("leaf%d", i), 0), add(s, subnet.Switch, fmt.Sprintf("spine%d", i), 0)
		for j := range 2 {
			s.Connect(subnet.End{Node: add(s, subnet.Adapter, fmt.Sprintf("h%d mlx5_0", 2*i+j), 1), Port: 1}, grow(s, leaves[i]), ndr)
		}
	}
	for i := range 3 {
		s.Connect(grow(s, leaves[i/2]), grow(s, spines[i%2]), ndr)
	}
	r := Subnet(s)
	if f := finding(r, "missing-cable"); f == nil || r.Islands[0].What != "a two-level fat tree" {
		t.Errorf("it is %q: %q", r.Islands[0].What, warnings(r))
	}
}

// A new leaf with the first of its cables is a leaf, and what it lacks is one finding.
func TestALeafWithFewOfItsCablesIsALeafThatLacksTheOthers(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 128, Radix: 16, Oversubscription: even})
	at := add(s, subnet.Switch, "newleaf", 0)
	for _, spine := range named(s, "spine")[:2] {
		s.Connect(grow(s, at), grow(s, spine), ndr)
	}
	r := Subnet(s)
	if r.Islands[0].What != "a two-level fat tree" || r.Islands[0].Levels[0].Switches != 17 {
		t.Fatalf("it is %q with %+v", r.Islands[0].What, r.Islands[0].Levels)
	}
	if n := countOf(r, "missing-cable"); n != 1 || !strings.HasPrefix(finding(r, "missing-cable").Text, `6 cables are missing between "newleaf" and 6 of the 8`) {
		t.Errorf("%q", warnings(r))
	}
}

// cross exchanges the upper ends of two cables between switches.
func cross(s *subnet.Subnet, a, b subnet.End) (ends [4]string) {
	farA, farB := s.Peer(a), s.Peer(b)
	unplug(s, a)
	unplug(s, b)
	s.Connect(a, farB, ndr)
	s.Connect(b, farA, ndr)
	return [4]string{s.EndName(a), s.EndName(farB), s.EndName(b), s.EndName(farA)}
}

func TestCrossedCablesAreNamedAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape topology.Spec
		ends  func(s *subnet.Subnet) (a, b subnet.End)
	}{
		{"two levels, one cable a pair", topology.TwoLevel{Endpoints: 64, Radix: 16, Oversubscription: even}, func(s *subnet.Subnet) (a, b subnet.End) {
			cables := between(s)
			return cables[0], cables[len(cables)-1]
		}},
		{"rails, four cables a pair", topology.Rail{Nodes: 32, Rails: 4, Radix: 64}, func(s *subnet.Subnet) (a, b subnet.End) {
			cables := between(s)
			return cables[0], cables[len(cables)-1]
		}},
		{"of two pods", topology.KAry{K: 8}, func(s *subnet.Subnet) (a, b subnet.End) {
			return uplink(s, named(s, "leaf")[0]), uplink(s, named(s, "leaf")[9])
		}},
		{"of two groups of cores", topology.KAry{K: 8}, func(s *subnet.Subnet) (a, b subnet.End) {
			return uplink(s, named(s, "spine")[0]), uplink(s, named(s, "spine")[5])
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fabric(t, c.shape)
			what := Subnet(s).Islands[0].What
			a, b := c.ends(s)
			ends := cross(s, a, b)
			r := Subnet(s)
			if r.Islands[0].What != what {
				t.Errorf("it is %q, was %q", r.Islands[0].What, what)
			}
			f := finding(r, "crossed-cables")
			if f == nil || len(warnings(r)) != 1 {
				t.Fatalf("crossed: %q; found %q", ends, warnings(r))
			}
			for _, end := range ends {
				if !slices.Contains(f.Ports, end) {
					t.Errorf("the ports are %q; %s is not among them", f.Ports, end)
				}
			}
			if strings.Contains(f.Text, "missing") || strings.Contains(f.Text, "free") {
				t.Errorf("no cable is missing: %s", f.Text)
			}
		})
	}
}

// A leaf's cable to a spine and a spine's cable to a core, exchanged: the leaf is joined to the core.
func TestACableFromALeafToACoreMakesNoSpineOfTheCore(t *testing.T) {
	s := fabric(t, topology.KAry{K: 8})
	leaf, spine := uplink(s, named(s, "leaf")[0]), uplink(s, named(s, "spine")[9])
	core := s.Peer(spine).Node
	cross(s, leaf, spine)
	r := Subnet(s)
	if about := r.Islands[0]; about.What != "a three-level fat tree of 8 pods" || about.Levels[1].Switches != 32 || about.Levels[2].Switches != 16 {
		t.Fatalf("it is %q with %+v", about.What, about.Levels)
	}
	if f := finding(r, "skipping-link"); f == nil || !strings.Contains(f.Text, s.NodeName(leaf.Node)) || !strings.Contains(f.Text, s.NodeName(core)) {
		t.Errorf("%q", warnings(r))
	}
	if n := len(warnings(r)); n > 5 {
		t.Errorf("%d warnings for two cables: %q", n, warnings(r))
	}
}

// A leaf with six of sixteen uplinks lacks ten, which is one finding.
func TestALeafWithFewerUplinksGetsNoCablesOfOthers(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 256, Radix: 32, Oversubscription: even})
	poor := named(s, "leaf")[3]
	for range 10 {
		unplug(s, uplink(s, poor))
	}
	r := Subnet(s)
	if countOf(r, "missing-cable") != 1 || countOf(r, "moved-cable") != 0 || countOf(r, "fewer-uplinks") != 1 {
		t.Errorf("%q", warnings(r))
	}
}

// uplink is the last port of a switch with a cable to another switch.
func uplink(s *subnet.Subnet, sw int32) subnet.End {
	for p := s.Nodes[sw].NumPorts(); ; p-- {
		if far := s.Nodes[sw].Ports[p].Peer; far.Exists() && s.Nodes[far.Node].Kind == subnet.Switch {
			return subnet.End{Node: sw, Port: uint16(p)}
		}
	}
}

func TestACableToTheWrongSpineIsMovedNotMissing(t *testing.T) {
	s := fabric(t, topology.Rail{Nodes: 32, Rails: 4, Radix: 64})
	leaf := named(s, "leaf")[2]
	e := uplink(s, leaf)
	right := s.Peer(e).Node
	wrong := named(s, "spine")[0]
	if wrong == right {
		wrong = named(s, "spine")[1]
	}
	unplug(s, e)
	s.Connect(e, grow(s, wrong), ndr)
	r := Subnet(s)
	f := finding(r, "moved-cable")
	if f == nil || len(warnings(r)) != 1 {
		t.Fatalf("found %q", warnings(r))
	}
	for _, name := range []string{s.EndName(e), s.NodeName(right), s.NodeName(wrong)} {
		if !strings.Contains(f.Text, name) {
			t.Errorf("%s; %s is not in it", f.Text, name)
		}
	}
}

func TestACableFromASwitchToItselfIsTold(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 64, Radix: 16, Oversubscription: even})
	leaf := named(s, "leaf")[0]
	a := grow(s, leaf)
	b := grow(s, leaf)
	s.Connect(a, b, ndr)
	r := Subnet(s)
	if f := finding(r, "self-cable"); f == nil || len(warnings(r)) != 1 || !slices.Contains(f.Ports, s.EndName(a)) || !slices.Contains(f.Ports, s.EndName(b)) {
		t.Errorf("found %q", warnings(r))
	}
}

// A file without LIDs is one without LIDs also if its switches have aggregation nodes.
func TestNoLIDsIsSaidOnceAlsoWithAggregationNodes(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 64, Radix: 16, Oversubscription: even})
	for _, sw := range named(s, "spine") {
		s.Connect(subnet.End{Node: add(s, subnet.Adapter, "Mellanox Technologies Aggregation Node", 1), Port: 1}, grow(s, sw), ndr)
	}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			s.Nodes[i].Ports[p].LID = 0
		}
	}
	if r := Subnet(s); finding(r, "no-lids") == nil || finding(r, "no-lid") != nil {
		t.Errorf("%q", warnings(r))
	}
	s.Nodes[0].Ports[1].LID = 7
	s.Nodes[1].Ports[1].LID = units.PermissiveLID
	r := Subnet(s)
	if f := finding(r, "no-lid"); f == nil || !strings.HasPrefix(f.Text, "75 of 76 ports have no LID") || finding(r, "bad-lid") != nil {
		t.Errorf("%q", warnings(r))
	}
}

// An adapter of XDR has a port on each of four planes. They are no rails; its eight adapters are.
func TestPlanesOfAdaptersAreNoRails(t *testing.T) {
	for _, adapters := range []int{1, 8} {
		s := &subnet.Subnet{Origin: subnet.None}
		var leaves [8][4]int32
		all := max(adapters, 2)
		for rail := range all {
			for plane := range 4 {
				leaves[rail][plane] = add(s, subnet.Switch, fmt.Sprintf("MF0;leaf%d:Q3400_RA/U%d", rail, plane+1), 0)
				s.Nodes[leaves[rail][plane]].SystemGUID = units.GUID(0x0002c90200a00000 + rail)
			}
		}
		for plane := range 4 {
			for i := range 2 {
				spine := add(s, subnet.Switch, fmt.Sprintf("MF0;spine%d:Q3400_RA/U%d", i, plane+1), 0)
				s.Nodes[spine].SystemGUID = units.GUID(0x0002c90200b00000 + i)
				for rail := range all {
					for range 4 {
						s.Connect(grow(s, spine), grow(s, leaves[rail][plane]), subnet.Link{Width: 1, Speed: subnet.XDR})
					}
				}
			}
		}
		for h := range 16 {
			for rail := range adapters {
				at := add(s, subnet.Adapter, fmt.Sprintf("gb%02d mlx5_%d", h, rail), 4)
				leaf := rail
				if adapters == 1 {
					leaf = h % all
				}
				for plane := range 4 {
					e := subnet.End{Node: at, Port: uint16(plane + 1)}
					s.Connect(e, grow(s, leaves[leaf][plane]), subnet.Link{Width: 1, Speed: subnet.XDR})
				}
			}
		}
		r := Subnet(s)
		rails := 0
		if r.Rails != nil {
			rails = r.Rails.Count
		}
		if want := adapters; r.Planes != 4 || adapters > 1 && rails != want || adapters == 1 && rails != 0 {
			t.Errorf("%d adapters a host: %d planes, %d rails", adapters, r.Planes, rails)
		}
		if adapters > 1 && r.Islands[0].What != "a two-level fat tree" {
			t.Errorf("each plane is %q", r.Islands[0].What)
		}
		if finding(r, "islands") != nil || finding(r, "planes") != nil {
			t.Errorf("the planes are told as parts that no cable joins: %+v", r.Findings)
		}
		for _, h := range r.Housings {
			if !h.Planes {
				t.Errorf("the chips of %+v are on one plane", h)
			}
		}
	}
}

// A whole fabric at HDR on ports of NDR differs from no peer. What the tool said of its ports tells.
func TestLinksBelowWhatTheirEndsSupportAreTold(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 64, Radix: 16, Oversubscription: even})
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if port := &s.Nodes[i].Ports[p]; port.Peer.Exists() {
				port.Link, port.Could = subnet.Link{Width: 4, Speed: subnet.HDR}, ndr
			}
		}
	}
	lame := between(s)[5]
	for _, e := range []subnet.End{lame, s.Peer(lame)} {
		s.Port(e).Link.Width = 1
	}
	r := Subnet(s)
	if f := finding(r, "slow-link"); f == nil || countOf(r, "slow-link") != 1 || len(f.Ports) != 2*127 || !strings.HasPrefix(f.Text, "127 of 128 links run at 4xHDR, both ends support 4xNDR") {
		t.Errorf("%q", warnings(r))
	}
	if f := finding(r, "narrow-link"); f == nil || countOf(r, "narrow-link") != 1 || !slices.Contains(f.Ports, s.EndName(lame)) {
		t.Errorf("%q", warnings(r))
	}
}

func TestPortsOutOfServiceAreTold(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 64, Radix: 16, Oversubscription: even})
	waits := subnet.End{Node: 5, Port: 1}
	s.Port(waits).State, s.Port(s.Peer(waits)).State = subnet.Init, subnet.Init
	off := grow(s, named(s, "leaf")[0])
	s.Port(off).State = subnet.Disabled
	r := Subnet(s)
	if f := finding(r, "not-active"); f == nil || f.Severity != Warning || !slices.Contains(f.Ports, s.EndName(waits)) || !strings.Contains(f.Text, "1 of 128 links is in state Init") {
		t.Errorf("%+v", f)
	}
	if f := finding(r, "disabled-port"); f == nil || !slices.Equal(f.Ports, []string{s.EndName(off)}) {
		t.Errorf("%+v", f)
	}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if s.Nodes[i].Ports[p].Peer.Exists() {
				s.Nodes[i].Ports[p].State = subnet.Init
			}
		}
	}
	if f := finding(Subnet(s), "not-active"); f == nil || f.Severity != Note || len(f.Ports) > 0 {
		t.Errorf("a fabric without a manager: %+v", f)
	}
}
