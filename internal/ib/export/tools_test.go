package export

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/internal/test/slurmtest"
)

// program is the path of a program of another package. Without the program the test is
// skipped; in CI it fails.
func program(t *testing.T, name, packages string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin") {
		if path := filepath.Join(dir, name); exec.Command("test", "-x", path).Run() == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed: .ci/run does that (%s)", name, packages)
	}
	t.Skipf("SKIPPED: %s is not installed (%s)", name, packages)
	return ""
}

var shapes = []topology.Spec{
	topology.SingleSwitch{Endpoints: 9},
	topology.KAry{K: 8},
	topology.Rail{Nodes: 32, Rails: 4, Radix: 16},
}

// Graphviz reads weft's graph without a complaint, and draws every switch and every box
// of hosts.
func TestGraphvizDrawsEverySwitch(t *testing.T) {
	dot := program(t, "dot", "graphviz")
	for _, shape := range append([]topology.Spec{topology.Torus{Dims: []int{4, 4}, SwitchEndpoints: 1}, topology.Dragonfly{P: 2, A: 4, H: 2}}, shapes...) {
		s := fabric(t, shape)
		for i := range s.Nodes { // a description is any bytes
			s.Nodes[i].Name += " \x01\xff<&\">\\"
		}
		var text bytes.Buffer
		if err := WriteDot(&text, s); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(dot, "-Tsvg")
		c.Stdin = &text
		var complaints bytes.Buffer
		c.Stderr = &complaints
		out, err := c.Output()
		if err != nil || complaints.Len() > 0 {
			t.Errorf("%T: %v\n%s", shape, err, complaints.String())
			continue
		}
		want := 0
		for i := range s.Nodes {
			if s.Nodes[i].Kind != subnet.Switch {
				continue
			}
			want++
			for p := range s.Nodes[i].Ports {
				if peer := s.Nodes[i].Ports[p].Peer; peer.Exists() && s.Nodes[peer.Node].Kind != subnet.Switch {
					want++ // the box of its hosts
					break
				}
			}
		}
		if got := drawnNodes(t, out); got != want {
			t.Errorf("%T: Graphviz draws %d nodes, want %d", shape, got, want)
		}
	}
}

// drawnNodes counts the nodes in a drawing of Graphviz's.
func drawnNodes(t *testing.T, svg []byte) (n int) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatalf("the drawing is not well formed: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if a.Name.Local == "class" && a.Value == "node" {
					n++
				}
			}
		}
	}
}

// Slurm's controller accepts weft's topology.conf: scontrol shows the same switches with
// the same nodes and switches below them.
func TestSlurmTakesTheTopology(t *testing.T) {
	for _, shape := range shapes {
		var text bytes.Buffer
		if err := WriteSlurm(&text, fabric(t, shape)); err != nil {
			t.Fatal(err)
		}
		var nodes []string
		for _, below := range switchesOf(text.String()) {
			for word := range strings.FieldsSeq(below) {
				if list, ok := strings.CutPrefix(word, "Nodes="); ok {
					nodes = append(nodes, list)
				}
			}
		}
		slurm := slurmtest.Start(t, "SelectType=select/linear\nTopologyPlugin=topology/tree\nNodeName="+strings.Join(nodes, ",")+" NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN\nPartitionName=all Nodes=ALL Default=YES State=UP", text.String(), false)
		shown, err := slurm.Command("scontrol", "show", "topology").Output()
		if err != nil {
			t.Fatal(err)
		}
		want, got := switchesOf(text.String()), switchesOf(string(shown))
		if len(got) != len(want) {
			t.Fatalf("%T: Slurm has %d switches, want %d", shape, len(got), len(want))
		}
		for name, below := range want {
			if got[name] != below {
				t.Errorf("%T: below %s Slurm has %q, want %q", shape, name, got[name], below)
			}
		}
	}
}

// switchesOf are the switches of a topology with the nodes or switches below each, as
// topology.conf and scontrol have them. scontrol also lists the nodes below a switch of
// switches: these are left out.
func switchesOf(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		fields := map[string]string{}
		for word := range strings.FieldsSeq(line) {
			if key, value, ok := strings.Cut(word, "="); ok && !strings.HasPrefix(line, "#") {
				fields[key] = value
			}
		}
		switch name := fields["SwitchName"]; {
		case name == "":
		case fields["Switches"] != "":
			all[name] = "Switches=" + fields["Switches"]
		default:
			all[name] = "Nodes=" + fields["Nodes"]
		}
	}
	return all
}
