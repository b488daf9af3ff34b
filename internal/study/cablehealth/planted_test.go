package cablehealth

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
)

// fabrics are two drawn fabrics and a real one.
var fabrics = []string{
	"../../ib/format/testdata/ft2-16/ibnetdiscover.topo",
	"../../test/routetest/testdata/ft3-k8-128/topo.gz",
	"../../test/routetest/testdata/real-plafrim/topo.gz",
}

// open reads a topology of the tests.
func open(t *testing.T, path string) *subnet.Subnet {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if raw, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	net, _, _, err := format.ReadSubnet(path, bytes.NewReader(raw), format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// cables are the first ends of all cables.
func cables(net *subnet.Subnet) (ends []subnet.End) {
	for i := range net.Nodes {
		for p := range net.Nodes[i].Ports {
			e := subnet.End{Node: int32(i), Port: uint16(p)}
			if far := net.Peer(e); far.Exists() && (far.Node > e.Node || far.Node == e.Node && far.Port > e.Port) {
				ends = append(ends, e)
			}
		}
	}
	return ends
}

// topoText is the topology as ibnetdiscover prints it.
func topoText(t *testing.T, net *subnet.Subnet) Source {
	t.Helper()
	var b bytes.Buffer
	if err := format.WriteTopo(&b, net); err != nil {
		t.Fatal(err)
	}
	return Source{"real.topo", b.String()}
}

// linkText is the links as iblinkinfo -l prints them.
func linkText(t *testing.T, net *subnet.Subnet) Source {
	t.Helper()
	var b bytes.Buffer
	if err := format.WriteLinkInfo(&b, net, true); err != nil {
		t.Fatal(err)
	}
	return Source{"links.txt", b.String()}
}

// extra are counters of ports beside the usual ones.
type extra map[subnet.End]map[string]uint64

// errorsText is the ports' errors as ibqueryerrors prints them. Every port has waited, and a link goes
// down when its host boots.
func errorsText(net *subnet.Subnet, more extra) Source {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	ports := 0
	for i := range net.Nodes {
		n := &net.Nodes[i]
		if n.Kind == subnet.Switch {
			fmt.Fprintf(&b, "Errors for 0x%x \"%s\"\n   GUID 0x%x port ALL: [SymbolErrorCounter == 99999]\n", uint64(n.GUID), n.Name, uint64(n.GUID))
		} else {
			fmt.Fprintf(&b, "Errors for \"%s\"\n", n.Name)
		}
		for p := 1; p < len(n.Ports); p++ {
			e := subnet.End{Node: int32(i), Port: uint16(p)}
			if !net.Peer(e).Exists() {
				continue
			}
			guid := n.GUID
			if n.Kind != subnet.Switch {
				guid = n.Ports[p].GUID
			}
			ports++
			fmt.Fprintf(&b, "   GUID 0x%x port %d: [LinkDownedCounter == %d] [PortXmitWait == %d]", uint64(guid), p, r.IntN(3), r.Uint32())
			for name, v := range more[e] {
				fmt.Fprintf(&b, " [%s == %d]", name, v)
			}
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, "\n## Summary: %d nodes checked, %d bad nodes found\n##          %d ports checked, %d ports have errors beyond threshold\n## Thresholds: \n## Suppressed:\n", len(net.Nodes), len(net.Nodes), ports, ports)
	return Source{"errors.txt", b.String()}
}

func judgeSources(t *testing.T, o Options, sources ...Source) *Report {
	t.Helper()
	set, files, err := Read(sources, o)
	if err != nil {
		t.Fatal(err)
	}
	return Judge(set, files, o)
}

// titles are the findings' sentences.
func titles(r *Report) (all []string) {
	for _, f := range r.Findings {
		all = append(all, f.What)
	}
	return all
}

// TestACleanFabricHasNoFinding: with waits, boots of hosts, unused ports and the sums of switches.
func TestACleanFabricHasNoFinding(t *testing.T) {
	for _, path := range fabrics {
		net := open(t, path)
		r := judgeSources(t, Options{}, errorsText(net, nil), topoText(t, net), linkText(t, net))
		if len(r.Findings) > 0 {
			t.Errorf("%s: findings on a clean fabric: %q", path, titles(r))
		}
		if n := 2 * len(cables(net)); r.Judged != n {
			t.Errorf("%s: %d ports were judged, want the %d with a cable", path, r.Judged, n)
		}
	}
}

// fault is a planted fault.
type fault struct {
	name  string
	tier  Tier
	plant func(net *subnet.Subnet, e subnet.End, more extra)
}

var plantable = []fault{
	{"BER", Errors, func(net *subnet.Subnet, e subnet.End, more extra) {
		more[e] = map[string]uint64{"SymbolErrorCounter": 65535}
	}},
	{"loss", Lost, func(net *subnet.Subnet, e subnet.End, more extra) {
		more[net.Peer(e)] = map[string]uint64{"PortRcvErrors": 4000}
	}},
	{"retraining", Unstable, func(net *subnet.Subnet, e subnet.End, more extra) {
		more[e] = map[string]uint64{"LinkErrorRecoveryCounter": 60}
	}},
	{"lost lanes", Slow, func(net *subnet.Subnet, e subnet.End, _ extra) {
		could := net.Port(e).Link
		narrow := subnet.Link{Width: 1, Speed: could.Speed}
		for _, end := range []subnet.End{e, net.Peer(e)} {
			net.Port(end).Link, net.Port(end).Could = narrow, could
		}
	}},
	{"down", LinkDown, func(net *subnet.Subnet, e subnet.End, _ extra) {
		far := net.Peer(e)
		net.Port(e).Peer, net.Port(far).Peer = subnet.None, subnet.None
	}},
}

// TestPlantedFaultsAreNamedAndNoOthers: five kinds of faults at once, each on a cable of its own, ten
// draws on each fabric. The topology is of the time before.
func TestPlantedFaultsAreNamedAndNoOthers(t *testing.T) {
	for _, path := range fabrics {
		whole := open(t, path)
		before := topoText(t, whole)
		all := cables(whole)
		for seed := range 10 {
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			order := r.Perm(len(all))
			net := whole.Clone()
			more := extra{}
			var want []string
			for i, f := range plantable {
				e := all[order[i]]
				want = append(want, fmt.Sprintf("%v %v", f.tier, pair(whole, e)))
				f.plant(net, e, more)
			}
			report := judgeSources(t, Options{}, before, errorsText(net, more), linkText(t, net))
			got := map[string]bool{}
			for _, f := range report.Findings {
				got[fmt.Sprintf("%v %v", f.Tier, f.Port+"|"+f.Far)] = true
				got[fmt.Sprintf("%v %v", f.Tier, f.Far+"|"+f.Port)] = true
			}
			for _, w := range want {
				if !got[w] {
					t.Errorf("%s, draw %d: %q is not found among %q", path, seed, w, titles(report))
				}
			}
			if len(report.Findings) != len(plantable) {
				t.Errorf("%s, draw %d: %d findings, want %d: %q", path, seed, len(report.Findings), len(plantable), titles(report))
			}
			for i := 1; i < len(report.Findings); i++ {
				if report.Findings[i].Tier < report.Findings[i-1].Tier {
					t.Errorf("%s, draw %d: %v is ranked behind %v", path, seed, report.Findings[i].Tier, report.Findings[i-1].Tier)
				}
			}
		}
	}
}

// pair is the names of the two ends of a cable as a finding has them.
func pair(net *subnet.Subnet, e subnet.End) string {
	name := func(e subnet.End) string { return fmt.Sprintf("%s port %d", net.Nodes[e.Node].Name, e.Port) }
	return name(e) + "|" + name(net.Peer(e))
}

// TestASlowFabricIsOneFinding: all links at HDR where both ends can NDR, with one cable slower still.
func TestASlowFabricIsOneFinding(t *testing.T) {
	for _, path := range fabrics {
		net := open(t, path)
		all := cables(net)
		for _, e := range all {
			for _, end := range []subnet.End{e, net.Peer(e)} {
				net.Port(end).Link, net.Port(end).Could = subnet.Link{Width: 4, Speed: subnet.HDR}, subnet.Link{Width: 4, Speed: subnet.NDR}
			}
		}
		worst := all[len(all)/2]
		net.Port(worst).Link.Width, net.Port(net.Peer(worst)).Link.Width = 1, 1
		r := judgeSources(t, Options{}, linkText(t, net))
		if len(r.Findings) != 2 {
			t.Fatalf("%s: %d findings, want the fabric and one cable: %q", path, len(r.Findings), titles(r))
		}
		if want := fmt.Sprintf("The whole fabric is slow: %d of %d links run at 4xHDR where both ends can 4xNDR", len(all)-1, len(all)); r.Findings[0].What != want {
			t.Errorf("%s: the first line is %q, want %q", path, r.Findings[0].What, want)
		}
		if !strings.Contains(r.Findings[0].Gain, "up to 2 times") || !strings.Contains(r.Findings[1].Gain, "up to 8 times") {
			t.Errorf("%s: gains %q and %q, want 2 and 8 times", path, r.Findings[0].Gain, r.Findings[1].Gain)
		}
	}
}
