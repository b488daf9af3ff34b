package inspect

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
)

// fabric is a subnet with the cables of a shape and the host names of a cluster of GPU
// servers.
func fabric(t testing.TB, shape topology.Spec) *subnet.Subnet {
	t.Helper()
	g, err := shape.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := subnet.FromGraph(g, subnet.Link{Width: 4, Speed: subnet.NDR})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	for i := range g.Compute() {
		if nics := max(g.NodeNICs, 1); nics > 1 {
			s.Nodes[i].Name = fmt.Sprintf("dgx%03d mlx5_%d", i/nics, i%nics)
		} else {
			s.Nodes[i].Name = fmt.Sprintf("h%03d mlx5_0", i)
		}
	}
	return s
}

var even = topology.Ratio{Down: 1, Up: 1}

// shapes are fabrics without faults, and the names of their families.
var shapes = []struct {
	name  string
	shape topology.Spec
	what  string
	rails int
}{
	{"single switch", topology.SingleSwitch{Endpoints: 12, Radix: 36}, "a single switch", 0},
	{"two levels", topology.TwoLevel{Endpoints: 64, Radix: 16, Oversubscription: even}, "a two-level fat tree", 0},
	{"two levels, one leaf half full", topology.TwoLevel{Endpoints: 61, Radix: 16, Oversubscription: topology.Ratio{Down: 3, Up: 1}}, "a two-level fat tree", 0},
	{"three levels", topology.KAry{K: 4}, "a three-level fat tree of 4 pods", 0},
	{"three levels, large", topology.KAry{K: 12}, "a three-level fat tree of 12 pods", 0},
	{"rails", topology.Rail{Nodes: 64, Rails: 8, Radix: 64}, "a two-level fat tree", 8},
	{"four rails", topology.Rail{Nodes: 40, Rails: 4, Radix: 32}, "a two-level fat tree", 4},
	{"dragonfly", topology.Dragonfly{P: 2, A: 4, H: 2}, "a dragonfly of 9 groups of 4 switches, 1 cable between each two groups", 0},
	{"dragonfly+", topology.DragonflyPlus{Groups: 5, Leaves: 4, Spines: 4, LeafEndpoints: 4, SpineGlobals: 4}, "a dragonfly+ of 5 groups of 8 switches, 4 cables between each two groups", 0},
	{"ring", topology.Torus{Dims: []int{7}, SwitchEndpoints: 2}, "a ring of 7 switches", 0},
	{"torus", topology.Torus{Dims: []int{5, 3}, SwitchEndpoints: 2}, "a 5×3 torus", 0},
	{"cube", topology.Torus{Dims: []int{4, 4, 4}, SwitchEndpoints: 1}, "a 4×4×4 torus, which is also a hypercube of 6 dimensions", 0},
	{"long torus", topology.Torus{Dims: []int{8, 6, 5}, SwitchEndpoints: 1}, "a 8×6×5 torus", 0},
	{"mesh", topology.Torus{Dims: []int{5, 4}, SwitchEndpoints: 1, Mesh: true}, "a 5×4 mesh", 0},
}

func TestShapesAreRecognisedAndFaultless(t *testing.T) {
	for _, c := range shapes {
		t.Run(c.name, func(t *testing.T) {
			r := Subnet(fabric(t, c.shape))
			if len(r.Islands) != 1 || r.Islands[0].What != c.what {
				t.Fatalf("it is %+v, want %q", r.Islands, c.what)
			}
			rails := 0
			if r.Rails != nil {
				rails = r.Rails.Count
			}
			if rails != c.rails {
				t.Errorf("%d rails, want %d", rails, c.rails)
			}
			for _, f := range r.Findings {
				if f.Severity != Note {
					t.Errorf("a finding in a sound fabric: %s: %s", f.Kind, f.Text)
				}
			}
		})
	}
}

// unplug removes a cable.
func unplug(s *subnet.Subnet, e subnet.End) {
	far := s.Peer(e)
	s.Port(far).Peer, s.Port(e).Peer = subnet.None, subnet.None
	s.Port(far).Link, s.Port(e).Link = subnet.Link{}, subnet.Link{}
}

