package route_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
	"weft/units"
)

func conf(t *testing.T, text string) *route.TorusConf {
	t.Helper()
	c, err := route.ReadTorusConf("torus-2QoS.conf", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// seeded is a torus of switches with random GUIDs, and a torus-2QoS.conf with switch
// number seed as the seed.
func seeded(t *testing.T, dims []int, mesh bool, seed int, r *rand.Rand) (*subnet.Subnet, string) {
	t.Helper()
	s := built(t, topology.Torus{Dims: dims, SwitchEndpoints: 2, Mesh: mesh})
	switches := 1
	for _, n := range dims {
		switches *= n
	}
	first := len(s.Nodes) - switches
	for i := range s.Nodes {
		s.Nodes[i].GUID = units.GUID(r.Uint64()>>1 + 1)
		s.Nodes[i].Ports[s.Nodes[i].Base()].GUID = s.Nodes[i].GUID
	}
	var b bytes.Buffer
	kind := "torus"
	if mesh {
		kind = "mesh"
	}
	fmt.Fprintf(&b, "# a comment\n%s", kind)
	for d := range 3 {
		n := 1
		if d < len(dims) {
			n = dims[d]
		}
		fmt.Fprintf(&b, " %d", n)
	}
	fmt.Fprintln(&b)
	step := 1
	for d, n := range dims {
		at := seed / step % n
		for sign, move := range []int{1, -1} {
			to := at + move
			if mesh && (to < 0 || to >= n) || n == 2 && move+at < 0 {
				continue
			}
			to = (to + n) % n
			fmt.Fprintf(&b, "%c%c_link %v %v\n", "xyz"[d], "pm"[sign], s.Nodes[first+seed].GUID, s.Nodes[first+seed+(to-at)*step].GUID)
		}
		fmt.Fprintf(&b, "%c_dateline %d\n", "xyz"[d], -at)
		step *= n
	}
	return s, b.String()
}

func TestToriAreProvenAtBothQualities(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dims := range [][]int{{4, 4}, {5, 3}, {6}, {4, 4, 4}, {3, 4, 5}, {2, 5, 2}, {8, 2}} {
		for _, mesh := range []bool{false, true} {
			s, text := seeded(t, dims, mesh, 1, r)
			got, err := route.Compute(s, "torus-2QoS", route.Options{Torus: conf(t, text)})
			if err != nil {
				t.Errorf("%v, mesh %v: %v\n%s", dims, mesh, err, text)
				continue
			}
			if p := check(t, s, got.Tables); !p.Proven() || p.Detours() > 0 {
				t.Errorf("%v, mesh %v: %+v", dims, mesh, p)
			}
			low := got.SL
			got.SL = func(src, dst units.LID) units.SL { // both at once
				return low(src, dst) | units.SL((src+dst)%2)<<3
			}
			if p := check(t, s, got.Tables); !p.Proven() {
				t.Errorf("%v, mesh %v, two qualities: %+v", dims, mesh, p)
			}
		}
	}
}

// Eight lanes give two qualities of service. Four to seven give one, and the report says
// so. Fewer are refused.
func TestEightLanesGiveATorusTwoQualities(t *testing.T) {
	s, text := seeded(t, []int{4, 4}, false, 1, rand.New(rand.NewPCG(1, 2)))
	for lanes, want := range map[int]int{0: 8, 3: 0, 4: 4, 7: 4, 8: 8, 15: 8} {
		got, err := route.Compute(s, "torus-2QoS", route.Options{Torus: conf(t, text), Lanes: lanes})
		if want == 0 {
			if err == nil {
				t.Errorf("%d lanes are accepted", lanes)
			}
			continue
		}
		if err != nil {
			t.Errorf("%d lanes: %v", lanes, err)
			continue
		}
		said := strings.Contains(strings.Join(got.Report.Notes, "\n"), "there is one quality of service")
		if got.Report.Lanes != want || said != (want < 8) {
			t.Errorf("with %d lanes it uses %d and says that there is one quality: %v; want %d", lanes, got.Report.Lanes, said, want)
		}
	}
}

// cut removes a cable.
func cut(s *subnet.Subnet, e subnet.End) {
	peer := s.Peer(e)
	s.Port(e).Peer, s.Port(peer).Peer = subnet.None, subnet.None
}

func TestATorusWithOneFaultIsProven(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, dims := range [][]int{{4, 4}, {5, 5}, {3, 6}, {4, 4, 4}, {3, 4, 5}} {
		whole, text := seeded(t, dims, false, 0, r)
		c := conf(t, text)
		seeds := map[units.GUID]bool{c.Seeds[0].From: true}
		for d := range 3 {
			seeds[c.Seeds[0].Plus[d]], seeds[c.Seeds[0].Minus[d]] = true, true
		}
		for i := range whole.Nodes {
			n := &whole.Nodes[i]
			if n.Kind != subnet.Switch || seeds[n.GUID] {
				continue
			}
			s := whole.Clone()
			for p := 1; p < len(n.Ports); p++ { // the switch fails, and its hosts with it
				if e := (subnet.End{Node: int32(i), Port: uint16(p)}); s.Peer(e).Exists() {
					cut(s, e)
				}
			}
			proveFaulty(t, drop(s, int32(i)), c, fmt.Sprintf("%v without switch %d", dims, i))
			for p := 1; p < len(n.Ports); p++ {
				s := whole.Clone()
				e := subnet.End{Node: int32(i), Port: uint16(p)}
				if peer := s.Peer(e); !peer.Exists() || s.Nodes[peer.Node].Kind != subnet.Switch {
					continue
				}
				cut(s, e)
				proveFaulty(t, s, c, fmt.Sprintf("%v without cable %v", dims, e))
			}
		}
	}
}

// drop removes switch sw, which has no cables, and the adapters without cables.
func drop(s *subnet.Subnet, sw int32) *subnet.Subnet {
	out, at := &subnet.Subnet{Origin: subnet.None}, make([]int32, len(s.Nodes))
	for i := range s.Nodes {
		n := s.Nodes[i]
		at[i] = -1
		if int32(i) == sw || n.Kind == subnet.Adapter && !n.Ports[1].Peer.Exists() {
			continue
		}
		at[i] = int32(len(out.Nodes))
		n.Ports = append([]subnet.Port(nil), n.Ports...)
		out.Nodes = append(out.Nodes, n)
	}
	for i := range out.Nodes {
		for p := range out.Nodes[i].Ports {
			if peer := &out.Nodes[i].Ports[p].Peer; peer.Exists() {
				peer.Node = at[peer.Node]
			}
		}
	}
	return out
}

func proveFaulty(t *testing.T, s *subnet.Subnet, c *route.TorusConf, what string) {
	t.Helper()
	got, err := route.Compute(s, "torus-2QoS", route.Options{Torus: c})
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if p := check(t, s, got.Tables); !p.Proven() || p.EndToEnd.Islands > 0 {
		t.Errorf("%s: %v %+v %+v", what, p.Proven(), p.EndToEnd, p.Cycles)
	}
}

// torusConfs are the torus-2QoS.conf files of the tori among the reference fabrics.
var torusConfs = map[string]string{
	"torus2d-4x4": `torus 4 4 1
xp_link 0x0002c90200400008 0x0002c90200400028
xm_link 0x0002c90200400008 0x0002c90200400068
yp_link 0x0002c90200400008 0x0002c90200400010
ym_link 0x0002c90200400008 0x0002c90200400020
`,
	"torus3d-4x4x4": `torus 4 4 4
xp_link 0x0002c90200400008 0x0002c90200400088
xm_link 0x0002c90200400008 0x0002c90200400188
yp_link 0x0002c90200400008 0x0002c90200400028
ym_link 0x0002c90200400008 0x0002c90200400068
zp_link 0x0002c90200400008 0x0002c90200400010
zm_link 0x0002c90200400008 0x0002c90200400020
`,
}

func TestTorus2QoSLoadsAreNoWorseThanOpenSMs(t *testing.T) {
	for fabric, file := range torusConfs {
		s := routetest.Fabric(t, fabric)
		theirs := check(t, s, routetest.Tables(t, s, fabric, "sa-torus2qos", true))
		got, err := route.Compute(s, "torus-2QoS", route.Options{Torus: conf(t, file)})
		if err != nil {
			t.Fatal(err)
		}
		ours := check(t, s, got.Tables)
		if !ours.Proven() || ours.Balance.Max > theirs.Balance.Max || ours.Detours() != theirs.Detours() {
			t.Errorf("%s: %+v, OpenSM's %+v", fabric, ours, theirs)
		}
		for i, p := range ours.Patterns {
			if q := theirs.Patterns[i]; p.Contention > q.Contention {
				t.Errorf("%s, %s: contention %.2f, OpenSM's %.2f", fabric, p.Name, p.Contention, q.Contention)
			}
		}
	}
}

func TestWrongTorusConfsAreErrors(t *testing.T) {
	for text, want := range map[string]string{
		"torus 4 4":                        "three dimensions",
		"torus 4 x 1":                      `not "x"`,
		"torus 400 400 400":                "more switches than a subnet has LIDs",
		"xp_link 0x1":                      "two GUIDs",
		"xp_link 0x1 0x2\nyp_link 0x3 0x4": "must all begin at one switch",
		"torus 4 4 1\nx_dateline":          "expected a position",
		"sphere 4":                         `"sphere" is no keyword`,
		"":                                 "«torus 4 4 4»",
	} {
		if _, err := route.ReadTorusConf("f", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	s, _ := seeded(t, []int{4, 4}, false, 0, rand.New(rand.NewPCG(5, 6)))
	for _, c := range []*route.TorusConf{nil, conf(t, "torus 4 4 1\nxp_link 0x1 0x2")} {
		if _, err := route.Compute(s, "torus-2QoS", route.Options{Torus: c}); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
