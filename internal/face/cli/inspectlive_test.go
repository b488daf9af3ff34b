package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/face/cli/exit"
	"weft/internal/ib/subnet"
	"weft/internal/test/ibsimtest"
)

// inspectedAs is the report of fabric inspect without the names of the file and of its format.
func inspectedAs(t *testing.T, dir string, args ...string) map[string]any {
	t.Helper()
	out, notes := &liveOutput{}, &liveOutput{}
	e := environment(append([]string{"fabric", "inspect", "--json"}, args...))
	e.Dir, e.Stdout, e.Stderr = dir, out, notes
	if code := Main(t.Context(), e); code != exit.OK || notes.String() != "" {
		t.Fatalf("weft fabric inspect %s: exit %d, %s", strings.Join(args, " "), code, notes)
	}
	var found map[string]any
	if err := json.Unmarshal([]byte(out.String()), &found); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(found, func(key string, _ any) bool { return key == "file" || key == "format" || key == "read" })
	if len(found) < 5 {
		t.Fatalf("the report has %d parts: %v", len(found), found)
	}
	return found
}

// TestADiscoveredFabricIsInspectedAsTheFileOfIbnetdiscover: what weft discovers on the real ibsim, before a manager has run
// and after OpenSM has, gives the report of ibnetdiscover's file; and so does the file that weft writes of it.
func TestADiscoveredFabricIsInspectedAsTheFileOfIbnetdiscover(t *testing.T) {
	for name, spec := range map[string]topology.Spec{
		"fat tree":  topology.TwoLevel{Endpoints: 24, Radix: 8},
		"torus":     topology.Torus{Dims: []int{4, 3}, SwitchEndpoints: 2},
		"dragonfly": topology.Dragonfly{P: 2, A: 4, H: 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := shuffled(t, spec)
			for i := range s.Nodes { // a cable that a tree lacks
				if at := (subnet.End{Node: int32(i), Port: uint16(s.Nodes[i].NumPorts())}); s.Nodes[i].Kind == subnet.Switch && s.Peer(at).Exists() && s.Nodes[s.Peer(at).Node].Kind == subnet.Switch {
					s.Port(s.Peer(at)).Peer, s.Port(at).Peer = subnet.None, subnet.None
					break
				}
			}
			dir := t.TempDir()
			net, hosts := netOf(t, dir, s)
			socket := realIbsim(t, net)
			compare := func(when string) {
				file := "discovered-" + when
				live := inspectedAs(t, dir, "--ibsim", "--socket", socket, "--host", hosts[1], "-o", file)
				seen := "seen-" + when
				if err := os.WriteFile(filepath.Join(dir, seen), []byte(ibsimtest.Run(t, dir, socket, hosts[1], "ibnetdiscover")), 0o600); err != nil {
					t.Fatal(err)
				}
				if theirs := inspectedAs(t, dir, seen); !reflect.DeepEqual(live, theirs) {
					t.Errorf("%s: discovered %v\nibnetdiscover's file %v", when, live, theirs)
				}
				if again := inspectedAs(t, dir, file); !reflect.DeepEqual(live, again) {
					t.Errorf("%s: discovered %v\nthe file of -o %v", when, live, again)
				}
			}
			compare("before")
			opensm := ibsimtest.Command(t.Context(), t, dir, socket, hosts[0], "opensm", "-o", "-r", "-f", filepath.Join(dir, "osm.log"))
			if out, err := opensm.CombinedOutput(); err != nil {
				t.Fatalf("opensm: %v\n%s", err, out)
			}
			compare("after")
		})
	}
}

// TestAFabricOfTheEmulatorIsDiscovered: --umad takes the socket of weft emulate, whose fabric is that of the scenario, seen
// from any of its NICs.
func TestAFabricOfTheEmulatorIsDiscovered(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tree.yaml"), []byte(`
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 4, nics: 4}}
topology: {shape: fat-tree, radix: 8}
fabric: infiniband-hdr
workload: {collective: all-reduce, sizes: [1MiB]}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "fabric")
	out := running(t, dir, "emulate", "tree.yaml", "--socket", socket)
	ibsimtest.WaitFor(t, "weft emulate", func() bool { return strings.Contains(out.String(), "WEFT_EMULATOR") })
	want := inspectedAs(t, dir, "tree.yaml")
	for _, nic := range []string{"node0/nic0", "node3/nic2"} {
		got := inspectedAs(t, dir, "--umad", socket, "--host", nic, "-o", "seen")
		if again := inspectedAs(t, dir, "seen"); !reflect.DeepEqual(got, again) {
			t.Errorf("from %s: discovered %v\nthe file of -o %v", nic, got, again)
		}
		for _, part := range []string{"family", "switches", "hosts", "levels", "links"} {
			if w, there := want[part]; there && !reflect.DeepEqual(got[part], w) {
				t.Errorf("from %s: %s is %v, the scenario's %v", nic, part, got[part], w)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "seen"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "node3/nic2") || strings.Contains(string(text), "lid 0") {
		t.Errorf("the file of -o lacks a NIC, or has ports without a LID:\n%s", text)
	}
}