// between lists the cables whose two ends are switches.
func between(s *subnet.Subnet) []subnet.End {
	var out []subnet.End
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			e := subnet.End{Node: int32(i), Port: uint16(p)}
			far := s.Peer(e)
			if far.Exists() && far.Node > e.Node && s.Nodes[i].Kind == subnet.Switch && s.Nodes[far.Node].Kind == subnet.Switch {
				out = append(out, e)
			}
		}
	}
	return out
}

// finding is the first finding of a kind, nil without one.
func finding(r *Report, kind string) *Finding {
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Kind == kind })
	if i < 0 {
		return nil
	}
	return &r.Findings[i]
}

func TestAMissingCableIsNamed(t *testing.T) {
	for _, c := range shapes {
		if c.name == "single switch" || c.name == "ring" || c.name == "mesh" {
			continue // without one of its cables a ring is a line, and a mesh is not recognised
		}
		t.Run(c.name, func(t *testing.T) {
			whole := fabric(t, c.shape)
			cables := between(whole)
			for seed := range uint64(6) {
				s := whole.Clone()
				e := cables[rand.New(rand.NewPCG(seed, 1)).IntN(len(cables))]
				a, b := s.NodeName(e.Node), s.NodeName(s.Peer(e).Node)
				unplug(s, e)
				r := Subnet(s)
				if r.Islands[0].What != c.what {
					t.Fatalf("without a cable it is %q, want %q", r.Islands[0].What, c.what)
				}
				f := finding(r, "missing-cable")
				if f == nil {
					t.Fatalf("the missing cable from %s to %s is not found: %+v", a, b, r.Findings)
				}
				// A finding about a global cable names one switch of each group.
				if !strings.Contains(f.Text, "group of") && (!strings.Contains(f.Text, a) || !strings.Contains(f.Text, b)) {
					t.Errorf("%s; the cable from %s to %s was taken out", f.Text, a, b)
				}
			}
		})
	}
}

func TestASlowAndANarrowLinkAreNamed(t *testing.T) {
	for kind, link := range map[string]subnet.Link{"slow-link": {Width: 4, Speed: subnet.EDR}, "narrow-link": {Width: 1, Speed: subnet.NDR}} {
		s := fabric(t, topology.KAry{K: 8})
		e := between(s)[17]
		s.Port(e).Link, s.Port(s.Peer(e)).Link = link, link
		r := Subnet(s)
		f := finding(r, kind)
		if f == nil || len(f.Ports) != 2 || f.Ports[0] != s.EndName(e) || f.Ports[1] != s.EndName(s.Peer(e)) || !strings.Contains(f.Text, "4xNDR") {
			t.Errorf("%s of %s: found %+v", kind, s.EndName(e), f)
		}
	}
}

func TestASlowGenerationIsNoFaultOfItsLinks(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 64, Radix: 16, Oversubscription: even})
	for i := range 10 {
		s.Nodes[i].Name = fmt.Sprintf("old%02d mlx5_0", i)
		e := subnet.End{Node: int32(i), Port: 1}
		s.Port(e).Link.Speed, s.Port(s.Peer(e)).Link.Speed = subnet.EDR, subnet.EDR
	}
	r := Subnet(s)
	if f := finding(r, "slow-link"); f != nil {
		t.Errorf("ten hosts of an older model: %s", f.Text)
	}
	if f := finding(r, "mixed-speeds"); f == nil || !strings.Contains(f.Text, "10 old*") {
		t.Errorf("ten hosts of an older model are not mentioned: %+v", f)
	}
}

func TestAHostOnASpineIsAStrayNotALeaf(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 64, Radix: 20, Oversubscription: even})
	spine := slices.IndexFunc(s.Nodes, func(n subnet.Node) bool { return strings.HasPrefix(n.Name, "spine") })
	host := subnet.End{Node: 3, Port: 1}
	link := s.Port(host).Link
	unplug(s, host)
	for p := 1; p < len(s.Nodes[spine].Ports); p++ {
		if e := (subnet.End{Node: int32(spine), Port: uint16(p)}); !s.Peer(e).Exists() {
			s.Connect(host, e, link)
			break
		}
	}
	r := Subnet(s)
	if r.Islands[0].Family != FatTree || r.Islands[0].Levels[1].Hosts != 1 {
		t.Fatalf("it is %+v", r.Islands[0])
	}
	if f := finding(r, "stray-host"); f == nil || !strings.Contains(f.Text, s.NodeName(3)) {
		t.Errorf("the host on the spine is not named: %+v", r.Findings)
	}
}

