package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/face/cli/exit"
	"weft/internal/ib/format"
	"weft/internal/ib/subnet"
	"weft/internal/test/ibsimtest"
	"weft/units"
)

// bothUp waits until the managers of two planes say that their subnets are up.
func bothUp(t *testing.T, out *liveOutput) {
	t.Helper()
	ibsimtest.WaitFor(t, "both subnets up", func() bool {
		text := out.String()
		return strings.Contains(text, "plane 1: subnet up") && strings.Contains(text, "plane 2: subnet up")
	})
}

// twoPlanes is hosts whose adapters have a port on each of two planes.
const twoPlanes = `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 4, nics: 4, nic: {ports: 2}}}
topology: {shape: dual-plane, plane-shape: rail-optimised, radix: 8}
fabric: infiniband-hdr
workload: {collective: all-reduce, sizes: [1MiB]}
`

// TestOneProcessManagesAllPlanes: hosts whose adapters have a port on each plane, on weft ibsim; each plane gets its own LIDs
// and active ports, and its LIDs are in a file of its own.
func TestOneProcessManagesAllPlanes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "planes.yaml"), []byte(twoPlanes), 0o600); err != nil {
		t.Fatal(err)
	}
	socket := ibsimtest.SocketName()
	sim := running(t, dir, "ibsim", "planes.yaml", "--socket", socket)
	ibsimtest.WaitFor(t, "weft ibsim", func() bool { return strings.Contains(sim.String(), "ready") })
	ports := []string{"--host", "node0/nic0[1]", "--host", "node0/nic0[2]"}
	out := running(t, dir, append([]string{"sm", "run", "--ibsim", "--socket", socket, "--guid2lid", "lids"}, ports...)...)
	bothUp(t, out)
	for plane, node := range []string{"node1/nic2[1]", "node1/nic2[2]"} {
		seen := "seen" + node[len(node)-2:len(node)-1]
		inspectedAs(t, dir, "--ibsim", "--socket", socket, "--host", node, "-o", seen)
		text, err := os.ReadFile(filepath.Join(dir, seen))
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := format.ReadTopo(seen, strings.NewReader(string(text)), format.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Nodes) != 22 || s.TopLID() != 22 {
			t.Errorf("plane %d has %d nodes, and LIDs up to %d: want 22, each with a LID", plane+1, len(s.Nodes), s.TopLID())
		}
		lids, err := os.ReadFile(filepath.Join(dir, "lids.plane"+seen[4:]))
		if err != nil || strings.Count(string(lids), "0x") < 22 {
			t.Errorf("the LIDs of plane %d: %v\n%s", plane+1, err, lids)
		}
	}
	twice := &liveOutput{}
	e := environment(append([]string{"sm", "run", "--ibsim", "--socket", socket, "--once", "--host", "node0/nic0[1]"}, ports...))
	e.Stdout, e.Stderr = twice, twice
	if code := Main(t.Context(), e); code == exit.OK || !strings.Contains(twice.String(), "node0/nic0[1] is given twice") {
		t.Errorf("a port given twice: exit %d, %s", code, twice)
	}
}