func TestSwappedRailsAndMissingAdaptersAreNamed(t *testing.T) {
	s := fabric(t, topology.Rail{Nodes: 32, Rails: 8, Radix: 64})
	a, b := subnet.End{Node: 8*5 + 2, Port: 1}, subnet.End{Node: 8*5 + 6, Port: 1}
	farA, farB, link := s.Peer(a), s.Peer(b), s.Port(a).Link
	unplug(s, a)
	unplug(s, b)
	s.Connect(a, farB, link)
	s.Connect(b, farA, link)
	unplug(s, subnet.End{Node: 8*9 + 4, Port: 1})
	r := Subnet(s)
	if f := finding(r, "wrong-rail"); f == nil || !strings.Contains(f.Text, `mlx5_2 of "dgx005"`) || !strings.Contains(f.Text, "mlx5_6") {
		t.Errorf("the swapped cables are not named: %+v", f)
	}
	if f := finding(r, "fewer-adapters"); f == nil || !strings.Contains(f.Text, `"dgx009"`) || !strings.Contains(f.Text, "mlx5_4 is missing") {
		t.Errorf("the missing adapter is not named: %+v", f)
	}
}

func TestPartsThatNoCableJoinsAreTold(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 64, Radix: 16, Oversubscription: even})
	leaf := s.Peer(subnet.End{Node: 0, Port: 1}).Node
	for p := range s.Nodes[leaf].Ports {
		e := subnet.End{Node: leaf, Port: uint16(p)}
		if far := s.Peer(e); far.Exists() && s.Nodes[far.Node].Kind == subnet.Switch {
			unplug(s, e)
		}
	}
	r := Subnet(s)
	if len(r.Islands) != 2 || r.Islands[0].Switches != 11 || r.Islands[1].Adapters != 8 {
		t.Fatalf("the islands are %+v", r.Islands)
	}
	if finding(r, "islands") == nil && finding(r, "island") == nil {
		t.Errorf("the parts are not mentioned: %+v", r.Findings)
	}
}

func TestPlanesAreToldAndAHostThatMissesOne(t *testing.T) {
	s := fabric(t, topology.Rail{Nodes: 32, Rails: 8, Radix: 64})
	for _, e := range between(s) { // even rails keep the first two of four spines, odd rails the others
		var rail, spine int
		_, _ = fmt.Sscanf(s.Nodes[e.Node].Name, "leaf-r%d", &rail)
		_, _ = fmt.Sscanf(s.Nodes[s.Peer(e).Node].Name, "spine%d", &spine)
		if spine/2 != rail%2 {
			unplug(s, e)
		}
	}
	if f := finding(Subnet(s), "planes"); f == nil || !strings.HasPrefix(f.Text, "32 hosts (dgx*) are on 2 of the 2 parts") {
		t.Errorf("the planes: %+v", f)
	}
	island := Lay(s).Island
	first := island[s.Peer(subnet.End{Node: 0, Port: 1}).Node]
	for i := range int32(8) { // of dgx000
		e := subnet.End{Node: i, Port: 1}
		if island[s.Peer(e).Node] == first {
			unplug(s, e)
		}
	}
	if f := finding(Subnet(s), "fewer-planes"); f == nil || !strings.HasPrefix(f.Text, `"dgx000" is on 1 of the 2 parts`) {
		t.Errorf("the host without one plane: %+v", f)
	}
}

// A director is many chips with one SystemImageGUID. A switch that reduces in
// the network has an internal adapter on its highest port.
func TestDirectorsAndAggregationNodesAreSeenForWhatTheyAre(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 64, Radix: 17, Oversubscription: even})
	for i := range s.Nodes {
		if s.Nodes[i].Kind != subnet.Switch {
			continue
		}
		s.Nodes[i].SystemGUID = 0x0002c90200500000
		s.Nodes[i].Ports = append(s.Nodes[i].Ports, subnet.Port{Peer: subnet.None})
	}
	for i := range len(s.Nodes) {
		if s.Nodes[i].Kind != subnet.Switch {
			continue
		}
		a := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: s.Nodes[i].GUID + 8, Name: "Mellanox Technologies Aggregation Node"}, 1)
		s.Connect(subnet.End{Node: int32(i), Port: uint16(s.Nodes[i].NumPorts())}, subnet.End{Node: a, Port: 1}, subnet.Link{Width: 4, Speed: subnet.NDR})
	}
	r := Subnet(s)
	if r.Aggregation != r.Switches || r.Hosts != 64 || r.Islands[0].Levels[1].Hosts != 0 {
		t.Errorf("%d aggregation nodes of %d switches, %d hosts", r.Aggregation, r.Switches, r.Hosts)
	}
	if len(r.Housings) != 1 || r.Housings[0].Chips != r.Switches {
		t.Errorf("the housings are %+v", r.Housings)
	}
}

func TestWhatIsWrongWithNumbersIsAnError(t *testing.T) {
	s := fabric(t, topology.SingleSwitch{Endpoints: 4})
	s.Nodes[1].Ports[1].LID = s.Nodes[0].Ports[1].LID
	s.Nodes[3].GUID = s.Nodes[2].GUID
	r := Subnet(s)
	for _, kind := range []string{"lid-clash", "duplicate-node-guid"} {
		if f := finding(r, kind); f == nil || f.Severity != Error {
			t.Errorf("%s: %+v", kind, f)
		}
	}
}

// No subnet makes the inspection fail, whatever its cables.
func TestAnySubnetIsInspected(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := &subnet.Subnet{Origin: subnet.None}
		var free []subnet.End
		for i := range r.IntN(30) {
			kind := []subnet.Kind{subnet.Switch, subnet.Adapter, subnet.Router}[r.IntN(3)]
			at := s.Add(subnet.Node{Kind: kind, GUID: 1, Name: fmt.Sprintf("n%d HCA-%d", i/3, i%3)}, 1+r.IntN(8))
			for p := 1; p < len(s.Nodes[at].Ports); p++ {
				free = append(free, subnet.End{Node: at, Port: uint16(p)})
			}
		}
		r.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
		for i := 0; i+1 < len(free) && r.IntN(30) > 0; i += 2 {
			s.Connect(free[i], free[i+1], subnet.Link{Width: subnet.Width(r.IntN(5)), Speed: subnet.Speed(r.IntN(10))})
		}
		report := Subnet(s)
		cables := 0
		for _, l := range report.Links {
			cables += l.Count
		}
		if cables != report.Cables {
			t.Fatalf("seed %d: %d cables have a speed, %d are there", seed, cables, report.Cables)
		}
		if again := Lay(s).Report; !reflect.DeepEqual(report, again) {
			t.Fatalf("seed %d: two reports on one subnet differ\n%+v\n%+v", seed, report, again)
		}
	}
}

// In real clusters many switches have one name, "SwitchIB Mellanox Technologies".
func TestSwitchesOfOneNameAreToldByTheirGUIDs(t *testing.T) {
	s := fabric(t, topology.TwoLevel{Endpoints: 96, Radix: 36, Oversubscription: topology.Ratio{Down: 2, Up: 1}})
	for i := range s.Nodes {
		if s.Nodes[i].Kind == subnet.Switch {
			s.Nodes[i].Name = "SwitchIB Mellanox Technologies"
		}
	}
	e := between(s)[5]
	far := s.Peer(e)
	s.Port(e).Link.Speed, s.Port(far).Link.Speed = subnet.DDR, subnet.DDR
	f := finding(Subnet(s), "slow-link")
	if f == nil {
		t.Fatal("a link of DDR in a fabric of NDR is not found")
	}
	for _, node := range []int32{e.Node, far.Node} {
		if guid := s.Nodes[node].GUID.String(); !strings.Contains(f.Text, guid) {
			t.Errorf("%s; expected the GUID %s in it", f.Text, guid)
		}
	}
}

// A SuperPOD has UFM appliances on its leaves. They have few ports, and no rails have
// failed.
func TestManagersAreNotComparedWithComputeNodes(t *testing.T) {
	s := fabric(t, topology.Rail{Nodes: 31, Rails: 8, Radix: 64, UFM: true})
	for i := 31 * 8; s.Nodes[i].Kind == subnet.Adapter; i++ {
		s.Nodes[i].Name = fmt.Sprintf("ufm01 mlx5_%d", i%8)
	}
	r := Subnet(s)
	if r.Rails == nil || r.Rails.Count != 8 {
		t.Fatalf("the rails are %+v", r.Rails)
	}
	for _, f := range r.Findings {
		if f.Severity != Note {
			t.Errorf("%s: %s", f.Kind, f.Text)
		}
	}
}