// TestAnAggregatedPortHasOneLIDOnAllPlanes: two ports of an adapter have one GUID, as with XDR on Linux. Both ports have one LID.
// The switches of the two planes have different LIDs.
func TestAnAggregatedPortHasOneLIDOnAllPlanes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "planes.yaml"), []byte(twoPlanes), 0o600); err != nil {
		t.Fatal(err)
	}
	e := environment([]string{"fabric", "convert", "planes.yaml", "--to", "ibnetdiscover"})
	e.Dir = dir
	code, text, errs := invoke(e)
	if code != exit.OK {
		t.Fatal(errs)
	}
	text = regexp.MustCompile(`\((2005745001000[0-9a-f])2\)`).ReplaceAllString(text, "(${1}1)")
	if err := os.WriteFile(filepath.Join(dir, "xdr.topo"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	socket := ibsimtest.SocketName()
	sim := running(t, dir, "ibsim", "xdr.topo", "--socket", socket)
	ibsimtest.WaitFor(t, "weft ibsim", func() bool { return strings.Contains(sim.String(), "ready") })
	out := running(t, dir, "sm", "run", "--ibsim", "--socket", socket, "--lmc", "1", "--host", "node0/nic0[1]", "--host", "node0/nic0[2]")
	bothUp(t, out)
	owner, lid := map[units.LID]units.GUID{}, map[units.GUID]units.LID{}
	for _, plane := range []string{"1", "2"} {
		inspectedAs(t, dir, "--ibsim", "--socket", socket, "--host", "node1/nic2["+plane+"]", "-o", "seen")
		text, err := os.ReadFile(filepath.Join(dir, "seen"))
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := format.ReadTopo("seen", strings.NewReader(string(text)), format.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for l, at := range s.Owners() {
			if !at.Exists() {
				continue
			}
			guid, l := s.Port(at).GUID, units.LID(l)
			if other, taken := owner[l]; taken && other != guid {
				t.Errorf("LID %d is of %v and %v", l, other, guid)
			}
			if owner[l] = guid; lid[guid] == 0 {
				lid[guid] = s.Port(at).LID
			} else if lid[guid] != s.Port(at).LID {
				t.Errorf("%v has LIDs %d and %d", guid, lid[guid], s.Port(at).LID)
			}
		}
	}
	if len(lid) != 16+12 || len(owner) != 2*16+12 {
		t.Errorf("%d ports have %d LIDs, want 16 adapters with 2 and 12 switches with 1", len(lid), len(owner))
	}
}

// TestOneProcessManagesThePlanesOfTheRealIbsim: hosts with an adapter on each plane; the real ibnetdiscover finds LIDs and
// active ports on both.
func TestOneProcessManagesThePlanesOfTheRealIbsim(t *testing.T) {
	s := shuffled(t, topology.TwoLevel{Endpoints: 24, Radix: 8})
	other := shuffled(t, topology.TwoLevel{Endpoints: 24, Radix: 8})
	first := int32(len(s.Nodes))
	for _, n := range other.Nodes {
		n.Name += "-b"
		for p := range n.Ports {
			if n.Ports[p].Peer.Exists() {
				n.Ports[p].Peer.Node += first
			}
		}
		s.Nodes = append(s.Nodes, n)
	}
	dir := t.TempDir()
	net, hosts := netOf(t, dir, s)
	socket := realIbsim(t, net)
	out := running(t, dir, "sm", "run", "--ibsim", "--socket", socket, "--host", hosts[0], "--host", hosts[24])
	bothUp(t, out)
	for plane, host := range []string{hosts[5], hosts[30]} {
		text := ibsimtest.Run(t, dir, socket, host, "ibnetdiscover")
		seen, _, err := format.ReadTopo("ibnetdiscover", strings.NewReader(text), format.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range seen.Nodes {
			if n := &seen.Nodes[i]; n.Ports[n.Base()].LID == 0 || strings.HasSuffix(n.Name, "-b") != (plane == 1) {
				t.Errorf("plane %d: %s has LID %d", plane+1, n.Name, n.Ports[n.Base()].LID)
			}
		}
		if links := ibsimtest.Run(t, dir, socket, host, "iblinkinfo"); strings.Contains(links, "Initial") || strings.Contains(links, "Armed") || !strings.Contains(links, "Active") {
			t.Errorf("plane %d has ports that are not active:\n%s", plane+1, links)
		}
		if len(seen.Nodes) != int(first) || seen.Switches() == 0 || seen.Nodes[0].Kind != subnet.Switch {
			t.Errorf("plane %d: %d nodes, want %d", plane+1, len(seen.Nodes), first)
		}
	}
}
